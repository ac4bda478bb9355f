package integration

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// functionSpec is one Lambda function.
type functionSpec struct {
	name    string
	subnets []string // labels in order, of what is not published; none: no VPC
	// published are the subnets of version 1, which alias `live` points to; none:
	// there is no version.
	published []string
	tags      map[string]string
}

// seedFunctions makes the functions with their role.
func seedFunctions(t *testing.T, w world, s seeded) {
	t.Helper()
	if len(s.functions) == 0 {
		return
	}
	role, code := seedRole(t, w), program(t)
	api := lambda.NewFromConfig(w.cfg)
	seedAll(t, s.functions, func(f functionSpec) error { return seedFunction(t.Context(), api, w, s, f, role, code) })
	for _, f := range s.functions {
		w.cleanup(t, func(ctx context.Context) error {
			_, err := api.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: aws.String(w.prefix + f.name)})
			var gone *types.ResourceNotFoundException
			if errors.As(err, &gone) {
				return nil // the test was about that
			}
			return err
		})
	}
}

func seedRole(t *testing.T, w world) string {
	t.Helper()
	const trust = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"lambda.amazonaws.com"},"Action":"sts:AssumeRole"}]}`
	api := iam.NewFromConfig(w.cfg)
	name := w.prefix + "function"
	got, err := api.CreateRole(t.Context(), &iam.CreateRoleInput{RoleName: &name, AssumeRolePolicyDocument: aws.String(trust)})
	if err != nil {
		t.Fatalf("seeding a role: %v", err)
	}
	w.cleanup(t, func(ctx context.Context) error {
		_, err := api.DeleteRole(ctx, &iam.DeleteRoleInput{RoleName: &name})
		return err
	})
	return *got.Role.Arn
}

// program is a function's code as it is uploaded.
func program(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	f, err := z.Create("main.py")
	if err == nil {
		_, err = f.Write([]byte("def handler(event, context):\n    return event\n"))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatalf("packing a function: %v", err)
	}
	return b.Bytes()
}

// attachment is a function's place in the VPC, with all that a change of subnets
// must not lose.
func (s seeded) attachment(labels []string) *types.VpcConfig {
	if len(labels) == 0 {
		return nil
	}
	return &types.VpcConfig{SubnetIds: s.ids(labels...), SecurityGroupIds: s.guards, Ipv6AllowedForDualStack: aws.Bool(true)}
}

func seedFunction(ctx context.Context, api *lambda.Client, w world, s seeded, f functionSpec, role string, code []byte) error {
	name := w.prefix + f.name
	first := f.published
	if len(first) == 0 {
		first = f.subnets
	}
	_, err := api.CreateFunction(ctx, &lambda.CreateFunctionInput{
		FunctionName: &name, Role: &role, Code: &types.FunctionCode{ZipFile: code}, Handler: aws.String("main.handler"),
		Runtime: types.RuntimePython312, VpcConfig: s.attachment(first), Tags: f.tags,
	})
	if err != nil || len(f.published) == 0 {
		return err
	}
	if _, err := api.PublishVersion(ctx, &lambda.PublishVersionInput{FunctionName: &name}); err != nil {
		return err
	}
	_, err = api.CreateAlias(ctx, &lambda.CreateAliasInput{FunctionName: &name, Name: aws.String("live"), FunctionVersion: aws.String("1")})
	if err != nil || slices.Equal(f.subnets, f.published) {
		return err
	}
	_, err = api.UpdateFunctionConfiguration(ctx, &lambda.UpdateFunctionConfigurationInput{FunctionName: &name, VpcConfig: s.attachment(f.subnets)})
	return err
}

// outcome is what an evacuation says of the function, under either policy.
func (f functionSpec) outcome() string {
	switch {
	case len(f.subnets) == 0:
		return "skipped-no-vpc"
	case !slices.ContainsFunc(f.subnets, inOut):
		return "skipped-not-in-zone"
	case !slices.ContainsFunc(f.subnets, notOut):
		return "skipped-single-zone"
	case slices.ContainsFunc(f.published, inOut):
		return "not-evacuated"
	}
	return "settled"
}

package lambdafunction_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"
	tagging "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi/types"

	"sidestep/pkg/clock"
	"sidestep/pkg/kind/lambdafunction"
	"sidestep/pkg/resource"
)

// fake is a Lambda and a tagging API that answer what the region in memory never
// does.
type fake struct {
	functions []types.FunctionConfiguration
	versions  map[string][]types.FunctionConfiguration // by function ARN
	aliases   []types.AliasConfiguration
	tags      map[string]map[string]string // by function ARN
	pages     [][]string                   // the ARNs on each page of GetResources
	gone      map[string]bool              // functions that were deleted, by ARN
	fail      error                        // for every call

	mu    sync.Mutex
	calls []any // the inputs
}

var errFake = errors.New("scripted")

func (f *fake) took(in any, arn *string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, in)
	if f.gone[aws.ToString(arn)] {
		return fmt.Errorf("operation error Lambda: %w", &types.ResourceNotFoundException{})
	}
	return f.fail
}

// inputs are the calls of one sort.
func inputs[T any](f *fake) []T {
	var all []T
	for _, c := range f.calls {
		if in, ok := c.(T); ok {
			all = append(all, in)
		}
	}
	return all
}

// page cuts a page out of a list. The token is where it starts.
func page[T any](list []T, token *string, size int) ([]T, *string) {
	start, _ := strconv.Atoi(aws.ToString(token))
	end := min(start+size, len(list))
	if end == len(list) {
		return list[start:], nil
	}
	return list[start:end], aws.String(strconv.Itoa(end))
}

func (f *fake) ListFunctions(_ context.Context, in *lambda.ListFunctionsInput, _ ...func(*lambda.Options)) (*lambda.ListFunctionsOutput, error) {
	all := slices.Clone(f.functions)
	if in.FunctionVersion == types.FunctionVersionAll {
		all = nil
		for _, found := range f.functions {
			all = append(all, f.all(found)...)
		}
	}
	out := &lambda.ListFunctionsOutput{}
	out.Functions, out.NextMarker = page(all, in.Marker, 50)
	return out, f.took(in, nil)
}

// all is a function's unpublished version and those that are published, as lists of
// versions name them.
func (f *fake) all(function types.FunctionConfiguration) []types.FunctionConfiguration {
	arn := aws.ToString(function.FunctionArn)
	all := append([]types.FunctionConfiguration{function}, f.versions[arn]...)
	for i := range all {
		all[i].FunctionName = function.FunctionName
		all[i].FunctionArn = aws.String(arn + ":" + aws.ToString(all[i].Version))
	}
	return all
}

func (f *fake) GetFunction(_ context.Context, in *lambda.GetFunctionInput, _ ...func(*lambda.Options)) (*lambda.GetFunctionOutput, error) {
	for _, found := range f.functions {
		if aws.ToString(found.FunctionArn) == *in.FunctionName {
			return &lambda.GetFunctionOutput{Configuration: &found, Tags: f.tags[*in.FunctionName]}, f.took(in, in.FunctionName)
		}
	}
	return &lambda.GetFunctionOutput{Configuration: &types.FunctionConfiguration{FunctionArn: aws.String("arn:another")}}, f.took(in, in.FunctionName)
}

func (f *fake) ListVersionsByFunction(_ context.Context, in *lambda.ListVersionsByFunctionInput, _ ...func(*lambda.Options)) (*lambda.ListVersionsByFunctionOutput, error) {
	out := &lambda.ListVersionsByFunctionOutput{}
	for _, found := range f.functions {
		if aws.ToString(found.FunctionArn) == *in.FunctionName {
			out.Versions, out.NextMarker = page(f.all(found), in.Marker, 50)
		}
	}
	return out, f.took(in, in.FunctionName)
}

func (f *fake) ListAliases(_ context.Context, in *lambda.ListAliasesInput, _ ...func(*lambda.Options)) (*lambda.ListAliasesOutput, error) {
	out := &lambda.ListAliasesOutput{}
	out.Aliases, out.NextMarker = page(f.aliases, in.Marker, 2)
	return out, f.took(in, in.FunctionName)
}

func (f *fake) UpdateFunctionConfiguration(_ context.Context, in *lambda.UpdateFunctionConfigurationInput, _ ...func(*lambda.Options)) (*lambda.UpdateFunctionConfigurationOutput, error) {
	return &lambda.UpdateFunctionConfigurationOutput{}, f.took(in, in.FunctionName)
}

func (f *fake) GetResources(_ context.Context, in *resourcegroupstaggingapi.GetResourcesInput, _ ...func(*resourcegroupstaggingapi.Options)) (*resourcegroupstaggingapi.GetResourcesOutput, error) {
	out := &resourcegroupstaggingapi.GetResourcesOutput{}
	var pages [][]string
	pages, out.PaginationToken = page(f.pages, in.PaginationToken, 1)
	for _, arn := range slices.Concat(pages[:min(1, len(pages))]...) {
		m := tagging.ResourceTagMapping{ResourceARN: aws.String(arn)}
		for k, v := range f.tags[arn] {
			m.Tags = append(m.Tags, tagging.Tag{Key: aws.String(k), Value: aws.String(v)})
		}
		out.ResourceTagMappingList = append(out.ResourceTagMappingList, m)
	}
	if out.PaginationToken == nil {
		out.PaginationToken = aws.String("") // what AWS ends with
	}
	return out, f.took(in, nil)
}

// Subnets are named after their zone: subnet-1a lies in use1-az1.
var (
	everywhere = []string{"subnet-3a", "subnet-1a", "subnet-2a"}
	healthy    = []string{"subnet-3a", "subnet-2a"}
	groups     = []string{"sg-2", "sg-1"}
)

func arn(name string) string { return "arn:aws:lambda:us-east-1:111122223333:function:" + name }

// aFunction is a function in all zones.
func aFunction(name string, changes ...func(*types.FunctionConfiguration)) types.FunctionConfiguration {
	f := types.FunctionConfiguration{
		FunctionName: aws.String(name), FunctionArn: aws.String(arn(name)), Version: aws.String("$LATEST"),
		RevisionId: aws.String("revision-" + name), State: types.StateActive, LastUpdateStatus: types.LastUpdateStatusSuccessful,
		VpcConfig: vpc(everywhere, groups),
	}
	for _, change := range changes {
		change(&f)
	}
	return f
}

func vpc(subnets, groups []string) *types.VpcConfigResponse {
	return &types.VpcConfigResponse{
		VpcId: aws.String("vpc"), SubnetIds: subnets, SecurityGroupIds: groups, Ipv6AllowedForDualStack: aws.Bool(true),
	}
}

func in(subnets ...string) func(*types.FunctionConfiguration) {
	return func(f *types.FunctionConfiguration) { f.VpcConfig = vpc(subnets, groups) }
}

// aVersion is a published version with these subnets.
func aVersion(number string, subnets ...string) types.FunctionConfiguration {
	return types.FunctionConfiguration{Version: aws.String(number), VpcConfig: vpc(subnets, groups)}
}

func (f *fake) driver() *lambdafunction.Driver { return lambdafunction.New(f, f, clock.Real{}) }

// read has the driver read the functions.
func (f *fake) read(t *testing.T) []resource.Resource {
	t.Helper()
	var ids []resource.ID
	for _, found := range f.functions {
		ids = append(ids, resource.ID{Kind: resource.LambdaFunction, ARN: *found.FunctionArn, Name: *found.FunctionName})
	}
	all, err := f.driver().Read(t.Context(), ids...)
	if err != nil || len(all) != len(ids) {
		t.Fatalf("read %v and %v", all, err)
	}
	return all
}

// placed has it also look for what is published.
func (f *fake) placed(t *testing.T) []resource.Resource {
	t.Helper()
	all, err := f.driver().Place(t.Context(), f.read(t))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// read reads one function.
func read(t *testing.T, f types.FunctionConfiguration) resource.Resource {
	t.Helper()
	return (&fake{functions: []types.FunctionConfiguration{f}}).read(t)[0]
}

// untagged is a driver whose functions' tags cannot be read.
func untagged(f *fake) *lambdafunction.Driver {
	return lambdafunction.New(f, &fake{fail: errFake}, clock.Real{})
}

package lambdafunction

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"sidestep/pkg/resource"
)

// Apply sends what is missing, for the revision that was read: Lambda refuses it if
// somebody changed the function since.
func (d *Driver) Apply(ctx context.Context, live resource.Resource, c resource.Change) (resource.Receipt, error) {
	missing, err := c.Missing(live)
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	a, err := attach(live, missing)
	if err == nil {
		_, err = d.api.UpdateFunctionConfiguration(ctx, a.request(live))
	}
	if err != nil {
		return nil, fmt.Errorf("updating function %s: %w", c.Name, err)
	}
	return nil, nil
}

// attachment is a place in a VPC that can be sent: what Lambda gets is made from
// one, and attach makes none without subnets or without security groups. Lambda
// takes empty lists for the wish to leave the VPC.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
type attachment struct {
	subnets, groups []string
	ipv6            *bool
}

// attach is the function's place in its VPC with the edit made, and all else as it
// is live: what is left out is not kept.
func attach(live resource.Resource, edits []resource.Edit) (*attachment, error) {
	if len(edits) != 1 || edits[0].Field != resource.SubnetsField {
		return nil, fmt.Errorf("%v: %w", edits, resource.ErrUnplanned)
	}
	a := &attachment{subnets: edits[0].To, groups: live.Fields[groupsField]}
	if len(a.subnets) == 0 {
		return nil, fmt.Errorf("subnets: %w", resource.ErrEmpty)
	}
	if len(a.groups) == 0 {
		return nil, fmt.Errorf("security groups: %w", resource.ErrEmpty)
	}
	if allowed := live.Fields[ipv6Field]; len(allowed) == 1 {
		a.ipv6 = aws.Bool(allowed[0] == "true")
	}
	return a, nil
}

// request is the update that makes the attachment the function's. What it does not
// name stays as it is.
func (a *attachment) request(live resource.Resource) *lambda.UpdateFunctionConfigurationInput {
	in := &lambda.UpdateFunctionConfigurationInput{
		FunctionName: aws.String(live.ARN),
		VpcConfig: &types.VpcConfig{
			SubnetIds:               a.subnets,
			SecurityGroupIds:        a.groups,
			Ipv6AllowedForDualStack: a.ipv6,
		},
	}
	if revision, ok := live.Traits[traitRevision]; ok {
		in.RevisionId = &revision
	}
	return in
}

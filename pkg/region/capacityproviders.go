package region

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
)

// Limits of DescribeCapacityProviders.
const (
	providerPage    = 10
	providersByName = 100
)

// AddManagedInstancesProvider adds a capacity provider of ECS Managed Instances.
// Every other name, unless it is one of Fargate's, is an Auto Scaling group's.
func (r *Region) AddManagedInstancesProvider(name string) {
	r.touch(func() { r.managed[name] = true })
}

// DescribeCapacityProviders answers with a page of the capacity providers asked for
// by name or ARN.
func (a ECSAPI) DescribeCapacityProviders(ctx context.Context, in *ecs.DescribeCapacityProvidersInput, _ ...func(*ecs.Options)) (*ecs.DescribeCapacityProvidersOutput, error) {
	asked := given(in)
	names := make([]string, len(asked.CapacityProviders))
	for i, id := range asked.CapacityProviders {
		names[i] = shortName(id)
	}
	q := request{service: ServiceECS, op: "DescribeCapacityProviders", id: strings.Join(names, ", ")}
	return do(ctx, a.p, q, func() (*ecs.DescribeCapacityProvidersOutput, error) {
		r := a.p.region
		switch {
		case len(names) == 0:
			return nil, notModelled("capacity providers other than by name")
		case len(names) > providersByName:
			return nil, invalidECS("%d capacity providers, where at most %d can be described", len(names), providersByName)
		}
		if err := pageable(asked.MaxResults, providerPage); err != nil {
			return nil, err
		}
		sorted := slices.Compact(slices.Sorted(slices.Values(names)))
		cut, next, err := page(sorted, itself, asked.NextToken, r.pageSize(asked.MaxResults, providerPage))
		out := &ecs.DescribeCapacityProvidersOutput{NextToken: next}
		for _, name := range cut {
			// Those of Managed Instances are told of to who names the cluster alone.
			if r.managed[name] && asked.Cluster == nil {
				out.Failures = append(out.Failures, types.Failure{Arn: new(r.ecsARN("capacity-provider", name)), Reason: new("MISSING")})
				continue
			}
			out.CapacityProviders = append(out.CapacityProviders, r.describeProvider(name))
		}
		return out, err
	})
}

func (r *Region) describeProvider(name string) types.CapacityProvider {
	described := types.CapacityProvider{
		Name: new(name), CapacityProviderArn: new(r.ecsARN("capacity-provider", name)),
		Status: types.CapacityProviderStatusActive,
	}
	switch {
	case r.managed[name]:
		described.Type = types.CapacityProviderTypeManagedInstances
		described.ManagedInstancesProvider = &types.ManagedInstancesProvider{}
	case name == "FARGATE":
		described.Type = types.CapacityProviderTypeFargate
	case name == "FARGATE_SPOT":
		described.Type = types.CapacityProviderTypeFargateSpot
	default:
		described.Type = types.CapacityProviderTypeEc2Autoscaling
		group := fmt.Sprintf("arn:aws:autoscaling:%s:%s:autoScalingGroup:*:autoScalingGroupName/%s", r.name, r.account, name)
		described.AutoScalingGroupProvider = &types.AutoScalingGroupProvider{AutoScalingGroupArn: new(group)}
	}
	return described
}

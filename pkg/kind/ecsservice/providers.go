package ecsservice

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
)

// managedProviders returns which of the capacity providers that the services name
// run ECS Managed Instances: such a service takes its subnets from there. What
// AWS names itself is not asked about.
func (d *Driver) managedProviders(ctx context.Context, all []found) (map[string]bool, error) {
	var names []string
	for _, f := range all {
		for _, item := range f.CapacityProviderStrategy {
			if name := aws.ToString(item.CapacityProvider); name != "FARGATE" && name != "FARGATE_SPOT" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	managed := map[string]bool{}
	for batch := range slices.Chunk(slices.Compact(names), providerBatch) {
		if err := d.addManaged(ctx, managed, batch); err != nil {
			return nil, fmt.Errorf("describing %d capacity providers from %s on: %w", len(batch), batch[0], err)
		}
	}
	return managed, nil
}

// addManaged describes the providers and adds those of Managed Instances. A
// request may name a hundred, and its answer comes in pages of ten.
// https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_DescribeCapacityProviders.html
func (d *Driver) addManaged(ctx context.Context, managed map[string]bool, names []string) error {
	in := &ecs.DescribeCapacityProvidersInput{CapacityProviders: names}
	for {
		out, err := d.api.DescribeCapacityProviders(ctx, in)
		if err != nil {
			return err
		}
		if err := refused(out.Failures); err != nil {
			return err
		}
		for _, p := range out.CapacityProviders {
			if p.ManagedInstancesProvider != nil {
				managed[aws.ToString(p.Name)] = true
			}
		}
		if aws.ToString(out.NextToken) == "" {
			return nil
		}
		in = &ecs.DescribeCapacityProvidersInput{CapacityProviders: names, NextToken: out.NextToken}
	}
}

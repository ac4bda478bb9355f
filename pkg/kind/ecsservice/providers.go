package ecsservice

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
)

// managedProviders returns, by cluster, which of the capacity providers that the
// services name run ECS Managed Instances: such a service takes its subnets from
// there. A provider of that sort belongs to a cluster, and is described to who names
// that. What AWS names itself is not asked about.
// https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_DescribeCapacityProviders.html
func (d *Driver) managedProviders(ctx context.Context, all []found) (map[string]map[string]bool, error) {
	names := map[string][]string{}
	for _, f := range all {
		for _, item := range f.CapacityProviderStrategy {
			if name := aws.ToString(item.CapacityProvider); name != "FARGATE" && name != "FARGATE_SPOT" {
				names[f.cluster] = append(names[f.cluster], name)
			}
		}
	}
	managed := map[string]map[string]bool{}
	for _, cluster := range slices.Sorted(maps.Keys(names)) {
		managed[cluster] = map[string]bool{}
		slices.Sort(names[cluster])
		for batch := range slices.Chunk(slices.Compact(names[cluster]), providerBatch) {
			if err := d.addManaged(ctx, managed[cluster], cluster, batch); err != nil {
				return nil, fmt.Errorf("describing %d capacity providers of cluster %s from %s on: %w", len(batch), cluster, batch[0], err)
			}
		}
	}
	return managed, nil
}

// addManaged describes the providers and adds those of Managed Instances. A
// request may name a hundred, and its answer comes in pages of ten.
func (d *Driver) addManaged(ctx context.Context, managed map[string]bool, cluster string, names []string) error {
	in := &ecs.DescribeCapacityProvidersInput{Cluster: &cluster, CapacityProviders: names}
	for {
		out, err := d.api.DescribeCapacityProviders(ctx, in)
		if isGone(err) {
			return nil
		}
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
		in = &ecs.DescribeCapacityProvidersInput{Cluster: &cluster, CapacityProviders: names, NextToken: out.NextToken}
	}
}

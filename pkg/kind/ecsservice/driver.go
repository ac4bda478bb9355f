// Package ecsservice is the kind of Amazon ECS services: their subnets, whose
// every change redeploys all tasks, and the rebalancing that would move tasks
// between zones by itself.
package ecsservice

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"sidestep/pkg/resource"
)

// Pages and batches of the API. A request describes at most ten services, or a
// hundred tasks or capacity providers.
// https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_DescribeServices.html
const (
	pageSize      = 100
	serviceBatch  = 10
	taskBatch     = 100
	providerBatch = 100
)

// Driver drives ECS services.
type Driver struct{ api API }

// New returns the driver.
func New(api API) *Driver { return &Driver{api: api} }

// Kind is ecs-service.
func (d *Driver) Kind() resource.Kind { return resource.ECSService }

// found is a service with the short name of the cluster it was found in.
type found struct {
	cluster string
	types.Service
}

func (f found) name() string { return f.cluster + "/" + aws.ToString(f.ServiceName) }

// List returns the services in scope, of all clusters.
func (d *Driver) List(ctx context.Context, s resource.Scope) ([]resource.Resource, error) {
	if !s.Has(d.Kind()) {
		return nil, nil
	}
	clusters, err := d.clusters(ctx)
	if err != nil {
		return nil, err
	}
	var all []found
	for _, cluster := range clusters {
		arns, err := d.services(ctx, cluster)
		if err != nil {
			return nil, err
		}
		described, err := d.describe(ctx, cluster, arns)
		if err != nil {
			return nil, err
		}
		for _, f := range described {
			if s.Match(f.name(), tags(f.Service)) {
				all = append(all, f)
			}
		}
	}
	return d.translateAll(ctx, all)
}

// Read describes the services by ARN, each in the cluster that its name tells. A
// cluster that is gone took its services with it.
func (d *Driver) Read(ctx context.Context, ids ...resource.ID) ([]resource.Resource, error) {
	var clusters []string
	wanted := map[string][]string{}
	for _, id := range ids {
		cluster, _, _ := strings.Cut(id.Name, "/")
		if _, known := wanted[cluster]; !known {
			clusters = append(clusters, cluster)
		}
		wanted[cluster] = append(wanted[cluster], id.ARN)
	}
	var all []found
	for _, cluster := range clusters {
		described, err := d.describe(ctx, cluster, wanted[cluster])
		if err != nil {
			return nil, err
		}
		for _, f := range described {
			if slices.Contains(wanted[cluster], aws.ToString(f.ServiceArn)) {
				all = append(all, f)
			}
		}
	}
	return d.translateAll(ctx, all)
}

// clusters lists the short names of all clusters.
func (d *Driver) clusters(ctx context.Context) ([]string, error) {
	var names []string
	pages := ecs.NewListClustersPaginator(d.api, &ecs.ListClustersInput{MaxResults: aws.Int32(pageSize)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("listing clusters: %w", err)
		}
		for _, arn := range page.ClusterArns {
			names = append(names, arn[strings.LastIndex(arn, "/")+1:])
		}
	}
	return names, nil
}

// services lists the ARNs of a cluster's services, none if the cluster is gone.
func (d *Driver) services(ctx context.Context, cluster string) ([]string, error) {
	var arns []string
	pages := ecs.NewListServicesPaginator(d.api, &ecs.ListServicesInput{Cluster: &cluster, MaxResults: aws.Int32(pageSize)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if isGone(err) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("listing services of cluster %s: %w", cluster, err)
		}
		arns = append(arns, page.ServiceArns...)
	}
	return arns, nil
}

// describe describes services of one cluster. What AWS reports as missing or is
// deleting is left out, and so is all of a cluster that is gone.
func (d *Driver) describe(ctx context.Context, cluster string, arns []string) ([]found, error) {
	var all []found
	for batch := range slices.Chunk(arns, serviceBatch) {
		out, err := d.api.DescribeServices(ctx, &ecs.DescribeServicesInput{
			Cluster:  &cluster,
			Services: batch,
			Include:  []types.ServiceField{types.ServiceFieldTags},
		})
		if isGone(err) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("describing %d services of cluster %s from %s on: %w", len(batch), cluster, batch[0], err)
		}
		if err := refused(out.Failures); err != nil {
			return nil, fmt.Errorf("describing services of cluster %s: %w", cluster, err)
		}
		for _, s := range out.Services {
			if status := aws.ToString(s.Status); status != "INACTIVE" && status != "DRAINING" {
				all = append(all, found{cluster, s})
			}
		}
	}
	return all, nil
}

// isGone reports whether an error says that the cluster, or the service, does not
// exist.
func isGone(err error) bool {
	var cluster *types.ClusterNotFoundException
	var service *types.ServiceNotFoundException
	return errors.As(err, &cluster) || errors.As(err, &service)
}

// refused returns an error for the first of the failures that is more than
// something not being there. ECS answers these beside what it did describe.
// https://docs.aws.amazon.com/AmazonECS/latest/developerguide/api_failures_messages.html
func refused(failures []types.Failure) error {
	for _, f := range failures {
		if reason := aws.ToString(f.Reason); reason != "MISSING" {
			return fmt.Errorf("%s fails with %s %s", aws.ToString(f.Arn), reason, aws.ToString(f.Detail))
		}
	}
	return nil
}

func (d *Driver) translateAll(ctx context.Context, all []found) ([]resource.Resource, error) {
	managed, err := d.managedProviders(ctx, all)
	if err != nil {
		return nil, err
	}
	var resources []resource.Resource
	for _, f := range all {
		resources = append(resources, translate(f, managed))
	}
	return resources, nil
}

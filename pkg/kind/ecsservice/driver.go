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

	"sidestep/pkg/clock"
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
	// atOnce is how many requests of a list or a reading are under way at a time.
	atOnce = 5
)

// Driver drives ECS services.
type Driver struct {
	api   API
	clock clock.Clock
}

// New returns the driver. The clock starts what runs side by side.
func New(api API, c clock.Clock) *Driver { return &Driver{api: api, clock: c} }

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
	arns := make([][]string, len(clusters))
	err = clock.Try(d.clock, len(clusters), atOnce, func(i int) error {
		var err error
		arns[i], err = d.services(ctx, clusters[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	described, err := d.describe(ctx, clusters, arns)
	if err != nil {
		return nil, err
	}
	inScope := slices.DeleteFunc(described, func(f found) bool { return !s.Match(f.name(), tags(f.Service)) })
	return d.translateAll(ctx, inScope)
}

// Read describes the services by ARN, each in the cluster that its name tells. A
// cluster that is gone took its services with it.
func (d *Driver) Read(ctx context.Context, ids ...resource.ID) ([]resource.Resource, error) {
	var clusters []string
	var arns [][]string
	wanted := map[string]bool{}
	for _, id := range ids {
		cluster, _, _ := strings.Cut(id.Name, "/")
		i := slices.Index(clusters, cluster)
		if i < 0 {
			i = len(clusters)
			clusters, arns = append(clusters, cluster), append(arns, nil)
		}
		arns[i] = append(arns[i], id.ARN)
		wanted[id.ARN] = true
	}
	described, err := d.describe(ctx, clusters, arns)
	if err != nil {
		return nil, err
	}
	asked := slices.DeleteFunc(described, func(f found) bool { return !wanted[aws.ToString(f.ServiceArn)] })
	return d.translateAll(ctx, asked)
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

// describe describes services, whose ARNs stand by cluster. What AWS reports as
// missing or is deleting is left out, and so is all of a cluster that is gone.
func (d *Driver) describe(ctx context.Context, clusters []string, arns [][]string) ([]found, error) {
	type request struct {
		cluster  string
		services []string
	}
	var requests []request
	for i, cluster := range clusters {
		for batch := range slices.Chunk(arns[i], serviceBatch) {
			requests = append(requests, request{cluster, batch})
		}
	}
	described := make([][]found, len(requests))
	err := clock.Try(d.clock, len(requests), atOnce, func(i int) error {
		var err error
		described[i], err = d.describeBatch(ctx, requests[i].cluster, requests[i].services)
		return err
	})
	return slices.Concat(described...), err
}

func (d *Driver) describeBatch(ctx context.Context, cluster string, arns []string) ([]found, error) {
	out, err := d.api.DescribeServices(ctx, &ecs.DescribeServicesInput{
		Cluster:  &cluster,
		Services: arns,
		Include:  []types.ServiceField{types.ServiceFieldTags},
	})
	if isGone(err) {
		return nil, nil
	}
	if err == nil {
		err = refused(out.Failures)
	}
	if err != nil {
		return nil, fmt.Errorf("describing %d services of cluster %s from %s on: %w", len(arns), cluster, arns[0], err)
	}
	var all []found
	for _, s := range out.Services {
		if status := aws.ToString(s.Status); status != "INACTIVE" && status != "DRAINING" {
			all = append(all, found{cluster, s})
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
		resources = append(resources, translate(f, managed[f.cluster]))
	}
	return resources, nil
}

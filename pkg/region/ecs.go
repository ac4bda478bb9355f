package region

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
)

// Limits of the calls of ECS.
const (
	ecsPageMax     = 100
	clusterPage    = 100
	servicePage    = 10
	servicesByName = 10
)

// ECSAPI is a process's way to ECS.
type ECSAPI struct{ p *Process }

// ECS is the process's way to ECS.
func (p *Process) ECS() ECSAPI { return ECSAPI{p} }

// ListClusters answers with a page of the clusters' ARNs.
func (a ECSAPI) ListClusters(ctx context.Context, in *ecs.ListClustersInput, _ ...func(*ecs.Options)) (*ecs.ListClustersOutput, error) {
	asked := given(in)
	q := request{service: ServiceECS, op: "ListClusters"}
	return do(ctx, a.p, q, func() (*ecs.ListClustersOutput, error) {
		r := a.p.region
		if err := pageable(asked.MaxResults, ecsPageMax); err != nil {
			return nil, err
		}
		names := slices.Sorted(maps.Keys(r.clusters))
		cut, next, err := page(names, itself, asked.NextToken, r.pageSize(asked.MaxResults, clusterPage))
		out := &ecs.ListClustersOutput{NextToken: next}
		for _, name := range cut {
			out.ClusterArns = append(out.ClusterArns, r.ecsARN("cluster", name))
		}
		return out, err
	})
}

// ListServices answers with a page of the ARNs of a cluster's services.
func (a ECSAPI) ListServices(ctx context.Context, in *ecs.ListServicesInput, _ ...func(*ecs.Options)) (*ecs.ListServicesOutput, error) {
	asked := given(in)
	cluster := clusterName(asked.Cluster)
	q := request{service: ServiceECS, op: "ListServices", id: cluster}
	return do(ctx, a.p, q, func() (*ecs.ListServicesOutput, error) {
		r := a.p.region
		if asked.LaunchType != "" || asked.SchedulingStrategy != "" || asked.ResourceManagementType != "" {
			return nil, notModelled("filters of services")
		}
		if err := cmp.Or(pageable(asked.MaxResults, ecsPageMax), r.clusterThere(cluster)); err != nil {
			return nil, err
		}
		var names []string
		for _, s := range r.services {
			if s.cluster == cluster {
				names = append(names, s.name)
			}
		}
		slices.Sort(names)
		cut, next, err := page(names, itself, asked.NextToken, r.pageSize(asked.MaxResults, servicePage))
		out := &ecs.ListServicesOutput{NextToken: next}
		for _, name := range cut {
			out.ServiceArns = append(out.ServiceArns, r.ecsARN("service", serviceName(cluster, name)))
		}
		return out, err
	})
}

// DescribeServices answers with up to ten services of a cluster, by name or ARN.
// Those that are not there are failures beside them.
func (a ECSAPI) DescribeServices(ctx context.Context, in *ecs.DescribeServicesInput, _ ...func(*ecs.Options)) (*ecs.DescribeServicesOutput, error) {
	asked := given(in)
	cluster, ids := clusterName(asked.Cluster), slices.Clone(asked.Services)
	withTags := slices.Contains(asked.Include, types.ServiceFieldTags)
	q := request{service: ServiceECS, op: "DescribeServices", id: strings.Join(serviceNames(cluster, ids), ", ")}
	return do(ctx, a.p, q, func() (*ecs.DescribeServicesOutput, error) {
		if len(ids) == 0 || len(ids) > servicesByName {
			return nil, invalidECS("%d services, where 1 to %d can be described", len(ids), servicesByName)
		}
		return a.p.region.describeServices(cluster, ids, withTags)
	})
}

func (r *Region) describeServices(cluster string, ids []string, withTags bool) (*ecs.DescribeServicesOutput, error) {
	out := &ecs.DescribeServicesOutput{}
	for _, id := range ids {
		s, err := r.serviceIn(cluster, id)
		var missing *types.ServiceNotFoundException
		switch {
		case errors.As(err, &missing):
			arn := r.ecsARN("service", serviceName(cluster, id))
			out.Failures = append(out.Failures, types.Failure{Arn: new(arn), Reason: new("MISSING")})
		case err != nil:
			return nil, err
		default:
			out.Services = append(out.Services, r.describeService(s, withTags))
		}
	}
	return out, nil
}

// ecsARN is the ARN of a cluster, of a service or of one of its kin.
func (r *Region) ecsARN(kind, path string) string {
	return fmt.Sprintf("arn:aws:ecs:%s:%s:%s/%s", r.name, r.account, kind, path)
}

// clusterName is the short name of the cluster that a request means.
func clusterName(asked *string) string {
	if value(asked) == "" {
		return "default"
	}
	return shortName(*asked)
}

// shortName is the name at the end of an ARN of ECS, or the name itself.
func shortName(nameOrARN string) string { return nameOrARN[strings.LastIndex(nameOrARN, "/")+1:] }

// serviceName is a service as it is called here.
func serviceName(cluster, nameOrARN string) string { return cluster + "/" + shortName(nameOrARN) }

func serviceNames(cluster string, ids []string) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = serviceName(cluster, id)
	}
	return names
}

// clusterThere says so if a cluster is not. The region is locked.
func (r *Region) clusterThere(cluster string) error {
	if !r.clusters[cluster] {
		return &types.ClusterNotFoundException{Message: new("Cluster not found.")}
	}
	return nil
}

// serviceIn finds a service of a cluster by its name or ARN. The region is locked.
func (r *Region) serviceIn(cluster, nameOrARN string) (*service, error) {
	if err := r.clusterThere(cluster); err != nil {
		return nil, err
	}
	// The old form of the ARN has no cluster in it.
	if path := strings.Split(nameOrARN, "/"); len(path) == 3 && path[1] != cluster {
		return nil, invalidECS("Identifier is for cluster %s. Your cluster is %s", path[1], cluster)
	}
	s, ok := r.services[serviceName(cluster, nameOrARN)]
	if !ok {
		return nil, &types.ServiceNotFoundException{Message: new("Service not found.")}
	}
	return s, nil
}

// pageable says what is wrong with the length of a page that a request asks for.
func pageable(asked *int32, most int32) error {
	if asked != nil && (*asked < 1 || *asked > most) {
		return invalidECS("maxResults must be between 1 and %d", most)
	}
	return nil
}

func invalidECS(format string, args ...any) error {
	return &types.InvalidParameterException{Message: new(fmt.Sprintf(format, args...))}
}

func itself(s string) string { return s }

package region

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
)

// deploymentPage is how many service deployments a page holds.
const deploymentPage = 20

// ListServiceDeployments answers with a page of a service's deployments, the
// newest first. There are none where ECS does not deploy the service itself.
func (a ECSAPI) ListServiceDeployments(ctx context.Context, in *ecs.ListServiceDeploymentsInput, _ ...func(*ecs.Options)) (*ecs.ListServiceDeploymentsOutput, error) {
	asked := given(in)
	cluster, id, states := clusterName(asked.Cluster), value(asked.Service), slices.Clone(asked.Status)
	q := request{service: ServiceECS, op: "ListServiceDeployments", id: serviceName(cluster, id)}
	return do(ctx, a.p, q, func() (*ecs.ListServiceDeploymentsOutput, error) {
		r := a.p.region
		if asked.CreatedAt != nil {
			return nil, notModelled("service deployments by time")
		}
		if err := pageable(asked.MaxResults, ecsPageMax); err != nil {
			return nil, err
		}
		s, err := r.serviceIn(cluster, id)
		if err != nil {
			return nil, err
		}
		size := r.pageSize(asked.MaxResults, deploymentPage)
		cut, next, err := page(s.newest(states), (*rollout).age, asked.NextToken, size)
		out := &ecs.ListServiceDeploymentsOutput{NextToken: next}
		for _, o := range cut {
			out.ServiceDeployments = append(out.ServiceDeployments, r.describeRollout(s, o))
		}
		return out, err
	})
}

// newest lists the service deployments in these states, all if there are none
// named, the newest first.
func (s *service) newest(states []types.ServiceDeploymentStatus) []*rollout {
	var all []*rollout
	for _, o := range slices.Backward(s.rollouts) {
		if s.config.Controller == controllerECS && (len(states) == 0 || slices.Contains(states, o.status)) {
			all = append(all, o)
		}
	}
	return all
}

// age sorts rollouts of one service, the newest first.
func (o *rollout) age() string { return fmt.Sprintf("%020d", math.MaxInt-o.number) }

func (r *Region) describeRollout(s *service, o *rollout) types.ServiceDeploymentBrief {
	described := types.ServiceDeploymentBrief{
		ServiceDeploymentArn:     new(r.ecsARN("service-deployment", s.key()+"/"+o.id)),
		TargetServiceRevisionArn: new(r.ecsARN("service-revision", s.key()+"/"+o.revision)),
		ServiceArn:               new(r.ecsARN("service", s.key())),
		ClusterArn:               new(r.ecsARN("cluster", s.cluster)),
		Status:                   o.status,
		CreatedAt:                new(o.started), StartedAt: new(o.started),
	}
	if o.reason != "" {
		described.StatusReason = new(o.reason)
	}
	if !o.underway() {
		described.FinishedAt = new(o.finished)
	}
	return described
}

package region

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
)

// Limits of the calls about tasks.
const (
	taskPage    = 100
	tasksByName = 100
)

// placed is a task with whose it is.
type placed struct {
	*task
	service *service
}

// tasksOf lists the tasks of a cluster or, if it is named, of one of its services,
// in the order of their IDs. The region is locked.
func (r *Region) tasksOf(cluster string, only *service) []placed {
	var all []placed
	for _, s := range r.services {
		if s.cluster != cluster || only != nil && s != only {
			continue
		}
		for _, t := range s.running().tasks {
			all = append(all, placed{t, s})
		}
	}
	slices.SortFunc(all, func(a, b placed) int { return cmp.Compare(a.id, b.id) })
	return all
}

// ListTasks answers with a page of the ARNs of a cluster's tasks, or of those of
// one service of it.
func (a ECSAPI) ListTasks(ctx context.Context, in *ecs.ListTasksInput, _ ...func(*ecs.Options)) (*ecs.ListTasksOutput, error) {
	asked := given(in)
	cluster := clusterName(asked.Cluster)
	q := request{service: ServiceECS, op: "ListTasks", id: cluster}
	if asked.ServiceName != nil {
		q.id = serviceName(cluster, *asked.ServiceName)
	}
	return do(ctx, a.p, q, func() (*ecs.ListTasksOutput, error) {
		r := a.p.region
		only, err := r.tasksAsked(asked)
		if err != nil {
			return nil, err
		}
		size := r.pageSize(asked.MaxResults, taskPage)
		cut, next, err := page(r.tasksOf(cluster, only), func(t placed) string { return t.id }, asked.NextToken, size)
		out := &ecs.ListTasksOutput{NextToken: next}
		for _, t := range cut {
			out.TaskArns = append(out.TaskArns, r.taskARN(t))
		}
		return out, err
	})
}

// tasksAsked finds the one service that a request to list tasks is about, nil if
// it is about a whole cluster.
func (r *Region) tasksAsked(asked ecs.ListTasksInput) (*service, error) {
	cluster := clusterName(asked.Cluster)
	if err := cmp.Or(pageable(asked.MaxResults, ecsPageMax), r.clusterThere(cluster)); err != nil {
		return nil, err
	}
	for _, filter := range []*string{asked.ContainerInstance, asked.DaemonName, asked.Family, asked.StartedBy} {
		if filter != nil {
			return nil, notModelled("filters of tasks other than the service")
		}
	}
	if asked.LaunchType != "" || asked.DesiredStatus != "" && asked.DesiredStatus != types.DesiredStatusRunning {
		return nil, notModelled("filters of tasks other than the service")
	}
	if asked.ServiceName == nil {
		return nil, nil
	}
	return r.serviceIn(cluster, *asked.ServiceName)
}

// DescribeTasks answers with up to a hundred tasks of a cluster, by ID or ARN. Those
// that run no more are failures beside them.
func (a ECSAPI) DescribeTasks(ctx context.Context, in *ecs.DescribeTasksInput, _ ...func(*ecs.Options)) (*ecs.DescribeTasksOutput, error) {
	asked := given(in)
	cluster, ids := clusterName(asked.Cluster), slices.Clone(asked.Tasks)
	q := request{service: ServiceECS, op: "DescribeTasks", id: strings.Join(ids, ", ")}
	return do(ctx, a.p, q, func() (*ecs.DescribeTasksOutput, error) {
		r := a.p.region
		if len(ids) == 0 || len(ids) > tasksByName {
			return nil, invalidECS("%d tasks, where 1 to %d can be described", len(ids), tasksByName)
		}
		if err := r.clusterThere(cluster); err != nil {
			return nil, err
		}
		all := r.tasksOf(cluster, nil)
		out := &ecs.DescribeTasksOutput{}
		for _, id := range ids {
			i, ok := slices.BinarySearchFunc(all, shortName(id), func(t placed, id string) int { return cmp.Compare(t.id, id) })
			if ok {
				out.Tasks = append(out.Tasks, r.describeTask(all[i]))
			} else {
				out.Failures = append(out.Failures, types.Failure{Arn: new(id), Reason: new("MISSING")})
			}
		}
		return out, nil
	})
}

func (r *Region) taskARN(t placed) string { return r.ecsARN("task", t.service.cluster+"/"+t.id) }

func (r *Region) describeTask(t placed) types.Task {
	described := types.Task{
		TaskArn: new(r.taskARN(t)), ClusterArn: new(r.ecsARN("cluster", t.service.cluster)),
		TaskDefinitionArn: r.taskDefinition(t.service), Group: new("service:" + t.service.name),
		AvailabilityZone: new(r.zoneBy(t.zone).name),
		LastStatus:       new("RUNNING"), DesiredStatus: new("RUNNING"),
		CreatedAt: new(t.started), StartedAt: new(t.started), StartedBy: new(t.service.running().id),
		LaunchType: types.LaunchType(t.service.config.LaunchType),
	}
	if providers := t.service.config.CapacityProviders; len(providers) > 0 {
		described.CapacityProviderName = new(providers[0])
	}
	return described
}

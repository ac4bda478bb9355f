package ecsservice

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"sidestep/pkg/clock"
	"sidestep/pkg/resource"
)

// fewServices is up to how many services of a cluster are asked for their tasks
// one by one. Beyond that, listing all of the cluster's tasks takes fewer calls.
const fewServices = 10

// Place returns the readings with their tasks counted, by zone and by why they may
// be there.
func (d *Driver) Place(ctx context.Context, read []resource.Resource) ([]resource.Resource, error) {
	var clusters []string
	services := map[string][]string{}
	for _, r := range read {
		cluster, service, _ := strings.Cut(r.Name, "/")
		if _, known := services[cluster]; !known {
			clusters = append(clusters, cluster)
		}
		services[cluster] = append(services[cluster], service)
	}
	found := make([][]types.Task, len(clusters))
	err := clock.Try(d.clock, len(clusters), atOnce, func(i int) error {
		arns, err := d.tasks(ctx, clusters[i], services[clusters[i]])
		if err == nil {
			found[i], err = d.describeTasks(ctx, clusters[i], arns)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	counts := tally{}
	for i, tasks := range found {
		for _, t := range tasks {
			counts.add(clusters[i], t)
		}
	}
	placed := slices.Clone(read)
	for i, r := range placed {
		placed[i].Places = counts.places(r.Name)
	}
	return placed, nil
}

// tasks lists the tasks of some of a cluster's services, or of the whole cluster.
// A service that is gone has none.
func (d *Driver) tasks(ctx context.Context, cluster string, services []string) ([]string, error) {
	if len(services) > fewServices {
		return d.listTasks(ctx, &ecs.ListTasksInput{Cluster: &cluster})
	}
	var all []string
	for _, service := range services {
		arns, err := d.listTasks(ctx, &ecs.ListTasksInput{Cluster: &cluster, ServiceName: &service})
		if err != nil {
			return nil, err
		}
		all = append(all, arns...)
	}
	return all, nil
}

func (d *Driver) listTasks(ctx context.Context, in *ecs.ListTasksInput) ([]string, error) {
	in.MaxResults = aws.Int32(pageSize)
	var arns []string
	pages := ecs.NewListTasksPaginator(d.api, in)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if isGone(err) {
			return nil, nil
		}
		if err != nil {
			of := "cluster " + aws.ToString(in.Cluster)
			if in.ServiceName != nil {
				of = "service " + *in.ServiceName + " of " + of
			}
			return nil, fmt.Errorf("listing tasks of %s: %w", of, err)
		}
		arns = append(arns, page.TaskArns...)
	}
	return arns, nil
}

// describeTasks describes the tasks. One that ended meanwhile is missing.
func (d *Driver) describeTasks(ctx context.Context, cluster string, arns []string) ([]types.Task, error) {
	var tasks []types.Task
	for batch := range slices.Chunk(arns, taskBatch) {
		out, err := d.api.DescribeTasks(ctx, &ecs.DescribeTasksInput{Cluster: &cluster, Tasks: batch})
		if isGone(err) {
			return nil, nil
		}
		if err == nil {
			err = refused(out.Failures)
		}
		if err != nil {
			return nil, fmt.Errorf("describing %d tasks of cluster %s from %s on: %w", len(batch), cluster, batch[0], err)
		}
		tasks = append(tasks, out.Tasks...)
	}
	return tasks, nil
}

// where is what tasks are counted by.
type where struct{ zone, state string }

// tally counts tasks by the name of their resource.
type tally map[string]map[where]int

func (t tally) add(cluster string, task types.Task) {
	service, ours := strings.CutPrefix(aws.ToString(task.Group), "service:")
	at := where{aws.ToString(task.AvailabilityZone), state(aws.ToString(task.LastStatus))}
	// A task that is not placed yet is in no zone.
	if !ours || at.zone == "" || at.state == "" {
		return
	}
	name := cluster + "/" + service
	if t[name] == nil {
		t[name] = map[where]int{}
	}
	t[name][at]++
}

// places are a resource's, by zone and state; none is an empty list, which is to
// know that nothing runs.
func (t tally) places(name string) []resource.Place {
	all := []resource.Place{}
	for at, n := range t[name] {
		all = append(all, resource.Place{Zone: at.zone, State: at.state, Count: n})
	}
	slices.SortFunc(all, func(a, b resource.Place) int {
		if c := strings.Compare(a.Zone, b.Zone); c != 0 {
			return c
		}
		return strings.Compare(a.State, b.State)
	})
	return all
}

// state sorts a task's last status, or says nothing where the task is over.
// https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-lifecycle-explanation.html
func state(lastStatus string) string {
	switch lastStatus {
	case "RUNNING":
		return "running"
	case "DEACTIVATING", "STOPPING", "DEPROVISIONING":
		return "stopping"
	case "STOPPED", "DELETED":
		return ""
	}
	return "starting"
}

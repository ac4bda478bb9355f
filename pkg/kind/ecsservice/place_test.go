package ecsservice_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"sidestep/pkg/kind/ecsservice"
	"sidestep/pkg/resource"
)

// run adds n tasks of a service to a cluster.
func (f *fake) run(cluster, service, zone, status string, n int) {
	if f.tasks == nil {
		f.tasks = map[string][]types.Task{}
	}
	for range n {
		task := types.Task{
			TaskArn:    aws.String(fmt.Sprintf("arn:task/%s/%d", cluster, len(f.tasks[cluster]))),
			Group:      aws.String("service:" + service),
			LastStatus: &status,
		}
		if zone != "" {
			task.AvailabilityZone = &zone
		}
		f.tasks[cluster] = append(f.tasks[cluster], task)
	}
}

// place has the driver place services of these names.
func place(t *testing.T, f *fake, names ...string) []resource.Resource {
	t.Helper()
	var all []resource.Resource
	for _, id := range ids(names...) {
		all = append(all, resource.Resource{ID: id, Underway: "kept"})
	}
	placed, err := ecsservice.New(f, serial{}).Place(t.Context(), all)
	if err != nil || len(placed) != len(all) {
		t.Fatalf("placed %v and %v", placed, err)
	}
	for i, r := range placed {
		if r.ID != all[i].ID || r.Underway != "kept" || r.Places == nil || all[i].Places != nil {
			t.Errorf("%s was placed as %+v", all[i].Name, r)
		}
	}
	return placed
}

func TestTasksAreCountedByZoneAndState(t *testing.T) {
	f := &fake{}
	f.run("shop", "web", "us-east-1c", "RUNNING", 2)
	for _, status := range []string{"PROVISIONING", "PENDING", "ACTIVATING"} {
		f.run("shop", "web", "us-east-1b", status, 1)
		f.run("shop", "web", "", status, 1) // not placed yet
	}
	for _, status := range []string{"DEACTIVATING", "STOPPING", "DEPROVISIONING", "STOPPED", "DELETED"} {
		f.run("shop", "web", "us-east-1b", status, 1)
	}
	f.run("shop", "web", "us-east-1b", "RUNNING", 4)
	f.run("shop", "api", "us-east-1b", "RUNNING", 1)
	f.run("back", "web", "us-east-1a", "RUNNING", 1)
	f.gone = "closed"
	placed := place(t, f, "shop/web", "back/web", "shop/idle", "closed/web")
	for i, want := range [][]resource.Place{
		{
			{Zone: "us-east-1b", State: "running", Count: 4}, {Zone: "us-east-1b", State: "starting", Count: 3},
			{Zone: "us-east-1b", State: "stopping", Count: 3}, {Zone: "us-east-1c", State: "running", Count: 2},
		},
		{{Zone: "us-east-1a", State: "running", Count: 1}},
		{},
		{},
	} {
		if !reflect.DeepEqual(placed[i].Places, want) {
			t.Errorf("%s runs as %v, want %v", placed[i].Name, placed[i].Places, want)
		}
	}
}

// TestManyServicesAreListedAtOnce: up to ten of a cluster one by one, more with
// the whole cluster, all pages, and tasks described by the hundred.
func TestManyServicesAreListedAtOnce(t *testing.T) {
	for _, tt := range []struct{ services, tasks, lists, filtered, described int }{
		{0, 5, 0, 0, 0},
		{10, 5, 10, 10, 1},
		{10, 250, 30, 30, 25},
		{11, 250, 28, 0, 28},
	} {
		f := &fake{}
		var wanted []string
		for i := range tt.services {
			name := fmt.Sprintf("s-%02d", i)
			wanted = append(wanted, "shop/"+name)
			f.run("shop", name, "us-east-1b", "RUNNING", tt.tasks)
		}
		for _, r := range place(t, f, wanted...) {
			if n := resource.Count(r.Places); n != tt.tasks {
				t.Errorf("%d services: %s runs %d tasks", tt.services, r.Name, n)
			}
		}
		lists, filtered, described := taskCalls(t, f)
		if lists != tt.lists || filtered != tt.filtered || described != tt.described {
			t.Errorf("%d services: %d lists, %d of them of a service, and %d descriptions", tt.services, lists, filtered, described)
		}
	}
}

// taskCalls counts the calls about tasks, and sees that they stay within bounds.
func taskCalls(t *testing.T, f *fake) (lists, filtered, described int) {
	t.Helper()
	for _, in := range inputs[*ecs.ListTasksInput](f) {
		lists++
		if in.ServiceName != nil {
			filtered++
		}
		if aws.ToInt32(in.MaxResults) != 100 || *in.Cluster != "shop" {
			t.Errorf("listed with %+v", in)
		}
	}
	for _, in := range inputs[*ecs.DescribeTasksInput](f) {
		described++
		if len(in.Tasks) > 100 || *in.Cluster != "shop" {
			t.Errorf("described %d tasks of %s", len(in.Tasks), *in.Cluster)
		}
	}
	return lists, filtered, described
}

// TestTasksThatEndedMeanwhileAreMissing: another failure is an error.
func TestTasksThatEndedMeanwhileAreMissing(t *testing.T) {
	f := &fake{failures: []types.Failure{{Arn: aws.String("arn:task/ended"), Reason: aws.String("MISSING")}}}
	f.run("shop", "web", "us-east-1b", "RUNNING", 1)
	if placed := place(t, f, "shop/web"); resource.Count(placed[0].Places) != 1 {
		t.Errorf("runs as %v", placed[0].Places)
	}
	f.failures[0].Reason = aws.String("INTERNAL")
	_, err := ecsservice.New(f, serial{}).Place(t.Context(), []resource.Resource{{ID: ids("shop/web")[0]}})
	if err == nil || !strings.Contains(err.Error(), "arn:task/ended fails with INTERNAL") {
		t.Errorf("%v", err)
	}
}

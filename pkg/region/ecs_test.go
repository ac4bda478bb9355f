package region_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"sidestep/pkg/region"
)

// failed is the code of a call's error, whatever it answers.
func failed[T any](_ T, err error) string { return code(err) }

func TestListsOfECSComeInPages(t *testing.T) {
	for name, size := range map[string]int{"one": 1, "five": 5, "all": 1000} {
		t.Run(name, func(t *testing.T) {
			r, _ := withService(nil)
			r.SetPageSize(size)
			for i := range 12 {
				r.AddService(region.Service{Cluster: fmt.Sprintf("many-%02d", i%2), Name: fmt.Sprintf("service-%02d", i), ServiceConfig: region.ServiceConfig{Subnets: []string{"a"}, Desired: 2}})
			}
			api := r.Process("p").ECS()
			var clusters, services, tasks []string
			for pages := ecs.NewListClustersPaginator(api, &ecs.ListClustersInput{}); pages.HasMorePages(); {
				page, err := pages.NextPage(ctx)
				expect(t, "error", err, nil)
				clusters = append(clusters, page.ClusterArns...)
			}
			for pages := ecs.NewListServicesPaginator(api, &ecs.ListServicesInput{Cluster: new("many-01"), MaxResults: new(int32(100))}); pages.HasMorePages(); {
				page, err := pages.NextPage(ctx)
				expect(t, "error", err, nil)
				services = append(services, page.ServiceArns...)
			}
			for pages := ecs.NewListTasksPaginator(api, &ecs.ListTasksInput{Cluster: new("many-01")}); pages.HasMorePages(); {
				page, err := pages.NextPage(ctx)
				expect(t, "error", err, nil)
				tasks = append(tasks, page.TaskArns...)
			}
			expect(t, "clusters", len(clusters), 3)
			expect(t, "a cluster", clusters[2], "arn:aws:ecs:us-east-1:111122223333:cluster/shop")
			expect(t, "services", len(services), 6)
			expect(t, "a service", services[5], r.ServiceARN("many-01/service-11"))
			slices.Sort(tasks)
			expect(t, "tasks", len(slices.Compact(tasks)), 12)
		})
	}
}

func TestAPageOfServicesHoldsTen(t *testing.T) {
	r, _ := small()
	r.SetPageSize(1000)
	for i := range 11 {
		r.AddService(region.Service{Cluster: "default", Name: fmt.Sprint(i)})
	}
	out, err := r.Process("p").ECS().ListServices(ctx, nil)
	expect(t, "error", err, nil)
	expect(t, "services", len(out.ServiceArns), 10)
}

func TestWhatECSRefuses(t *testing.T) {
	r, _ := withService(nil)
	api := r.Process("p").ECS()
	many := strings.Split(strings.Repeat("web ", 101), " ")[:101]
	shop, zero := new("shop"), new(int32(0))
	for name, test := range map[string]struct{ got, want string }{
		"eleven services":              {failed(api.DescribeServices(ctx, &ecs.DescribeServicesInput{Cluster: shop, Services: many[:11]})), "InvalidParameterException"},
		"no services":                  {failed(api.DescribeServices(ctx, &ecs.DescribeServicesInput{Cluster: shop})), "InvalidParameterException"},
		"the default cluster":          {failed(api.DescribeServices(ctx, &ecs.DescribeServicesInput{Services: many[:1]})), "ClusterNotFoundException"},
		"101 tasks":                    {failed(api.DescribeTasks(ctx, &ecs.DescribeTasksInput{Cluster: shop, Tasks: many})), "InvalidParameterException"},
		"101 providers":                {failed(api.DescribeCapacityProviders(ctx, &ecs.DescribeCapacityProvidersInput{CapacityProviders: many})), "InvalidParameterException"},
		"all providers":                {failed(api.DescribeCapacityProviders(ctx, nil)), "NotModelled"},
		"an empty page":                {failed(api.ListServices(ctx, &ecs.ListServicesInput{Cluster: shop, MaxResults: zero})), "InvalidParameterException"},
		"an empty page of clusters":    {failed(api.ListClusters(ctx, &ecs.ListClustersInput{MaxResults: zero})), "InvalidParameterException"},
		"an empty page of deployments": {failed(api.ListServiceDeployments(ctx, &ecs.ListServiceDeploymentsInput{Cluster: shop, Service: new("web"), MaxResults: zero})), "InvalidParameterException"},
		"services of no cluster":       {failed(api.ListServices(ctx, &ecs.ListServicesInput{Cluster: new("x")})), "ClusterNotFoundException"},
		"tasks of no cluster":          {failed(api.ListTasks(ctx, &ecs.ListTasksInput{Cluster: new("x")})), "ClusterNotFoundException"},
		"tasks of no service":          {failed(api.ListTasks(ctx, &ecs.ListTasksInput{Cluster: shop, ServiceName: new("x")})), "ServiceNotFoundException"},
		"described tasks of none":      {failed(api.DescribeTasks(ctx, &ecs.DescribeTasksInput{Cluster: new("x"), Tasks: many[:1]})), "ClusterNotFoundException"},
		"deployments of no service":    {failed(api.ListServiceDeployments(ctx, &ecs.ListServiceDeploymentsInput{Cluster: shop, Service: new("x")})), "ServiceNotFoundException"},
		"daemons":                      {failed(api.ListServices(ctx, &ecs.ListServicesInput{Cluster: shop, SchedulingStrategy: "DAEMON"})), "NotModelled"},
		"stopped tasks":                {failed(api.ListTasks(ctx, &ecs.ListTasksInput{Cluster: shop, DesiredStatus: "STOPPED"})), "NotModelled"},
		"tasks of a family":            {failed(api.ListTasks(ctx, &ecs.ListTasksInput{Cluster: shop, Family: new("web")})), "NotModelled"},
		"a token":                      {failed(api.ListServices(ctx, &ecs.ListServicesInput{Cluster: shop, NextToken: new("?")})), "InvalidNextToken"},
	} {
		expect(t, name, test.got, test.want)
	}
}

func TestServicesAreDescribed(t *testing.T) {
	r, _ := withService(func(c *region.ServiceConfig) {
		c.TargetGroups, c.LoadBalancers, c.Tags = []string{"tg"}, []string{"classic"}, map[string]string{"team": "shop"}
		c.CapacityProviders = []string{"spare"}
	})
	out, err := r.Process("p").ECS().DescribeServices(ctx, &ecs.DescribeServicesInput{
		Cluster: new("shop"), Services: []string{r.ServiceARN("shop/web"), "wbe"}, Include: []types.ServiceField{types.ServiceFieldTags},
	})
	expect(t, "error", err, nil)
	expect(t, "failures", len(out.Failures), 1)
	s := out.Services[0]
	expect(t, "name", *s.ServiceName, "web")
	expect(t, "counts", []int32{s.DesiredCount, s.RunningCount}, []int32{6, 6})
	expect(t, "network", s.NetworkConfiguration, network("c", "a", "b"))
	expect(t, "target group", *s.LoadBalancers[0].TargetGroupArn, "tg")
	expect(t, "classic load balancer", *s.LoadBalancers[1].LoadBalancerName, "classic")
	expect(t, "rollout state, behind a classic load balancer", s.Deployments[0].RolloutState, types.DeploymentRolloutState(""))
	expect(t, "capacity provider", *s.CapacityProviderStrategy[0].CapacityProvider, "spare")
	expect(t, "launch type", string(s.LaunchType), "")
	expect(t, "tags", s.Tags, []types.Tag{{Key: new("team"), Value: new("shop")}})
	expect(t, "tags unless asked for", len(readService(t, r.Process("p"), "web").Tags), 0)
}

func TestTaskSetsStandForDeploymentsOfOthers(t *testing.T) {
	for controller, ofService := range map[string]bool{"CODE_DEPLOY": true, "EXTERNAL": false} {
		r, c := withService(func(c *region.ServiceConfig) { c.Controller = controller })
		p := r.Process("p")
		r.EditService("shop/web", func(c *region.ServiceConfig) { c.Subnets = []string{"a", "b"} })
		s := readService(t, p, "web")
		expect(t, "deployments", len(s.Deployments), 0)
		expect(t, "task sets", []string{*s.TaskSets[0].Status, *s.TaskSets[1].Status}, []string{"PRIMARY", "ACTIVE"})
		expect(t, "network of the service", s.NetworkConfiguration != nil, ofService)
		expect(t, "network of the task set", s.TaskSets[0].NetworkConfiguration, network("a", "b"))
		out, err := p.ECS().ListServiceDeployments(ctx, &ecs.ListServiceDeploymentsInput{Cluster: new("shop"), Service: new("web")})
		expect(t, "error", err, nil)
		expect(t, "service deployments", len(out.ServiceDeployments), 0)
		sleep(c, time.Hour)
		expect(t, "task sets", len(readService(t, p, "web").TaskSets), 1)
	}
}

func TestServiceDeploymentsComeNewestFirst(t *testing.T) {
	r, c := withService(nil)
	for i := range 7 {
		r.EditService("shop/web", func(c *region.ServiceConfig) { c.PublicIP = []string{"DISABLED", "ENABLED"}[i%2] })
		sleep(c, 5*time.Minute)
	}
	r.EditService("shop/web", func(c *region.ServiceConfig) { c.Subnets = []string{"a"} })
	var started []time.Time
	in := &ecs.ListServiceDeploymentsInput{Cluster: new("shop"), Service: new("web")}
	for {
		out, err := r.Process("p").ECS().ListServiceDeployments(ctx, in)
		expect(t, "error", err, nil)
		for _, d := range out.ServiceDeployments {
			started = append(started, *d.StartedAt)
		}
		if in.NextToken = out.NextToken; in.NextToken == nil {
			break
		}
	}
	expect(t, "deployments", len(started), 9)
	expect(t, "newest first", slices.IsSortedFunc(started, func(a, b time.Time) int { return b.Compare(a) }), true)
	in.Status = []types.ServiceDeploymentStatus{types.ServiceDeploymentStatusInProgress}
	out, err := r.Process("p").ECS().ListServiceDeployments(ctx, in)
	expect(t, "error", err, nil)
	expect(t, "in progress", len(out.ServiceDeployments), 1)
}

func TestTasksAreDescribed(t *testing.T) {
	r, c := withService(nil)
	r.SetPageSize(100)
	r.AddService(region.Service{Cluster: "shop", Name: "other", ServiceConfig: region.ServiceConfig{Desired: 3}})
	api := r.Process("p").ECS()
	listed, err := api.ListTasks(ctx, &ecs.ListTasksInput{Cluster: new("shop"), ServiceName: new("web")})
	expect(t, "error", err, nil)
	out, err := api.DescribeTasks(ctx, &ecs.DescribeTasksInput{Cluster: new("shop"), Tasks: append(listed.TaskArns, "gone")})
	expect(t, "error", err, nil)
	count := map[string]int{}
	for _, task := range out.Tasks {
		count[*task.Group+" "+*task.AvailabilityZone+" "+*task.LastStatus]++
	}
	expect(t, "tasks", count, map[string]int{
		"service:web us-east-1a RUNNING": 2, "service:web us-east-1b RUNNING": 2, "service:web us-east-1c RUNNING": 2,
	})
	expect(t, "failures", out.Failures, []types.Failure{{Arn: new("gone"), Reason: new("MISSING")}})

	r.EditService("shop/web", func(c *region.ServiceConfig) { c.Subnets = []string{"a"} })
	sleep(c, time.Hour)
	out, err = api.DescribeTasks(ctx, &ecs.DescribeTasksInput{Cluster: new("shop"), Tasks: listed.TaskArns})
	expect(t, "error", err, nil)
	expect(t, "replaced tasks", len(out.Failures), 6)
}

func TestCapacityProvidersAreTold(t *testing.T) {
	r, _ := small()
	r.AddManagedInstancesProvider("managed")
	names := []string{"FARGATE", "FARGATE_SPOT", "group-1", "group-2", "group-3", "arn:aws:ecs:us-east-1:111122223333:capacity-provider/managed"}
	in := &ecs.DescribeCapacityProvidersInput{CapacityProviders: names, Cluster: new("prod")}
	told := map[string]types.CapacityProviderType{}
	for {
		out, err := r.Process("p").ECS().DescribeCapacityProviders(ctx, in)
		expect(t, "error", err, nil)
		for _, p := range out.CapacityProviders {
			told[*p.Name] = p.Type
			expect(t, "managed instances of "+*p.Name, p.ManagedInstancesProvider != nil, *p.Name == "managed")
			expect(t, "group of "+*p.Name, p.AutoScalingGroupProvider != nil, strings.HasPrefix(*p.Name, "group-"))
		}
		if in.NextToken = out.NextToken; in.NextToken == nil {
			break
		}
	}
	expect(t, "types", told, map[string]types.CapacityProviderType{
		"FARGATE": "FARGATE", "FARGATE_SPOT": "FARGATE_SPOT", "managed": "MANAGED_INSTANCES",
		"group-1": "EC2_AUTOSCALING", "group-2": "EC2_AUTOSCALING", "group-3": "EC2_AUTOSCALING",
	})
	out, err := r.Process("p").ECS().DescribeCapacityProviders(ctx, &ecs.DescribeCapacityProvidersInput{CapacityProviders: []string{"managed"}})
	expect(t, "error", err, nil)
	expect(t, "told without the cluster", len(out.CapacityProviders), 0)
}

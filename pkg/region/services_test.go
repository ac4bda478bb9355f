package region_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"sidestep/pkg/clock"
	"sidestep/pkg/region"
)

// withService is the small region with a service over all its zones, shop/web.
func withService(edit func(*region.ServiceConfig)) (*region.Region, *clock.Virtual) {
	r, c := small()
	s := region.Service{Cluster: "shop", Name: "web", ServiceConfig: region.ServiceConfig{
		Subnets: []string{"c", "a", "b"}, SecurityGroups: []string{"sg-2", "sg-1"}, PublicIP: "ENABLED",
		Desired: 6, CircuitBreaker: true, Rebalancing: "ENABLED",
	}}
	if edit != nil {
		edit(&s.ServiceConfig)
	}
	r.AddService(s)
	return r, c
}

// network is a whole network configuration, as shop/web has it but for the subnets.
func network(subnets ...string) *types.NetworkConfiguration {
	return &types.NetworkConfiguration{AwsvpcConfiguration: &types.AwsVpcConfiguration{
		Subnets: subnets, SecurityGroups: []string{"sg-2", "sg-1"}, AssignPublicIp: types.AssignPublicIpEnabled,
	}}
}

// moveService sends one update of shop/web.
func moveService(ctx context.Context, p *region.Process, subnets ...string) error {
	_, err := p.ECS().UpdateService(ctx, &ecs.UpdateServiceInput{
		Cluster: new("shop"), Service: new("web"), NetworkConfiguration: network(subnets...),
	})
	return err
}

// readService describes one service of the cluster shop.
func readService(t *testing.T, p *region.Process, name string) types.Service {
	t.Helper()
	out, err := p.ECS().DescribeServices(ctx, &ecs.DescribeServicesInput{Cluster: new("shop"), Services: []string{name}})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Services) != 1 {
		t.Fatalf("%d services named %s", len(out.Services), name)
	}
	return out.Services[0]
}

func TestServicesAreComparableAndTheirOwn(t *testing.T) {
	r, c := withService(nil)
	before := r.Services()
	expect(t, "configuration", before["shop/web"], region.ServiceConfig{
		Subnets: []string{"c", "a", "b"}, SecurityGroups: []string{"sg-2", "sg-1"}, PublicIP: "ENABLED",
		Desired: 6, MinPercent: 100, MaxPercent: 200, Rebalancing: "ENABLED", CircuitBreaker: true,
		Controller: "ECS", Strategy: "ROLLING", Scheduling: "REPLICA", LaunchType: "EC2", ManagedBy: "CUSTOMER",
	})
	r.EditService("shop/web", func(c *region.ServiceConfig) { c.Tags = map[string]string{}; c.LoadBalancers = []string{} })
	expect(t, "configuration with nothing added", r.Services(), before)
	r.EditService("shop/web", func(c *region.ServiceConfig) { c.Subnets = []string{"a"} })
	sleep(c, time.Hour)
	r.EditService("shop/web", func(c *region.ServiceConfig) { c.Subnets = []string{"c", "a", "b"} })
	expect(t, "configuration after undoing", r.Services(), before)

	before["shop/web"].Subnets[0] = "scribbled"
	readService(t, r.Process("p"), "web").NetworkConfiguration.AwsvpcConfiguration.SecurityGroups[0] = "scribbled"
	expect(t, "subnets", r.Services()["shop/web"].Subnets, []string{"c", "a", "b"})
	expect(t, "security groups", r.Services()["shop/web"].SecurityGroups, []string{"sg-2", "sg-1"})
}

func TestTasksFollowTheDesiredCount(t *testing.T) {
	r, _ := withService(nil)
	placed := func() map[string]int { return r.ServicePlacement()["shop/web"] }
	expect(t, "at first", placed(), map[string]int{"az-a": 2, "az-b": 2, "az-c": 2})
	r.EditService("shop/web", func(c *region.ServiceConfig) { c.Desired = 4 })
	expect(t, "scaled in", placed(), map[string]int{"az-a": 1, "az-b": 1, "az-c": 2})
	r.EditService("shop/web", func(c *region.ServiceConfig) { c.Desired = 8 })
	expect(t, "scaled out", placed(), map[string]int{"az-a": 3, "az-b": 2, "az-c": 3})
	r.AddService(region.Service{Cluster: "shop", Name: "on-hosts", ServiceConfig: region.ServiceConfig{Desired: 3}})
	expect(t, "on hosts", r.ServicePlacement()["shop/on-hosts"], map[string]int{"az-a": 1, "az-b": 1, "az-c": 1})
}

func TestEditsOfServicesThatAreNotThereAreNoted(t *testing.T) {
	r, _ := withService(nil)
	r.EditService("web", func(*region.ServiceConfig) { t.Error("edited what is not there") })
	r.DeleteService("shop/wbe")
	r.FailRollouts("shop/wbe", region.RolloutNeverEnds)
	expect(t, "violations", len(r.Violations()), 3)
	expect(t, "ARN", r.ServiceARN("shop/wbe"), "")
	expect(t, "ARN", r.ServiceARN("shop/web"), "arn:aws:ecs:us-east-1:111122223333:service/shop/web")
}

func TestADeletedServiceIsMissing(t *testing.T) {
	r, c := withService(nil)
	p := r.Process("p")
	r.FailRollouts("shop/web", region.RolloutRollsBack)
	expect(t, "update", moveService(ctx, p, "a", "b"), nil)
	r.DeleteService("shop/web")
	sleep(c, time.Hour)
	out, err := p.ECS().DescribeServices(ctx, &ecs.DescribeServicesInput{Cluster: new("shop"), Services: []string{"web"}})
	expect(t, "error", err, nil)
	expect(t, "services", len(out.Services), 0)
	expect(t, "failures", out.Failures, []types.Failure{{
		Arn: new("arn:aws:ecs:us-east-1:111122223333:service/shop/web"), Reason: new("MISSING"),
	}})
	expect(t, "update", code(moveService(ctx, p, "a")), "ServiceNotFoundException")
	expect(t, "placement", r.ServicePlacement(), map[string]map[string]int{})
}

func TestAServiceAddedAnewIsAnotherOne(t *testing.T) {
	r, c := withService(nil)
	expect(t, "update", moveService(ctx, r.Process("p"), "a", "b"), nil)
	sleep(c, time.Minute)
	r.DeleteService("shop/web")
	r.AddService(region.Service{Cluster: "shop", Name: "web", ServiceConfig: region.ServiceConfig{Subnets: []string{"c"}, Desired: 2}})
	sleep(c, time.Hour)
	expect(t, "placement", r.ServicePlacement()["shop/web"], map[string]int{"az-c": 2})
	expect(t, "deployments", len(readService(t, r.Process("p"), "web").Deployments), 1)
}

func TestTimeOfServicesDoesNotDependOnWhoLooks(t *testing.T) {
	watched, c1 := withService(nil)
	alone, c2 := withService(nil)
	for _, r := range []*region.Region{watched, alone} {
		r.FailRollouts("shop/web", region.RolloutRollsBack)
		expect(t, "update", moveService(ctx, r.Process("p"), "a", "b"), nil)
	}
	for range 300 {
		sleep(c1, time.Second)
		watched.ServicePlacement()
	}
	sleep(c2, 300*time.Second)
	expect(t, "service", readService(t, watched.Process("p"), "web"), readService(t, alone.Process("p"), "web"))
}

package region_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecs"

	"sidestep/pkg/region"
)

// deployments tells of a service of the cluster shop: each of its deployments with
// status, subnets, state and running tasks, then each service deployment, the
// newest first.
func deployments(t *testing.T, p *region.Process, name string) string {
	t.Helper()
	var told []string
	for _, d := range readService(t, p, name).Deployments {
		told = append(told, fmt.Sprint(*d.Status, " ", d.NetworkConfiguration.AwsvpcConfiguration.Subnets, " ", d.RolloutState, " ", d.RunningCount))
	}
	out, err := p.ECS().ListServiceDeployments(ctx, &ecs.ListServiceDeploymentsInput{Cluster: new("shop"), Service: new(name)})
	if err != nil {
		t.Fatal(err)
	}
	var statuses []string
	for _, d := range out.ServiceDeployments {
		statuses = append(statuses, string(d.Status))
	}
	return strings.Join(told, ", ") + "; " + strings.Join(statuses, ", ")
}

func TestTheLifeOfADeployment(t *testing.T) {
	const before = "PRIMARY [c a b] COMPLETED 6; SUCCESSFUL"
	const inProgress = "PRIMARY [a b] IN_PROGRESS 0, ACTIVE [c a b] COMPLETED 6; IN_PROGRESS, SUCCESSFUL"
	const rollingBack = "PRIMARY [c a b] IN_PROGRESS 0, ACTIVE [a b] FAILED 0, ACTIVE [c a b] COMPLETED 6; ROLLBACK_IN_PROGRESS, SUCCESSFUL"
	for name, test := range map[string]struct {
		fate    region.RolloutFate
		edit    func(*region.ServiceConfig)
		half    string // after half the time
		end     string
		subnets string // at the end
		placed  map[string]int
	}{
		"succeeds": {
			half: inProgress, end: "PRIMARY [a b] COMPLETED 6; SUCCESSFUL, SUCCESSFUL",
			subnets: "[a b]", placed: map[string]int{"az-a": 3, "az-b": 3},
		},
		"rolls back": {
			fate: region.RolloutRollsBack,
			half: rollingBack, end: "PRIMARY [c a b] COMPLETED 6; ROLLBACK_SUCCESSFUL, SUCCESSFUL",
			subnets: "[c a b]", placed: map[string]int{"az-a": 2, "az-b": 2, "az-c": 2},
		},
		"fails unnoticed": {
			fate: region.RolloutRollsBack, edit: func(c *region.ServiceConfig) { c.CircuitBreaker = false },
			half: inProgress, end: inProgress,
			subnets: "[a b]", placed: map[string]int{"az-a": 2, "az-b": 2, "az-c": 2},
		},
		"never ends": {
			fate: region.RolloutNeverEnds,
			half: inProgress, end: inProgress,
			subnets: "[a b]", placed: map[string]int{"az-a": 2, "az-b": 2, "az-c": 2},
		},
		"has no room": {
			edit: func(c *region.ServiceConfig) { c.MinPercent, c.MaxPercent = 90, 110 },
			half: inProgress, end: inProgress,
			subnets: "[a b]", placed: map[string]int{"az-a": 2, "az-b": 2, "az-c": 2},
		},
		"has a minimum to stop": {
			edit: func(c *region.ServiceConfig) { c.MinPercent, c.MaxPercent = 50, 100 },
			half: inProgress, end: "PRIMARY [a b] COMPLETED 6; SUCCESSFUL, SUCCESSFUL",
			subnets: "[a b]", placed: map[string]int{"az-a": 3, "az-b": 3},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, c := withService(test.edit)
			r.FailRollouts("shop/web", test.fate)
			p := r.Process("p")
			expect(t, "before", deployments(t, p, "web"), before)
			expect(t, "update", moveService(ctx, p, "a", "b"), nil)
			expect(t, "at once", deployments(t, p, "web"), inProgress)
			expect(t, "subnets", r.Services()["shop/web"].Subnets, []string{"a", "b"})
			sleep(c, 2*time.Minute)
			expect(t, "after half the time", deployments(t, p, "web"), test.half)
			expect(t, "tasks meanwhile", r.ServicePlacement()["shop/web"], map[string]int{"az-a": 2, "az-b": 2, "az-c": 2})
			sleep(c, 2*time.Minute)
			expect(t, "at the end", deployments(t, p, "web"), test.end)
			expect(t, "subnets", fmt.Sprint(r.Services()["shop/web"].Subnets), test.subnets)
			expect(t, "tasks", r.ServicePlacement()["shop/web"], test.placed)
			sleep(c, 24*time.Hour)
			expect(t, "a day later", deployments(t, p, "web"), test.end)
			expect(t, "violations", len(r.Violations()), 0)
		})
	}
}

func TestADeploymentTellsOfItself(t *testing.T) {
	r, c := withService(nil)
	p := r.Process("p")
	r.FailRollouts("shop/web", region.RolloutRollsBack)
	expect(t, "update", moveService(ctx, p, "a", "b"), nil)
	sleep(c, 2*time.Minute)
	s := readService(t, p, "web")
	if !strings.HasPrefix(*s.Deployments[0].Id, "ecs-svc/") {
		t.Errorf("a deployment is called %s", *s.Deployments[0].Id)
	}
	out, err := p.ECS().ListServiceDeployments(ctx, &ecs.ListServiceDeploymentsInput{Cluster: new("shop"), Service: s.ServiceArn})
	expect(t, "error", err, nil)
	newest := out.ServiceDeployments[0]
	expect(t, "of the service", *newest.ServiceDeploymentArn, *s.CurrentServiceDeployment)
	expect(t, "started", *newest.StartedAt, start)
	expect(t, "finished", newest.FinishedAt == nil, true)
	expect(t, "reason", strings.Contains(*newest.StatusReason, "circuit breaker"), true)
	sleep(c, 2*time.Minute)
	expect(t, "none is current", readService(t, p, "web").CurrentServiceDeployment == nil, true)
}

func TestWhatStartsADeployment(t *testing.T) {
	for name, test := range map[string]struct {
		do     func(*region.Region, *region.Process)
		starts bool
	}{
		"other subnets": {starts: true, do: func(_ *region.Region, p *region.Process) { _ = moveService(ctx, p, "a", "b") }},
		"the same":      {do: func(_ *region.Region, p *region.Process) { _ = moveService(ctx, p, "c", "a", "b") }},
		"rebalancing": {do: func(_ *region.Region, p *region.Process) {
			_, _ = p.ECS().UpdateService(ctx, &ecs.UpdateServiceInput{Cluster: new("shop"), Service: new("web"), AvailabilityZoneRebalancing: "DISABLED"})
		}},
		"nothing": {do: func(_ *region.Region, p *region.Process) {
			_, _ = p.ECS().UpdateService(ctx, &ecs.UpdateServiceInput{Cluster: new("shop"), Service: new("web")})
		}},
		"somebody else's subnets": {starts: true, do: func(r *region.Region, _ *region.Process) {
			r.EditService("shop/web", func(c *region.ServiceConfig) { c.Subnets = []string{"a"} })
		}},
		"somebody else's security groups": {starts: true, do: func(r *region.Region, _ *region.Process) {
			r.EditService("shop/web", func(c *region.ServiceConfig) { c.SecurityGroups = []string{"sg-9"} })
		}},
		"somebody else's count": {do: func(r *region.Region, _ *region.Process) {
			r.EditService("shop/web", func(c *region.ServiceConfig) { c.Desired = 9 })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := withService(nil)
			test.do(r, r.Process("p"))
			expect(t, "started", len(readService(t, r.Process("p"), "web").Deployments) > 1, test.starts)
			expect(t, "violations", len(r.Violations()), 0)
		})
	}
}

func TestALaterDeploymentTakesThePlaceOfAnother(t *testing.T) {
	for name, fate := range map[string]region.RolloutFate{
		"in progress": region.RolloutSucceeds, "hanging": region.RolloutNeverEnds, "rolling back": region.RolloutRollsBack,
	} {
		t.Run(name, func(t *testing.T) {
			r, c := withService(nil)
			p := r.Process("p")
			r.FailRollouts("shop/web", fate)
			expect(t, "update", moveService(ctx, p, "a", "b"), nil)
			sleep(c, 3*time.Minute)
			r.FailRollouts("shop/web", region.RolloutSucceeds)
			expect(t, "update", moveService(ctx, p, "b"), nil)
			expect(t, "at once", deployments(t, p, "web"), "PRIMARY [b] IN_PROGRESS 0, ACTIVE [c a b] COMPLETED 6; IN_PROGRESS, STOPPED, SUCCESSFUL")
			sleep(c, time.Minute) // when the first would have ended
			expect(t, "tasks", r.ServicePlacement()["shop/web"], map[string]int{"az-a": 2, "az-b": 2, "az-c": 2})
			sleep(c, 3*time.Minute)
			expect(t, "at the end", deployments(t, p, "web"), "PRIMARY [b] COMPLETED 6; SUCCESSFUL, STOPPED, SUCCESSFUL")
			expect(t, "tasks", r.ServicePlacement()["shop/web"], map[string]int{"az-b": 6})
		})
	}
}

func TestMostRollouts(t *testing.T) {
	r, c := withService(nil)
	r.RolloutTime(time.Minute)
	for _, name := range []string{"one", "two", "three"} {
		r.AddService(region.Service{Cluster: "shop", Name: name, ServiceConfig: region.ServiceConfig{Subnets: []string{"a", "b"}, Desired: 1}})
		r.EditService("shop/"+name, func(c *region.ServiceConfig) { c.Subnets = []string{"a"} })
	}
	expect(t, "somebody else's", r.MostRollouts(), 0)
	move := func(name string) {
		_, _ = r.Process(name).ECS().UpdateService(ctx, &ecs.UpdateServiceInput{Cluster: new("shop"), Service: new(name), NetworkConfiguration: network("b")})
	}
	move("one")
	move("one") // the same again
	expect(t, "one", r.MostRollouts(), 1)
	sleep(c, 59*time.Second)
	move("two")
	expect(t, "two at once", r.MostRollouts(), 2)
	sleep(c, time.Second)
	move("three")
	expect(t, "two at once, of three", r.MostRollouts(), 2)
	r.EditService("shop/two", func(c *region.ServiceConfig) { c.Subnets = []string{"a"} })
	r.DeleteService("shop/three")
	move("web")
	expect(t, "what others took over or deleted", r.MostRollouts(), 2)
}

func TestADeploymentWithoutAZoneDoesNotEnd(t *testing.T) {
	r, c := withService(nil)
	expect(t, "update", moveService(ctx, r.Process("p"), "a"), nil)
	r.DeleteSubnet("a")
	sleep(c, time.Hour)
	expect(t, "deployments", deployments(t, r.Process("p"), "web"), "PRIMARY [a] IN_PROGRESS 0, ACTIVE [c a b] COMPLETED 6; IN_PROGRESS, SUCCESSFUL")
}

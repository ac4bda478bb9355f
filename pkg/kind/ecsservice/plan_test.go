package ecsservice_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"sidestep/pkg/kind/ecsservice"
	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

var (
	impaired = zone.Zone{ID: "use1-az1", Name: "us-east-1b"}
	zones    = zone.Zones{All: []zone.Zone{impaired, {ID: "use1-az2", Name: "us-east-1c"}, {ID: "use1-az3", Name: "us-east-1a"}}}

	closed    = resource.Edit{Field: "subnets", From: everywhere, To: healthy}
	reopened  = resource.Edit{Field: "subnets", From: healthy, To: everywhere}
	disabling = resource.Edit{Field: "zone-rebalancing", From: []string{"ENABLED"}, To: []string{"DISABLED"}}
	enabling  = resource.Edit{Field: "zone-rebalancing", From: []string{"DISABLED"}, To: []string{"ENABLED"}}
)

// heldRecord and drainedRecord are what evacuations leave.
func heldRecord() *resource.Recorded {
	return &resource.Recorded{Edits: []resource.Edit{disabling}}
}

func drainedRecord() *resource.Recorded {
	return &resource.Recorded{Edits: []resource.Edit{closed}, RemovedSubnets: []string{"subnet-1a"}}
}

func aGoal(changes ...func(*resource.Goal)) resource.Goal {
	g := resource.Goal{
		Direction: resource.Evacuate, Zone: impaired, Policy: resource.Hold, Zones: zones,
		Subnets: zone.Subnets{
			"subnet-1a": {Zone: "use1-az1", VPC: "vpc"}, "subnet-1b": {Zone: "use1-az1", VPC: "vpc"},
			"subnet-2a": {Zone: "use1-az2", VPC: "vpc"}, "subnet-3a": {Zone: "use1-az3", VPC: "vpc"},
		},
	}
	for _, change := range changes {
		change(&g)
	}
	return g
}

func drain(g *resource.Goal) { g.Policy = resource.Drain }
func shift(g *resource.Goal) { g.Policy = resource.Shift }
func back(g *resource.Goal)  { g.Direction = resource.Recover }

func recorded(rec *resource.Recorded, others ...resource.Recorded) func(*resource.Goal) {
	return func(g *resource.Goal) { g.Recorded, g.Others = rec, others }
}

func plan(t *testing.T, s types.Service, goal ...func(*resource.Goal)) resource.Change {
	t.Helper()
	return ecsservice.New(nil, serial{}).Plan(read(t, s), aGoal(goal...))
}

func in(subnets ...string) func(*types.Service) {
	return func(s *types.Service) { s.NetworkConfiguration = awsvpc(subnets...) }
}

func rebalancing(at types.AvailabilityZoneRebalancing) func(*types.Service) {
	return func(s *types.Service) { s.AvailabilityZoneRebalancing = at }
}

var off = rebalancing(types.AvailabilityZoneRebalancingDisabled)

func by(c types.DeploymentControllerType) func(*types.Service) {
	return func(s *types.Service) { s.DeploymentController = &types.DeploymentController{Type: c} }
}

func sets(c types.DeploymentControllerType) func(*types.Service) {
	return func(s *types.Service) { deployedBySets(s, c) }
}

func hostNetwork(s *types.Service) { s.NetworkConfiguration = nil }
func daemon(s *types.Service)      { s.SchedulingStrategy = types.SchedulingStrategyDaemon }
func express(s *types.Service)     { s.ResourceManagementType = types.ResourceManagementTypeEcs }
func anywhere(s *types.Service)    { s.LaunchType = types.LaunchTypeExternal }

func classic(s *types.Service) {
	s.LoadBalancers = []types.LoadBalancer{{LoadBalancerName: aws.String("front")}, {LoadBalancerName: aws.String("back")}, {LoadBalancerName: aws.String("front")}}
}

func serving(arn string) func(*types.Service) {
	return func(s *types.Service) { s.LoadBalancers = []types.LoadBalancer{{TargetGroupArn: &arn}} }
}

func stack(s *types.Service) {
	s.Tags = []types.Tag{{Key: aws.String("aws:cloudformation:stack-name"), Value: aws.String("shop")}}
}

func percents(minimum, maximum int32) func(*types.Service) {
	return func(s *types.Service) {
		s.DeploymentConfiguration.MinimumHealthyPercent, s.DeploymentConfiguration.MaximumPercent = &minimum, &maximum
	}
}

func strategy(name types.DeploymentStrategy) func(*types.Service) {
	return func(s *types.Service) { s.DeploymentConfiguration.Strategy = name }
}

// TestWhatIsLeft goes through the services that are left as they are, and why,
// under hold and under drain.
func TestWhatIsLeft(t *testing.T) {
	const codeDeploy, external = types.DeploymentControllerTypeCodeDeploy, types.DeploymentControllerTypeExternal
	list := func(f ...func(*types.Service)) []func(*types.Service) { return f }
	for name, tt := range map[string]struct {
		service []func(*types.Service)
		want    resource.Outcome
		reason  string
	}{
		"elsewhere":                     {list(in(healthy...)), resource.SkippedNotInZone, ""},
		"FR03 elsewhere, with a daemon": {list(in(healthy...), daemon), resource.SkippedNotInZone, ""},
		"FR10 single zone":              {list(in("subnet-1b", "subnet-1a")), resource.SkippedSingleZone, "no subnet in another zone"},
		"unknown subnet":                {list(in("subnet-1a", "subnet-x", "subnet-2a")), resource.SkippedUnknownZone, "subnet-x"},
		"FR30 hosts' network":           {list(hostNetwork), resource.SkippedHostNetwork, "drain its container instances"},
		"FR30 hosts' network, daemon":   {list(hostNetwork, daemon), resource.SkippedHostNetwork, "Auto Scaling group behind them"},
		"outside of AWS":                {list(hostNetwork, anywhere), resource.SkippedNotInZone, ""},
		"FR17 CodeDeploy":               {list(by(codeDeploy)), resource.SkippedCodeDeploy, "AppSpec"},
		"FR17 CodeDeploy, task sets":    {list(sets(codeDeploy)), resource.SkippedCodeDeploy, "AppSpec"},
		"FR17 external":                 {list(sets(external)), resource.SkippedExternalController, "create a task set"},
		"daemon":                        {list(daemon), resource.SkippedDaemon, "Auto Scaling group of its hosts"},
		"express":                       {list(express), resource.SkippedExpress, "Express"},
		"managed instances":             {list(on("hosts", "managed")), resource.SkippedManagedInstances, "capacity provider managed"},
		"managed, hosts' network":       {list(on("hosts", "managed"), hostNetwork), resource.SkippedManagedInstances, "capacity provider managed"},
		"managed by launch type":        {list(func(s *types.Service) { s.LaunchType = types.LaunchTypeManagedInstances }), resource.SkippedManagedInstances, "capacity provider of its cluster"},
	} {
		for _, goal := range []func(*resource.Goal){func(*resource.Goal) {}, drain, shift} {
			c := plan(t, aService("web", tt.service...), goal)
			if c.Outcome != tt.want || !strings.Contains(c.Reason, tt.reason) || (tt.reason == "") != (c.Reason == "") {
				t.Errorf("%s under %s: %s (%q), want %s (%q)", name, c.Policy, c.Outcome, c.Reason, tt.want, tt.reason)
			}
			if len(c.Edits) > 0 || len(c.Removed) > 0 || c.Rollout {
				t.Errorf("%s under %s: edits %v, removed %v, rollout %t", name, c.Policy, c.Edits, c.Removed, c.Rollout)
			}
		}
	}
	if c := plan(t, aService("web"), shift); c.Outcome != resource.NotEvacuated || !strings.Contains(c.Reason, "traffic only") {
		t.Errorf("shift: %s (%q)", c.Outcome, c.Reason)
	}
}

// TestFR03HoldRedeploysNothing: a hold sends no subnets, and what it cannot even
// stop from rebalancing it leaves, saying what leaving the zone would cost.
func TestFR03HoldRedeploysNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		service func(*types.Service)
		goal    func(*resource.Goal)
		want    []resource.Edit
		outcome resource.Outcome
		reason  string
	}{
		"rebalancing on":         {rebalancing(types.AvailabilityZoneRebalancingEnabled), recorded(nil), []resource.Edit{disabling}, resource.Planned, ""},
		"rebalancing off":        {off, recorded(nil), nil, resource.HeldRedeploys, "would redeploy all 6 tasks, in every zone; --policy drain"},
		"never had it":           {rebalancing(""), recorded(nil), nil, resource.HeldRedeploys, "all 6 tasks"},
		"one task":               {func(s *types.Service) { off(s); s.DesiredCount = 1 }, recorded(nil), nil, resource.HeldRedeploys, "its only task; --policy drain"},
		"classic balancer":       {func(s *types.Service) { off(s); classic(s) }, recorded(nil), nil, resource.HeldRedeploys, "all 6 tasks"},
		"held already":           {off, recorded(heldRecord()), nil, resource.AlreadyDone, "held"},
		"somebody enabled it":    {func(*types.Service) {}, recorded(heldRecord()), []resource.Edit{disabling}, resource.Planned, ""},
		"another zone is held":   {off, recorded(nil, *heldRecord()), []resource.Edit{disabling}, resource.Planned, ""},
		"both are":               {off, recorded(heldRecord(), *heldRecord()), nil, resource.AlreadyDone, "held"},
		"another was drained":    {off, recorded(nil, *drainedRecord()), nil, resource.HeldRedeploys, "all 6 tasks"},
		"drained before":         {in(healthy...), recorded(drainedRecord()), nil, resource.AlreadyDone, "no subnet in the zone"},
		"drained, and put back":  {off, recorded(drainedRecord()), nil, resource.AlreadyDone, "held"},
		"traffic is not in it":   {serving("arn:tg"), func(g *resource.Goal) { g.Unmoved = map[string]string{"arn:tg": "not moved"} }, []resource.Edit{disabling}, resource.Planned, ""},
		"no room for deployment": {percents(100, 100), recorded(nil), []resource.Edit{disabling}, resource.Planned, ""},
	} {
		c := plan(t, aService("web", tt.service), tt.goal)
		if !reflect.DeepEqual(c.Edits, tt.want) || c.Outcome != tt.outcome || !strings.Contains(c.Reason, tt.reason) {
			t.Errorf("%s: %s (%q) with %v, want %s (%q) with %v", name, c.Outcome, c.Reason, c.Edits, tt.outcome, tt.reason, tt.want)
		}
		if len(c.Removed) > 0 || len(c.Order) > 0 || c.Rollout {
			t.Errorf("%s: removed %v, order %v, rollout %t", name, c.Removed, c.Order, c.Rollout)
		}
	}
}

// TestDrain goes through what a drain sends, and says of it.
func TestDrain(t *testing.T) {
	both := []resource.Edit{closed, enabling}
	for name, tt := range map[string]struct {
		service func(*types.Service)
		goal    func(*resource.Goal)
		want    []resource.Edit
		outcome resource.Outcome
	}{
		"drain":                      {func(*types.Service) {}, drain, []resource.Edit{closed}, resource.Planned},
		"traffic moved":              {serving("arn:tg"), func(g *resource.Goal) { g.Unmoved = map[string]string{"arn:other": "no"} }, []resource.Edit{closed}, resource.Planned},
		"traffic not moved":          {serving("arn:tg"), func(g *resource.Goal) { g.Unmoved = map[string]string{"arn:tg": "no"} }, nil, resource.HeldTraffic},
		"classic balancer":           {classic, drain, nil, resource.HeldTraffic},
		"done":                       {in(healthy...), recorded(drainedRecord()), nil, resource.AlreadyDone},
		"done, a daemon by now":      {func(s *types.Service) { in(healthy...)(s); daemon(s) }, recorded(drainedRecord()), nil, resource.AlreadyDone},
		"done, traffic not moved":    {func(s *types.Service) { in(healthy...)(s); classic(s) }, recorded(drainedRecord()), nil, resource.AlreadyDone},
		"FR67 hold becomes drain":    {off, recorded(heldRecord()), both, resource.Planned},
		"FR67 another zone is held":  {off, recorded(heldRecord(), *heldRecord()), []resource.Edit{closed}, resource.Planned},
		"FR67 somebody's own":        {off, recorded(drainedRecord()), []resource.Edit{closed}, resource.Planned},
		"FR67 somebody enabled it":   {func(*types.Service) {}, recorded(heldRecord()), []resource.Edit{closed}, resource.Planned},
		"FR67 ineligible by now":     {func(s *types.Service) { off(s); percents(50, 100)(s) }, recorded(heldRecord()), []resource.Edit{closed}, resource.Planned},
		"held, and somebody drained": {func(s *types.Service) { off(s); in(healthy...)(s) }, recorded(heldRecord()), []resource.Edit{enabling}, resource.Planned},
	} {
		c := plan(t, aService("web", tt.service), tt.goal, drain)
		if !reflect.DeepEqual(c.Edits, tt.want) || c.Outcome != tt.outcome {
			t.Errorf("%s: %s (%q) with %v, want %s with %v", name, c.Outcome, c.Reason, c.Edits, tt.outcome, tt.want)
		}
		closes := len(tt.want) > 0 && tt.want[0].Field == "subnets"
		if c.Rollout != closes || slices.Equal(c.Removed, []string{"subnet-1a"}) != closes {
			t.Errorf("%s: rollout %t, removed %v", name, c.Rollout, c.Removed)
		}
	}
	if c := plan(t, aService("web", classic), drain); !strings.Contains(c.Reason, "classic load balancer front, back, whose") {
		t.Errorf("classic: %q", c.Reason)
	}
	other := resource.Recorded{Edits: []resource.Edit{{Field: "subnets", From: []string{"subnet-3a", "subnet-2a", "subnet-1a"}}}, RemovedSubnets: []string{"subnet-2a"}}
	c := plan(t, aService("web", in("subnet-3a", "subnet-1a")), drain, recorded(nil, other))
	if want := []string{"subnet-3a", "subnet-2a", "subnet-1a"}; !slices.Equal(c.Order, want) {
		t.Errorf("with another zone out the order is %v, want %v", c.Order, want)
	}
}

package autoscalinggroup_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"sidestep/pkg/kind/autoscalinggroup"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

// Subnets are named after their zone: subnet-1a lies in use1-az1, which is
// us-east-1b.
var (
	everywhere = []string{"subnet-3a", "subnet-1a", "subnet-2a"}
	healthy    = []string{"subnet-3a", "subnet-2a"}
	closed     = resource.Edit{Field: "subnets", From: everywhere, To: healthy}
)

func suspend(process string) resource.Edit {
	return resource.Edit{Field: "process/" + process, From: []string{"active"}, To: []string{"suspended"}}
}

func resume(process string) resource.Edit {
	return resource.Edit{Field: "process/" + process, From: []string{"suspended"}, To: []string{"active"}}
}

// held is the record of a group that was closed under hold.
func held() *resource.Recorded {
	return &resource.Recorded{
		Edits:          []resource.Edit{suspend("AZRebalance"), suspend("ReplaceUnhealthy"), closed},
		RemovedSubnets: []string{"subnet-1a"},
	}
}

// plan adds the group to the sample, reads it and plans.
func plan(t *testing.T, o autoscalinggroup.Options, group region.Group, change func(*resource.Goal)) resource.Change {
	t.Helper()
	h := open(t, o)
	group.Name = "group"
	if group.Desired == 0 {
		group.Min, group.Desired, group.Max = 3, 3, 6
	}
	h.World.(*world).r.AddGroup(group)
	found, err := h.Driver.Read(t.Context(), resource.ID{ARN: h.World.(*world).r.ARN("group"), Name: "group"})
	if err != nil || len(found) != 1 {
		t.Fatalf("read %v and %v", found, err)
	}
	g := resource.Goal{Direction: resource.Evacuate, Zone: h.Zone, Policy: resource.Hold, Zones: h.Zones, Subnets: h.World.Subnets()}
	if change != nil {
		change(&g)
	}
	return h.Driver.Plan(found[0], g)
}

func drain(g *resource.Goal) { g.Policy = resource.Drain }

func unmoved(arn string) func(*resource.Goal) {
	return func(g *resource.Goal) { g.Policy, g.Unmoved = resource.Drain, map[string]string{arn: "not moved"} }
}

// TestWhatIsLeft goes through the groups that are left as they are, and why.
func TestWhatIsLeft(t *testing.T) {
	for name, tt := range map[string]struct {
		group  region.Group
		change func(*resource.Goal)
		want   resource.Outcome
		reason string
	}{
		"elsewhere":             {region.Group{Subnets: healthy}, nil, resource.SkippedNotInZone, ""},
		"FR10 single zone":      {region.Group{Subnets: []string{"subnet-1a", "subnet-1b"}}, nil, resource.SkippedSingleZone, "no subnet in another zone"},
		"FR10 single, drain":    {region.Group{Subnets: []string{"subnet-1a"}}, drain, resource.SkippedSingleZone, "no subnet in another zone"},
		"unknown subnet":        {region.Group{Subnets: append([]string{"subnet-x"}, everywhere...)}, nil, resource.SkippedUnknownZone, "subnet-x"},
		"unknown, not in zone":  {region.Group{Subnets: []string{"subnet-2a", "subnet-x"}}, nil, resource.SkippedUnknownZone, "subnet-x"},
		"zones, by name":        {region.Group{Zones: []string{"us-east-1b", "us-east-1c"}}, nil, resource.SkippedNoSubnets, "give it subnets"},
		"FR13 other zones":      {region.Group{Zones: []string{"us-east-1a", "us-east-1c"}}, nil, resource.SkippedNotInZone, ""},
		"operator":              {region.Group{Subnets: everywhere, Operator: "ecs.amazonaws.com"}, nil, resource.SkippedOperator, "ecs.amazonaws.com"},
		"FR18 EKS node group":   {region.Group{Subnets: everywhere, Tags: map[string]string{"eks:nodegroup-name": "workers", "kubernetes.io/cluster/prod": "owned"}}, nil, resource.SkippedManagedByEKS, "workers"},
		"FR58 cluster nodes":    {region.Group{Subnets: everywhere, Tags: map[string]string{"kubernetes.io/cluster/prod": "owned"}}, drain, resource.SkippedClusterNodes, "kubernetes.io/cluster/prod"},
		"FR58 kops nodes":       {region.Group{Subnets: everywhere, Tags: map[string]string{"k8s.io/cluster/prod": "1"}}, nil, resource.SkippedClusterNodes, "k8s.io/cluster/prod"},
		"FR58 EKS's own tag":    {region.Group{Subnets: everywhere, Tags: map[string]string{"aws:eks:cluster-name": "prod"}}, nil, resource.SkippedClusterNodes, "aws:eks:cluster-name"},
		"FR58 autoscaled nodes": {region.Group{Subnets: everywhere, Tags: map[string]string{"k8s.io/cluster-autoscaler/enabled": "true"}}, nil, resource.SkippedClusterNodes, "cluster-autoscaler"},
		"FR56 zonal shift":      {region.Group{Subnets: everywhere, ZonalShift: true}, nil, resource.SkippedZonalShift, "zonal shift"},
		"traffic not moved":     {region.Group{Subnets: everywhere, TargetGroups: []string{"arn:other", "arn:tg"}}, unmoved("arn:tg"), resource.HeldTraffic, "not moved"},
		"classic under drain":   {region.Group{Subnets: everywhere, LoadBalancers: []string{"front", "back"}}, drain, resource.HeldTraffic, "front, back"},
		"shift":                 {region.Group{Subnets: everywhere}, func(g *resource.Goal) { g.Policy = resource.Shift }, resource.NotEvacuated, "traffic only"},
		"no record to recover":  {region.Group{Subnets: healthy}, func(g *resource.Goal) { g.Direction = resource.Recover }, resource.AlreadyDone, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := plan(t, autoscalinggroup.Options{}, tt.group, tt.change)
			if c.Outcome != tt.want || !strings.Contains(c.Reason, tt.reason) || (tt.reason == "") != (c.Reason == "") {
				t.Errorf("%s (%q), want %s (%q)", c.Outcome, c.Reason, tt.want, tt.reason)
			}
			if len(c.Edits) > 0 || len(c.Removed) > 0 {
				t.Errorf("edits %v, removed %v", c.Edits, c.Removed)
			}
		})
	}
}

// TestWhatIsSent goes through the edits, in the order they are sent.
func TestWhatIsSent(t *testing.T) {
	rebalance, replace := suspend("AZRebalance"), suspend("ReplaceUnhealthy")
	rec := func(r *resource.Recorded) func(*resource.Goal) { return func(g *resource.Goal) { g.Recorded = r } }
	drainFrom := func(r *resource.Recorded, others ...resource.Recorded) func(*resource.Goal) {
		return func(g *resource.Goal) { g.Policy, g.Recorded, g.Others = resource.Drain, r, others }
	}
	for name, tt := range map[string]struct {
		group  region.Group
		o      autoscalinggroup.Options
		change func(*resource.Goal)
		want   []resource.Edit
	}{
		"hold":                      {group: region.Group{Subnets: everywhere}, want: []resource.Edit{rebalance, replace, closed}},
		"hold, keep replacing":      {group: region.Group{Subnets: everywhere}, o: autoscalinggroup.Options{KeepReplacing: true}, want: []resource.Edit{rebalance, closed}},
		"hold, classic":             {group: region.Group{Subnets: everywhere, LoadBalancers: []string{"front"}}, want: []resource.Edit{rebalance, replace, closed}},
		"hold, traffic not moved":   {group: region.Group{Subnets: everywhere, TargetGroups: []string{"arn:tg"}}, change: func(g *resource.Goal) { unmoved("arn:tg")(g); g.Policy = resource.Hold }, want: []resource.Edit{rebalance, replace, closed}},
		"drain":                     {group: region.Group{Subnets: everywhere}, change: drain, want: []resource.Edit{closed}},
		"drain, traffic moved":      {group: region.Group{Subnets: everywhere, TargetGroups: []string{"arn:tg"}}, change: unmoved("arn:other"), want: []resource.Edit{closed}},
		"somebody suspended one":    {group: region.Group{Subnets: everywhere, Suspended: []string{"AZRebalance"}}, want: []resource.Edit{replace, closed}},
		"somebody suspended others": {group: region.Group{Subnets: everywhere, Suspended: []string{"Launch", "AlarmNotification"}}, want: []resource.Edit{rebalance, replace, closed}},
		"half done":                 {group: region.Group{Subnets: everywhere, Suspended: []string{"AZRebalance", "ReplaceUnhealthy"}}, change: rec(held()), want: []resource.Edit{closed}},
		"done":                      {group: region.Group{Subnets: healthy, Suspended: []string{"AZRebalance", "ReplaceUnhealthy"}}, change: rec(held())},
		"somebody resumed ours":     {group: region.Group{Subnets: healthy, Suspended: []string{"AZRebalance"}}, change: rec(held()), want: []resource.Edit{replace}},
		"hold becomes drain":        {group: region.Group{Subnets: healthy, Suspended: []string{"AZRebalance", "ReplaceUnhealthy", "AlarmNotification"}}, change: drainFrom(held()), want: []resource.Edit{resume("AZRebalance"), resume("ReplaceUnhealthy")}},
		"drain, other zone holds":   {group: region.Group{Subnets: healthy, Suspended: []string{"AZRebalance", "ReplaceUnhealthy"}}, change: drainFrom(held(), *held())},
	} {
		t.Run(name, func(t *testing.T) {
			c := plan(t, tt.o, tt.group, tt.change)
			if !reflect.DeepEqual(c.Edits, tt.want) {
				t.Errorf("edits are %v, want %v", c.Edits, tt.want)
			}
			want := resource.Planned
			if len(tt.want) == 0 {
				want = resource.AlreadyDone
			}
			if c.Outcome != want {
				t.Errorf("%s (%s), want %s", c.Outcome, c.Reason, want)
			}
			if slices.ContainsFunc(c.Edits, func(e resource.Edit) bool { return e.Field == "subnets" }) != (len(c.Removed) == 1) {
				t.Errorf("removed are %v", c.Removed)
			}
		})
	}
}

// TestHeldGroupIsNotDrainedBeneathTraffic: its subnets are out already, and
// resuming its processes is what would move its instances.
func TestHeldGroupIsNotDrainedBeneathTraffic(t *testing.T) {
	group := region.Group{Subnets: healthy, Suspended: []string{"AZRebalance", "ReplaceUnhealthy"}, TargetGroups: []string{"arn:tg"}}
	c := plan(t, autoscalinggroup.Options{}, group, func(g *resource.Goal) { unmoved("arn:tg")(g); g.Recorded = held() })
	if c.Outcome != resource.HeldTraffic || len(c.Edits) > 0 {
		t.Errorf("%s with edits %v", c.Outcome, c.Edits)
	}
	// One whose instances are on their way is as far as it gets.
	group.Suspended = nil
	c = plan(t, autoscalinggroup.Options{}, group, func(g *resource.Goal) { unmoved("arn:tg")(g); g.Recorded = held() })
	if c.Outcome != resource.AlreadyDone || len(c.Edits) > 0 {
		t.Errorf("%s with edits %v", c.Outcome, c.Edits)
	}
}

// TestWhatIsRestored goes through recoveries from a hold of three subnets.
func TestWhatIsRestored(t *testing.T) {
	ours := []string{"AZRebalance", "ReplaceUnhealthy"}
	reopened := resource.Edit{Field: "subnets", From: healthy, To: everywhere}
	both := []resource.Edit{reopened, resume("AZRebalance"), resume("ReplaceUnhealthy")}
	theirs := held()
	theirs.Edits = theirs.Edits[1:] // they had suspended AZRebalance before
	for name, tt := range map[string]struct {
		group  region.Group
		change func(*resource.Goal)
		want   []resource.Edit
		note   string
	}{
		"undisturbed":               {group: region.Group{Subnets: healthy, Suspended: ours}, want: both},
		"somebody suspended others": {group: region.Group{Subnets: healthy, Suspended: append([]string{"Launch"}, ours...)}, want: both},
		"theirs stays suspended":    {group: region.Group{Subnets: healthy, Suspended: ours}, change: func(g *resource.Goal) { g.Recorded = theirs }, want: []resource.Edit{reopened, resume("ReplaceUnhealthy")}},
		"somebody resumed one":      {group: region.Group{Subnets: healthy, Suspended: ours[1:]}, want: []resource.Edit{reopened, resume("ReplaceUnhealthy")}},
		"another zone shares":       {group: region.Group{Subnets: healthy, Suspended: ours}, change: func(g *resource.Goal) { g.Others = []resource.Recorded{*held()} }, want: []resource.Edit{reopened}},
		"another zone shares one":   {group: region.Group{Subnets: healthy, Suspended: ours}, change: func(g *resource.Goal) { g.Others = []resource.Recorded{*theirs} }, want: []resource.Edit{reopened, resume("AZRebalance")}},
		"somebody put it back":      {group: region.Group{Subnets: everywhere}},
		"the subnet is gone":        {group: region.Group{Subnets: healthy, Suspended: ours}, change: func(g *resource.Goal) { delete(g.Subnets, "subnet-1a") }, want: both[1:], note: "subnet-1a does not exist"},
		"moved to another VPC": {group: region.Group{Subnets: healthy}, change: func(g *resource.Goal) {
			s := g.Subnets["subnet-1a"]
			s.VPC = "vpc-old"
			g.Subnets["subnet-1a"] = s
		}, note: "subnet-1a"},
		"no subnets left": {group: region.Group{Zones: []string{"us-east-1c"}}, want: []resource.Edit{{Field: "subnets", To: []string{"subnet-1a"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			c := plan(t, autoscalinggroup.Options{}, tt.group, func(g *resource.Goal) {
				g.Direction, g.Recorded = resource.Recover, held()
				if tt.change != nil {
					tt.change(g)
				}
			})
			if !reflect.DeepEqual(c.Edits, tt.want) {
				t.Errorf("edits are %v, want %v", c.Edits, tt.want)
			}
			if notes := strings.Join(c.Notes, "\n"); !strings.Contains(notes, tt.note) || (tt.note == "") != (notes == "") {
				t.Errorf("notes are %q, want %q", notes, tt.note)
			}
		})
	}
}

func TestNotes(t *testing.T) {
	for name, tt := range map[string]struct {
		group region.Group
		want  []string
	}{
		"none":                      {region.Group{Subnets: everywhere}, nil},
		"FR74 CloudFormation stack": {region.Group{Subnets: everywhere, Tags: map[string]string{"aws:cloudformation:stack-name": "shop"}}, []string{"CloudFormation stack shop"}},
		"FR10 one zone remains":     {region.Group{Subnets: []string{"subnet-2a", "subnet-1a", "subnet-2b"}}, []string{"only zone use1-az2 remains"}},
		"FR66 may shrink":           {region.Group{Subnets: everywhere, Min: 1, Desired: 3}, []string{"minimum below desired"}},
		"FR28 suspended":            {region.Group{Subnets: everywhere, Suspended: []string{"Terminate", "Launch"}}, []string{"Launch is suspended", "Terminate is suspended"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := plan(t, autoscalinggroup.Options{}, tt.group, nil)
			if len(c.Notes) != len(tt.want) {
				t.Fatalf("notes are %q", c.Notes)
			}
			for i, want := range tt.want {
				if !strings.Contains(c.Notes[i], want) {
					t.Errorf("note %q, want %q", c.Notes[i], want)
				}
			}
		})
	}
}

package autoscalinggroup_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"sidestep/pkg/kind/autoscalinggroup"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

// described answers every describe with these groups: what the region in memory
// never answers, and AWS or an endpoint that emulates it does.
type described struct {
	autoscalinggroup.API
	groups []types.AutoScalingGroup
}

func (d described) DescribeAutoScalingGroups(context.Context, *autoscaling.DescribeAutoScalingGroupsInput, ...func(*autoscaling.Options)) (*autoscaling.DescribeAutoScalingGroupsOutput, error) {
	return &autoscaling.DescribeAutoScalingGroupsOutput{AutoScalingGroups: d.groups}, nil
}

// read has the driver read one group that is described like this.
func read(t *testing.T, g types.AutoScalingGroup) resource.Resource {
	t.Helper()
	g.AutoScalingGroupName, g.AutoScalingGroupARN = aws.String("group"), aws.String("arn:group")
	d := autoscalinggroup.New(described{groups: []types.AutoScalingGroup{g}}, autoscalinggroup.Options{})
	found, err := d.Read(t.Context(), resource.ID{ARN: "arn:group", Name: "group"})
	if err != nil || len(found) != 1 {
		t.Fatalf("read %v and %v", found, err)
	}
	return found[0]
}

var (
	impaired = zone.Zone{ID: "use1-az1", Name: "us-east-1b"}
	zones    = zone.Zones{All: []zone.Zone{impaired, {ID: "use1-az2", Name: "us-east-1c"}}}
)

// TestMotoListsZonesTwice: moto gives a zone for each subnet, and instances
// without a zone ID.
func TestMotoListsZonesTwice(t *testing.T) {
	r := read(t, types.AutoScalingGroup{
		VPCZoneIdentifier: aws.String("subnet-1a,subnet-1b,subnet-2a"),
		AvailabilityZones: []string{"us-east-1b", "us-east-1b", "us-east-1c"},
		Instances: []types.Instance{
			{AvailabilityZone: aws.String("us-east-1b"), LifecycleState: types.LifecycleStateInService},
			{AvailabilityZone: aws.String("us-east-1c"), LifecycleState: types.LifecycleStateInService},
			{AvailabilityZone: aws.String("us-east-1b"), LifecycleState: types.LifecycleStateInService},
		},
	})
	if got, want := resource.In(r.Places, impaired), []resource.Place{{Zone: "us-east-1b", State: "in-service", Count: 2}}; !reflect.DeepEqual(got, want) {
		t.Errorf("in the zone are %v, want %v", got, want)
	}
	g := resource.Goal{
		Direction: resource.Evacuate, Zone: impaired, Policy: resource.Drain, Zones: zones,
		Subnets: zone.Subnets{"subnet-1a": {Zone: "use1-az1"}, "subnet-1b": {Zone: "use1-az1"}, "subnet-2a": {Zone: "use1-az2"}},
	}
	c := autoscalinggroup.New(nil, autoscalinggroup.Options{}).Plan(r, g)
	if want := []string{"subnet-2a"}; len(c.Edits) != 1 || !slices.Equal(c.Edits[0].To, want) {
		t.Errorf("edits are %v, want subnets to %v", c.Edits, want)
	}
}

// TestZonesWithoutSubnets: a group lists names, IDs or both, twice or not.
func TestZonesWithoutSubnets(t *testing.T) {
	d := autoscalinggroup.New(nil, autoscalinggroup.Options{})
	for name, tt := range map[string]struct {
		group types.AutoScalingGroup
		want  resource.Outcome
	}{
		"names":     {types.AutoScalingGroup{AvailabilityZones: []string{"us-east-1c", "us-east-1b", "us-east-1b"}}, resource.SkippedNoSubnets},
		"IDs":       {types.AutoScalingGroup{AvailabilityZoneIds: []string{"use1-az1", "use1-az2"}}, resource.SkippedNoSubnets},
		"elsewhere": {types.AutoScalingGroup{AvailabilityZones: []string{"us-east-1c"}, AvailabilityZoneIds: []string{"use1-az2"}}, resource.SkippedNotInZone},
		"blank":     {types.AutoScalingGroup{VPCZoneIdentifier: aws.String(" , "), AvailabilityZones: []string{"us-east-1b"}}, resource.SkippedNoSubnets},
	} {
		c := d.Plan(read(t, tt.group), resource.Goal{Direction: resource.Evacuate, Zone: impaired, Zones: zones})
		if c.Outcome != tt.want || len(c.Edits) > 0 {
			t.Errorf("%s: %s with edits %v, want %s", name, c.Outcome, c.Edits, tt.want)
		}
	}
}

func TestSubnetsWithSpacesAreRead(t *testing.T) {
	r := read(t, types.AutoScalingGroup{VPCZoneIdentifier: aws.String("b, a ,, c")})
	if got := r.Fields["subnets"]; !slices.Equal(got, []string{"b", "a", "c"}) {
		t.Errorf("subnets are %q", got)
	}
}

// TestPlaces: each instance is counted under the cause why it may stay.
func TestPlaces(t *testing.T) {
	for state, want := range map[types.LifecycleState]string{
		types.LifecycleStateInService:                "in-service",
		types.LifecycleStatePending:                  "pending",
		types.LifecycleStatePendingWait:              "pending",
		types.LifecycleStateTerminating:              "terminating",
		types.LifecycleStateTerminatingWait:          "terminating",
		types.LifecycleState("Terminating:Retained"): "terminating",
		types.LifecycleStateWarmedStopped:            "warm-pool",
		types.LifecycleStateWarmedTerminating:        "warm-pool",
		types.LifecycleStateStandby:                  "standby",
		types.LifecycleStateEnteringStandby:          "standby",
		types.LifecycleStateDetaching:                "in-service",
		types.LifecycleState("Something:New"):        "in-service",
	} {
		instance := types.Instance{AvailabilityZone: aws.String("us-east-1b"), AvailabilityZoneId: aws.String("use1-az1"), LifecycleState: state}
		r := read(t, types.AutoScalingGroup{Instances: []types.Instance{instance, instance}})
		if got := []resource.Place{{Zone: "use1-az1", State: want, Count: 2}}; !reflect.DeepEqual(r.Places, got) {
			t.Errorf("%s: %v, want %v", state, r.Places, got)
		}
	}
	protected := types.Instance{LifecycleState: types.LifecycleStateInService, ProtectedFromScaleIn: aws.Bool(true)}
	if r := read(t, types.AutoScalingGroup{Instances: []types.Instance{protected}}); r.Places[0].State != "protected" {
		t.Errorf("protected: %v", r.Places)
	}
}

// TestTraitsAreTheSameEachTime: of several tags that say the same, a plan must
// not name one today and another tomorrow.
func TestTraitsAreTheSameEachTime(t *testing.T) {
	var tags []types.TagDescription
	for _, key := range []string{"k8s.io/cluster-autoscaler/enabled", "kubernetes.io/cluster/prod", "aws:eks:cluster-name", "k8s.io/cluster/prod"} {
		tags = append(tags, types.TagDescription{Key: aws.String(key), Value: aws.String("x")})
	}
	first := read(t, types.AutoScalingGroup{Tags: tags})
	for range 50 {
		slices.Reverse(tags)
		if again := read(t, types.AutoScalingGroup{Tags: tags}); !reflect.DeepEqual(again.Traits, first.Traits) {
			t.Fatalf("traits are %v, then %v", first.Traits, again.Traits)
		}
	}
}

// TestManyGroupsAreReadInBatches: a request names at most 50.
func TestManyGroupsAreReadInBatches(t *testing.T) {
	h := open(t, autoscalinggroup.Options{})
	w := h.World.(*world)
	for i := range 120 {
		w.r.AddGroup(region.Group{Name: fmt.Sprintf("many-%03d", i), Subnets: everywhere, Max: 1})
	}
	w.r.SetPageSize(100)
	listed, err := h.Driver.List(t.Context(), resource.Scope{Name: "many-*"})
	if err != nil || len(listed) != 120 {
		t.Fatalf("listed %d and %v", len(listed), err)
	}
	ids := make([]resource.ID, len(listed))
	for i, r := range listed {
		ids[i] = r.ID
	}
	before, _ := w.Calls()
	found, err := h.Driver.Read(t.Context(), ids...)
	after, _ := w.Calls()
	if err != nil || len(found) != 120 || after-before != 3 {
		t.Errorf("read %d and %v with %d calls, want 120 with 3", len(found), err, after-before)
	}
}

// TestAGroupMadeAgainIsAnother: same name, other ARN.
func TestAGroupMadeAgainIsAnother(t *testing.T) {
	h := open(t, autoscalinggroup.Options{})
	w := h.World.(*world)
	id := resource.ID{Kind: resource.AutoScalingGroup, ARN: w.r.ARN("web"), Name: "web"}
	w.r.AddGroup(region.Group{Name: "web", Subnets: everywhere, Max: 1})
	if found, err := h.Driver.Read(t.Context(), id); err != nil || len(found) > 0 {
		t.Errorf("read %v and %v", found, err)
	}
}

// TestProcessesGoInOneCall: two suspensions, one call, before the subnets.
func TestProcessesGoInOneCall(t *testing.T) {
	for _, tt := range []struct {
		policy resource.Policy
		d      resource.Direction
		want   []string
	}{
		{resource.Hold, resource.Evacuate, []string{"SuspendProcesses", "UpdateAutoScalingGroup"}},
		{resource.Hold, resource.Recover, []string{"UpdateAutoScalingGroup", "ResumeProcesses"}},
		{resource.Drain, resource.Evacuate, []string{"UpdateAutoScalingGroup"}},
	} {
		h := open(t, autoscalinggroup.Options{})
		w := h.World.(*world)
		group := region.Group{Name: "group", Subnets: everywhere, Max: 1}
		if tt.d == resource.Recover {
			group.Subnets, group.Suspended = healthy, []string{"AZRebalance", "ReplaceUnhealthy"}
		}
		w.r.AddGroup(group)
		found, err := h.Driver.Read(t.Context(), resource.ID{ARN: w.r.ARN("group"), Name: "group"})
		if err != nil {
			t.Fatal(err)
		}
		g := resource.Goal{Direction: tt.d, Zone: h.Zone, Policy: tt.policy, Zones: h.Zones, Subnets: w.Subnets()}
		if tt.d == resource.Recover {
			g.Recorded = held()
		}
		if _, err := h.Driver.Apply(t.Context(), found[0], h.Driver.Plan(found[0], g)); err != nil {
			t.Fatal(err)
		}
		var ops []string
		for _, c := range w.p.Calls() {
			if c.Mutating {
				ops = append(ops, c.Op)
			}
		}
		if !slices.Equal(ops, tt.want) {
			t.Errorf("%s under %s calls %v, want %v", tt.d, tt.policy, ops, tt.want)
		}
	}
}

// TestErrorsSayWhatWasTried: with the verb, the thing and its name.
func TestErrorsSayWhatWasTried(t *testing.T) {
	h := open(t, autoscalinggroup.Options{})
	w := h.World.(*world)
	live := resource.Resource{ID: resource.ID{Name: "web"}, Fields: map[string][]string{
		"subnets": {"a"}, "process/AZRebalance": {"active"}, "process/ReplaceUnhealthy": {"suspended"},
	}}
	for _, tt := range []struct {
		edit resource.Edit
		want string
	}{
		{resource.Edit{Field: "subnets", From: []string{"a"}, To: []string{"b"}}, "setting the subnets of group web: scripted"},
		{suspend("AZRebalance"), "suspending AZRebalance of group web: scripted"},
		{resume("ReplaceUnhealthy"), "resuming ReplaceUnhealthy of group web: scripted"},
		{resource.Edit{Field: "subnets", From: []string{"a"}}, "subnets of group web: refusing to send an empty list"},
		{resource.Edit{Field: "other", To: []string{"x"}}, "processes of group web: refusing to send an empty list"},
		{resource.Edit{Field: "process/AZRebalance", From: []string{"active"}}, "processes of group web: refusing to send an empty list"},
	} {
		w.Fail(1, false)
		_, err := h.Driver.Apply(context.Background(), live, resource.Change{ID: live.ID, Edits: []resource.Edit{tt.edit}})
		if err == nil || err.Error() != tt.want {
			t.Errorf("%v: %v, want %s", tt.edit, err, tt.want)
		}
	}
	w.Fail(1, false)
	if _, err := h.Driver.List(t.Context(), resource.Scope{}); err == nil || errors.Unwrap(err) == nil {
		t.Errorf("a failed list returns %v", err)
	}
}

package region_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"pgregory.net/rapid"

	"sidestep/pkg/clock"
	"sidestep/pkg/region"
)

// long is time enough for any group here to come to rest.
const long = 6 * time.Hour

func TestInstancesLeaveAZoneThatWasTakenOut(t *testing.T) {
	for name, test := range map[string]struct {
		group  region.Group
		before func(*region.Region)
		want   map[string]int
	}{
		"free to move":    {want: map[string]int{"az-a": 3, "az-b": 3}},
		"no rebalancing":  {group: region.Group{Suspended: []string{"AZRebalance"}}, want: map[string]int{"az-a": 2, "az-b": 2, "az-c": 2}},
		"no launching":    {group: region.Group{Suspended: []string{"Launch"}}, want: map[string]int{"az-a": 2, "az-b": 2, "az-c": 2}},
		"no terminating":  {group: region.Group{Suspended: []string{"Terminate"}}, want: map[string]int{"az-a": 2, "az-b": 2, "az-c": 2}},
		"other suspended": {group: region.Group{Suspended: []string{"AlarmNotification"}}, want: map[string]int{"az-a": 3, "az-b": 3}},
		"all protected":   {group: region.Group{Protected: 6}, want: map[string]int{"az-a": 2, "az-b": 2, "az-c": 2}},
		"one protected":   {group: region.Group{Protected: 1}, want: map[string]int{"az-a": 3, "az-b": 2, "az-c": 1}},
		"one on standby":  {group: region.Group{Standby: 1}, want: map[string]int{"az-a": 3, "az-b": 3, "az-c": 1}},
		"no capacity": {
			before: func(r *region.Region) { r.NoCapacity("az-a"); r.NoCapacity("az-b") },
			want:   map[string]int{"az-a": 2, "az-b": 2, "az-c": 2},
		},
		"capacity in one zone": {
			before: func(r *region.Region) { r.NoCapacity("az-a") },
			want:   map[string]int{"az-a": 2, "az-b": 4},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, c := small()
			g := test.group
			g.Name, g.Subnets, g.Max, g.Desired = "web", []string{"c", "a", "b"}, 9, 6
			r.AddGroup(g)
			if test.before != nil {
				test.before(r)
			}
			expect(t, "error", setSubnets(ctx, r.Process("p"), "a,b"), nil)
			sleep(c, long)
			expect(t, "placement", r.Placement()["web"], test.want)
		})
	}
}

func TestAMoveLaunchesFirstAndTerminatesAfter(t *testing.T) {
	r, c := small()
	p := r.Process("p")
	_ = setSubnets(ctx, p, "a,b")
	states := func() string {
		count := map[string]int{}
		for _, i := range read(t, p, "web").Instances {
			count[fmt.Sprint(*i.AvailabilityZoneId, " ", i.LifecycleState)]++
		}
		return fmt.Sprint(count)
	}
	expect(t, "at once", states(), "map[az-a InService:2 az-a Pending:1 az-b InService:2 az-c InService:2]")
	sleep(c, 60*time.Second)
	expect(t, "after a minute", states(), "map[az-a InService:3 az-b InService:2 az-c InService:1 az-c Terminating:1]")
	sleep(c, 30*time.Second)
	expect(t, "after its end", states(), "map[az-a InService:3 az-b InService:2 az-b Pending:1 az-c InService:1]")
}

func TestInstancesSpreadAgainWhenSubnetsReturn(t *testing.T) {
	r, c := small()
	p := r.Process("p")
	_ = setSubnets(ctx, p, "a,b")
	sleep(c, long)
	_ = setSubnets(ctx, p, "c,a,b")
	sleep(c, long)
	expect(t, "placement", r.Placement()["web"], map[string]int{"az-a": 2, "az-b": 2, "az-c": 2})
}

func TestResumingMovesWhatWasHeld(t *testing.T) {
	r, c := small()
	r.SetSuspended("web", "AZRebalance")
	r.SetGroupSubnets("web", "a", "b")
	sleep(c, long)
	expect(t, "held", r.Placement()["web"]["az-c"], 2)
	r.SetSuspended("web")
	sleep(c, long)
	expect(t, "moved", r.Placement()["web"]["az-c"], 0)
}

func TestALargeGroupMovesATenthAtOnce(t *testing.T) {
	r, c := small()
	r.AddGroup(region.Group{Name: "large", Subnets: []string{"a", "b", "c"}, Max: 60, Desired: 60})
	r.SetGroupSubnets("large", "a", "b")
	sleep(c, time.Second)
	total := 0
	for _, n := range r.Placement()["large"] {
		total += n
	}
	expect(t, "instances with those being launched", total, 66)
}

func TestCapacityMayGoWhileAnInstanceIsLaunched(t *testing.T) {
	r, c := small()
	r.SetGroupSubnets("web", "a", "b")
	r.NoCapacity("az-a")
	r.NoCapacity("az-b")
	sleep(c, long)
	expect(t, "held", r.Placement()["web"], map[string]int{"az-a": 2, "az-b": 2, "az-c": 2})
	r.RestoreCapacity("az-b")
	sleep(c, long)
	expect(t, "moved", r.Placement()["web"], map[string]int{"az-a": 2, "az-b": 4})
}

func TestAGroupGrowsToItsDesiredCapacity(t *testing.T) {
	r, c := small()
	r.EditGroup("web", func(g *region.GroupConfig) { g.Desired = 9 })
	sleep(c, time.Minute)
	expect(t, "grown", r.Placement()["web"], map[string]int{"az-a": 3, "az-b": 3, "az-c": 3})
	r.EditGroup("web", func(g *region.GroupConfig) { g.Desired = 3 })
	sleep(c, time.Minute)
	expect(t, "shrunk", r.Placement()["web"], map[string]int{"az-a": 1, "az-b": 1, "az-c": 1})
}

func TestASizeOutOfReachIsNotReached(t *testing.T) {
	r, c := small()
	for _, zoneID := range []string{"az-a", "az-b", "az-c"} {
		r.NoCapacity(zoneID)
	}
	r.AddGroup(region.Group{Name: "kept", Subnets: []string{"a"}, Desired: 2, Protected: 2})
	r.EditGroup("web", func(g *region.GroupConfig) { g.Desired = 9 })
	r.EditGroup("kept", func(g *region.GroupConfig) { g.Desired = 1 })
	sleep(c, long)
	expect(t, "without capacity", r.Placement()["web"], map[string]int{"az-a": 2, "az-b": 2, "az-c": 2})
	expect(t, "all protected", r.Placement()["kept"], map[string]int{"az-a": 2})
}

func TestADeletedGroupIsGoneForGood(t *testing.T) {
	r, c := small()
	r.SetGroupSubnets("web", "a", "b")
	r.DeleteGroup("web")
	sleep(c, long)
	expect(t, "placement", r.Placement(), map[string]map[string]int{})
}

// TestBalanceHoldsItsPromises edits a group at random and looks at it often: it
// never has fewer instances in service than desired, never many more than it may,
// and ends evenly spread over its own zones.
func TestBalanceHoldsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := clock.NewVirtual(start)
		r := region.New(region.Config{Clock: c, Account: "1", Name: "us-east-1"})
		all := []string{"a", "b", "c", "d"}
		for _, id := range all {
			r.AddZone(id, "zone-"+id)
			r.AddSubnet(id, id, "vpc", 10)
		}
		desired := rapid.IntRange(1, 40).Draw(t, "desired")
		r.AddGroup(region.Group{Name: "g", Subnets: all, Max: desired, Desired: desired})
		for range rapid.IntRange(1, 5).Draw(t, "edits") {
			r.SetGroupSubnets("g", rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, 4, rapid.ID).Draw(t, "subnets")...)
			for range rapid.IntRange(0, 20).Draw(t, "looks") {
				sleep(c, 17*time.Second)
				checkSizes(t, r, desired)
			}
		}
		sleep(c, long)
		checkSpread(t, r, desired)
	})
}

func checkSizes(t *rapid.T, r *region.Region, desired int) {
	out, err := r.Process("p").AutoScaling().DescribeAutoScalingGroups(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	inService, total := 0, 0
	for _, i := range out.AutoScalingGroups[0].Instances {
		total++
		if i.LifecycleState == types.LifecycleStateInService {
			inService++
		}
	}
	if inService < desired || total > desired+max(1, desired/10) {
		t.Fatalf("%d in service of %d, %d desired", inService, total, desired)
	}
}

func checkSpread(t *rapid.T, r *region.Region, desired int) {
	zones, placed := r.Snapshot()["g"].Subnets, r.Placement()["g"]
	total := 0
	for _, z := range zones {
		total += placed[z]
		if n := placed[z]; n < desired/len(zones) || n > (desired+len(zones)-1)/len(zones) {
			t.Fatalf("%v is no even spread over %v", placed, zones)
		}
	}
	if total != desired {
		t.Fatalf("%v, %d desired in %v", placed, desired, zones)
	}
}

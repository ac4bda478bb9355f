package autoscalinggroup_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"sidestep/pkg/clock"
	"sidestep/pkg/kind/autoscalinggroup"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
	"sidestep/pkg/resource/resourcetest"
	"sidestep/pkg/zone"
)

func TestConformance(t *testing.T) {
	for name, options := range map[string]autoscalinggroup.Options{
		"default":        {},
		"keep replacing": {KeepReplacing: true},
	} {
		t.Run(name, func(t *testing.T) {
			resourcetest.Run(t, func(t *testing.T) resourcetest.Harness { return open(t, options) })
		})
	}
}

// open returns the sample region, with one more subnet in the third zone: the
// group web uses all others.
func open(t *testing.T, o autoscalinggroup.Options) resourcetest.Harness {
	t.Helper()
	r := region.Sample(region.Config{
		Clock: clock.NewVirtual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), Account: "111122223333", Name: "us-east-1",
	})
	r.AddSubnet("subnet-3c", "use1-az3", "vpc-main", 200)
	w := &world{r, r.Process("driver")}
	zones, err := zone.ReadZones(context.Background(), r.Process("test").EC2(), "us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if v := r.Violations(); len(v) > 0 {
			t.Errorf("violations: %q", v)
		}
	})
	return resourcetest.Harness{
		Driver: autoscalinggroup.New(w.p.AutoScaling(), o),
		Zone:   zones.All[0], Other: zones.All[1], Zones: zones,
		Policies: []resource.Policy{resource.Hold, resource.Drain},
		Samples: resourcetest.Samples{
			Evacuable: []string{"web", "api", "rebalance-off", "protected"},
			Alone:     "batch-first-zone",
			Tagged:    "shop-ServiceASG-1QXJ4T8K2VBWM", TagKey: "aws:cloudformation:stack-name", TagValue: "shop",
			Excluded: "excluded",
		},
		World: w, Someone: w,
	}
}

// world is a region, as the suite sees it.
type world struct {
	r *region.Region
	p *region.Process
}

func (w *world) Snapshot() map[string]any {
	all := map[string]any{}
	for name, config := range w.r.Snapshot() {
		all[w.r.ARN(name)] = config
	}
	return all
}

func (w *world) Subnets() zone.Subnets {
	subnets, _ := zone.ReadSubnets(context.Background(), w.r.Process("test").EC2()) // no faults are set for it
	return subnets
}

func (w *world) Calls() (all, writes int) {
	for _, c := range w.p.Calls() {
		all++
		if c.Mutating {
			writes++
		}
	}
	return all, writes
}

func (w *world) Fail(nth int, after bool) {
	fail := region.Fail
	if after {
		fail = region.FailAfter
	}
	w.r.ClearFaults()
	w.r.Fault(region.Fault{Process: "driver", Nth: nth, Do: fail(errors.New("scripted"))})
}

// Settle: nothing that a plan depends on is left under way.
func (w *world) Settle() {}

func (w *world) SetSubnets(name string, ids []string) { w.r.SetGroupSubnets(name, ids...) }
func (w *world) Delete(name string)                   { w.r.DeleteGroup(name) }
func (w *world) DeleteSubnet(id string)               { w.r.DeleteSubnet(id) }

func (w *world) Disturb(name string) {
	w.r.EditGroup(name, func(c *region.GroupConfig) {
		c.Max++
		c.Suspended = append(c.Suspended, "ScheduledActions")
		c.Tags = map[string]string{"owner": "somebody"}
	})
}

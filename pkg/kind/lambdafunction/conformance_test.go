package lambdafunction_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"sidestep/pkg/clock"
	"sidestep/pkg/kind/lambdafunction"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
	"sidestep/pkg/resource/resourcetest"
	"sidestep/pkg/zone"
)

func TestConformance(t *testing.T) {
	resourcetest.Run(t, open)
}

// open returns the sample region with its functions.
func open(t *testing.T) resourcetest.Harness {
	t.Helper()
	v := clock.NewVirtual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	r := region.Sample(region.Config{Clock: v, Account: "111122223333", Name: "us-east-1"})
	r.AddSampleFunctions()
	w := &world{v, r, r.Process("driver")}
	zones, err := zone.ReadZones(context.Background(), r.Process("test").EC2(), "us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if found := r.Violations(); len(found) > 0 {
			t.Errorf("violations: %q", found)
		}
	})
	return resourcetest.Harness{
		Driver: lambdafunction.New(w.p.Lambda(), w.p.Tagging(), v),
		Zone:   zones.All[0], Other: zones.All[1], Zones: zones,
		Policies: []resource.Policy{resource.Hold, resource.Drain},
		Samples: resourcetest.Samples{
			Evacuable: []string{"resize", "mail", "dual-stack", "published", "shop"},
			Alone:     "first-zone",
			Tagged:    "shop", TagKey: "team", TagValue: "shop",
			Excluded: "excluded",
		},
		World: w, Someone: w,
	}
}

// world is a region, as the suite sees it.
type world struct {
	v *clock.Virtual
	r *region.Region
	p *region.Process
}

func (w *world) Snapshot() map[string]any {
	all := map[string]any{}
	for name, config := range w.r.Functions() {
		all[w.r.FunctionARN(name)] = config
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

// Settle waits until the updates that are under way have ended.
func (w *world) Settle() { _ = w.v.Sleep(context.Background(), 5*time.Minute) }

func (w *world) SetSubnets(name string, ids []string) {
	w.r.EditFunction(name, func(c *region.FunctionConfig) { c.Subnets = ids })
	w.Settle()
}

func (w *world) Disturb(name string) {
	w.r.EditFunction(name, func(c *region.FunctionConfig) {
		c.IPv6 = true
		c.SecurityGroups = []string{"sg-theirs"}
		c.Tags = map[string]string{"owner": "somebody"}
	})
	w.Settle()
}

func (w *world) Delete(name string)     { w.r.DeleteFunction(name) }
func (w *world) DeleteSubnet(id string) { w.r.DeleteSubnet(id) }

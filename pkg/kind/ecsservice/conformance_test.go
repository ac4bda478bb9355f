package ecsservice_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"sidestep/pkg/clock"
	"sidestep/pkg/kind/ecsservice"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
	"sidestep/pkg/resource/resourcetest"
	"sidestep/pkg/zone"
)

// TestConformance runs the suite twice: a service without rebalancing has nothing
// to be held by, and is drained alone.
func TestConformance(t *testing.T) {
	for name, tt := range map[string]struct {
		policies  []resource.Policy
		evacuable []string
	}{
		"hold and drain": {[]resource.Policy{resource.Hold, resource.Drain}, []string{"prod/web", "tools/shop"}},
		"drain":          {[]resource.Policy{resource.Drain}, []string{"prod/web", "prod/worker"}},
	} {
		t.Run(name, func(t *testing.T) {
			resourcetest.Run(t, func(t *testing.T) resourcetest.Harness {
				h, _ := open(t)
				h.Policies, h.Samples.Evacuable = tt.policies, tt.evacuable
				return h
			})
		})
	}
}

// open returns the sample region with its services.
func open(t *testing.T) (resourcetest.Harness, *world) {
	t.Helper()
	c := clock.NewVirtual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	r := region.Sample(region.Config{Clock: c, Account: "111122223333", Name: "us-east-1"})
	r.AddSampleServices()
	w := &world{r, r.Process("driver"), c}
	known, err := zone.ReadZones(t.Context(), r.Process("test").EC2(), "us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if v := r.Violations(); len(v) > 0 {
			t.Errorf("violations: %q", v)
		}
	})
	return resourcetest.Harness{
		Driver: ecsservice.New(w.p.ECS(), w.c),
		Zone:   known.All[0], Other: known.All[1], Zones: known,
		Samples: resourcetest.Samples{
			Alone:  "prod/first-zone",
			Tagged: "tools/shop", TagKey: "team", TagValue: "shop",
			Excluded: "tools/excluded",
		},
		World: w, Someone: w,
	}, w
}

// world is a region, as the suite sees it.
type world struct {
	r *region.Region
	p *region.Process
	c clock.Clock
}

func (w *world) Snapshot() map[string]any {
	all := map[string]any{}
	for name, config := range w.r.Services() {
		all[w.r.ServiceARN(name)] = config
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

// Settle lets deployments end.
func (w *world) Settle() { w.wait(time.Hour) }

func (w *world) wait(d time.Duration) { _ = w.c.Sleep(context.Background(), d) } // nothing ends it early

func (w *world) SetSubnets(name string, ids []string) {
	w.r.EditService(name, func(c *region.ServiceConfig) { c.Subnets = ids })
}

func (w *world) Delete(name string)     { w.r.DeleteService(name) }
func (w *world) DeleteSubnet(id string) { w.r.DeleteSubnet(id) }

func (w *world) Disturb(name string) {
	w.r.EditService(name, func(c *region.ServiceConfig) {
		c.Desired++
		c.SecurityGroups = append(c.SecurityGroups, "sg-somebody")
		c.Tags = map[string]string{"owner": "somebody"}
	})
}

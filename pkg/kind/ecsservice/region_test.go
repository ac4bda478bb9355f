package ecsservice_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"sidestep/pkg/region"
	"sidestep/pkg/resource"
	"sidestep/pkg/resource/resourcetest"
)

// step reads a service of the sample, plans and applies. It returns the change.
func step(t *testing.T, h resourcetest.Harness, name string, d resource.Direction, rec *resource.Recorded) resource.Change {
	t.Helper()
	r := fresh(t, h, name)
	c := h.Driver.Plan(r, resource.Goal{
		Direction: d, Zone: h.Zone, Policy: resource.Drain, Zones: h.Zones, Subnets: h.World.Subnets(), Recorded: rec,
	})
	if _, err := h.Driver.Apply(t.Context(), r, c); err != nil {
		t.Fatal(err)
	}
	return c
}

// fresh is a reading of a service, explained and placed.
func fresh(t *testing.T, h resourcetest.Harness, name string) resource.Resource {
	t.Helper()
	arn := h.World.(*world).r.ServiceARN(name)
	found, err := h.Driver.Read(t.Context(), resource.ID{Kind: resource.ECSService, ARN: arn, Name: name})
	if err != nil || len(found) != 1 {
		t.Fatalf("read %v and %v", found, err)
	}
	if found, err = h.Driver.(resource.Placer).Place(t.Context(), found); err != nil {
		t.Fatal(err)
	}
	r, err := h.Driver.(resource.Explainer).Explain(t.Context(), found[0])
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFR32ARolloutAsItGoes follows deployments through the region: what a reading
// says of them halfway, and in the end.
func TestFR32ARolloutAsItGoes(t *testing.T) {
	for name, tt := range map[string]struct {
		service         string
		fate            region.RolloutFate
		halfway, ending string // what is under way
		outcome         resource.Outcome
		left            bool
	}{
		"succeeds":            {"prod/web", region.RolloutSucceeds, "deployment in progress", "", "", false},
		"rolls back":          {"prod/web", region.RolloutRollsBack, "rollback in progress", "", resource.RolledBack, true},
		"no breaker, it goes": {"prod/worker", region.RolloutRollsBack, "deployment in progress", "deployment in progress", "", true},
		"never ends":          {"prod/web", region.RolloutNeverEnds, "deployment in progress", "deployment in progress", "", true},
	} {
		h, w := open(t)
		w.r.FailRollouts(tt.service, tt.fate)
		c := step(t, h, tt.service, resource.Evacuate, nil)
		if !c.Rollout {
			t.Fatalf("%s: planned %+v", name, c)
		}
		w.wait(3 * time.Minute)
		r := fresh(t, h, tt.service)
		if p := h.Driver.Judge(r, c); !strings.Contains(r.Underway, tt.halfway) || p.Outcome != "" {
			t.Errorf("%s: halfway %q is under way, judged %+v", name, r.Underway, p)
		}
		w.Settle()
		r = fresh(t, h, tt.service)
		p := h.Driver.Judge(r, c)
		if (tt.ending == "") != (r.Underway == "") || !strings.Contains(r.Underway, tt.ending) || p.Outcome != tt.outcome || (len(p.Left) > 0) != tt.left {
			t.Errorf("%s: in the end %q is under way, judged %+v", name, r.Underway, p)
		}
		if p.Outcome == resource.RolledBack && !strings.Contains(p.Reason, "circuit breaker threshold") {
			t.Errorf("%s: %q does not say why", name, p.Reason)
		}
	}
}

// TestFR32TheWayBackMayBeRolledBackToo: the zone stays out then.
func TestFR32TheWayBackMayBeRolledBackToo(t *testing.T) {
	h, w := open(t)
	rec := resource.Recorded{}.Grow(step(t, h, "prod/web", resource.Evacuate, nil))
	w.Settle()
	w.r.FailRollouts("prod/web", region.RolloutRollsBack)
	c := step(t, h, "prod/web", resource.Recover, &rec)
	if !c.Rollout {
		t.Fatalf("planned %+v", c)
	}
	w.Settle()
	if p := h.Driver.Judge(fresh(t, h, "prod/web"), c); p.Outcome != resource.RolledBack || p.Reached {
		t.Errorf("judged %+v", p)
	}
}

// TestPlacesAreThoseOfTheRegion: of all services at once, by zone name.
func TestPlacesAreThoseOfTheRegion(t *testing.T) {
	h, w := open(t)
	read, err := h.Driver.List(t.Context(), resource.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	placed, err := h.Driver.(resource.Placer).Place(t.Context(), read)
	if err != nil || len(placed) != len(read) {
		t.Fatalf("placed %d of %d and %v", len(placed), len(read), err)
	}
	all := w.r.ServicePlacement()
	for _, r := range placed {
		got := map[string]int{}
		for _, z := range h.Zones.All {
			if n := resource.Count(resource.In(r.Places, z)); n > 0 {
				got[z.ID] = n
			}
		}
		if !reflect.DeepEqual(got, all[r.Name]) {
			t.Errorf("%s runs as %v, want %v", r.Name, got, all[r.Name])
		}
	}
}

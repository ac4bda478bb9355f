package matrix

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sidestep/pkg/clock"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

// model is what the groups' configuration must be in the end: what it was, and
// what others did to it meanwhile.
type model struct {
	groups  map[string]*modelGroup
	subnets map[string]string // subnet -> zone ID, those that exist
}

type modelGroup struct {
	original  []string        // the list, in order
	subnets   map[string]bool // what must be in it
	suspended map[string]bool
	rest      region.GroupConfig
	touched   bool // somebody edited its subnets: the order is theirs
}

var allProcesses = []string{"AddToLoadBalancer", "AlarmNotification", "HealthCheck", "Launch", "ScheduledActions", "Terminate"}

// randomRegion draws a region of three or four zones and up to ten groups.
func randomRegion(t *rapid.T) (*memoryWorld, *model) {
	c := clock.NewVirtual(time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC))
	r := region.New(region.Config{Clock: c, Account: sampleAccount, Name: sampleRegion, Seed: 1})
	m := &model{groups: map[string]*modelGroup{}, subnets: map[string]string{}}
	for z := range rapid.IntRange(3, 4).Draw(t, "zones") {
		id := fmt.Sprintf("use1-az%d", z+1)
		r.AddZone(id, "us-east-1"+string(rune('d'-z)))
		for s := range rapid.IntRange(1, 3).Draw(t, "subnets") {
			subnet := fmt.Sprintf("subnet-%d%c", z+1, 'a'+s)
			r.AddSubnet(subnet, id, "vpc-1", 50)
			m.subnets[subnet] = id
		}
	}
	all := slices.Sorted(maps.Keys(m.subnets))
	for g := range rapid.IntRange(1, 10).Draw(t, "groups") {
		name := fmt.Sprintf("group-%d", g)
		list := rapid.Permutation(all).Draw(t, "order")[:rapid.IntRange(1, len(all)).Draw(t, "length")]
		suspended := rapid.SliceOfNDistinct(rapid.SampledFrom(append([]string{"AZRebalance", "ReplaceUnhealthy"}, allProcesses...)), 0, 4, rapid.ID[string]).Draw(t, "suspended")
		r.AddGroup(region.Group{
			Name: name, Subnets: list, Suspended: suspended, Desired: rapid.IntRange(0, 4).Draw(t, "desired"),
			Tags: map[string]string{"team": "a"},
		})
		m.groups[name] = &modelGroup{original: list, subnets: set(list), suspended: set(suspended), rest: r.Snapshot()[name]}
	}
	return worldOf(c, r), m
}

func set(list []string) map[string]bool {
	s := map[string]bool{}
	for _, v := range list {
		s[v] = true
	}
	return s
}

// meddle is one random edit by somebody else.
func meddle(t *rapid.T, w *memoryWorld, m *model) {
	name := rapid.SampledFrom(slices.Sorted(maps.Keys(m.groups))).Draw(t, "group")
	edits := []func(*rapid.T, *memoryWorld, *model, string){subnetJoins, subnetLeaves, processToggles, sizesChange, subnetDeleted}
	edits[rapid.IntRange(0, len(edits)-1).Draw(t, "edit")](t, w, m, name)
}

// subnetJoins: any subnet, one that we took out included.
func subnetJoins(t *rapid.T, w *memoryWorld, m *model, name string) {
	g, live := m.groups[name], w.region.Snapshot()[name].Subnets
	id := rapid.SampledFrom(slices.Sorted(maps.Keys(m.subnets))).Draw(t, "joins")
	if !slices.Contains(live, id) {
		at := rapid.IntRange(0, len(live)).Draw(t, "at")
		w.region.SetGroupSubnets(name, slices.Insert(live, at, id)...)
		g.subnets[id], g.touched = true, true
	}
}

// subnetLeaves: one of another zone.
func subnetLeaves(t *rapid.T, w *memoryWorld, m *model, name string) {
	g, live := m.groups[name], w.region.Snapshot()[name].Subnets
	id := rapid.SampledFrom(live).Draw(t, "leaves")
	if m.subnets[id] != leaving && len(live) > 1 {
		w.region.SetGroupSubnets(name, resource.Without(live, []string{id})...)
		delete(g.subnets, id)
		g.touched = true
	}
}

// processToggles: one of no concern to us is suspended or resumed.
func processToggles(t *rapid.T, w *memoryWorld, m *model, name string) {
	g := m.groups[name]
	p := rapid.SampledFrom(allProcesses).Draw(t, "process")
	w.region.EditGroup(name, func(c *region.GroupConfig) {
		if g.suspended[p] {
			delete(g.suspended, p)
			c.Suspended = resource.Without(c.Suspended, []string{p})
			return
		}
		g.suspended[p] = true
		c.Suspended = append(c.Suspended, p)
	})
}

func sizesChange(_ *rapid.T, w *memoryWorld, m *model, name string) {
	g := m.groups[name]
	g.rest.Max++
	g.rest.Tags = map[string]string{"team": fmt.Sprint(g.rest.Max)}
	w.region.EditGroup(name, func(c *region.GroupConfig) { c.Max, c.Tags = g.rest.Max, maps.Clone(g.rest.Tags) })
}

// subnetDeleted: one that no group uses at the moment.
func subnetDeleted(t *rapid.T, w *memoryWorld, m *model, _ string) {
	id := rapid.SampledFrom(slices.Sorted(maps.Keys(m.subnets))).Draw(t, "deleted")
	for _, c := range w.region.Snapshot() {
		if slices.Contains(c.Subnets, id) {
			return
		}
	}
	w.region.DeleteSubnet(id)
	delete(m.subnets, id)
	for _, other := range m.groups {
		delete(other.subnets, id)
		other.touched = other.touched || slices.Contains(other.original, id)
	}
}

// check compares the region with the model.
func (m *model) check(t *rapid.T, w *memoryWorld) {
	got := w.region.Snapshot()
	for name, g := range m.groups {
		if !maps.Equal(set(got[name].Subnets), g.subnets) {
			t.Errorf("%s has subnets %v, want %v", name, got[name].Subnets, slices.Sorted(maps.Keys(g.subnets)))
		}
		if len(got[name].Subnets) != len(g.subnets) {
			t.Errorf("%s lists a subnet twice: %v", name, got[name].Subnets)
		}
		if !g.touched && !slices.Equal(got[name].Subnets, g.original) {
			t.Errorf("%s lists %v, and was %v", name, got[name].Subnets, g.original)
		}
		if !maps.Equal(set(got[name].Suspended), g.suspended) {
			t.Errorf("%s has suspended %v, want %v", name, got[name].Suspended, slices.Sorted(maps.Keys(g.suspended)))
		}
		rest := got[name]
		rest.Subnets, rest.Suspended, rest.Zones = g.rest.Subnets, g.rest.Suspended, g.rest.Zones
		if !reflect.DeepEqual(rest, g.rest) {
			t.Errorf("%s is %+v beside subnets and processes, want %+v", name, rest, g.rest)
		}
	}
	for _, v := range w.region.Violations() {
		t.Errorf("violation: %s", v)
	}
	items, _ := w.store.Query(context.Background(), leaving, "")
	if len(items) > 0 {
		t.Errorf("records left: %v", items)
	}
}

// TestRecoveryIsTheOriginalMergedWithForeignEdits: recover(evacuate(x)) is x and
// what others did meanwhile, for any region, any policies, any number of
// evacuations and any edits between them.
func TestRecoveryIsTheOriginalMergedWithForeignEdits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, m := randomRegion(t)
		for range rapid.IntRange(1, 3).Draw(t, "evacuations") {
			policy := rapid.SampledFrom([]resource.Policy{resource.Hold, resource.Drain}).Draw(t, "policy")
			if _, err := w.run(fmt.Sprint("evacuate-", w.runs), resource.Evacuate, policy); err != nil {
				t.Fatalf("evacuating: %v", err)
			}
			for range rapid.IntRange(0, 4).Draw(t, "edits") {
				meddle(t, w, m)
			}
		}
		if _, err := w.run("recover", resource.Recover, ""); err != nil {
			t.Fatalf("recovering: %v", err)
		}
		m.check(t, w)
	})
}

// TestOnlyOwnedFieldsAreSent: whatever the region, a run calls nothing that
// changes anything but the subnets and the two processes it owns.
func TestOnlyOwnedFieldsAreSent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, _ := randomRegion(t)
		if _, err := w.run("evacuate", resource.Evacuate, resource.Hold); err != nil {
			t.Fatalf("evacuating: %v", err)
		}
		allowed := []string{"UpdateAutoScalingGroup", "SuspendProcesses"}
		for _, c := range w.region.Process("evacuate").Calls() {
			if c.Mutating && c.Service != region.ServiceLedger && !slices.Contains(allowed, c.Op) {
				t.Errorf("it called %s", strings.Join([]string{c.Service, c.Op, c.ID}, " "))
			}
		}
	})
}

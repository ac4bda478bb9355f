package resourcetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

// trial is one run of a check: a world, the resource it is about, and the records
// that an engine would keep.
type trial struct {
	Harness
	open    func() Harness
	sample  string
	policy  resource.Policy
	id      resource.ID
	records map[string]*resource.Recorded // by zone ID
}

func newTrial(open func() Harness, sample string, p resource.Policy) (*trial, error) {
	t := &trial{Harness: open(), open: open, sample: sample, policy: p, records: map[string]*resource.Recorded{}}
	if sample == "" {
		return t, nil
	}
	var err error
	t.id, err = t.find(sample)
	return t, err
}

// again is the same trial from the start.
func (t *trial) again() (*trial, error) { return newTrial(t.open, t.sample, t.policy) }

// find looks a resource up by name.
func (t *trial) find(name string) (resource.ID, error) {
	ids, err := t.ids()
	if err != nil {
		return resource.ID{}, fmt.Errorf("listing all: %w", err)
	}
	for _, id := range ids {
		if id.Name == name {
			return id, nil
		}
	}
	return resource.ID{}, fmt.Errorf("%s is not listed", name)
}

// ids lists all there are.
func (t *trial) ids() ([]resource.ID, error) {
	listed, err := t.Driver.List(context.Background(), resource.Scope{})
	var ids []resource.ID
	for _, r := range listed {
		ids = append(ids, r.ID)
	}
	return ids, err
}

// read reads the trial's resource.
func (t *trial) read() (resource.Resource, error) { return t.readOne(t.id) }

func (t *trial) readOne(id resource.ID) (resource.Resource, error) {
	found, err := t.Driver.Read(context.Background(), id)
	if err != nil {
		return resource.Resource{}, fmt.Errorf("reading %s: %w", id.Name, err)
	}
	if len(found) != 1 || found[0].ID != id {
		return resource.Resource{}, fmt.Errorf("reading %v gave %d resources: %v", id, len(found), found)
	}
	return found[0], nil
}

// goal is what an engine would ask for, with the records as they are.
func (t *trial) goal(d resource.Direction, z zone.Zone) resource.Goal {
	g := resource.Goal{
		Direction: d, Zone: z, Policy: t.policy, Zones: t.Zones, Subnets: t.World.Subnets(), Recorded: t.records[z.ID],
	}
	for _, id := range slices.Sorted(maps.Keys(t.records)) {
		if id != z.ID {
			g.Others = append(g.Others, *t.records[id])
		}
	}
	return g
}

// plan reads and plans.
func (t *trial) plan(d resource.Direction, z zone.Zone) (resource.Resource, resource.Change, error) {
	r, err := t.read()
	if err != nil {
		return r, resource.Change{}, err
	}
	return r, t.Driver.Plan(r, t.goal(d, z)), nil
}

// step reads, plans, records and applies, once.
func (t *trial) step(d resource.Direction, z zone.Zone) (resource.Change, error) {
	r, c, err := t.plan(d, z)
	if err != nil {
		return c, err
	}
	if d == resource.Evacuate && len(c.Edits) > 0 {
		var old resource.Recorded
		if had := t.records[z.ID]; had != nil {
			old = *had
		}
		grown := old.Grow(c)
		t.records[z.ID] = &grown
	}
	if _, err := t.Driver.Apply(context.Background(), r, c); err != nil {
		return c, fmt.Errorf("applying %v: %w", c.Edits, err)
	}
	t.World.Settle()
	return c, nil
}

// reach brings the zone out or back, and sees that it is.
func (t *trial) reach(d resource.Direction, z zone.Zone) (resource.Change, error) {
	c, err := t.step(d, z)
	if err != nil {
		return c, err
	}
	r, after, err := t.plan(d, z)
	if err != nil {
		return c, err
	}
	if len(after.Edits) > 0 {
		return c, fmt.Errorf("%s of %s was applied, and is planned again: %v", d, z.ID, after.Edits)
	}
	if p := t.Driver.Judge(r, c); !p.Reached || len(p.Undone) > 0 {
		return c, fmt.Errorf("%s of %s was applied, and is judged %+v", d, z.ID, p)
	}
	if d == resource.Recover {
		delete(t.records, z.ID)
	}
	return c, nil
}

// out evacuates the trial's zone.
func (t *trial) out() (resource.Change, error) {
	c, err := t.reach(resource.Evacuate, t.Zone)
	if err == nil && len(c.Edits) == 0 {
		err = fmt.Errorf("nothing to do for %s: %s (%s)", t.sample, c.Outcome, c.Reason)
	}
	return c, err
}

// back recovers it.
func (t *trial) back() (resource.Change, error) { return t.reach(resource.Recover, t.Zone) }

// edit returns the change's edit of a field.
func edit(c resource.Change, field string) (resource.Edit, bool) {
	for _, e := range c.Edits {
		if e.Field == field {
			return e, true
		}
	}
	return resource.Edit{}, false
}

// spare is a subnet outside of Zone and Other that the resource does not list.
func (t *trial) spare(r resource.Resource) (string, error) {
	subnets, list := t.World.Subnets(), r.Fields[resource.SubnetsField]
	for _, id := range slices.Sorted(maps.Keys(subnets)) {
		s := subnets[id]
		if s.Zone != t.Zone.ID && s.Zone != t.Other.ID && s.VPC == subnets[list[0]].VPC && !slices.Contains(list, id) {
			return id, nil
		}
	}
	return "", errors.New("the sample leaves no subnet of a third zone unused")
}

// writes counts the calls that change something while f runs.
func (t *trial) writes(f func() error) (int, error) {
	_, before := t.World.Calls()
	err := f()
	_, after := t.World.Calls()
	return after - before, err
}

// apply applies a change as it is, and counts the calls that change something.
func (t *trial) apply(live resource.Resource, c resource.Change) (int, error) {
	n, err := t.writes(func() error { _, err := t.Driver.Apply(context.Background(), live, c); return err })
	t.World.Settle()
	return n, err
}

// same compares two snapshots.
func same(what string, got, want map[string]any) error {
	for arn, w := range want {
		if g, ok := got[arn]; !ok || !reflect.DeepEqual(g, w) {
			return fmt.Errorf("%s: %s is %+v, want %+v", what, arn, g, w)
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%s: there are %d resources, want %d", what, len(got), len(want))
	}
	return nil
}

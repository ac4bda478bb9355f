package resourcetest

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"sidestep/pkg/resource"
)

var planChecks = []check{
	{"PlanningAsksNothing", checkPlanAsksNothing},
	{"PlanningIsPure", checkPlanPure},
	{"PlansFromTheListAsFromReading", checkPlansAlike},
	{"PlansAreSound", checkPlansSound},
	{"WhatLivesInTheZoneAloneIsSkipped", checkAlone},
}

// plans calls f with every resource under every goal, with and without a record.
func (t *trial) plans(f func(r resource.Resource, g resource.Goal) error) error {
	all, err := t.readAll()
	if err != nil {
		return err
	}
	for _, r := range all {
		for _, p := range t.Policies {
			t.policy = p
			g := t.goal(resource.Evacuate, t.Zone)
			if err := f(r, g); err != nil {
				return fmt.Errorf("%s of %s: %w", p, r.Name, err)
			}
			rec := resource.Recorded{}.Grow(t.Driver.Plan(r, g))
			g.Direction, g.Recorded = resource.Recover, &rec
			if err := f(r, g); err != nil {
				return fmt.Errorf("recovery from %s of %s: %w", p, r.Name, err)
			}
		}
	}
	return nil
}

func checkPlanAsksNothing(t *trial) error {
	return t.plans(func(r resource.Resource, g resource.Goal) error {
		before, _ := t.World.Calls()
		t.Driver.Judge(r, t.Driver.Plan(r, g))
		if after, _ := t.World.Calls(); after != before {
			return fmt.Errorf("planning and judging made %d calls", after-before)
		}
		return nil
	})
}

// checkPlansAlike: an evacuation is planned from the list, and acts on readings.
func checkPlansAlike(t *trial) error {
	listed, err := t.Driver.List(context.Background(), resource.Scope{})
	if err != nil {
		return err
	}
	byARN := map[string]resource.Resource{}
	for _, r := range listed {
		byARN[r.ARN] = r
	}
	return t.plans(func(r resource.Resource, g resource.Goal) error {
		read, listed := t.Driver.Plan(r, g), t.Driver.Plan(byARN[r.ARN], g)
		if !reflect.DeepEqual(read, listed) {
			return fmt.Errorf("planned from a reading as %+v, from the list as %+v", read, listed)
		}
		return nil
	})
}

func checkPlanPure(t *trial) error {
	return t.plans(func(r resource.Resource, g resource.Goal) error {
		was := printed(r, g)
		first := t.Driver.Plan(r, g)
		second := t.Driver.Plan(r, g)
		t.Driver.Judge(r, first)
		if !reflect.DeepEqual(first, second) {
			return fmt.Errorf("planned twice: %+v and %+v", first, second)
		}
		if now := printed(r, g); now != was {
			return fmt.Errorf("planning changed what it was given from %s to %s", was, now)
		}
		return nil
	})
}

// printed is all that a plan is made from; maps in the order of their keys.
func printed(r resource.Resource, g resource.Goal) string {
	recorded := fmt.Sprintf("%#v", g.Recorded)
	g.Recorded = nil
	return fmt.Sprintf("%#v %#v %s", r, g, recorded)
}

func checkPlansSound(t *trial) error {
	for _, name := range t.Samples.Evacuable {
		id, err := t.find(name)
		if err != nil {
			return err
		}
		r, err := t.readOne(id)
		if err != nil {
			return err
		}
		for _, p := range t.Policies {
			t.policy = p
			if c := t.Driver.Plan(r, t.goal(resource.Evacuate, t.Zone)); c.Outcome != resource.Planned {
				return fmt.Errorf("%s of %s: %s (%s), want it planned", p, name, c.Outcome, c.Reason)
			}
		}
	}
	return t.plans(func(r resource.Resource, g resource.Goal) error { return sound(r, g, t.Driver.Plan(r, g)) })
}

// sound says what is wrong with a plan, whatever the resource.
func sound(r resource.Resource, g resource.Goal, c resource.Change) error {
	if c.ID != r.ID || c.Zone != g.Zone || c.Direction != g.Direction || c.Policy != g.Policy {
		return fmt.Errorf("the change %+v is not of the resource and goal it was planned for", c)
	}
	if err := soundOutcome(c); err != nil {
		return err
	}
	if err := soundEdits(r, c); err != nil {
		return err
	}
	if g.Direction == resource.Recover {
		return nil
	}
	if e, edits := edit(c, resource.SubnetsField); edits {
		return soundSubnets(r, g, c, e)
	}
	if len(c.Edits) == 0 && len(c.Removed) > 0 {
		return fmt.Errorf("%v are removed by no edit", c.Removed)
	}
	return nil
}

func soundOutcome(c resource.Change) error {
	if !c.Outcome.Known() || (c.Outcome == resource.Planned) != (len(c.Edits) > 0) {
		return fmt.Errorf("outcome %q with %d edits", c.Outcome, len(c.Edits))
	}
	if c.Outcome.Weight(c.Direction) == resource.Exposed && c.Reason == "" {
		return fmt.Errorf("outcome %s without a reason", c.Outcome)
	}
	return nil
}

func soundEdits(r resource.Resource, c resource.Change) error {
	seen := map[string]bool{}
	for _, e := range c.Edits {
		if _, has := r.Fields[e.Field]; !has || seen[e.Field] || slices.Equal(e.From, e.To) {
			return fmt.Errorf("edit %+v: the field is not the resource's, is edited twice, or stays", e)
		}
		seen[e.Field] = true
	}
	if _, err := c.Missing(r); err != nil {
		return fmt.Errorf("drifted from the reading it was planned on: %w", err)
	}
	return nil
}

// soundSubnets says what is wrong with an edit that takes the zone's subnets out.
func soundSubnets(r resource.Resource, g resource.Goal, c resource.Change, e resource.Edit) error {
	list := r.Fields[resource.SubnetsField]
	in, out, unknown := g.Subnets.Split(list, g.Zone.ID)
	switch {
	case len(e.To) == 0:
		return fmt.Errorf("the plan empties %v", e.From)
	case len(unknown) > 0:
		return fmt.Errorf("the plan edits subnets and does not know where %v are", unknown)
	case !slices.Equal(e.From, list) || !slices.Equal(e.To, out):
		return fmt.Errorf("subnets go from %v to %v, want %v to %v", e.From, e.To, list, out)
	case !slices.Equal(c.Removed, in):
		return fmt.Errorf("removed are %v, the zone's are %v", c.Removed, in)
	}
	return nil
}

func checkAlone(t *trial) error {
	id, err := t.find(t.Samples.Alone)
	if err != nil {
		return err
	}
	r, err := t.readOne(id)
	if err != nil {
		return err
	}
	for _, p := range t.Policies {
		t.policy = p
		c := t.Driver.Plan(r, t.goal(resource.Evacuate, t.Zone))
		if c.Outcome != resource.SkippedSingleZone || c.Reason == "" || len(c.Edits) > 0 {
			return fmt.Errorf("%s: %s (%q) with edits %v, want %s with a reason and none", p, c.Outcome, c.Reason, c.Edits, resource.SkippedSingleZone)
		}
		n, err := t.apply(r, c)
		if err != nil {
			return fmt.Errorf("%s: applying no edits: %w", p, err)
		}
		if n > 0 {
			return fmt.Errorf("%s: applying no edits made %d calls", p, n)
		}
	}
	return nil
}

package resourcetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"sidestep/pkg/resource"
)

var applyChecks = []check{
	{"EvacuationIsReached", checkReached},
	{"OthersAreLeftAlone", checkOthers},
	{"AppliedTwiceIsWrittenOnce", checkTwice},
	{"HalfDoneIsCompleted", checkHalfDone},
	{"DriftIsRefused", checkDrift},
	{"EmptyIsRefused", checkEmpty},
	{"UnknownSubnetsAreSkipped", checkUnknown},
}

func checkReached(t *trial) error {
	r, c, err := t.plan(resource.Evacuate, t.Zone)
	if err != nil {
		return err
	}
	if p := t.Driver.Judge(r, c); p.Reached || len(p.Undone) == 0 {
		return fmt.Errorf("judged %+v before anything was sent", p)
	}
	done, err := t.out()
	if err != nil {
		return err
	}
	_, again, err := t.plan(resource.Evacuate, t.Zone)
	if err != nil {
		return err
	}
	if again.Outcome != resource.AlreadyDone {
		return fmt.Errorf("planned once it is out: %s, want %s", again.Outcome, resource.AlreadyDone)
	}
	e, edits := edit(done, resource.SubnetsField)
	if !edits {
		return nil
	}
	t.Someone.SetSubnets(t.sample, e.From)
	if r, err = t.read(); err != nil {
		return err
	}
	if p := t.Driver.Judge(r, done); p.Reached || !slices.Contains(p.Undone, resource.SubnetsField) {
		return fmt.Errorf("somebody put the subnets back, and it is judged %+v", p)
	}
	return nil
}

func checkOthers(t *trial) error {
	want := t.World.Snapshot()
	for _, f := range []func() (resource.Change, error){t.out, t.back} {
		if _, err := f(); err != nil {
			return err
		}
		got := t.World.Snapshot()
		got[t.id.ARN] = want[t.id.ARN]
		if err := same("another resource", got, want); err != nil {
			return err
		}
	}
	return nil
}

// checkTwice applies the same change again, there and back.
func checkTwice(t *trial) error {
	for _, d := range []resource.Direction{resource.Evacuate, resource.Recover} {
		c, err := t.step(d, t.Zone)
		if err != nil {
			return err
		}
		r, err := t.read()
		if err != nil {
			return err
		}
		n, err := t.apply(r, c)
		if err != nil {
			return fmt.Errorf("%s applied again: %w", d, err)
		}
		if n > 0 {
			return fmt.Errorf("%s applied again made %d calls", d, n)
		}
	}
	return nil
}

// checkHalfDone fails each call of the way out and of the way back in turn, and
// has the next attempt complete what was begun.
func checkHalfDone(t *trial) error {
	start := t.World.Snapshot()
	there, err := t.writes(func() error { _, err := t.out(); return err })
	if err != nil {
		return err
	}
	middle := t.World.Snapshot()
	back, err := t.writes(func() error { _, err := t.back(); return err })
	if err != nil {
		return err
	}
	for _, after := range []bool{false, true} {
		for nth := 1; nth <= there+back; nth++ {
			if err := halfDone(t, nth, there, after, start, middle); err != nil {
				return fmt.Errorf("write %d of %d and %d failed (took effect: %t): %w", nth, there, back, after, err)
			}
		}
	}
	return nil
}

func halfDone(t *trial, nth, there int, after bool, start, middle map[string]any) error {
	t, err := t.again()
	if err != nil {
		return err
	}
	if nth <= there {
		if err := t.interrupt(resource.Evacuate, nth, after); err != nil {
			return err
		}
	}
	if _, err := t.reach(resource.Evacuate, t.Zone); err != nil {
		return err
	}
	if err := same("out", t.World.Snapshot(), middle); err != nil {
		return err
	}
	if nth > there {
		if err := t.interrupt(resource.Recover, nth-there, after); err != nil {
			return err
		}
	}
	if _, err := t.back(); err != nil {
		return err
	}
	return same("back", t.World.Snapshot(), start)
}

// interrupt takes a step whose nth write fails.
func (t *trial) interrupt(d resource.Direction, nth int, after bool) error {
	r, c, err := t.plan(d, t.Zone)
	if err != nil {
		return err
	}
	if d == resource.Evacuate {
		rec := resource.Recorded{}.Grow(c)
		t.records[t.Zone.ID] = &rec
	}
	t.World.Fail(nth, after)
	if _, err := t.apply(r, c); err == nil {
		return errors.New("a call failed, and Apply says nothing of it")
	}
	return nil
}

// checkDrift changes each field in turn to what nobody planned, with all others
// still to be sent.
func checkDrift(t *trial) error {
	for _, d := range []resource.Direction{resource.Evacuate, resource.Recover} {
		r, c, err := t.plan(d, t.Zone)
		if err != nil {
			return err
		}
		for _, e := range c.Edits {
			live := r
			live.Fields = maps.Clone(r.Fields)
			live.Fields[e.Field] = append([]string{"elsewhere"}, e.From...)
			n, err := t.apply(live, c)
			if n > 0 || !errors.Is(err, resource.ErrDrifted) {
				return fmt.Errorf("%s with %s changed by somebody: %d calls (refused as drifted: %t)", d, e.Field, n, errors.Is(err, resource.ErrDrifted))
			}
		}
		if _, err := t.reach(d, t.Zone); err != nil {
			return err
		}
	}
	return nil
}

// checkEmpty hands Apply a change that no plan may make.
func checkEmpty(t *trial) error {
	r, c, err := t.plan(resource.Evacuate, t.Zone)
	if err != nil {
		return err
	}
	e, edits := edit(c, resource.SubnetsField)
	if !edits {
		return nil
	}
	e.To = nil
	c.Edits = []resource.Edit{e}
	n, err := t.apply(r, c)
	if n > 0 || err == nil {
		return fmt.Errorf("emptying the subnets made %d calls (refused: %t)", n, err != nil)
	}
	return nil
}

// checkUnknown takes each of the resource's subnets out of the snapshot in turn.
func checkUnknown(t *trial) error {
	r, err := t.read()
	if err != nil {
		return err
	}
	for _, id := range r.Fields[resource.SubnetsField] {
		g := t.goal(resource.Evacuate, t.Zone)
		g.Subnets = maps.Clone(g.Subnets)
		delete(g.Subnets, id)
		if c := t.Driver.Plan(r, g); c.Outcome != resource.SkippedUnknownZone || len(c.Edits) > 0 {
			return fmt.Errorf("nobody knows where %s is: %s with edits %v, want %s and none", id, c.Outcome, c.Edits, resource.SkippedUnknownZone)
		}
	}
	return nil
}

package resourcetest

import (
	"fmt"
	"slices"

	"sidestep/pkg/resource"
)

func (d toyDriver) Plan(r resource.Resource, g resource.Goal) resource.Change {
	c := resource.Change{ID: r.ID, Zone: g.Zone, Direction: g.Direction, Policy: g.Policy}
	switch {
	case d.f.writesInPlan:
		_ = d.w.call(false, func() {})
	case d.f.mutates:
		slices.Sort(r.Fields[subnetsField])
	case d.f.random:
		*d.planned++
		c.Notes = append(c.Notes, fmt.Sprint(*d.planned))
	}
	if g.Direction == resource.Recover {
		d.planRecovery(r, g, &c)
	} else {
		d.planEvacuation(r, g, &c)
	}
	if len(c.Edits) > 0 {
		c.Outcome = resource.Planned
	}
	return c
}

func (d toyDriver) planEvacuation(r resource.Resource, g resource.Goal, c *resource.Change) {
	list := r.Fields[subnetsField]
	in, out, unknown := g.Subnets.Split(list, g.Zone.ID)
	switch {
	case len(unknown) > 0 && !d.f.guesses:
		c.Outcome, c.Reason = resource.SkippedUnknownZone, "unknown"
		return
	case len(in) == 0 && g.Recorded == nil:
		c.Outcome = resource.SkippedNotInZone
		return
	case len(in) > 0 && len(out) == 0 && !d.f.empties:
		c.Outcome, c.Reason = resource.SkippedSingleZone, "alone"
		return
	}
	c.Outcome = resource.AlreadyDone
	_, ours := g.Recorded.Edit(lockField)
	shut := r.Fields[lockField][0] == "shut"
	// Of two zones whose records hold the lock, the last one back opens it.
	if g.Policy == resource.Hold && (!shut || !ours && lockedByOther(g)) {
		c.Edits = append(c.Edits, resource.Edit{Field: lockField, From: []string{"open"}, To: []string{"shut"}})
	}
	if d.f.removesLess && len(in) > 1 {
		in = in[:1]
	}
	if len(in) > 0 {
		c.Removed = in
		c.Edits = append(c.Edits, resource.Edit{Field: subnetsField, From: list, To: resource.Without(list, in)})
		if _, has := g.Recorded.Edit(subnetsField); (!has || d.f.reorders) && len(g.Others) > 0 {
			c.Order = list
			for _, o := range g.Others {
				c.Order = resource.Merge(c.Order, orderOf(o), o.RemovedSubnets)
			}
		}
	}
}

func orderOf(rec resource.Recorded) []string {
	if len(rec.Order) > 0 {
		return rec.Order
	}
	e, _ := rec.Edit(subnetsField)
	return e.From
}

func lockedByOther(g resource.Goal) bool {
	return slices.ContainsFunc(g.Others, func(o resource.Recorded) bool { _, has := o.Edit(lockField); return has })
}

func (d toyDriver) planRecovery(r resource.Resource, g resource.Goal, c *resource.Change) {
	c.Outcome = resource.AlreadyDone
	if g.Recorded == nil {
		return
	}
	list := r.Fields[subnetsField]
	var restore []string
	for _, id := range g.Recorded.RemovedSubnets {
		if _, ok := g.Subnets[id]; !ok && !d.f.restoresDeleted {
			c.Notes = append(c.Notes, id+" is gone")
			continue
		}
		restore = append(restore, id)
	}
	want := resource.Merge(list, orderOf(*g.Recorded), restore)
	switch {
	case d.f.overwrites:
		if e, ok := g.Recorded.Edit(subnetsField); ok {
			want = e.From
		}
	case d.f.refills:
		want = resource.Merge(want, orderOf(*g.Recorded), orderOf(*g.Recorded))
	case d.f.sorts:
		want = slices.Sorted(slices.Values(want))
	}
	if !slices.Equal(list, want) {
		c.Edits = append(c.Edits, resource.Edit{Field: subnetsField, From: list, To: want})
	}
	_, ours := g.Recorded.Edit(lockField)
	if ours && r.Fields[lockField][0] == "shut" && !lockedByOther(g) && !d.f.forgetsLock {
		c.Edits = append(c.Edits, resource.Edit{Field: lockField, From: []string{"shut"}, To: []string{"open"}})
	}
}

func (d toyDriver) Judge(r resource.Resource, c resource.Change) resource.Progress {
	var p resource.Progress
	for _, e := range c.Edits {
		live := r.Fields[e.Field]
		back := e.Field == subnetsField && c.Direction == resource.Evacuate && len(resource.Without(c.Removed, live)) < len(c.Removed)
		missing := e.Field == subnetsField && c.Direction == resource.Recover && len(resource.Without(resource.Without(e.To, e.From), live)) > 0
		if back || missing || e.Field == lockField && !slices.Equal(live, e.To) {
			p.Undone = append(p.Undone, e.Field)
		}
	}
	p.Reached = (len(p.Undone) == 0 || d.f.alwaysReached) && !d.f.neverReached
	return p
}

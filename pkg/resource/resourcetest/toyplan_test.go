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
		slices.Sort(r.Fields[resource.SubnetsField])
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
	if c.Outcome, c.Reason = d.leave(r, g); c.Outcome != "" {
		return
	}
	c.Outcome = resource.AlreadyDone
	_, ours := g.Recorded.Edit(lockField)
	// Of two zones whose records hold the lock, the last one back opens it.
	if g.Policy == resource.Hold && (!shut(r) || !ours && lockedByOther(g)) {
		c.Edits = append(c.Edits, resource.Edit{Field: lockField, From: []string{"open"}, To: []string{"shut"}})
	}
	list := r.Fields[resource.SubnetsField]
	in, _, _ := g.Subnets.Split(list, g.Zone.ID)
	if d.f.removesLess && len(in) > 1 {
		in = in[:1]
	}
	if len(in) > 0 {
		c.Removed, c.Order = in, d.order(list, g)
		c.Edits = append(c.Edits, resource.Edit{Field: resource.SubnetsField, From: list, To: resource.Without(list, in)})
	}
}

func (d toyDriver) leave(r resource.Resource, g resource.Goal) (resource.Outcome, string) {
	in, out, unknown := g.Subnets.Split(r.Fields[resource.SubnetsField], g.Zone.ID)
	switch {
	case len(unknown) > 0 && !d.f.guesses:
		return resource.SkippedUnknownZone, "unknown"
	case len(in) == 0 && g.Recorded == nil:
		return resource.SkippedNotInZone, ""
	case len(in) > 0 && len(out) == 0 && !d.f.empties:
		return resource.SkippedSingleZone, "alone"
	}
	return "", ""
}

func (d toyDriver) order(list []string, g resource.Goal) []string {
	if _, has := g.Recorded.Edit(resource.SubnetsField); has && !d.f.reorders || len(g.Others) == 0 {
		return nil
	}
	for _, o := range g.Others {
		list = resource.Merge(list, orderOf(o), o.RemovedSubnets)
	}
	return list
}

func orderOf(rec resource.Recorded) []string {
	if len(rec.Order) > 0 {
		return rec.Order
	}
	e, _ := rec.Edit(resource.SubnetsField)
	return e.From
}

func shut(r resource.Resource) bool { return r.Fields[lockField][0] == "shut" }

func lockedByOther(g resource.Goal) bool {
	return slices.ContainsFunc(g.Others, func(o resource.Recorded) bool { _, has := o.Edit(lockField); return has })
}

func (d toyDriver) planRecovery(r resource.Resource, g resource.Goal, c *resource.Change) {
	c.Outcome = resource.AlreadyDone
	if g.Recorded == nil {
		return
	}
	list := r.Fields[resource.SubnetsField]
	var restore []string
	for _, id := range g.Recorded.RemovedSubnets {
		if _, ok := g.Subnets[id]; !ok && !d.f.restoresDeleted {
			c.Notes = append(c.Notes, id+" is gone")
			continue
		}
		restore = append(restore, id)
	}
	if want := d.spoil(resource.Merge(list, orderOf(*g.Recorded), restore), *g.Recorded); !slices.Equal(list, want) {
		c.Edits = append(c.Edits, resource.Edit{Field: resource.SubnetsField, From: list, To: want})
	}
	if _, ours := g.Recorded.Edit(lockField); ours && shut(r) && !lockedByOther(g) && !d.f.forgetsLock {
		c.Edits = append(c.Edits, resource.Edit{Field: lockField, From: []string{"shut"}, To: []string{"open"}})
	}
}

// spoil is what a broken driver makes of the subnets to recover.
func (d toyDriver) spoil(want []string, rec resource.Recorded) []string {
	e, edited := rec.Edit(resource.SubnetsField)
	switch {
	case d.f.overwrites && edited:
		return e.From
	case d.f.refills:
		return resource.Merge(want, orderOf(rec), orderOf(rec))
	case d.f.sorts:
		return slices.Sorted(slices.Values(want))
	}
	return want
}

func (d toyDriver) Judge(r resource.Resource, c resource.Change) resource.Progress {
	var p resource.Progress
	for _, e := range c.Edits {
		if !reached(r.Fields[e.Field], c, e) {
			p.Undone = append(p.Undone, e.Field)
		}
	}
	p.Reached = (len(p.Undone) == 0 || d.f.alwaysReached) && !d.f.neverReached
	return p
}

func reached(live []string, c resource.Change, e resource.Edit) bool {
	switch {
	case e.Field == lockField:
		return slices.Equal(live, e.To)
	case c.Direction == resource.Evacuate:
		return len(resource.Without(c.Removed, live)) == len(c.Removed)
	}
	return len(resource.Without(resource.Without(e.To, e.From), live)) == 0
}

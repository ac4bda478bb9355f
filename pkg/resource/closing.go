package resource

import (
	"errors"
	"slices"
	"strings"
)

// The rules for a list of subnets, which are the same for every kind that has
// one. A kind adds only how AWS takes the list.

// What a kind returns instead of sending.
var (
	// ErrEmpty keeps the rule that nothing is ever emptied: AWS takes a list without
	// elements for something else.
	ErrEmpty = errors.New("refusing to send an empty list")
	// ErrUnplanned says that an edit is none that the kind's plans make.
	ErrUnplanned = errors.New("refusing to set what no plan of this kind sets")
)

// CloseSubnets is the edit that takes the zone's subnets in away from r, none if
// there are none.
func CloseSubnets(r Resource, in []string) []Edit {
	if len(in) == 0 {
		return nil
	}
	list := r.Fields[SubnetsField]
	return []Edit{{Field: SubnetsField, From: list, To: Without(list, in)}}
}

// LeaveSubnets returns why an evacuation leaves the list as it is, or nothing:
// where its subnets lie cannot be told, none lies in the zone and none was taken
// from there, or nothing would remain.
func LeaveSubnets(r Resource, g Goal) (Outcome, string) {
	list := r.Fields[SubnetsField]
	in, _, unknown := g.Subnets.Split(list, g.Zone.ID)
	switch {
	case len(unknown) > 0:
		return SkippedUnknownZone, "cannot tell the zone of " + strings.Join(unknown, ", ") + "; check ec2:DescribeSubnets"
	case len(in) == 0 && g.Recorded == nil:
		return SkippedNotInZone, ""
	case len(in) > 0 && len(g.Remaining(list)) == 0:
		return SkippedSingleZone, "has no subnet in another zone that is in service; move it by hand or add one"
	}
	return "", ""
}

// Order is what Change.Order must be: the subnet list with the zones that went out
// before in it. A zone that is out already has its order, from when it had all of
// its own subnets.
func Order(r Resource, g Goal) []string {
	if _, has := g.Recorded.Edit(SubnetsField); has || len(g.Others) == 0 {
		return nil
	}
	list := r.Fields[SubnetsField]
	for _, o := range g.Others {
		list = Merge(list, o.template(), o.RemovedSubnets)
	}
	return list
}

// template is the order in which a record's subnets go back.
func (r Recorded) template() []string {
	if len(r.Order) > 0 {
		return r.Order
	}
	e, _ := r.Edit(SubnetsField)
	return e.From
}

// RestoreSubnets is the edit that puts back what the goal's record removed, none
// if nothing is missing. Notes name the subnets that no longer exist in the
// resource's VPC.
func RestoreSubnets(r Resource, g Goal) (edits []Edit, notes []string) {
	live := r.Fields[SubnetsField]
	restore, lost := restorable(g, live)
	for _, id := range lost {
		notes = append(notes, "subnet "+id+" does not exist any more and is not put back")
	}
	if want := Merge(live, g.Recorded.template(), restore); !slices.Equal(live, want) {
		edits = []Edit{{Field: SubnetsField, From: live, To: want}}
	}
	return edits, notes
}

// restorable sorts the removed subnets into those that still exist in the
// resource's VPC and those that are lost.
func restorable(g Goal, live []string) (restore, lost []string) {
	vpc := ""
	for _, id := range live {
		if s, ok := g.Subnets[id]; ok {
			vpc = s.VPC
		}
	}
	for _, id := range g.Recorded.RemovedSubnets {
		s, ok := g.Subnets[id]
		if !ok || (vpc != "" && s.VPC != vpc) {
			lost = append(lost, id)
			continue
		}
		restore = append(restore, id)
	}
	return restore, lost
}

// Compare judges a fresh reading by the change's edits alone. Of the subnets only
// the zone's own count: others may come and go meanwhile.
func Compare(r Resource, c Change) Progress {
	p := Progress{Left: In(r.Places, c.Zone)}
	for _, e := range c.Edits {
		if !reached(r, c, e) {
			p.Undone = append(p.Undone, e.Field)
		}
	}
	p.Reached = len(p.Undone) == 0
	return p
}

func reached(r Resource, c Change, e Edit) bool {
	live := r.Fields[e.Field]
	if e.Field != SubnetsField {
		return slices.Equal(live, e.To)
	}
	if c.Direction == Evacuate {
		return !slices.ContainsFunc(c.Removed, func(id string) bool { return slices.Contains(live, id) })
	}
	return len(Without(Without(e.To, e.From), live)) == 0
}

// BehindTraffic returns why capacity must not leave beneath a target group that
// goes on sending the zone its share, or nothing. Only a drain moves capacity.
func BehindTraffic(r Resource, g Goal) (Outcome, string) {
	if g.Policy != Drain {
		return "", ""
	}
	for _, arn := range r.TargetGroups {
		if why, held := g.Unmoved[arn]; held {
			return HeldTraffic, why
		}
	}
	return "", ""
}

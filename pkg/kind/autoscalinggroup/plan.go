package autoscalinggroup

import (
	"fmt"
	"slices"
	"strings"

	"sidestep/pkg/resource"
)

// Plan computes what reaches the goal.
func (d *Driver) Plan(r resource.Resource, g resource.Goal) resource.Change {
	c := resource.Change{ID: r.ID, Zone: g.Zone, Direction: g.Direction, Policy: g.Policy}
	if g.Direction == resource.Recover {
		return planRecovery(r, g, c)
	}
	return d.planEvacuation(r, g, c)
}

func (d *Driver) planEvacuation(r resource.Resource, g resource.Goal, c resource.Change) resource.Change {
	in, _, _ := g.Subnets.Split(r.Fields[subnetsField], g.Zone.ID)
	if outcome, reason := leave(r, g); outcome != "" {
		c.Outcome, c.Reason = outcome, reason
		return c
	}
	if g.Policy == resource.Shift {
		c.Outcome, c.Reason = resource.NotEvacuated, "policy shift moves traffic only; hold or drain closes the group for the zone"
		return c
	}
	c.Removed = in
	c.Notes = notes(r, g)
	switch g.Policy {
	case resource.Drain:
		c.Edits = append(subnetEdit(r, in), resumeOurs(r, g)...)
	default:
		c.Edits = append(d.suspend(r, g), subnetEdit(r, in)...)
	}
	if len(c.Edits) == 0 {
		c.Outcome, c.Reason = resource.AlreadyDone, "closed for this zone already"
		return c
	}
	c.Outcome = resource.Planned
	c.Order = order(r, g)
	return c
}

// leave returns why a group is left as it is, or nothing.
func leave(r resource.Resource, g resource.Goal) (resource.Outcome, string) {
	list := r.Fields[subnetsField]
	in, _, unknown := g.Subnets.Split(list, g.Zone.ID)
	switch {
	case len(list) == 0:
		return leaveZones(r, g)
	case len(unknown) > 0:
		return resource.SkippedUnknownZone, "cannot tell the zone of " + strings.Join(unknown, ", ") + "; check ec2:DescribeSubnets"
	case len(in) == 0 && g.Recorded == nil:
		return resource.SkippedNotInZone, ""
	case len(in) == 0 && len(resumeOurs(r, g)) > 0:
		// Taken out under hold, and to be drained: resuming moves its instances.
		return beneathTraffic(r, g)
	case len(in) == 0:
		return "", "" // taken out by us; its processes may need another look
	case len(g.Remaining(list)) == 0:
		return resource.SkippedSingleZone, "has no subnet in another zone; move it by hand or add one"
	}
	return foreign(r, g)
}

// leaveZones returns why a group without subnets is left as it is.
func leaveZones(r resource.Resource, g resource.Goal) (resource.Outcome, string) {
	if slices.Contains(r.Zones, g.Zone.ID) || slices.Contains(r.Zones, g.Zone.Name) {
		return resource.SkippedNoSubnets, "lists zones, not subnets; give it subnets to make it evacuable"
	}
	return resource.SkippedNotInZone, ""
}

// foreign returns who else has a say over the group, or nothing.
func foreign(r resource.Resource, g resource.Goal) (resource.Outcome, string) {
	if who, ok := r.Traits[traitOperator]; ok {
		return resource.SkippedOperator, "only " + who + " may change it"
	}
	if name, ok := r.Traits[traitNodegroup]; ok {
		return resource.SkippedManagedByEKS, "belongs to EKS node group " + name + ", which breaks if its group is edited; shift the cluster, or cordon the nodes"
	}
	if tag, ok := r.Traits[traitCluster]; ok {
		return resource.SkippedClusterNodes, "its instances are Kubernetes nodes (" + tag + "); drain them first"
	}
	if _, ok := r.Traits[traitShift]; ok {
		return resource.SkippedZonalShift, "registered for zonal shift; start a zonal shift on the group instead"
	}
	return beneathTraffic(r, g)
}

// beneathTraffic returns why capacity must not leave beneath a load balancer, or
// nothing. Only a drain moves capacity.
func beneathTraffic(r resource.Resource, g resource.Goal) (resource.Outcome, string) {
	if g.Policy != resource.Drain {
		return "", ""
	}
	for _, arn := range r.TargetGroups {
		if why, held := g.Unmoved[arn]; held {
			return resource.HeldTraffic, why
		}
	}
	if names, ok := r.Traits[traitClassic]; ok {
		return resource.HeldTraffic, "serves classic load balancer " + names + ", whose cross-zone setting is not looked at"
	}
	return "", ""
}

// suspend keeps instances where they are: no rebalancing out of the zone, and no
// replacement of what only looks unhealthy from there. It is for the whole group,
// as Auto Scaling knows no other way.
func (d *Driver) suspend(r resource.Resource, g resource.Goal) []resource.Edit {
	var edits []resource.Edit
	for _, p := range []string{azRebalance, replaceUnhealthy} {
		if p == replaceUnhealthy && d.options.KeepReplacing {
			continue
		}
		field := processPrefix + p
		isSuspended := slices.Equal(r.Fields[field], []string{suspended})
		ours, _ := g.Recorded.Edit(field)
		// One that another zone's evacuation suspended is shared: the last zone to
		// come back resumes it. One that somebody else suspended stays theirs.
		shared := isSuspended && len(ours.To) == 0 && ownedByOther(g, field)
		if !isSuspended || shared {
			edits = append(edits, resource.Edit{Field: field, From: []string{active}, To: []string{suspended}})
		}
	}
	return edits
}

// resumeOurs undoes the suspensions of a hold that becomes a drain.
func resumeOurs(r resource.Resource, g resource.Goal) []resource.Edit {
	if g.Recorded == nil {
		return nil
	}
	var edits []resource.Edit
	for _, e := range g.Recorded.Edits {
		if owns(*g.Recorded, e.Field) && slices.Equal(r.Fields[e.Field], []string{suspended}) && !ownedByOther(g, e.Field) {
			edits = append(edits, resource.Edit{Field: e.Field, From: []string{suspended}, To: []string{active}})
		}
	}
	return edits
}

// owns reports whether a record says that we suspended the field's process.
func owns(rec resource.Recorded, field string) bool {
	if _, ok := process(field); !ok {
		return false
	}
	e, ok := rec.Edit(field)
	return ok && slices.Equal(e.From, []string{active}) && slices.Equal(e.To, []string{suspended})
}

func ownedByOther(g resource.Goal, field string) bool {
	return slices.ContainsFunc(g.Others, func(o resource.Recorded) bool { return owns(o, field) })
}

func subnetEdit(r resource.Resource, in []string) []resource.Edit {
	if len(in) == 0 {
		return nil
	}
	list := r.Fields[subnetsField]
	return []resource.Edit{{Field: subnetsField, From: list, To: resource.Without(list, in)}}
}

// order is the subnet list with the zones that went out before in it. A zone that
// is out already has its order, from when it had all of its own subnets.
func order(r resource.Resource, g resource.Goal) []string {
	if _, has := g.Recorded.Edit(subnetsField); has || len(g.Others) == 0 {
		return nil
	}
	list := r.Fields[subnetsField]
	for _, o := range g.Others {
		list = resource.Merge(list, template(o), o.RemovedSubnets)
	}
	return list
}

// template is the order in which a record's subnets go back.
func template(rec resource.Recorded) []string {
	if len(rec.Order) > 0 {
		return rec.Order
	}
	e, _ := rec.Edit(subnetsField)
	return e.From
}

func notes(r resource.Resource, g resource.Goal) []string {
	var n []string
	if stack, ok := r.Traits[traitStack]; ok {
		n = append(n, fmt.Sprintf("declared by CloudFormation stack %s: an update of that stack may put the zone back or replace instances", stack))
	}
	if left := g.Remaining(r.Fields[subnetsField]); len(left) == 1 {
		n = append(n, "only zone "+left[0]+" remains")
	}
	if _, ok := r.Traits[traitShrinks]; ok {
		n = append(n, "minimum below desired: scaling policies may shrink it meanwhile")
	}
	for _, p := range []string{"Launch", "Terminate"} {
		if slices.Equal(r.Fields[processPrefix+p], []string{suspended}) {
			n = append(n, p+" is suspended by someone else: instances stay where they are")
		}
	}
	return n
}

func planRecovery(r resource.Resource, g resource.Goal, c resource.Change) resource.Change {
	if g.Recorded == nil {
		c.Outcome = resource.AlreadyDone
		return c
	}
	live := r.Fields[subnetsField]
	restore, lost := restorable(g, live)
	for _, id := range lost {
		c.Notes = append(c.Notes, "subnet "+id+" does not exist any more and is not put back")
	}
	if want := resource.Merge(live, template(*g.Recorded), restore); !slices.Equal(live, want) {
		c.Edits = append(c.Edits, resource.Edit{Field: subnetsField, From: live, To: want})
	}
	c.Edits = append(c.Edits, resumeOurs(r, g)...)
	if len(c.Edits) == 0 {
		c.Outcome, c.Reason = resource.AlreadyDone, "already as it was"
		return c
	}
	c.Outcome = resource.Planned
	return c
}

// restorable sorts the removed subnets into those that still exist in the group's
// VPC and those that are lost.
func restorable(g resource.Goal, live []string) (restore, lost []string) {
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

// Judge compares a fresh reading with what the change wants.
func (d *Driver) Judge(r resource.Resource, c resource.Change) resource.Progress {
	p := resource.Progress{Left: resource.In(r.Places, c.Zone)}
	for _, e := range c.Edits {
		if !reached(r, c, e) {
			p.Undone = append(p.Undone, e.Field)
		}
	}
	p.Reached = len(p.Undone) == 0
	return p
}

// reached judges one edit. Of the subnets only the zone's own count: others may
// come and go meanwhile.
func reached(r resource.Resource, c resource.Change, e resource.Edit) bool {
	live := r.Fields[e.Field]
	if e.Field != subnetsField {
		return slices.Equal(live, e.To)
	}
	if c.Direction == resource.Evacuate {
		return !slices.ContainsFunc(c.Removed, func(id string) bool { return slices.Contains(live, id) })
	}
	return len(resource.Without(resource.Without(e.To, e.From), live)) == 0
}

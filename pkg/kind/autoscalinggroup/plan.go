package autoscalinggroup

import (
	"fmt"
	"slices"

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
	in, _, _ := g.Subnets.Split(r.Fields[resource.SubnetsField], g.Zone.ID)
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
		c.Edits = append(resource.CloseSubnets(r, in), resumeOurs(r, g)...)
	default:
		c.Edits = append(d.suspend(r, g), resource.CloseSubnets(r, in)...)
	}
	if len(c.Edits) == 0 {
		c.Outcome, c.Reason = resource.AlreadyDone, "closed for this zone already"
		return c
	}
	c.Outcome = resource.Planned
	c.Order = resource.Order(r, g)
	return c
}

// leave returns why a group is left as it is, or nothing.
func leave(r resource.Resource, g resource.Goal) (resource.Outcome, string) {
	list := r.Fields[resource.SubnetsField]
	if len(list) == 0 {
		return leaveZones(r, g)
	}
	if outcome, reason := resource.LeaveSubnets(r, g); outcome != "" {
		return outcome, reason
	}
	in, _, _ := g.Subnets.Split(list, g.Zone.ID)
	switch {
	case len(in) > 0:
		return foreign(r, g)
	case len(resumeOurs(r, g)) > 0:
		// Taken out under hold, and to be drained: resuming moves its instances.
		return beneathTraffic(r, g)
	}
	return "", "" // taken out by us; its processes may need another look
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
	if names, ok := r.Traits[traitClassic]; ok && g.Policy == resource.Drain {
		return resource.HeldTraffic, "serves classic load balancer " + names + ", whose cross-zone setting is not looked at"
	}
	return resource.BehindTraffic(r, g)
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
		edits = append(edits, switchOf(processPrefix+p).TurnOff(r, g)...)
	}
	return edits
}

// switchOf is the switch of a process.
func switchOf(field string) resource.Switch {
	return resource.Switch{Field: field, On: []string{active}, Off: []string{suspended}}
}

// resumeOurs undoes the suspensions of a hold that becomes a drain.
func resumeOurs(r resource.Resource, g resource.Goal) []resource.Edit {
	if g.Recorded == nil {
		return nil
	}
	var edits []resource.Edit
	for _, e := range g.Recorded.Edits {
		if _, ok := process(e.Field); ok {
			edits = append(edits, switchOf(e.Field).TurnOn(r, g)...)
		}
	}
	return edits
}

func notes(r resource.Resource, g resource.Goal) []string {
	var n []string
	if stack, ok := r.Traits[traitStack]; ok {
		n = append(n, fmt.Sprintf("declared by CloudFormation stack %s: an update of that stack may put the zone back or replace instances", stack))
	}
	if left := g.Remaining(r.Fields[resource.SubnetsField]); len(left) == 1 {
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
	c.Edits, c.Notes = resource.RestoreSubnets(r, g)
	c.Edits = append(c.Edits, resumeOurs(r, g)...)
	if len(c.Edits) == 0 {
		c.Outcome, c.Reason = resource.AlreadyDone, "already as it was"
		return c
	}
	c.Outcome = resource.Planned
	return c
}

// Judge compares a fresh reading with what the change wants.
func (d *Driver) Judge(r resource.Resource, c resource.Change) resource.Progress {
	return resource.Compare(r, c)
}

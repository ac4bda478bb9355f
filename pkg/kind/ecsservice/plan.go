package ecsservice

import (
	"strings"

	"sidestep/pkg/resource"
)

// Plan computes what reaches the goal.
func (d *Driver) Plan(r resource.Resource, g resource.Goal) resource.Change {
	c := resource.Change{ID: r.ID, Zone: g.Zone, Direction: g.Direction, Policy: g.Policy}
	if g.Direction == resource.Recover {
		return planRecovery(r, g, c)
	}
	return planEvacuation(r, g, c)
}

func planEvacuation(r resource.Resource, g resource.Goal, c resource.Change) resource.Change {
	if outcome, reason := leave(r, g); outcome != "" {
		c.Outcome, c.Reason = outcome, reason
		return c
	}
	in, _, _ := g.Subnets.Split(r.Fields[resource.SubnetsField], g.Zone.ID)
	switch g.Policy {
	case resource.Shift:
		c.Outcome, c.Reason = resource.NotEvacuated, "policy shift moves traffic only; drain takes the service out of the zone"
		return c
	case resource.Drain:
		return planDrain(r, g, c, in)
	}
	return planHold(r, g, c, in)
}

// leave returns why a service is left as it is under any policy, or nothing.
func leave(r resource.Resource, g resource.Goal) (resource.Outcome, string) {
	list := r.Fields[resource.SubnetsField]
	if len(list) == 0 {
		return leaveHosts(r)
	}
	if outcome, reason := resource.LeaveSubnets(r, g); outcome != "" {
		return outcome, reason
	}
	if in, _, _ := g.Subnets.Split(list, g.Zone.ID); len(in) > 0 {
		return foreign(r)
	}
	return "", "" // taken out by us; its rebalancing may need another look
}

// leaveHosts returns why a service is left as it is whose tasks are wherever their
// hosts are.
func leaveHosts(r resource.Resource) (resource.Outcome, string) {
	if _, ok := r.Traits[traitAnywhere]; ok {
		return resource.SkippedNotInZone, ""
	}
	if name, ok := r.Traits[traitManaged]; ok {
		return leaveManaged(name)
	}
	return resource.SkippedHostNetwork, "its tasks use their hosts' network, and no update of the service can move them; drain its container instances in the zone, and take the zone out of the Auto Scaling group behind them"
}

func leaveManaged(name string) (resource.Outcome, string) {
	return resource.SkippedManagedInstances, "runs on ECS Managed Instances, whose subnets are those of capacity provider " + name + "; take the zone's out there"
}

// foreign returns who else decides where the service's tasks run, or nothing.
// https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_UpdateService.html
func foreign(r resource.Resource) (resource.Outcome, string) {
	switch r.Traits[traitController] {
	case "":
	case codeDeploy:
		return resource.SkippedCodeDeploy, "deployed by CodeDeploy, which alone may change its subnets; start a CodeDeploy deployment whose AppSpec has the remaining ones"
	default:
		return resource.SkippedExternalController, "deployed by an external controller; create a task set with the remaining subnets, and make it the primary one"
	}
	if _, ok := r.Traits[traitDaemon]; ok {
		return resource.SkippedDaemon, "runs one task on every host; take the zone out of the Auto Scaling group of its hosts"
	}
	if _, ok := r.Traits[traitExpress]; ok {
		return resource.SkippedExpress, "an Express Mode service, which ECS manages; take the zone's subnets out with an update of the Express service"
	}
	if name, ok := r.Traits[traitManaged]; ok {
		return leaveManaged(name)
	}
	return "", ""
}

const codeDeploy = "CODE_DEPLOY"

// planHold keeps tasks where they are. Taking subnets out would replace every task
// of the service, in the healthy zones too; stopping ECS from rebalancing does not.
func planHold(r resource.Resource, g resource.Goal, c resource.Change, in []string) resource.Change {
	if len(in) == 0 {
		c.Outcome, c.Reason = resource.AlreadyDone, "has no subnet in the zone any more"
		return c
	}
	c.Edits = rebalancing.TurnOff(r, g)
	switch {
	case len(c.Edits) > 0:
		c.Outcome, c.Becomes, c.Reason = resource.Planned, resource.HeldRedeploys, redeploys(r)
		c.Notes = stackNotes(r)
	case g.Recorded != nil:
		c.Outcome, c.Reason = resource.AlreadyDone, "held for this zone already"
	default:
		c.Outcome, c.Reason = resource.HeldRedeploys, redeploys(r)
	}
	return c
}

// planDrain takes the zone's subnets out, and turns the rebalancing that a hold
// stopped on again with them.
func planDrain(r resource.Resource, g resource.Goal, c resource.Change, in []string) resource.Change {
	if len(in) > 0 {
		if outcome, reason := beneath(r, g); outcome != "" {
			c.Outcome, c.Reason = outcome, reason
			return c
		}
	}
	resumed, notes := resumeOurs(r, g)
	c.Edits = append(resource.CloseSubnets(r, in), resumed...)
	if len(c.Edits) == 0 {
		c.Outcome, c.Reason = resource.AlreadyDone, "closed for this zone already"
		return c
	}
	c.Outcome = resource.Planned
	c.Notes = notes
	if len(in) > 0 {
		c.Removed, c.Order, c.Rollout = in, resource.Order(r, g), true
		c.Notes = append(drainNotes(r, g), notes...)
	}
	return c
}

// beneath returns why capacity must not leave a service, or cannot: a balancer
// that goes on sending the zone its share, or a deployment that would never end.
func beneath(r resource.Resource, g resource.Goal) (resource.Outcome, string) {
	if names, ok := r.Traits[traitClassic]; ok {
		return resource.HeldTraffic, "serves classic load balancer " + names + ", whose cross-zone setting is not looked at"
	}
	if outcome, reason := resource.BehindTraffic(r, g); outcome != "" {
		return outcome, reason
	}
	if reason := cramped(r); reason != "" {
		return resource.SkippedDeploymentConfig, reason
	}
	return "", ""
}

func drainNotes(r resource.Resource, g resource.Goal) []string {
	n := append(deploymentNotes(r), stackNotes(r)...)
	if left := g.Remaining(r.Fields[resource.SubnetsField]); len(left) == 1 {
		n = append(n, "only zone "+left[0]+" remains")
	}
	return n
}

func stackNotes(r resource.Resource) []string {
	if stack, ok := r.Traits[traitStack]; ok {
		return []string{"declared by CloudFormation stack " + stack + ": an update of that stack may undo the change"}
	}
	return nil
}

func planRecovery(r resource.Resource, g resource.Goal, c resource.Change) resource.Change {
	if g.Recorded == nil {
		c.Outcome = resource.AlreadyDone
		return c
	}
	restored, lost := resource.RestoreSubnets(r, g)
	if len(restored) > 0 {
		if outcome, reason := immovable(r, g); outcome != "" {
			c.Outcome, c.Reason = outcome, reason
			return c
		}
		c.Rollout = true
		c.Notes = deploymentNotes(r)
		if reason := cramped(r); reason != "" {
			c.Notes = append(c.Notes, "the deployment cannot move: "+reason)
		}
	}
	resumed, notes := resumeOurs(r, g)
	c.Edits = append(restored, resumed...)
	c.Notes = append(append(c.Notes, lost...), notes...)
	c.Outcome = resource.Planned
	if len(c.Edits) == 0 {
		c.Outcome, c.Reason = resource.AlreadyDone, "already as it was"
	}
	return c
}

// immovable returns why the subnets cannot be put back by an update of the
// service, or nothing: it was changed meanwhile in a way that forbids it.
func immovable(r resource.Resource, g resource.Goal) (resource.Outcome, string) {
	removed := strings.Join(g.Recorded.RemovedSubnets, ", ")
	switch who := r.Traits[traitController]; {
	case len(r.Fields[resource.SubnetsField]) == 0:
		return resource.SkippedHostNetwork, "has no network configuration any more to put " + removed + " back into"
	case who == "":
		return "", ""
	case who == codeDeploy:
		return resource.SkippedCodeDeploy, "deployed by CodeDeploy now; start a CodeDeploy deployment whose AppSpec has " + removed + " again"
	}
	return resource.SkippedExternalController, "deployed by an external controller now; create a task set that has " + removed + " again, and make it the primary one"
}

package lambdafunction

import (
	"strings"

	"sidestep/pkg/resource"
)

// Plan computes what reaches the goal. A hold and a drain are the same: Lambda
// decides itself where its environments run, within the subnets it has.
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
	if g.Policy == resource.Shift {
		c.Outcome, c.Reason = resource.NotEvacuated, "policy shift moves traffic only; hold or drain takes the zone's subnets out of the function"
		return c
	}
	in, _, _ := g.Subnets.Split(r.Fields[resource.SubnetsField], g.Zone.ID)
	c.Edits, c.Removed = resource.CloseSubnets(r, in), in
	if len(c.Edits) == 0 {
		c.Outcome, c.Reason, c.Notes = resource.AlreadyDone, "closed for this zone already", versionNotes(r, g)
		return c
	}
	c.Outcome = resource.Planned
	c.Order = resource.Order(r, g)
	c.Notes = notes(r, g)
	return c
}

// leave returns why a function is left as it is, or nothing.
func leave(r resource.Resource, g resource.Goal) (resource.Outcome, string) {
	if name, ok := r.Traits[traitProvider]; ok {
		return resource.SkippedManagedInstances, "runs on Lambda Managed Instances, whose subnets are those of capacity provider " + name +
			" and cannot be changed; publish a version for a provider without the zone's"
	}
	list := r.Fields[resource.SubnetsField]
	if len(list) == 0 && len(inZone(r, g)) == 0 {
		return resource.SkippedNoVPC, "in no VPC; Lambda itself runs it in the other zones"
	}
	outcome, reason := resource.LeaveSubnets(r, g)
	if outcome == resource.SkippedNotInZone || len(list) == 0 {
		return leaveVersions(r, g)
	}
	if in, _, _ := g.Subnets.Split(list, g.Zone.ID); outcome == "" && len(in) > 0 {
		return unsendable(r)
	}
	return outcome, reason
}

// leaveVersions returns what there is to say of a function that has no subnet in
// the zone: its published versions may have some.
func leaveVersions(r resource.Resource, g resource.Goal) (resource.Outcome, string) {
	if versions := inZone(r, g); len(versions) > 0 {
		return resource.NotEvacuated, "out of the zone itself, but " + stays(r, versions)
	}
	return resource.SkippedNotInZone, ""
}

// unsendable returns why a change of the function's subnets must not be sent, or
// nothing. A replica of Lambda@Edge is for CloudFront to change.
// https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/lambda-edge-delete-replicas.html
func unsendable(r resource.Resource) (resource.Outcome, string) {
	if master, ok := r.Traits[traitMaster]; ok {
		return resource.SkippedOperator, "a Lambda@Edge replica of " + master + ", which CloudFront keeps"
	}
	if len(r.Fields[groupsField]) == 0 {
		return resource.FailedInvalid, "has subnets and no security group, without which its subnets cannot be set; give it one"
	}
	return "", ""
}

// inZone lists the published versions that have a subnet in the goal's zone.
func inZone(r resource.Resource, g resource.Goal) []string {
	return published(r, func(subnets []string) bool {
		in, _, _ := g.Subnets.Split(subnets, g.Zone.ID)
		return len(in) > 0
	})
}

// recycles is what every update of the subnets costs.
const recycles = "the update recycles the unpublished version's environments"

func notes(r resource.Resource, g resource.Goal) []string {
	n := []string{recycles}
	if stack, ok := r.Traits[traitStack]; ok {
		n = append(n, "declared by CloudFormation stack "+stack+": an update of that stack may put the zone back")
	}
	if left := g.Remaining(r.Fields[resource.SubnetsField]); len(left) == 1 {
		n = append(n, "only zone "+left[0]+" remains")
	}
	return append(n, versionNotes(r, g)...)
}

func versionNotes(r resource.Resource, g resource.Goal) []string {
	if versions := inZone(r, g); len(versions) > 0 {
		return []string{stays(r, versions)}
	}
	return nil
}

func planRecovery(r resource.Resource, g resource.Goal, c resource.Change) resource.Change {
	c.Outcome = resource.AlreadyDone
	if g.Recorded == nil {
		return c
	}
	if len(r.Fields[resource.SubnetsField]) == 0 {
		// Attaching it again would undo what somebody did on purpose.
		c.Reason = "in no VPC any more"
		c.Notes = []string{"somebody took it out of its VPC: " + strings.Join(g.Recorded.RemovedSubnets, ", ") + " are not put back"}
		return c
	}
	c.Edits, c.Notes = resource.RestoreSubnets(r, g)
	if len(c.Edits) == 0 {
		c.Reason = "already as it was"
		return c
	}
	if outcome, reason := unsendable(r); outcome != "" {
		c.Outcome, c.Reason, c.Edits = outcome, reason, nil
		return c
	}
	c.Outcome = resource.Planned
	c.Notes = append([]string{recycles}, c.Notes...)
	return c
}

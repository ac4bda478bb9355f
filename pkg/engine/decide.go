package engine

import (
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// live is how a resource stands to a plan made from a fresh reading.
type live string

const (
	pending  live = "pending"  // the plan has edits
	reached  live = "reached"  // nothing is missing
	settling live = "settling" // nothing is missing, and AWS is still at work on it
	left     live = "left"     // a rule says to leave it
	missing  live = "missing"  // AWS does not return it
)

// action is what to do about a record.
type action string

const (
	send    action = "send"    // record started or restoring, then call
	confirm action = "confirm" // it is as it should be: say so in the record
	drop    action = "drop"    // delete the record: nothing of ours is left to undo
	await   action = "await"   // keep the record until it has settled
	orphan  action = "orphan"  // keep the record and report it
	leave   action = "leave"   // touch neither
	contest action = "contest" // somebody keeps undoing it: stop sending
)

// maxSends is how often a change that was applied is sent again after somebody
// undid it. More would be two machines fighting over a group.
const maxSends = 3

// decide is the table of docs/ledger.md: what happens to a record, given its
// state, the live configuration and the direction of the run. Calls that may have
// been under way when this run took the lock have been waited for before.
func decide(d resource.Direction, state ledger.State, l live, attempt int) action {
	if d == resource.Recover {
		return decideRecovery(state, l)
	}
	switch {
	case l == missing:
		return orphan
	case state == ledger.Planned && l == pending:
		return send
	case state == ledger.Planned:
		return drop // nothing was ever sent, and nothing need be
	case l == left:
		return leave
	case l == reached, l == settling:
		return confirm
	case (state == ledger.Applied || state == ledger.Settled) && attempt >= maxSends:
		return contest
	}
	return send
}

func decideRecovery(state ledger.State, l live) action {
	switch {
	case state == ledger.Planned:
		return drop
	case l == missing:
		return orphan
	case l == reached:
		return drop
	case l == settling:
		return await
	case l == left:
		return leave
	}
	return send
}

// closing says what it means that nothing is missing on the way back.
func closing(state ledger.State) (resource.Outcome, string) {
	switch state {
	case ledger.Planned:
		return resource.AlreadyDone, "nothing had been sent"
	case ledger.Started:
		return resource.AlreadyDone, "the change had not taken effect"
	case ledger.Restoring:
		return resource.Restored, "reads as before the evacuation"
	}
	return resource.RestoredByOther, "someone else had put it back"
}

// gaveUp reports whether the outcome says that AWS did not carry a change through.
func gaveUp(o resource.Outcome) bool {
	return o == resource.HeldNoCapacity || o != "" && o.Weight(resource.Evacuate) == resource.Failed
}

// compare is the three-way comparison of what a record says was made of a
// resource, what it was before, and how it reads now.
func compare(rec ledger.Record, r resource.Resource, p resource.Progress) (resource.Outcome, string) {
	if p.Outcome != "" {
		return p.Outcome, p.Reason
	}
	if p.Reached {
		return resource.Settled, ""
	}
	if rec.Attempt >= maxSends {
		return resource.Contested, "someone keeps putting it back; find and stop that pipeline or controller"
	}
	if len(resource.Without(rec.RemovedSubnets, r.Fields[resource.SubnetsField])) == 0 && len(rec.RemovedSubnets) > 0 {
		return resource.RestoredByOther, "someone put the zone's subnets back; freeze pipelines, then evacuate again"
	}
	return resource.Drifted, "changed by someone else since; evacuate again, or recover"
}

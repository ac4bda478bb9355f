package engine

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"sidestep/pkg/awserr"
	"sidestep/pkg/clock"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// maxRounds is how often a run comes back to resources whose change failed in a
// way that may pass.
const maxRounds = 4

// act brings every record that matches to where the run's direction wants it, a
// batch at a time. One resource's failure stops no other; only a lost lock, a
// lost ledger or a stop ends it early.
func (s *session) act(match func(ledger.Record) bool) error {
	todo := s.records(match)
	total := len(todo)
	for round := 1; ; round++ {
		if err := s.actOnce(todo, total); err != nil {
			return err
		}
		todo = s.records(func(r ledger.Record) bool { return match(r) && s.mayPass(r.ARN) })
		if len(todo) == 0 || round == maxRounds {
			return nil
		}
		s.e.progress(fmt.Sprintf("Trying %s again", plural(len(todo), "resource", "resources")), 0, len(todo))
		if err := s.sleep(s.e.Timing.Poll); err != nil {
			return err
		}
	}
}

// mayPass reports whether a resource failed in a way that may pass.
func (s *session) mayPass(arn string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.items[arn].Outcome
	return o == resource.FailedBusy || o == resource.FailedUnreachable
}

func (s *session) actOnce(todo []ledger.Record, total int) error {
	var done atomic.Int64
	tick := func() { s.e.progress(s.verb(), int(done.Add(1)), total) }
	s.e.Clock.Each(len(s.e.Drivers), s.e.lanes(len(s.e.Drivers)), func(i int) {
		d := s.e.Drivers[i]
		(&lane{s: s, d: d, queue: ofKind(todo, d.Kind()), tick: tick}).run()
	})
	for _, r := range todo {
		if s.e.driver(r.Kind) == nil {
			s.report(Item{ID: r.ID(), Outcome: resource.FailedInvalid, Reason: "this binary does not know its kind; use the version that recorded it"})
		}
	}
	return s.stopped()
}

func (s *session) verb() string {
	if s.req.Direction == resource.Recover {
		return "Restoring resources"
	}
	return "Closing resources for the zone"
}

// intent is what is to happen to one record, decided on one reading.
type intent struct {
	rec    ledger.Record
	live   resource.Resource
	change resource.Change
	action action
}

// intend decides by the table what is to happen to a record.
func (s *session) intend(d resource.Driver, rec ledger.Record, read map[string]resource.Resource) intent {
	r, seen := read[rec.ARN]
	if !seen {
		c := resource.Change{ID: rec.ID(), Direction: s.req.Direction, Outcome: resource.Orphaned, Reason: unseenReason}
		return intent{rec, r, c, decide(s.req.Direction, rec.State, missing, rec.Attempt)}
	}
	c := d.Plan(r, s.goal(rec))
	a := decide(s.req.Direction, rec.State, stand(r, c), rec.Attempt)
	if a == drop && rec.Sent() {
		// It reads as it was, and yet the change that made it so may have failed.
		if _, p := s.e.judge(s.ctx, d, r, s.wanted(d)(rec, r)); gaveUp(p.Outcome) {
			a = await
		}
	}
	return intent{rec, r, c, a}
}

// carryOut does it. The error it returns is the ledger's, and ends the run.
func (s *session) carryOut(d resource.Driver, i intent) error {
	rec, c := i.rec, i.change
	switch i.action {
	case send:
		return s.send(d, rec, i.live, c)
	case drop:
		outcome, reason := c.Outcome, c.Reason
		if s.req.Direction == resource.Recover {
			outcome, reason = closing(rec.State)
		}
		return s.drop(closed{rec, outcome, reason, c.Notes})
	case confirm:
		return s.confirm(rec, i.live)
	case await:
		return s.await(rec)
	case contest:
		return s.mark(rec, resource.Contested, "someone undid the change after each of "+plural(rec.Attempt, "attempt", "attempts"))
	case orphan:
		return s.mark(rec, resource.Orphaned, unseenReason)
	}
	return s.mark(rec, c.Outcome, c.Reason)
}

// goal is the goal for a record as this run last wrote it.
func (s *session) goal(rec ledger.Record) resource.Goal {
	policy := s.req.Policy
	if s.req.Direction == resource.Recover {
		policy = rec.Policy
	}
	g := s.w.goal(s.req.Direction, policy, rec.ARN)
	g.Recorded = nil
	if rec.Sent() {
		g.Recorded = &rec.Recorded
	}
	return g
}

// stand sorts a fresh plan into how the resource stands to it.
func stand(r resource.Resource, c resource.Change) live {
	switch {
	case len(c.Edits) > 0:
		return pending
	case c.Outcome != resource.AlreadyDone && c.Outcome != resource.SkippedNotInZone:
		return left
	case r.Underway != "":
		return settling
	}
	return reached
}

// send records that a call is about to be sent, sends it, and records what came
// of it. All three belong together: being told to stop does not come between.
func (s *session) send(d resource.Driver, rec ledger.Record, r resource.Resource, c resource.Change) error {
	ctx := s.acting()
	rec, began, err := s.stamp(ctx, s.begin(rec, c), c)
	if err != nil {
		return err
	}
	i := item(c)
	// Whoever takes over waits for CallDeadline from StartedAt, so the call must
	// not leave later. The clock runs from before the record was written.
	call, cancel := s.e.Clock.WithTimeout(ctx, s.e.Timing.CallDeadline-clock.Elapsed(s.e.Clock.Now(), began))
	receipt, err := d.Apply(call, r, c)
	cancel()
	took := s.e.Clock.Now().Sub(began)
	if err != nil {
		i.Outcome, i.Reason = awserr.Classify(err).Outcome(), awserr.Brief(err)
		rec.Outcome, rec.Reason = i.Outcome, i.Reason
		s.report(i)
		return s.update(rec, s.trail.Failed(c.ID, i.Outcome, err.Error(), took))
	}
	if len(receipt) > 0 {
		rec.Receipt = receipt
	}
	i.Outcome, i.Reason = resource.Restoring, ""
	if s.req.Direction == resource.Evacuate {
		rec.State, i.Outcome = ledger.Applied, resource.Applied
		if c.Becomes != "" {
			i.Outcome, i.Reason = c.Becomes, c.Reason
		}
		rec.Recorded = rec.Done(c.Edits)
	}
	rec.Outcome, rec.Reason = i.Outcome, i.Reason
	s.report(i)
	return s.update(rec, s.trail.Accepted(c.ID, c.Edits, took))
}

// stamp writes the time of a call that is about to be sent, and returns from when
// its deadline runs. Where the writing took all of that, as it does when a person
// is asked meanwhile whether to go on without the table, it is written once more.
func (s *session) stamp(ctx context.Context, rec ledger.Record, c resource.Change) (ledger.Record, time.Time, error) {
	for again := false; ; again = true {
		began := s.e.Clock.Now()
		rec.StartedAt = began.UTC()
		var err error
		rec, err = s.e.Ledger.Update(ctx, rec, s.trail.Sending(c.ID, c.Edits, rec.Attempt))
		if err != nil {
			return rec, began, err
		}
		s.keep(rec)
		if again || clock.Elapsed(s.e.Clock.Now(), began) < s.e.Timing.CallDeadline {
			return rec, began, nil
		}
	}
}

// begin is the record of a call that is about to be sent. While nothing was sent
// the original is taken afresh; from then on it only grows.
func (s *session) begin(rec ledger.Record, c resource.Change) ledger.Record {
	// Only what somebody undid counts against them. Calls of ours that failed, and
	// what AWS gave up, do not.
	if rec.Attempt == 0 || isApplied(rec) && !gaveUp(rec.Outcome) {
		rec.Attempt++
	}
	if s.req.Direction == resource.Recover {
		rec.State = ledger.Restoring
		return rec
	}
	if rec.Sent() {
		rec.Recorded = rec.Grow(c)
	} else {
		rec.Recorded = resource.Recorded{}.Grow(c)
	}
	if rec.State == ledger.Restoring {
		rec.Attempt = 1 // a new evacuation of it: nobody undid the last one but us
	}
	rec.State, rec.Policy = ledger.Started, s.req.Policy
	return rec
}

func (s *session) update(rec ledger.Record, events ...ledger.Event) error {
	rec, err := s.e.Ledger.Update(s.acting(), rec, events...)
	if err == nil {
		s.keep(rec)
	}
	return err
}

// confirm says in the record that the resource is as it should be. Whether it
// holds is for verify to see.
func (s *session) confirm(rec ledger.Record, r resource.Resource) error {
	// A field that reads as its original, with nothing left to send, was set back by
	// a call whose answer was lost.
	for _, e := range rec.Edits {
		if slices.Equal(r.Fields[e.Field], e.From) {
			rec.Recorded = rec.Done([]resource.Edit{{Field: e.Field, To: e.From}})
		}
	}
	samePolicy := rec.Policy == s.req.Policy
	rec.Policy = s.req.Policy
	before, after := sides(rec.Edits)
	i := Item{ID: rec.ID(), Outcome: resource.AlreadyDone, Removed: rec.RemovedSubnets, Before: before, After: after}
	if r.Underway != "" {
		i.Outcome, i.Reason = resource.Applied, r.Underway // sent before, and not yet in effect
	}
	s.report(i)
	if rec.State == ledger.Settled && samePolicy {
		return nil
	}
	rec.State, rec.Outcome, rec.Reason = ledger.Applied, resource.AlreadyDone, ""
	return s.update(rec, s.trail.Observed(rec.ID(), resource.AlreadyDone, "reads as it should"))
}

// await keeps the record of what reads as it was while AWS is still at it: what is
// under way may end otherwise, as a deployment that is rolled back does.
func (s *session) await(rec ledger.Record) error {
	s.report(Item{ID: rec.ID(), Outcome: resource.Restoring, Removed: rec.RemovedSubnets})
	if rec.State == ledger.Restoring && rec.Outcome == resource.Restoring {
		return nil
	}
	rec.State, rec.Outcome, rec.Reason = ledger.Restoring, resource.Restoring, ""
	return s.update(rec, s.trail.Observed(rec.ID(), resource.Restoring, "reads as before, and is still under way"))
}

// mark reports an outcome and leaves it in the record, whose state stays.
func (s *session) mark(rec ledger.Record, o resource.Outcome, reason string) error {
	s.report(Item{ID: rec.ID(), Outcome: o, Reason: reason, Removed: rec.RemovedSubnets})
	if rec.Outcome == o {
		return nil
	}
	rec.Outcome, rec.Reason = o, reason
	return s.update(rec, s.trail.Observed(rec.ID(), o, reason))
}

// closed is a record with nothing left to undo, and why.
type closed struct {
	rec     ledger.Record
	outcome resource.Outcome
	reason  string
	notes   []string
}

// drop deletes records that have nothing left to undo; the trail keeps them.
func (s *session) drop(all ...closed) error {
	entries := make([]ledger.Entry, len(all))
	for i, c := range all {
		entries[i] = ledger.Entry{Record: c.rec, Events: []ledger.Event{s.trail.Closed(c.rec, c.outcome, c.reason)}}
	}
	gone, err := s.e.Ledger.DeleteAll(s.acting(), entries)
	for _, c := range all[:gone] {
		s.forget(c.rec)
		s.report(Item{ID: c.rec.ID(), Outcome: c.outcome, Reason: c.reason, Removed: c.rec.RemovedSubnets, Notes: c.notes})
	}
	return err
}

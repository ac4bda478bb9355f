package engine

import (
	"fmt"
	"time"

	"sidestep/pkg/awserr"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// change is the change that a record stands for, to judge a reading by.
func change(rec ledger.Record, w *world) resource.Change {
	return resource.Change{
		ID: rec.ID(), Zone: w.zone, Direction: resource.Evacuate, Policy: rec.Policy,
		Edits: rec.Edits, Removed: rec.RemovedSubnets,
	}
}

// isApplied says of which records verify expects to see the change.
func isApplied(r ledger.Record) bool {
	return r.State == ledger.Applied || r.State == ledger.Settled
}

// verify reads back what was changed: until all of it shows, and once more after
// the settle time, since AWS accepting a change is not the change holding. Under
// drain it goes on until nothing of a resource runs in the zone.
func (s *session) verify() error {
	start := s.e.Clock.Now()
	settled := start.Add(s.e.Timing.Settle)
	deadline := start.Add(max(s.e.Timing.Deadline, s.e.Timing.Settle))
	watched := s.records(func(r ledger.Record) bool { return isApplied(r) && s.mine(r) && !s.exposed(r.ARN) })
	open := watched
	for first := true; ; first = false {
		now := s.e.Clock.Now()
		last := !now.Before(settled)
		if last && !first {
			open = watched
		}
		var err error
		if open, err = s.readBack(open, last, !now.Before(deadline)); err != nil {
			return err
		}
		if last {
			watched = open
		}
		if len(watched) == 0 {
			return nil
		}
		s.e.progress("Watching that the changes hold, in seconds", int(now.Sub(start)/time.Second), int(s.e.Timing.Settle/time.Second))
		if err := s.sleep(s.pause(now, settled, deadline, len(open) > 0)); err != nil {
			return err
		}
	}
}

// pause is how long to wait before the next reading: a poll while something is
// open, else until the settle time is over.
func (s *session) pause(now, settled, deadline time.Time, open bool) time.Duration {
	next := deadline.Sub(now)
	if settled.After(now) {
		next = settled.Sub(now)
	}
	if open {
		next = min(next, s.e.Timing.Poll)
	}
	return max(next, time.Second)
}

// readBack reads the records' resources and returns those that are not yet as
// they should be. At last it decides: what shows the change is settled, what does
// not was changed by someone else. Past the deadline nothing stays open.
func (s *session) readBack(records []ledger.Record, last, overdue bool) ([]ledger.Record, error) {
	var open []ledger.Record
	for _, d := range s.e.Drivers {
		ours := ofKind(records, d.Kind())
		if len(ours) == 0 {
			continue
		}
		live, err := s.read(s.ctx, d, ours)
		if stop := s.stopped(); stop != nil {
			return nil, stop
		}
		still := ours // the next reading may work
		switch {
		case err == nil:
			still, err = s.sightAll(d, ours, live, last, overdue)
		case overdue:
			still, err = nil, s.unread(ours, err)
		default:
			err = nil
		}
		if err != nil {
			return nil, err
		}
		open = append(open, still...)
	}
	return open, nil
}

// sightAll judges a reading of many, settles what holds, and returns what stays
// open.
func (s *session) sightAll(d resource.Driver, records []ledger.Record, live map[string]resource.Resource, last, overdue bool) ([]ledger.Record, error) {
	var open, holds []ledger.Record
	for _, rec := range records {
		r, seen := live[rec.ARN]
		v, err := s.sight(d, rec, r, seen, last, overdue)
		switch {
		case err != nil:
			return nil, err
		case v == stillOpen:
			open = append(open, rec)
		case v == holding:
			holds = append(holds, rec)
		}
	}
	return open, s.settle(holds)
}

// verdict is what one reading says of a record.
type verdict int

const (
	decided   verdict = iota // nothing more to wait for
	stillOpen                // to be read again
	holding                  // the change held: settled
)

// sight judges one reading.
func (s *session) sight(d resource.Driver, rec ledger.Record, r resource.Resource, seen, last, overdue bool) (verdict, error) {
	if !seen {
		if !overdue {
			return stillOpen, nil
		}
		return decided, s.mark(rec, resource.Orphaned, unseenReason)
	}
	p := d.Judge(r, change(rec, s.w))
	s.place(rec.ARN, r.Places, p.Left)
	moving := s.req.Policy == resource.Drain && resource.Count(p.Left) > 0
	switch v := look(p.Reached, moving, last, overdue); {
	case v != decided:
		return v, nil
	case p.Reached && moving:
		return decided, s.mark(rec, resource.NotEvacuated, stillThere(p.Left))
	case !p.Reached:
		o, why := compare(rec, r, p)
		return decided, s.mark(rec, o, why)
	}
	return decided, nil
}

// look says what a reading means: whether the change shows, and whether capacity
// is still moving; whether the settle time is over, and whether the run's is.
func look(shows, moving, last, overdue bool) verdict {
	switch {
	case shows && moving && !overdue, !shows && !last:
		return stillOpen
	case shows && !moving && last:
		return holding
	}
	return decided
}

// settle says in the records that their changes held.
func (s *session) settle(records []ledger.Record) error {
	var entries []ledger.Entry
	for _, rec := range records {
		before, after := sides(rec.Edits)
		s.report(Item{ID: rec.ID(), Outcome: resource.Settled, Removed: rec.RemovedSubnets, Before: before, After: after})
		if rec.State == ledger.Settled && rec.Outcome == resource.Settled {
			continue
		}
		rec.State, rec.Outcome, rec.Reason = ledger.Settled, resource.Settled, ""
		event := s.trail.Observed(rec.ID(), resource.Settled, "the change holds")
		entries = append(entries, ledger.Entry{Record: rec, Events: []ledger.Event{event}})
	}
	written, err := s.e.Ledger.UpdateAll(s.acting(), entries)
	for _, rec := range written {
		s.keep(rec)
	}
	return err
}

// exposed reports whether this run has found that it must leave a resource, or
// failed at it: watching cannot make that good.
func (s *session) exposed(arn string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, known := s.items[arn]
	return known && i.Outcome.Weight(s.req.Direction) >= resource.Exposed
}

// unread says of records that their resources could not be read to the end.
func (s *session) unread(records []ledger.Record, err error) error {
	for _, rec := range records {
		if markErr := s.mark(rec, awserr.Classify(err).Outcome(), "cannot be read: "+awserr.Brief(err)); markErr != nil {
			return markErr
		}
	}
	return nil
}

// place notes where a resource runs.
func (s *session) place(arn string, places, left []resource.Place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, known := s.items[arn]
	if !known {
		return
	}
	i.Places, i.Left = places, left
	s.items[arn] = i
}

func stillThere(places []resource.Place) string {
	text := "closed, but still running there:"
	for i, p := range places {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %d %s", p.Count, p.State)
	}
	return text
}

// closeRestored reads back what is being restored, and deletes each record whose
// resource reads as it should.
func (s *session) closeRestored() error {
	deadline := s.e.Clock.Now().Add(s.e.Timing.Deadline)
	for {
		open := s.records(func(r ledger.Record) bool {
			return r.State == ledger.Restoring && s.mine(r) && r.Outcome == resource.Restoring
		})
		overdue := !s.e.Clock.Now().Before(deadline)
		for _, d := range s.e.Drivers {
			if err := s.closeKind(d, open, overdue); err != nil {
				return err
			}
		}
		left := s.records(func(r ledger.Record) bool {
			return r.State == ledger.Restoring && r.Outcome == resource.Restoring && s.mine(r)
		})
		if len(left) == 0 || overdue {
			return nil
		}
		s.e.progress("Waiting for restored resources to show", len(open)-len(left), len(open))
		if err := s.sleep(s.e.Timing.Poll); err != nil {
			return err
		}
	}
}

func (s *session) closeKind(d resource.Driver, records []ledger.Record, overdue bool) error {
	ours := ofKind(records, d.Kind())
	if len(ours) == 0 {
		return nil
	}
	live, err := s.read(s.ctx, d, ours)
	if stop := s.stopped(); stop != nil {
		return stop
	}
	why := "the restored configuration did not show by the deadline"
	if err != nil {
		why = "cannot be read: " + awserr.Brief(err)
	}
	var restored []closed
	for _, rec := range ours {
		r, seen := live[rec.ARN]
		if c, back := s.isBack(d, rec, r, seen); back {
			s.place(rec.ARN, r.Places, nil)
			restored = append(restored, closed{rec, resource.Restored, "reads as before the evacuation", c.Notes})
		} else if overdue {
			if err := s.mark(rec, resource.Stuck, why); err != nil {
				return err
			}
		}
	}
	return s.drop(restored...)
}

// isBack reports whether a reading shows a resource restored.
func (s *session) isBack(d resource.Driver, rec ledger.Record, r resource.Resource, seen bool) (resource.Change, bool) {
	if !seen {
		return resource.Change{}, false
	}
	c := d.Plan(r, s.goal(rec))
	return c, len(c.Edits) == 0 && d.Judge(r, c).Reached
}

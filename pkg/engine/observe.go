package engine

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"sidestep/pkg/awserr"
	"sidestep/pkg/clock"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

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
		seen := s.look(d, ours, last || overdue)
		if stop := s.stopped(); stop != nil {
			return nil, stop
		}
		still, err := s.sightAll(seen, last, overdue)
		if err != nil {
			return nil, err
		}
		open = append(open, still...)
	}
	return open, nil
}

// look reads the resources of records, as this run last wrote them, and judges each
// by what the run wants of it. With places it also asks what runs where.
func (s *session) look(d resource.Driver, records []ledger.Record, places bool) []sighting {
	now := make([]ledger.Record, len(records))
	for i, rec := range records {
		now[i] = s.latest(rec)
	}
	live, errs := s.e.read(s.ctx, d, now)
	if places {
		live = byARN(s.e.place(s.ctx, s.w, d, slices.Collect(maps.Values(live))))
	}
	seen := s.e.judgeAll(s.ctx, d, now, live, s.wanted(d))
	for i := range seen {
		seen[i].err = errs[seen[i].rec.ARN]
	}
	return seen
}

// wanted is the change by which a record's resource is judged.
func (s *session) wanted(d resource.Driver) func(ledger.Record, resource.Resource) resource.Change {
	return func(rec ledger.Record, r resource.Resource) resource.Change {
		if s.req.Direction != resource.Recover {
			return change(rec, s.w)
		}
		return back(d, rec, r, s.goal(rec))
	}
}

// sightAll decides on a reading of many, settles what holds, and returns what
// stays open.
func (s *session) sightAll(seen []sighting, last, overdue bool) ([]ledger.Record, error) {
	var open []ledger.Record
	var holds []sighting
	for _, v := range seen {
		if v.seen {
			s.place(v.rec.ARN, v.live.Places, v.progress.Left)
		}
		switch what := s.sight(v, last, overdue); what {
		case stillOpen:
			open = append(open, v.rec)
		case holding:
			holds = append(holds, v)
		default:
			o, why := s.verdict(v)
			if err := s.mark(v.rec, o, why); err != nil {
				return nil, err
			}
		}
	}
	return open, s.settle(holds)
}

// next is what one reading means for a record.
type next int

const (
	decided   next = iota // nothing more to wait for, and something is to be said
	stillOpen             // to be read again
	holding               // the change held
)

// sight says what a reading means.
func (s *session) sight(v sighting, last, overdue bool) next {
	p := v.progress
	moving := v.live.Underway != "" || s.req.Policy == resource.Drain && p.Outcome == "" && resource.Count(p.Left) > 0
	if p.Reached && p.Outcome != "" && p.Outcome.Weight(s.req.Direction) == resource.OnPurpose {
		moving = false // what is under way is not ours, and ends nothing of it
	}
	return weigh(facts{
		seen: v.seen, shows: p.Reached, moving: moving, final: p.Outcome != "",
		last: last, overdue: overdue || s.late(v),
	})
}

// facts are what a reading comes down to: whether AWS returned the resource, the
// change shows, something still moves, and its kind has a last word on it; whether
// the settle time is over, and the time for it altogether.
type facts struct{ seen, shows, moving, final, last, overdue bool }

func weigh(f facts) next {
	switch {
	case !f.seen || f.moving:
		if f.overdue {
			return decided
		}
		return stillOpen
	case f.shows && f.last:
		return holding
	case !f.shows && (f.final || f.last):
		return decided
	}
	return stillOpen
}

// verdict is what is to be said of a record that nothing more is waited for.
func (s *session) verdict(v sighting) (resource.Outcome, string) {
	switch {
	case v.err != nil:
		return awserr.Classify(v.err).Outcome(), "cannot be read: " + awserr.Brief(v.err)
	case !v.seen:
		return resource.Orphaned, unseenReason
	case v.live.Underway != "":
		return resource.Stuck, s.stuckFor(v)
	case v.progress.Reached:
		return resource.NotEvacuated, stillThere(v.progress.Left)
	}
	return compare(v.rec, v.live, v.progress)
}

// late reports whether what is under way on a record's resource has been so for
// too long since its call.
func (s *session) late(v sighting) bool {
	return v.live.Underway != "" && s.past(v.rec)
}

// past reports whether the deadline of a record's last call is over.
func (s *session) past(rec ledger.Record) bool {
	return clock.Elapsed(s.e.Clock.Now(), rec.StartedAt) > s.e.Timing.RolloutDeadline
}

func (s *session) stuckFor(v sighting) string {
	return fmt.Sprintf("%s since %s, and does not end", v.live.Underway, s.e.Clock.Now().Sub(v.rec.StartedAt).Round(time.Minute))
}

// settle says in the records that their changes held, and what their kinds have to
// say on it.
func (s *session) settle(holds []sighting) error {
	var entries []ledger.Entry
	for _, v := range holds {
		rec, o, why := v.rec, resource.Settled, ""
		if v.progress.Outcome != "" {
			o, why = v.progress.Outcome, v.progress.Reason
		}
		before, after := sides(rec.Edits)
		s.report(Item{ID: rec.ID(), Outcome: o, Reason: why, Removed: rec.RemovedSubnets, Before: before, After: after})
		if rec.State == ledger.Settled && rec.Outcome == o && rec.Reason == why {
			continue
		}
		rec.State, rec.Outcome, rec.Reason = ledger.Settled, o, why
		event := s.trail.Observed(rec.ID(), o, "the change holds")
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
	return known && i.Outcome != resource.Stuck && i.Outcome.Weight(s.req.Direction) >= resource.Exposed
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

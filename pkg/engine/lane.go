package engine

import (
	"slices"
	"time"

	"sidestep/pkg/awserr"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// lane brings the records of one kind to where the run's direction wants them, a
// batch at a time, each batch read right before it is changed. Changes that have
// AWS replace all that runs go so many at a time, counted from what is seen to be
// under way and not from what was sent: an earlier run's count too.
type lane struct {
	s     *session
	d     resource.Driver
	queue []ledger.Record
	tick  func() // one more is done

	busy     map[string]time.Time     // since when a resource is waited for
	rollouts map[string]ledger.Record // under way as last seen; nil until the first
	stuck    int                      // of them, past their deadline
}

func (l *lane) run() {
	l.busy = map[string]time.Time{}
	for len(l.queue) > 0 && l.s.stopped() == nil {
		room := l.room()
		moved := false
		if room > 0 {
			n := min(len(l.queue), l.s.e.Timing.Batch, room)
			batch := l.queue[:n:n]
			l.queue = l.queue[n:]
			moved = l.step(batch)
		}
		if !moved && len(l.queue) > 0 {
			if l.s.sleep(l.s.e.Timing.Poll) == nil {
				l.recount()
			}
		}
	}
}

// room is how many records may be looked at now.
func (l *lane) room() int {
	if l.s.e.Timing.Rollouts == 0 || l.rollouts == nil {
		return len(l.queue)
	}
	return room(l.s.e.Timing.Rollouts, len(l.rollouts), l.stuck)
}

// room is how many rollouts may begin, with so many under way and so many of them
// stuck. Stuck ones keep their places, since they strain what capacity there is;
// but one place stays open, as one resource must not stop the others.
func room(limit, underway, stuck int) int {
	return max(max(limit-stuck, 1)-(underway-stuck), 0)
}

// step reads a batch, decides and acts. It reports whether anything came of it,
// and puts back what must wait.
func (l *lane) step(batch []ledger.Record) bool {
	live, err := l.s.read(l.s.ctx, l.d, batch)
	if l.s.stopped() != nil {
		return false
	}
	if err != nil {
		for _, rec := range batch {
			l.s.report(Item{ID: rec.ID(), Outcome: awserr.Classify(err).Outcome(), Reason: awserr.Brief(err)})
			l.tick()
		}
		return true
	}
	var now []intent
	for _, rec := range batch {
		i := l.s.intend(l.d, rec, live)
		if i.action == send && l.waits(i) {
			l.queue = append(l.queue, rec)
			continue
		}
		now = append(now, i)
	}
	now = l.limit(now)
	l.s.e.Clock.Each(len(now), l.s.e.Timing.Concurrency, func(n int) {
		if l.s.stopped() != nil {
			return
		}
		if fatal := l.s.carryOut(l.d, now[n]); fatal != nil {
			l.s.fail(fatal)
		}
		l.tick()
	})
	return len(now) > 0
}

// waits reports whether a resource must be left alone for now, since somebody has
// something under way on it. After BusyWait the change goes out all the same.
func (l *lane) waits(i intent) bool {
	if i.live.Underway == "" {
		return false
	}
	now := l.s.e.Clock.Now()
	since, known := l.busy[i.rec.ARN]
	if !known {
		since = now
		l.busy[i.rec.ARN] = now
	}
	if now.Sub(since) < l.s.e.Timing.BusyWait {
		l.s.e.progress("Waiting for "+i.rec.Name+": "+i.live.Underway, 0, 0)
		return true
	}
	return false
}

// limit keeps as many rollouts as there is room for, and puts the others back to
// the front.
func (l *lane) limit(now []intent) []intent {
	isRollout := func(i intent) bool { return i.action == send && i.change.Rollout }
	if l.s.e.Timing.Rollouts == 0 || !slices.ContainsFunc(now, isRollout) {
		return now
	}
	if l.rollouts == nil {
		l.begin()
	}
	free := l.room()
	var kept []intent
	var back []ledger.Record
	for _, i := range now {
		switch {
		case !isRollout(i):
			kept = append(kept, i)
		case free > 0:
			free--
			l.rollouts[i.rec.ARN] = i.rec
			kept = append(kept, i)
		default:
			back = append(back, i.rec)
		}
	}
	l.queue = append(back, l.queue...)
	return kept
}

// begin finds the rollouts under way that earlier runs have started, for any zone.
func (l *lane) begin() {
	l.rollouts = map[string]ledger.Record{}
	records := ofKind(append(l.s.records(ledger.Record.Sent), l.s.w.abroad...), l.d.Kind())
	live, err := l.s.read(l.s.ctx, l.d, records)
	for _, rec := range records {
		// What cannot be read is taken to be under way.
		if r, seen := live[rec.ARN]; rec.Sent() && (err != nil || seen && r.Underway != "") {
			l.rollouts[rec.ARN] = rec
		}
	}
}

// recount looks at what is under way, and lets go of what is not any more.
func (l *lane) recount() {
	if len(l.rollouts) == 0 {
		return
	}
	var records []ledger.Record
	for _, rec := range l.rollouts {
		records = append(records, l.s.latest(rec))
	}
	slices.SortFunc(records, func(a, b ledger.Record) int { return compareKeys(a.ARN, b.ARN) })
	seen, err := l.s.look(l.d, records, false)
	if err != nil {
		return // what was under way is taken to be so
	}
	l.stuck = 0
	for _, v := range seen {
		switch {
		case v.live.Underway == "":
			delete(l.rollouts, v.rec.ARN)
			if v.progress.Outcome != "" && v.progress.Outcome.Weight(l.s.req.Direction) == resource.Failed {
				l.mark(v.rec, v.progress.Outcome, v.progress.Reason)
			}
		case l.s.late(v):
			l.stuck++
			l.mark(v.rec, resource.Stuck, l.s.stuckFor(v))
		}
	}
	l.s.e.progress("Waiting for "+plural(len(l.rollouts), "rollout", "rollouts")+" to settle", 0, 0)
}

// mark says what became of a rollout; those for another zone are only counted.
func (l *lane) mark(rec ledger.Record, o resource.Outcome, reason string) {
	if rec.Zone != l.s.w.zone.ID {
		return
	}
	if err := l.s.mark(rec, o, reason); err != nil {
		l.s.fail(err)
	}
}

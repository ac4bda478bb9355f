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
	sighted  time.Time                // when they were last looked at with success
}

func (l *lane) run() {
	l.busy = map[string]time.Time{}
	for len(l.queue) > 0 && l.s.stopped() == nil {
		if limit := l.s.e.Timing.Rollouts; limit > 0 && l.stuck > limit {
			l.hold()
			return
		}
		room := l.room()
		moved := false
		if room > 0 {
			n := min(len(l.queue), l.s.e.Timing.Batch, room)
			batch := l.queue[:n:n]
			l.queue = l.queue[n:]
			moved = l.step(batch)
		}
		if moved || len(l.queue) == 0 || l.s.sleep(l.s.e.Timing.Poll) != nil {
			continue
		}
		if err := l.recount(); err != nil && l.s.e.Clock.Now().Sub(l.sighted) > l.s.e.Timing.RolloutDeadline {
			l.fail(l.queue, err) // what is under way cannot be told any more
			l.queue = nil
		}
	}
}

// hold begins nothing more: so many rollouts that do not end say that the zones
// that are left lack the capacity, or that something is wrong with all of them.
func (l *lane) hold() {
	why := plural(l.stuck, "rollout does", "rollouts do") + " not end, so that no more are begun; see to those, then run it again"
	for _, rec := range l.queue {
		l.mark(rec, resource.HeldNoCapacity, why)
		l.tick()
	}
}

// fail reports records whose resources could not be read.
func (l *lane) fail(records []ledger.Record, err error) {
	for _, rec := range records {
		l.s.report(Item{ID: rec.ID(), Outcome: awserr.Classify(err).Outcome(), Reason: awserr.Brief(err)})
		l.tick()
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
// but one place stays open, as one resource must not stop the others. Once that one
// is stuck too the lane ends.
func room(limit, underway, stuck int) int {
	return max(max(limit-stuck, 1)-(underway-stuck), 0)
}

// step reads a batch, decides and acts. It reports whether anything came of it,
// and puts back what must wait.
func (l *lane) step(batch []ledger.Record) bool {
	live, errs := l.s.e.read(l.s.ctx, l.d, batch)
	if l.s.stopped() != nil {
		return false
	}
	var now []intent
	for _, rec := range batch {
		if err := errs[rec.ARN]; err != nil {
			l.fail([]ledger.Record{rec}, err)
			continue
		}
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
	return len(now)+len(errs) > 0
}

// waits reports whether a resource must be left alone for now, since somebody has
// something under way on it that a change of subnets would meet. After BusyWait the
// change goes out all the same.
func (l *lane) waits(i intent) bool {
	network := slices.ContainsFunc(i.change.Edits, func(e resource.Edit) bool { return e.Field == resource.SubnetsField })
	if i.live.Underway == "" || !network {
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
	l.rollouts, l.sighted = map[string]ledger.Record{}, l.s.e.Clock.Now()
	records := ofKind(append(l.s.records(ledger.Record.Sent), l.s.w.abroad...), l.d.Kind())
	live, _ := l.s.e.read(l.s.ctx, l.d, records)
	for _, rec := range records {
		// What is not seen is taken to be under way.
		if r, seen := live[rec.ARN]; rec.Sent() && (!seen && !l.s.past(rec) || r.Underway != "") {
			l.rollouts[rec.ARN] = rec
		}
	}
}

// recount looks at what is under way, and lets go of what is not any more. Where
// that cannot be read, it is taken to be so.
func (l *lane) recount() error {
	var records []ledger.Record
	for _, rec := range l.rollouts {
		records = append(records, l.s.latest(rec))
	}
	slices.SortFunc(records, func(a, b ledger.Record) int { return compareKeys(a.ARN, b.ARN) })
	seen := l.s.look(l.d, records, false)
	l.stuck = 0
	var unread error
	for _, v := range seen {
		switch {
		case v.err != nil:
			unread = v.err
		case !v.seen && !l.s.past(v.rec): // hidden, and not thereby at rest
		case v.live.Underway == "":
			delete(l.rollouts, v.rec.ARN)
			l.ended(v)
		case l.s.late(v):
			l.stuck++
			l.mark(v.rec, resource.Stuck, l.s.stuckFor(v))
		}
	}
	l.s.e.progress("Waiting for "+plural(len(l.rollouts), "rollout", "rollouts")+" to settle", 0, 0)
	if unread == nil {
		l.sighted = l.s.e.Clock.Now()
	}
	return unread
}

// ended says how a rollout ended, where that is known already. One that was stuck
// and ended well is to be watched again.
func (l *lane) ended(v sighting) {
	switch o := v.progress.Outcome; {
	case o != "" && o.Weight(l.s.req.Direction) == resource.Failed:
		l.mark(v.rec, o, v.progress.Reason)
	case v.rec.Outcome == resource.Stuck && l.s.req.Direction == resource.Recover:
		l.mark(v.rec, resource.Restoring, "")
	case v.rec.Outcome == resource.Stuck:
		l.mark(v.rec, resource.Applied, "")
	}
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

package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"sidestep/pkg/audit"
	"sidestep/pkg/clock"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

// errLostLedger ends a run whose heartbeats do not reach the ledger any more: for
// all it knows, somebody else holds the lock.
var errLostLedger = errors.New("the ledger did not answer for longer than the lease of the run lock")

// session is one run that holds the lock.
type session struct {
	e     *Engine
	req   Request
	run   ledger.Run
	trail audit.Trail
	w     *world
	// ctx ends when the run is told to stop, or must: the lock is lost, or the
	// ledger is. What has begun is finished and recorded all the same.
	ctx  context.Context
	fail context.CancelCauseFunc

	mu    sync.Mutex
	lock  ledger.Lock
	items map[string]Item
	order []string
	open  map[string]ledger.Record // the zone's records as this run wrote them
	notes []string

	stopBeating context.CancelFunc
	tookOver    bool // from an owner that was not heard of any more
}

// header makes the run's header.
func header(req Request, z zone.Zone, now time.Time) ledger.Run {
	return ledger.Run{
		ID: req.Run, Direction: req.Direction, Zone: z.ID, ZoneName: z.Name, Policy: req.Policy,
		Scope: req.Scope, Actor: req.Actor, Reason: req.Reason, Status: ledger.Running, StartedAt: now.UTC(),
	}
}

// Evacuate takes a zone out of service. The error, if any, is why the run ended
// early; the result says how far it came.
func (e *Engine) Evacuate(ctx context.Context, req Request) (Result, error) {
	return e.execute(ctx, req, (*session).evacuate)
}

// Recover brings a zone back.
func (e *Engine) Recover(ctx context.Context, req Request) (Result, error) {
	return e.execute(ctx, req, (*session).recover)
}

func (e *Engine) execute(ctx context.Context, req Request, steps func(*session) error) (Result, error) {
	z, zones, err := e.Resolve(ctx, req.Zone)
	if err != nil {
		return Result{}, err
	}
	result := Result{Zone: z, Run: header(req, z, e.Clock.Now())}
	if err := e.Ledger.Check(ctx); err != nil {
		return result, err
	}
	s, err := e.open(ctx, req, &world{zone: z, zones: zones})
	if err != nil {
		return result, err
	}
	return s.close(steps(s))
}

// open takes the lock and writes the run's header.
func (e *Engine) open(ctx context.Context, req Request, w *world) (*session, error) {
	lock, before, err := e.acquire(ctx, req)
	if err != nil {
		return nil, err
	}
	s := &session{
		e: e, req: req, w: w, lock: lock, run: header(req, w.zone, e.Clock.Now()),
		items: map[string]Item{}, open: map[string]ledger.Record{},
	}
	s.trail = audit.Trail{Run: s.run, Clock: e.Clock.Now}
	s.ctx, s.fail = context.WithCancelCause(ctx)
	beat, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stopBeating = stop
	e.Clock.Go(func() { s.beat(beat) })

	events := []ledger.Event{s.trail.Started()}
	s.tookOver = before.Owner != ""
	if s.tookOver {
		events = append(events, s.trail.TookOver(before))
	}
	if err := e.Ledger.PutRun(s.acting(), s.run, events...); err != nil {
		s.letGo()
		return nil, err
	}
	return s, nil
}

// longDead is how old, beyond its lease, the heartbeat of an owner must look to be
// believed without watching for a lease. The clocks of two machines that AWS talks
// to are minutes apart at the most: it refuses older signatures.
const longDead = 15 * time.Minute

// acquire takes the run lock. One that is held it watches: an owner that beats is
// alive, and the run is refused; one that does not for a lease is taken to be
// dead.
func (e *Engine) acquire(ctx context.Context, req Request) (lock, before ledger.Lock, err error) {
	first, err := e.Ledger.Lock(ctx)
	if err != nil {
		return lock, first, err
	}
	since := e.Clock.Now()
	for seen := first; ; {
		now := e.Clock.Now()
		if seen.Owner == "" || seen.Expired(now, e.Timing.Lease, longDead) || now.Sub(since) > e.Timing.Lease+e.Timing.Skew {
			lock, err = e.Ledger.AcquireAbove(ctx, seen, req.floor, req.Run, req.Actor)
			if !errors.Is(err, ledger.ErrBusy) {
				return lock, seen, err
			}
		} else {
			e.progress(fmt.Sprintf("Waiting to see whether run %s is alive", seen.Owner), 0, 0)
			if err := e.Clock.Sleep(ctx, e.Timing.Lease/6); err != nil {
				return lock, seen, err
			}
		}
		next, err := e.Ledger.Lock(ctx)
		if err != nil {
			return lock, seen, err
		}
		if next.Owner != "" && (next.Owner != first.Owner || !next.Heartbeat.Equal(first.Heartbeat)) {
			return lock, next, busy(next)
		}
		seen = next
	}
}

func busy(l ledger.Lock) error {
	return &Refusal{
		Why: fmt.Sprintf("run %s by %s is executing (heartbeat at %s), and one run executes at a time",
			l.Owner, l.Actor, l.Heartbeat.Format(time.TimeOnly)),
		Next: "wait for it to end, then try again; `sidestep status` shows it",
	}
}

// beat renews the lock until it is told to stop or the lock is lost.
func (s *session) beat(ctx context.Context) {
	last := s.e.Clock.Now()
	for s.e.Clock.Sleep(ctx, s.e.Timing.Lease/3) == nil {
		at := s.e.Clock.Now()
		lock, err := s.e.Ledger.Beat(ctx, s.holding())
		switch {
		case err == nil:
			last = at
			s.mu.Lock()
			s.lock = lock
			s.mu.Unlock()
		case errors.Is(err, ledger.ErrStale):
			s.fail(err)
			return
		case clock.Elapsed(s.e.Clock.Now(), last) > s.e.Timing.Lease:
			s.fail(fmt.Errorf("%w: %w", errLostLedger, err))
			return
		}
	}
}

func (s *session) holding() ledger.Lock {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lock
}

// acting is the context of what must be finished once begun: a call and its
// records. Deadlines bound it; being told to stop does not.
func (s *session) acting() context.Context { return context.WithoutCancel(s.ctx) }

// stopped returns why the run must begin nothing new, or nil.
func (s *session) stopped() error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	return nil
}

// letGo stops the heartbeats and frees the lock, best effort: a lock that cannot
// be freed expires. A heartbeat still on its way fails its condition.
func (s *session) letGo() {
	s.stopBeating()
	_ = s.e.Ledger.Release(s.acting(), s.holding())
}

// close ends the run with what err says: nil, a *Refusal, a stop, or worse.
func (s *session) close(err error) (Result, error) {
	if err == nil {
		err = s.stopped()
	}
	result := s.result()
	s.run.Counts = result.Counts()
	s.run.EndedAt = s.e.Clock.Now().UTC()
	s.run.Status = ending(err, result)
	if err != nil {
		s.run.Cause = err.Error()
	}
	// A run that lost the ledger cannot say so there; its caller is told.
	if writeErr := s.e.Ledger.PutRun(s.acting(), s.run, s.trail.Ended(s.run.Status, s.run.Cause)); writeErr != nil && err == nil {
		err = writeErr
		s.run.Status = ledger.Failed
	}
	s.letGo()
	result.Run = s.run
	return result, err
}

// ending names how a run ended.
func ending(err error, r Result) ledger.Status {
	var refusal *Refusal
	switch {
	case errors.As(err, &refusal):
		return ledger.Refused
	case errors.Is(err, context.Canceled), errors.Is(err, ledger.ErrStale):
		return ledger.Stopped
	case err != nil:
		return ledger.Failed
	case r.Heaviest() >= resource.Exposed:
		return ledger.Partial
	}
	return ledger.Done
}

func (s *session) result() Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := Result{Run: s.run, Zone: s.w.zone, Notes: s.notes, Open: len(s.open)}
	r.Items = slices.Clone(s.w.failed)
	for _, arn := range s.order {
		r.Items = append(r.Items, s.items[arn])
	}
	return r
}

// report sets what became of a resource.
func (s *session) report(i Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, known := s.items[i.ARN]
	if !known {
		s.order = append(s.order, i.ARN)
	}
	if i.Before == nil {
		i.Before, i.After = old.Before, old.After
	}
	if i.Removed == nil {
		i.Removed = old.Removed
	}
	if i.Notes == nil {
		i.Notes = old.Notes
	}
	if i.Places == nil {
		i.Places, i.Left = old.Places, old.Left
	}
	s.items[i.ARN] = i
}

// keep remembers a record as this run wrote it; forget, that it is deleted.
func (s *session) keep(r ledger.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[r.ARN] = r
}

func (s *session) forget(r ledger.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, r.ARN)
}

// records returns the zone's records, in order, that match.
func (s *session) records(match func(ledger.Record) bool) []ledger.Record {
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.open))
	s.mu.Unlock()
	found := slices.DeleteFunc(all, func(r ledger.Record) bool { return !match(r) })
	slices.SortFunc(found, func(a, b ledger.Record) int { return compareKeys(a.ARN, b.ARN) })
	return found
}

func compareKeys(a, b string) int { return cmp.Compare(a, b) }

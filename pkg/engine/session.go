package engine

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"sidestep/pkg/audit"
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

// Recover brings a zone back. An evacuation of the zone that executes is asked to stop
// first, and waited for.
func (e *Engine) Recover(ctx context.Context, req Request) (Result, error) {
	req.interrupts = true
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
	lock, before, err := e.acquire(ctx, req, w.zone.ID)
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
	case errors.Is(err, context.Canceled), errors.Is(err, ledger.ErrStale), errors.Is(err, ErrStopped):
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
	r := Result{Run: s.run, Zone: s.w.zone, Notes: slices.Concat(s.w.notes, s.notes), Open: len(s.open)}
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

// latest is a record as this run last wrote it.
func (s *session) latest(r ledger.Record) ledger.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ours, ok := s.open[r.ARN]; ok && ours.Zone == r.Zone {
		return ours
	}
	return r
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

package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sidestep/pkg/clock"
	"sidestep/pkg/ledger"
)

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
		if e.dead(seen, now, since) {
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

// dead reports whether a lock that has not moved since may be taken.
func (e *Engine) dead(l ledger.Lock, now, since time.Time) bool {
	return l.Owner == "" || l.Expired(now, e.Timing.Lease, longDead) || now.Sub(since) > e.Timing.Lease+e.Timing.Skew
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

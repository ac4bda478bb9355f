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

// vigil is a run that waits for the run lock.
type vigil struct {
	e     *Engine
	req   Request
	zone  string
	seen  ledger.Lock // as last read
	since time.Time   // from when it has not moved
	asked bool        // its owner to stop
	until time.Time   // until when an owner that was asked is waited for
}

// acquire takes the run lock. One that is held it watches: an owner that beats is
// alive, and the run is refused; one that does not for a lease is taken to be dead. A
// recovery asks an evacuation of its zone to stop, and waits until that has let go.
func (e *Engine) acquire(ctx context.Context, req Request, zone string) (lock, before ledger.Lock, err error) {
	v := vigil{e: e, req: req, zone: zone, since: e.Clock.Now()}
	if v.seen, err = e.Ledger.Lock(ctx); err != nil {
		return lock, v.seen, err
	}
	for {
		if e.dead(v.seen, e.Clock.Now(), v.since) {
			lock, err = e.Ledger.AcquireAbove(ctx, v.seen, req.floor, req.Run, req.Actor)
			if !errors.Is(err, ledger.ErrBusy) {
				return lock, v.seen, err
			}
		} else if err := v.wait(ctx); err != nil {
			return lock, v.seen, err
		}
		if err := v.look(ctx); err != nil {
			return lock, v.seen, err
		}
	}
}

// wait lets the owner of the lock show that it is alive, or stop.
func (v *vigil) wait(ctx context.Context) error {
	if err := v.interrupt(ctx); err != nil {
		return err
	}
	what := "Waiting to see whether run " + v.seen.Owner + " is alive"
	if v.asked {
		what = "Waiting for run " + v.seen.Owner + " to stop"
	}
	v.e.progress(what, 0, 0)
	return v.e.Clock.Sleep(ctx, v.e.Timing.Lease/6)
}

// look reads the lock again. It refuses the run where somebody alive has it who was
// not asked to stop, or does not.
func (v *vigil) look(ctx context.Context) error {
	next, err := v.e.Ledger.Lock(ctx)
	if err != nil {
		return err
	}
	sameOwner := next.Owner == v.seen.Owner
	moved := !sameOwner || !next.Heartbeat.Equal(v.seen.Heartbeat)
	if next.Owner != "" && moved && !v.bears(next) {
		return busy(next)
	}
	if moved {
		v.since = v.e.Clock.Now()
	}
	v.seen = next
	return nil
}

// bears reports whether an owner that is alive is waited for all the same: one that
// was asked to stop, for a while, and one that may yet be asked, having taken the lock
// right before us.
func (v *vigil) bears(next ledger.Lock) bool {
	if v.asked {
		return next.Owner == v.seen.Owner && v.e.Clock.Now().Before(v.until)
	}
	return v.req.interrupts && v.seen.Owner == ""
}

// interrupt asks an evacuation of the zone that a recovery is to bring back to stop.
// https://docs.aws.amazon.com/whitepapers/latest/advanced-multi-az-resilience-patterns/control-plane-controlled-evacuation.html
func (v *vigil) interrupt(ctx context.Context) error {
	if v.asked || !v.req.interrupts {
		return nil
	}
	run, evacuates, err := v.e.evacuating(ctx, v.seen, v.zone)
	if err != nil || !evacuates {
		return err
	}
	v.asked, v.until = true, v.e.Clock.Now().Add(v.e.patience())
	return v.e.askStop(ctx, run, v.req.Actor, "run "+v.req.Run+" is to recover the zone")
}

// patience is how long a run that was asked to stop may take: a heartbeat until it
// finds out, and a call that is under way.
func (e *Engine) patience() time.Duration {
	return e.Timing.Lease + 2*(e.Timing.CallDeadline+e.Timing.Skew)
}

// dead reports whether a lock that has not moved since may be taken.
func (e *Engine) dead(l ledger.Lock, now, since time.Time) bool {
	return l.Owner == "" || l.Expired(now, e.Timing.Lease, longDead) || now.Sub(since) > e.Timing.Lease+e.Timing.Skew
}

func busy(l ledger.Lock) error {
	return &Refusal{
		Why: fmt.Sprintf("run %s by %s is executing (heartbeat at %s), and one run executes at a time",
			l.Owner, l.Actor, l.Heartbeat.Format(time.TimeOnly)),
		Next: "wait for it to end, or end it with `sidestep stop " + l.Owner + "`, then try again",
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
			s.heed(ctx)
		case errors.Is(err, ledger.ErrStale):
			s.fail(err)
			return
		case clock.Elapsed(s.e.Clock.Now(), last) > s.e.Timing.Lease:
			s.fail(fmt.Errorf("%w: %w", errLostLedger, err))
			return
		}
	}
}

// heed ends the run if somebody asked it to stop. Not to know keeps it going: the
// next heartbeat asks again.
func (s *session) heed(ctx context.Context) {
	if stop, asked, err := s.e.Ledger.StopAsked(ctx, s.run.ID); err == nil && asked {
		s.fail(fmt.Errorf("%w by %s (%s)", ErrStopped, stop.By, stop.Why))
	}
}

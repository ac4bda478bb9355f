package engine

import (
	"context"
	"errors"
	"fmt"

	"sidestep/pkg/audit"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// ErrStopped ends a run that somebody asked to stop: nothing further is changed, and
// what was is in the ledger.
var ErrStopped = errors.New("stopped")

// evacuating is the run that holds the lock, and whether it is an evacuation of the
// zone. One that has no header yet is none.
func (e *Engine) evacuating(ctx context.Context, lock ledger.Lock, zone string) (ledger.Run, bool, error) {
	if lock.Owner == "" {
		return ledger.Run{}, false, nil
	}
	run, err := e.Ledger.Run(ctx, lock.Owner)
	if errors.Is(err, ledger.ErrNoRun) {
		return run, false, nil
	}
	return run, err == nil && run.Zone == zone && run.Direction == resource.Evacuate, err
}

// toBeStopped says of an evacuation of the zone that executes, if there is one, that a
// recovery asks it to stop.
func (e *Engine) toBeStopped(ctx context.Context, zone string) ([]string, error) {
	lock, err := e.Ledger.Lock(ctx)
	if err != nil {
		return nil, err
	}
	run, evacuates, err := e.evacuating(ctx, lock, zone)
	if err != nil || !evacuates {
		return nil, err
	}
	return []string{fmt.Sprintf("run %s by %s is evacuating the zone; it is asked to stop first", run.ID, run.Actor)}, nil
}

// Stop asks a run to stop, wherever it executes, and waits until it has let go of the
// run lock. It returns the run's header as the run left it. It returns a *Refusal if
// the run is not executing, or has not let go after a lease and two calls' time, and
// ledger.ErrNoRun if there is none of that ID.
func (e *Engine) Stop(ctx context.Context, run, actor, reason string) (ledger.Run, error) {
	header, err := e.Ledger.Run(ctx, run)
	if err != nil {
		return header, err
	}
	lock, err := e.Ledger.Lock(ctx)
	switch {
	case err != nil:
		return header, err
	case lock.Owner != run:
		return header, notExecuting(header)
	}
	if err := e.askStop(ctx, header, actor, reason); err != nil {
		return header, err
	}
	return e.acknowledged(ctx, header, lock)
}

func (e *Engine) askStop(ctx context.Context, run ledger.Run, actor, reason string) error {
	trail := audit.Trail{Run: run, Clock: e.Clock.Now}
	stop := ledger.Stop{At: e.Clock.Now().UTC(), By: actor, Why: reason}
	return e.Ledger.AskStop(ctx, run.ID, stop, trail.StopAsked(actor, reason))
}

// acknowledged waits until the run does not hold the lock any more.
func (e *Engine) acknowledged(ctx context.Context, run ledger.Run, lock ledger.Lock) (ledger.Run, error) {
	until := e.Clock.Now().Add(e.patience())
	since := e.Clock.Now()
	for e.Clock.Now().Before(until) {
		e.progress("Waiting for run "+run.ID+" to stop", 0, 0)
		if err := e.Clock.Sleep(ctx, e.Timing.Lease/6); err != nil {
			return run, err
		}
		next, err := e.Ledger.Lock(ctx)
		switch {
		case err != nil:
			return run, err
		case next.Owner != run.ID:
			return e.Ledger.Run(ctx, run.ID)
		case !next.Heartbeat.Equal(lock.Heartbeat):
			lock, since = next, e.Clock.Now()
		case e.dead(next, e.Clock.Now(), since):
			return run, notExecuting(run)
		}
	}
	return run, &Refusal{
		Why:  fmt.Sprintf("run %s was asked to stop, and has not let go of the run lock after %s", run.ID, e.patience()),
		Next: "see `sidestep status`; it stops with its next heartbeat, or another run takes over when it beats no more",
	}
}

// notExecuting refuses to stop what does not run.
func notExecuting(run ledger.Run) *Refusal {
	if !run.EndedAt.IsZero() {
		return &Refusal{
			Why:  fmt.Sprintf("run %s has ended already: it is %s", run.ID, run.Status),
			Next: "`sidestep audit " + run.ID + "` shows what it did",
		}
	}
	return &Refusal{
		Why:  fmt.Sprintf("run %s does not execute any more, and ended without saying so", run.ID),
		Next: fmt.Sprintf("run %s --zone %s again to go on, or recover", run.Direction, run.Zone),
	}
}

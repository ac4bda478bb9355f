package matrix

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sidestep/pkg/app"
	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

// slow is a configuration and a region in which a run takes its time, so that another
// can come in between any two of its calls.
func slow(w *memoryWorld, c app.Config) app.Config {
	w.region.Latency(2 * time.Second)
	c.Run.Lease = 30 * time.Second
	c.Run.CallDeadline = 20 * time.Second
	return c
}

// TestFR55RecoverStopsARunningEvacuation has a recovery begin at every call of an
// evacuation that executes: it asks that to stop, waits until it has, and restores
// all.
func TestFR55RecoverStopsARunningEvacuation(t *testing.T) {
	var points, stopped atomic.Int64
	t.Run("points", func(t *testing.T) {
		for name, set := range settings {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for n := 1; ; n += stride() {
					was, more := set.recoverAt(t, n)
					if !more {
						return
					}
					points.Add(1)
					if was {
						stopped.Add(1)
					}
				}
			})
		}
	})
	t.Logf("a recovery began at %d points of an evacuation, and stopped it at %d", points.Load(), stopped.Load())
	if stopped.Load() < int64(50/stride()) {
		t.Errorf("only %d evacuations were stopped", stopped.Load())
	}
}

// recoverAt has a recovery begin at the nth call of an evacuation. It reports whether
// the evacuation was stopped, and whether there was such a call.
func (s setting) recoverAt(t *testing.T, n int) (stopped, more bool) {
	t.Helper()
	w := s.open(t)
	before := w.snapshot()
	evacuated, result, recovered := s.overlap(w, n)
	if len(w.region.Unfired()) > 0 {
		return false, false
	}
	stopped = errors.Is(evacuated, engine.ErrStopped)
	_, refused := errors.AsType[*engine.Refusal](evacuated)
	if recovered != nil || result.Run.Status != ledger.Done {
		t.Errorf("the recovery ended %s, %v", result.Run.Status, recovered)
	}
	if evacuated != nil && !stopped && !refused {
		t.Errorf("the evacuation ended with %v", evacuated)
	}
	w.wantOneAtATime(t, "evacuation", "recovery")
	w.wantSnapshot(t, before)
	if t.Failed() {
		t.Fatalf("at call %d of the evacuation", n)
	}
	return stopped, true
}

// overlap evacuates, and recovers from the nth call of that on.
func (s setting) overlap(w *memoryWorld, n int) (evacuated error, result engine.Result, recovered error) {
	config := slow(w, s.config())
	begin, begun := context.WithCancel(context.Background())
	defer begun()
	w.region.Fault(region.Fault{Process: "evacuation", Nth: n, Do: region.Foreign(func(*region.Region) { begun() })})
	w.clock.Each(2, 2, func(i int) {
		if i == 0 {
			_, evacuated = w.attempt("evacuation", resource.Evacuate, s.policy, s.scope, config, false)
			begun()
			return
		}
		for begin.Err() == nil && w.clock.Sleep(context.Background(), 100*time.Millisecond) == nil {
		}
		result, recovered = w.attempt("recovery", resource.Recover, "", s.scope, config, false)
	})
	return evacuated, result, recovered
}

// TestStopFromElsewhere stops a run from another process, which is told how it ended.
func TestStopFromElsewhere(t *testing.T) {
	for _, d := range []resource.Direction{resource.Evacuate, resource.Recover} {
		t.Run(string(d), func(t *testing.T) {
			w := newMemoryWorld(t)
			before := w.snapshot()
			if d == resource.Recover {
				w.evacuate(t, "first", leaving, resource.Hold)
			}
			config := slow(w, quick())
			req := w.request(d, leaving, resource.Hold)
			var ended error
			var header ledger.Run
			w.clock.Each(2, 2, func(i int) {
				if i == 0 {
					e := w.engine("run", config)
					if d == resource.Evacuate {
						_, ended = e.Evacuate(context.Background(), req)
					} else {
						_, ended = e.Recover(context.Background(), req)
					}
					return
				}
				_ = w.clock.Sleep(context.Background(), 40*time.Second)
				var err error
				if header, err = w.engine("other", config).Stop(context.Background(), req.Run, "somebody", "wrong zone"); err != nil {
					t.Error(err)
				}
			})
			if !errors.Is(ended, engine.ErrStopped) || header.Status != ledger.Stopped {
				t.Errorf("the run ended with %v, and its header says %s", ended, header.Status)
			}
			w.recover(t, "last", leaving)
			w.wantSnapshot(t, before)
		})
	}
}

// TestStopOfWhatDoesNotRun is refused, with what to do instead.
func TestStopOfWhatDoesNotRun(t *testing.T) {
	w := newMemoryWorld(t)
	stop := func(run string) error {
		_, err := w.engine("stop", quick()).Stop(context.Background(), run, "somebody", "a test")
		return err
	}
	refused := func(run, why string) {
		t.Helper()
		refusal, ok := errors.AsType[*engine.Refusal](stop(run))
		if !ok || !strings.Contains(refusal.Why, why) {
			t.Errorf("stopping %s: %v", run, stop(run))
		}
	}
	w.region.Fault(region.Fault{Process: "dies", Op: "UpdateAutoScalingGroup", Nth: 1, Do: region.DieBefore()})
	req := w.request(resource.Evacuate, leaving, resource.Hold)
	_, _ = w.engine("dies", quick()).Evacuate(context.Background(), req)
	refused(req.Run, "does not execute any more")
	refused(w.evacuate(t, "lives", leaving, resource.Hold).Run.ID, "has ended already")
	if err := stop("no-such-run"); !errors.Is(err, ledger.ErrNoRun) {
		t.Errorf("stopping a run that never was: %v", err)
	}
}

// TestFR40StopAtEveryCall stops a run at each of its calls, by Ctrl-C and from
// elsewhere: the zone is left as it is, the ledger is complete, and recovery restores
// all.
func TestFR40StopAtEveryCall(t *testing.T) {
	var points, stopped atomic.Int64
	t.Run("points", func(t *testing.T) {
		for name, set := range settings {
			for _, d := range []resource.Direction{resource.Evacuate, resource.Recover} {
				for _, elsewhere := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%s/from elsewhere: %v", name, d, elsewhere), func(t *testing.T) {
						t.Parallel()
						for n := 1; ; n += stride() {
							was, more := set.stopAt(t, n, d, elsewhere)
							if !more {
								return
							}
							points.Add(1)
							if was {
								stopped.Add(1)
							}
						}
					})
				}
			}
		}
	})
	t.Logf("a run was stopped at %d of %d points", stopped.Load(), points.Load())
	if stopped.Load() < int64(300/stride()) {
		t.Errorf("only %d runs were stopped", stopped.Load())
	}
}

// stopAt stops a run at its nth call, and reports whether it ended stopped and whether
// there was such a call.
func (s setting) stopAt(t *testing.T, n int, d resource.Direction, elsewhere bool) (stopped, more bool) {
	t.Helper()
	w := s.open(t)
	before := w.snapshot()
	if d == resource.Recover {
		if _, err := w.attempt("first", resource.Evacuate, s.policy, s.scope, s.config(), false); err != nil {
			t.Fatal(err)
		}
	}
	req := w.request(d, leaving, s.policy)
	req.Scope = s.scope
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.region.Fault(region.Fault{Process: "run", Nth: n, Do: region.Foreign(func(*region.Region) {
		if !elsewhere {
			cancel()
		} else if err := w.ledger().AskStop(context.Background(), req.Run, ledger.Stop{By: "somebody", Why: "a test"}); err != nil {
			t.Error(err)
		}
	})})
	run := w.engine("run", slow(w, s.config())).Evacuate
	if d == resource.Recover {
		run = w.engine("run", slow(w, s.config())).Recover
	}
	result, err := run(ctx, req)
	if len(w.region.Unfired()) > 0 {
		return false, false
	}
	w.wantStopped(t, result, err)
	w.recover(t, "last", leaving)
	w.wantSnapshot(t, before)
	if t.Failed() {
		t.Fatalf("stopped at call %d", n)
	}
	return result.Run.Status == ledger.Stopped, true
}

// wantStopped checks that a run which was stopped says so, and has let the lock go.
func (w *memoryWorld) wantStopped(t *testing.T, result engine.Result, err error) {
	t.Helper()
	if err == nil {
		return // it had come to its end before it found out
	}
	if !errors.Is(err, engine.ErrStopped) && !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	lock, lockErr := w.ledger().Lock(context.Background())
	if lockErr != nil || lock.Owner != "" {
		t.Errorf("the lock is still %s's, %v", lock.Owner, lockErr)
	}
	if result.Run.Status == ledger.Running {
		return // it was stopped before it had the lock
	}
	header, headerErr := w.ledger().Run(context.Background(), result.Run.ID)
	if headerErr != nil || header.Status != ledger.Stopped {
		t.Errorf("its header says %s, %v", header.Status, headerErr)
	}
}

package matrix

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"sidestep/pkg/app"
	"sidestep/pkg/engine"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

// contender is one of two runs that meet.
type contender struct {
	process   string
	direction resource.Direction
	zone      string
	override  string
}

// together starts the runs at the same instant and returns what came of each.
func (w *memoryWorld) together(p resource.Policy, c app.Config, contenders ...contender) []error {
	errs := make([]error, len(contenders))
	requests := make([]engine.Request, len(contenders))
	for i, with := range contenders {
		requests[i] = w.request(with.direction, with.zone, p)
		requests[i].Override = with.override
	}
	w.clock.Each(len(contenders), len(contenders), func(i int) {
		e := w.engine(contenders[i].process, c)
		if contenders[i].direction == resource.Evacuate {
			_, errs[i] = e.Evacuate(context.Background(), requests[i])
		} else {
			_, errs[i] = e.Recover(context.Background(), requests[i])
		}
	})
	return errs
}

// wantOneAtATime checks from the calls that no two processes changed groups
// within one another's spans.
func (w *memoryWorld) wantOneAtATime(t *testing.T, processes ...string) {
	t.Helper()
	type span struct {
		process     string
		first, last time.Time
	}
	var spans []span
	for _, name := range processes {
		s := span{process: name}
		for _, c := range w.region.Process(name).Calls() {
			if !c.Mutating || c.Service == region.ServiceLedger {
				continue
			}
			if s.first.IsZero() {
				s.first = c.At
			}
			s.last = c.Done
		}
		if !s.first.IsZero() {
			spans = append(spans, s)
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return a.first.Compare(b.first) })
	for i := 1; i < len(spans); i++ {
		if spans[i].first.Before(spans[i-1].last) {
			t.Errorf("%s changed groups from %v on, while %s did until %v", spans[i].process, spans[i].first, spans[i-1].process, spans[i-1].last)
		}
	}
}

// TestRaceOfTwo starts two runs together, with calls that take time, so that they
// overlap: one acts at a time, and recovery of every zone ends at the snapshot.
func TestRaceOfTwo(t *testing.T) {
	t.Parallel()
	races := map[string][]contender{
		"two evacuations of one zone":  {{"a", resource.Evacuate, leaving, ""}, {"b", resource.Evacuate, leaving, ""}},
		"two evacuations of two zones": {{"a", resource.Evacuate, leaving, ""}, {"b", resource.Evacuate, "use1-az2", ""}},
		"two zones, by override":       {{"a", resource.Evacuate, leaving, "use1-az2"}, {"b", resource.Evacuate, "use1-az2", leaving}},
		"evacuate against recover":     {{"a", resource.Evacuate, leaving, ""}, {"b", resource.Recover, leaving, ""}},
		"two recoveries":               {{"a", resource.Recover, leaving, ""}, {"b", resource.Recover, leaving, ""}},
	}
	worlds := map[string]func(testing.TB) *memoryWorld{"groups": newMemoryWorld, "services and functions": newFewWorld}
	for name, race := range races {
		for kinds, open := range worlds {
			for _, first := range []bool{false, true} { // whether the zone is out before
				t.Run(fmt.Sprintf("%s/%s/out before: %v", name, kinds, first), func(t *testing.T) {
					for repeat := range 10 {
						w := open(t)
						w.race(t, race, first, time.Duration(20+repeat)*time.Millisecond)
					}
				})
			}
		}
	}
}

// race has the runs meet, with a policy that changes every kind, and recovers all
// zones.
func (w *memoryWorld) race(t *testing.T, race []contender, first bool, latency time.Duration) {
	t.Helper()
	before := w.snapshot()
	policy := resource.Hold
	if len(w.region.Services()) > 0 {
		policy = resource.Drain
	}
	if first {
		w.evacuate(t, "first", leaving, policy)
	}
	w.region.Latency(latency)
	for i, err := range w.together(policy, mixedConfig(), race...) {
		var refusal *engine.Refusal
		if err != nil && !errors.As(err, &refusal) && !errors.Is(err, engine.ErrStopped) {
			t.Errorf("%s: %v", race[i].process, err)
		}
	}
	w.wantOneAtATime(t, "a", "b")
	for _, zone := range []string{leaving, "use1-az2"} {
		w.recover(t, "recover "+zone, zone)
	}
	w.wantSnapshot(t, before)
}

// TestPausedRunWakesUp stops a whole run after each of its calls for longer than
// the lease, has another run take the lock meanwhile and go on, and wakes the
// first: it sends nothing more, and the end is right.
func TestPausedRunWakesUp(t *testing.T) {
	var points atomic.Int64
	t.Run("points", func(t *testing.T) {
		for name, set := range settings {
			for _, other := range []resource.Direction{resource.Evacuate, resource.Recover} {
				for _, victim := range []resource.Direction{resource.Evacuate, resource.Recover} {
					t.Run(fmt.Sprintf("%s/%s pauses, %s takes over", name, victim, other), func(t *testing.T) {
						t.Parallel()
						for n := 1; set.pauseAt(t, n, victim, other); n += stride() {
							points.Add(1)
						}
					})
				}
			}
		}
	})
	t.Logf("a paused run woke up at %d points", points.Load())
	if points.Load() < int64(500/stride()) {
		t.Errorf("only %d points were covered", points.Load())
	}
}

// pauseAt stops the victim after its nth call, and reports whether there was one.
func (s setting) pauseAt(t *testing.T, n int, victim, other resource.Direction) bool {
	t.Helper()
	w := s.open(t)
	before := w.snapshot()
	if victim == resource.Recover {
		if _, err := w.attempt("first", resource.Evacuate, s.policy, s.scope, s.config(), false); err != nil {
			t.Fatal(err)
		}
	}
	w.region.Fault(region.Fault{Process: "victim", Nth: n, Do: region.Pause(20 * time.Minute)})
	w.clock.Each(2, 2, func(i int) {
		if i == 0 {
			_, _ = w.attempt("victim", victim, s.policy, s.scope, s.config(), false)
			return
		}
		_ = w.clock.Sleep(context.Background(), time.Minute) // the lease is over by then
		_, err := w.attempt("other", other, s.policy, s.scope, s.config(), false)
		var refusal *engine.Refusal
		if err != nil && len(w.region.Unfired()) == 0 && !errors.As(err, &refusal) {
			t.Errorf("call %d: the run that took over: %v", n, err)
		}
	})
	if len(w.region.Unfired()) > 0 {
		return false
	}
	late(t, w, n)
	w.recover(t, "last", leaving)
	w.wantSnapshot(t, before)
	if t.Failed() {
		t.Fatalf("victim %s paused after %s, other %s", victim, describe(w, n), other)
	}
	return true
}

// late checks that a run which was paused changed nothing once the other had the
// lock.
func late(t *testing.T, w *memoryWorld, n int) {
	t.Helper()
	var taken time.Time
	for _, c := range w.region.Process("other").Calls() {
		if c.Mutating && c.Service != region.ServiceLedger {
			taken = c.At
			break
		}
	}
	if taken.IsZero() {
		return // it found nothing to change
	}
	for _, c := range w.region.Process("victim").Calls() {
		if c.Mutating && c.Service != region.ServiceLedger && c.At.After(taken) {
			t.Errorf("paused after call %d: it sent %s %s at %v, taken over at %v", n, c.Op, c.ID, c.At, taken)
		}
	}
}

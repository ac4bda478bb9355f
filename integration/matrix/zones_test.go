package matrix

import (
	"context"
	"errors"
	"testing"
	"time"

	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

// TestCallsForAnotherZoneAreWaitedFor: one zone is out, a run that takes a second
// out stops, dies or has a call land late at each of its calls, and another run
// brings the first back meanwhile. Both recovered, all is as it was.
func TestCallsForAnotherZoneAreWaitedFor(t *testing.T) {
	for name, effects := range map[string][]region.Effect{
		"pauses":              {region.Pause(20 * time.Second)},
		"pauses for long":     {region.Pause(10 * time.Minute)},
		"dies and lands late": {region.Late(20*time.Second, errTimeout), region.DieAfter()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 1
			for secondZoneAt(t, n, effects) {
				n++
			}
			if n < 20 {
				t.Errorf("only %d points were covered", n-1)
			}
		})
	}
}

func secondZoneAt(t *testing.T, n int, effects []region.Effect) bool {
	t.Helper()
	w := newMemoryWorld(t)
	before := w.snapshot()
	w.evacuate(t, "first", leaving, resource.Hold)
	for _, do := range effects {
		w.region.Fault(region.Fault{Process: "victim", Nth: n, Do: do})
	}
	second := w.request(resource.Evacuate, "use1-az2", resource.Hold)
	second.Override = leaving
	w.clock.Each(2, 2, func(i int) {
		if i == 0 {
			_, _ = w.engine("victim", quick()).Evacuate(context.Background(), second)
			return
		}
		_ = w.clock.Sleep(context.Background(), time.Second)
		var refusal *engine.Refusal
		if _, err := w.run("other", resource.Recover, ""); err != nil && !errors.As(err, &refusal) {
			t.Errorf("call %d: the recovery meanwhile: %v", n, err)
		}
	})
	_ = w.clock.Sleep(context.Background(), time.Hour)
	w.recover(t, "back-first", leaving)
	w.recover(t, "back-second", "use1-az2")
	w.wantSnapshot(t, before)
	if t.Failed() {
		t.Fatalf("after call %d: %s", n, describe(w, n))
	}
	return len(w.region.Process("victim").Calls()) >= n
}

// TestHeldTrafficStaysReported: a hold that becomes a drain under traffic that was
// not moved is not settled by the watching that follows.
func TestHeldTrafficStaysReported(t *testing.T) {
	w := newMemoryWorld(t)
	before := w.snapshot()
	w.evacuate(t, "hold", leaving, resource.Hold)
	result := w.evacuate(t, "drain", leaving, resource.Drain)
	if got := outcomes(result)["checkout"]; got != resource.HeldTraffic {
		t.Errorf("checkout is %s", got)
	}
	w.recover(t, "back", leaving)
	w.wantSnapshot(t, before)
}

// TestFastClockIsNotWaitedFor: a record from a machine whose clock is a day ahead
// does not hold the recovery up for a day.
func TestFastClockIsNotWaitedFor(t *testing.T) {
	w := newMemoryWorld(t)
	before := w.snapshot()
	w.evacuate(t, "out", leaving, resource.Hold)
	records, err := w.ledger().Records(context.Background(), leaving)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		r.StartedAt = r.StartedAt.Add(24 * time.Hour)
		if err := w.store.Write(context.Background(), ledger.Op{Put: ledger.ItemOf(r)}); err != nil {
			t.Fatal(err)
		}
	}
	begun := w.clock.Now()
	w.recover(t, "back", leaving)
	if took := w.clock.Now().Sub(begun); took > 5*time.Minute {
		t.Errorf("recovery took %v", took)
	}
	w.wantSnapshot(t, before)
}

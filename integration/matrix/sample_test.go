package matrix

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sidestep/pkg/ledger"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

func TestEvacuateAndRecoverTheSample(t *testing.T) {
	closed := map[resource.Policy]int{resource.Hold: 8, resource.Drain: 7} // checkout's traffic is held
	for _, p := range []resource.Policy{resource.Hold, resource.Drain} {
		t.Run(string(p), func(t *testing.T) {
			w := newMemoryWorld(t)
			w.region.SetLag(20 * time.Second)
			w.region.Latency(50 * time.Millisecond)
			before := w.snapshot()
			config := testConfig()
			config.Run.Concurrency = 10
			out, err := w.engine("out", config).Evacuate(context.Background(), w.request(resource.Evacuate, leaving, p))
			if err != nil {
				t.Fatal(err)
			}
			if out.Open != closed[p] {
				t.Errorf("%d groups closed, want %d", out.Open, closed[p])
			}
			for name, c := range w.region.Snapshot() {
				inZone := slices.ContainsFunc(c.Subnets, func(id string) bool { return strings.HasPrefix(id, "subnet-1") })
				if weight := outcomes(out)[name].Weight(resource.Evacuate); inZone && weight != resource.Exposed && c.Tags[resource.ExcludeTag] == "" {
					t.Errorf("%s still has %v and is reported %s", name, c.Subnets, outcomes(out)[name])
				}
			}
			back, err := w.engine("back", config).Recover(context.Background(), w.request(resource.Recover, leaving, ""))
			if err != nil || back.Run.Status != ledger.Done {
				t.Fatalf("recovery ended %s, %v", back.Run.Status, err)
			}
			w.wantSnapshot(t, before)
			w.wantTrail(t, out.Run, closed[p])
			w.wantTrail(t, back.Run, closed[p])
		})
	}
}

// wantTrail checks that a run's audit trail says who, why, what, before and
// after of each change, and how it ended.
func (w *memoryWorld) wantTrail(t *testing.T, run ledger.Run, changed int) {
	t.Helper()
	events, err := w.ledger().Events(context.Background(), run.ID)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, e := range events {
		count[e.Type]++
		if whole := tells(e); !whole {
			t.Errorf("event without who, where, when, what, or before and after: %+v", e)
		}
	}
	for _, kind := range []string{"change.started", "change.accepted"} {
		if count[kind] != changed {
			t.Errorf("%s: %d events %s, want %d", run.ID, count[kind], kind, changed)
		}
	}
	if first, last := events[0], events[len(events)-1]; first.Type != "run.started" || last.Type != "run.ended" || !strings.Contains(first.Text, run.Reason) {
		t.Errorf("%s begins with %s and ends with %s", run.ID, first.Type, last.Type)
	}
}

// tells reports whether an event says who, where, when and what, and of a change
// what was before and after.
func tells(e ledger.Event) bool {
	told := e.Actor == "test" && e.Zone == leaving && !e.At.IsZero() && e.Text != ""
	if e.Type != "change.started" {
		return told
	}
	return told && e.ARN != "" && len(e.Edits) > 0 && e.Edits[0].Field != ""
}

func TestNoWaitIsClosedByReconcile(t *testing.T) {
	w := newMemoryWorld(t)
	before := w.snapshot()
	w.evacuate(t, "out", leaving, resource.Hold)
	w.region.SetLag(time.Minute)
	req := w.request(resource.Recover, leaving, "")
	req.NoWait = true
	result, err := w.engine("back", testConfig()).Recover(context.Background(), req)
	if err != nil || result.Run.Status != ledger.Done || result.Open == 0 {
		t.Fatalf("recover --no-wait: %s with %d open, %v", result.Run.Status, result.Open, err)
	}
	for i := range 3 { // the restored configuration shows only later
		if _, err := w.engine("watch", testConfig()).Reconcile(context.Background(), w.request(resource.Recover, leaving, "")); err != nil {
			t.Fatalf("watch %d: %v", i, err)
		}
		_ = w.clock.Sleep(context.Background(), time.Minute)
	}
	w.wantSnapshot(t, before)
}

func TestStopLeavesACompleteLedger(t *testing.T) {
	for stopAt := range 30 {
		w := newMemoryWorld(t)
		before := w.snapshot()
		ctx, stop := context.WithCancel(context.Background())
		w.region.Fault(region.Fault{Process: "out", Nth: 10 + stopAt, Do: region.Foreign(func(*region.Region) { stop() })})
		result, err := w.engine("out", testConfig()).Evacuate(ctx, w.request(resource.Evacuate, leaving, resource.Hold))
		if err == nil || result.Run.Status != ledger.Stopped {
			t.Errorf("stopped at call %d: ended %s, %v", 10+stopAt, result.Run.Status, err)
		}
		if lock, err := w.ledger().Lock(context.Background()); err != nil || lock.Owner != "" {
			t.Errorf("stopped at call %d: the lock is left with %q, %v", 10+stopAt, lock.Owner, err)
		}
		begun := w.clock.Now()
		w.recover(t, "back", leaving)
		if took := w.clock.Now().Sub(begun); took > time.Minute {
			t.Errorf("recovery after a stop took %v", took)
		}
		w.wantSnapshot(t, before)
	}
}

// TestTwoZonesComeBackInEitherOrder: two zones out by override and recovered one
// at a time, the other zone never refilled, and all as it was in the end.
func TestTwoZonesComeBackInEitherOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, m := randomRegion(t)
		zones := []string{leaving, "use1-az2"}
		for i, zone := range zones {
			req := w.request(resource.Evacuate, zone, rapid.SampledFrom([]resource.Policy{resource.Hold, resource.Drain}).Draw(t, "policy"))
			if i > 0 {
				req.Override = zones[0]
			}
			if _, err := w.engine("out-"+zone, quick()).Evacuate(context.Background(), req); err != nil {
				t.Fatal(err)
			}
		}
		closed := w.region.Snapshot()
		order := rapid.Permutation(zones).Draw(t, "order")
		w.comesBack(t, order[0])
		for name, c := range w.region.Snapshot() {
			for _, id := range resource.Without(c.Subnets, closed[name].Subnets) {
				if m.subnets[id] == order[1] {
					t.Errorf("recovering %s put %s of %s back", order[0], id, order[1])
				}
			}
		}
		w.comesBack(t, order[1])
		m.check(t, w)
	})
}

// comesBack recovers a zone of a random region.
func (w *memoryWorld) comesBack(t *rapid.T, zone string) {
	if _, err := w.engine("back-"+zone, quick()).Recover(context.Background(), w.request(resource.Recover, zone, "")); err != nil {
		t.Fatal(err)
	}
}

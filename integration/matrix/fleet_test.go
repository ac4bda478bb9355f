package matrix

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"sidestep/pkg/awsclient"
	"sidestep/pkg/clock"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

func TestFR38ThrottlesSlowTheRunAndFailNothing(t *testing.T) {
	t.Parallel()
	w := bulkWorld(500)
	w.region.Throttle(region.ServiceAutoScaling, 20, 5) // half of what we assume, and shared
	w.region.Latency(100 * time.Millisecond)
	before := w.snapshot()
	config := testConfig()
	config.Run.Concurrency = 10
	w.pace("out")
	w.pace("back")
	result, err := w.engine("out", config).Evacuate(context.Background(), w.request(resource.Evacuate, leaving, resource.Hold))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range result.Items {
		if i.Outcome.Weight(resource.Evacuate) == resource.Failed {
			t.Errorf("%s is %s: %s", i.Name, i.Outcome, i.Reason)
		}
	}
	w.wantOnce(t, "out")
	if peak := w.peak("out"); peak > 10 {
		t.Errorf("%d calls were in flight at once, the limit is 10", peak)
	}
	if _, err := w.engine("back", config).Recover(context.Background(), w.request(resource.Recover, leaving, "")); err != nil {
		t.Fatal(err)
	}
	w.wantSnapshot(t, before)
}

// bulkWorld is the sample region with n groups more.
func bulkWorld(n int) *memoryWorld {
	c := clock.NewVirtual(time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC))
	r := region.Sample(region.Config{Clock: c, Account: sampleAccount, Name: sampleRegion, Seed: 1})
	for i := range n {
		r.AddGroup(region.Group{Name: fmt.Sprintf("bulk-%04d", i), Subnets: []string{"subnet-1a", "subnet-2a", "subnet-3a"}})
	}
	return worldOf(c, r)
}

// wantOnce checks that no change was carried out twice.
func (w *memoryWorld) wantOnce(t *testing.T, process string) {
	t.Helper()
	done := map[string]int{}
	for _, call := range w.changes(process) {
		if call.Err == nil {
			done[call.Op+" "+call.ID]++
		}
	}
	for call, n := range done {
		if n > 1 {
			t.Errorf("%s was carried out %d times", call, n)
		}
	}
}

// peak is how many calls of Auto Scaling were in flight at once.
func (w *memoryWorld) peak(process string) int {
	type edge struct {
		at time.Time
		by int
	}
	var edges []edge
	for _, call := range w.region.Process(process).Calls() {
		if call.Service == region.ServiceAutoScaling {
			edges = append(edges, edge{call.At, 1}, edge{call.Done, -1})
		}
	}
	slices.SortStableFunc(edges, func(a, b edge) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return a.by - b.by
	})
	flying, peak := 0, 0
	for _, e := range edges {
		flying += e.by
		peak = max(peak, flying)
	}
	return peak
}

func TestFR44NoLedgerWriteIsLost(t *testing.T) {
	w := bulkWorld(250) // more than one transaction takes
	before := w.snapshot()
	// The second transaction is refused: nothing of it may count as recorded, and
	// nothing may be sent for what is not.
	w.region.Fault(region.Fault{Process: "out", Service: region.ServiceLedger, Op: "Write", Nth: 6, Do: region.Fail(errTimeout)})
	if _, err := w.run("out", resource.Evacuate, resource.Hold); err == nil {
		t.Error("a run whose ledger failed ended well")
	}
	if n := len(w.changes("out")); n > 0 {
		t.Errorf("%d changes were sent before all was recorded", n)
	}
	result, err := w.run("again", resource.Evacuate, resource.Hold)
	if err != nil || result.Counts()[resource.Settled] < 250 {
		t.Errorf("again: %v, %v", err, result.Counts())
	}
	w.recover(t, "back", leaving)
	w.wantSnapshot(t, before)
}

// pace has a process's calls of Auto Scaling go through the pacer, as the SDK's
// do.
func (w *memoryWorld) pace(process string) {
	pacer := awsclient.NewPacer(w.clock, awsclient.CallTimeout, awsclient.Limits)
	w.region.Process(process).SetPace(func(ctx context.Context, service, op string, send func(context.Context) error) error {
		if service != region.ServiceAutoScaling {
			return send(ctx)
		}
		return pacer.Do(ctx, awsclient.AutoScaling, op, send)
	})
}

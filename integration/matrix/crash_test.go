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
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

const leaving = "use1-az1"

// quick is a configuration with few readings, as each is one more point to die
// at.
func quick() app.Config {
	c := testConfig()
	c.Run.Poll = time.Minute
	c.Run.Settle = 2 * time.Minute
	c.Run.Deadline = 4 * time.Minute
	// The lock is taken over long before the last call may have landed.
	c.Run.Lease = 10 * time.Second
	return c
}

// run is one run of a scenario, by a process of its own.
func (w *memoryWorld) run(process string, d resource.Direction, p resource.Policy) (engine.Result, error) {
	e, ctx, req := w.engine(process, quick()), context.Background(), w.request(d, leaving, p)
	if d == resource.Evacuate {
		return e.Evacuate(ctx, req)
	}
	return e.Recover(ctx, req)
}

// crash is one way in which a call goes wrong.
type crash struct {
	name string
	do   []region.Effect
}

var errTimeout = fmt.Errorf("no answer: %w", context.DeadlineExceeded)

var crashes = []crash{
	{"dies before", []region.Effect{region.DieBefore()}},
	{"dies after", []region.Effect{region.DieAfter()}},
	{"fails", []region.Effect{region.Fail(errTimeout)}},
	{"times out and took effect", []region.Effect{region.FailAfter(errTimeout)}},
	{"dies and lands late", []region.Effect{region.Late(20*time.Second, errTimeout), region.DieAfter()}},
	{"answers at once and lands late", []region.Effect{region.Late(20*time.Second, nil)}},
}

// sequences are the runs of a scenario; the process called "victim" meets the
// crash. All end with a recovery that nothing disturbs.
var sequences = map[string][]runOf{
	"evacuate!, recover":                      {{process: "victim", direction: resource.Evacuate}, {process: "last", direction: resource.Recover}},
	"evacuate!, evacuate, recover":            {{process: "victim", direction: resource.Evacuate}, {process: "second", direction: resource.Evacuate}, {process: "last", direction: resource.Recover}},
	"evacuate, recover!, recover":             {{process: "first", direction: resource.Evacuate}, {process: "victim", direction: resource.Recover}, {process: "last", direction: resource.Recover}},
	"evacuate, recover!, evacuate, recover":   {{process: "first", direction: resource.Evacuate}, {process: "victim", direction: resource.Recover}, {process: "third", direction: resource.Evacuate}, {process: "last", direction: resource.Recover}},
	"evacuate, evacuate!, recover":            {{process: "first", direction: resource.Evacuate}, {process: "victim", direction: resource.Evacuate}, {process: "last", direction: resource.Recover}},
	"evacuate!, evacuate!, recover!, recover": {{process: "victim", direction: resource.Evacuate}, {process: "victim2", direction: resource.Evacuate}, {process: "victim3", direction: resource.Recover}, {process: "last", direction: resource.Recover}},
	"hold, drain!, recover":                   {{"first", resource.Evacuate, resource.Hold}, {"victim", resource.Evacuate, resource.Drain}, {process: "last", direction: resource.Recover}},
}

// runOf is one run of a scenario.
type runOf struct {
	process   string
	direction resource.Direction
	policy    resource.Policy // where it is not the scenario's
}

// TestCrashMatrix has a process die, or lose an answer, at every call it makes,
// the ledger's included: whatever comes next, recovery ends at the snapshot.
func TestCrashMatrix(t *testing.T) {
	runCrashes(t, sequences, 1000, func(t *testing.T, n int, c crash, p resource.Policy, sequence []runOf) bool {
		return newMemoryWorld(t).crashAt(t, n, c, p, sequence, resource.Scope{}, quick())
	})
}

// runCrashes has every crash happen in every sequence at every call. at plays one,
// and reports whether there was an nth call.
func runCrashes(t *testing.T, sequences map[string][]runOf, least int64, at func(*testing.T, int, crash, resource.Policy, []runOf) bool) {
	t.Helper()
	var points, runs atomic.Int64
	t.Run("points", func(t *testing.T) {
		for name, sequence := range sequences {
			for _, policy := range []resource.Policy{resource.Hold, resource.Drain} {
				if sequence[0].policy != "" && policy != sequence[0].policy {
					continue // it sets its own
				}
				for _, c := range crashes {
					t.Run(fmt.Sprintf("%s/%s/%s", name, policy, c.name), func(t *testing.T) {
						t.Parallel()
						for n := 1; at(t, n, c, policy, sequence); n += stride() {
							points.Add(1)
							runs.Add(int64(len(sequence)))
						}
					})
				}
			}
		}
	})
	t.Logf("crash matrix: %d points in %d runs", points.Load(), runs.Load())
	if points.Load() < least/int64(stride()) {
		t.Errorf("only %d points were covered", points.Load())
	}
}

// stride is how many calls one point is from the next: each is tried, but for with
// -short, which is for the race detector. It makes everything six times slower, and
// looks for something else.
func stride() int {
	if testing.Short() {
		return 5
	}
	return 1
}

// crashAt plays a scenario in which the nth call goes wrong, and reports whether
// there was an nth call.
func (w *memoryWorld) crashAt(t *testing.T, n int, c crash, policy resource.Policy, sequence []runOf, scope resource.Scope, config app.Config) bool {
	t.Helper()
	before := w.snapshot()
	for _, do := range c.do {
		for _, victim := range []string{"victim", "victim2", "victim3"} {
			w.region.Fault(region.Fault{Process: victim, Nth: n, Do: do})
		}
	}
	for _, step := range sequence {
		p := policy
		if step.policy != "" {
			p = step.policy
		}
		if _, err := w.attempt(step.process, step.direction, p, scope, config, false); step.process == "last" && err != nil {
			t.Fatalf("call %d: the last recovery: %v", n, err)
		}
	}
	_ = w.clock.Sleep(context.Background(), time.Hour) // whatever is on its way lands
	w.wantSnapshot(t, before)
	if t.Failed() {
		t.Fatalf("after %s at call %d: %s", c.name, n, describe(w, n))
	}
	return len(w.region.Process("victim").Calls()) >= n
}

// describe names the call that was struck.
func describe(w *memoryWorld, n int) string {
	calls := w.region.Process("victim").Calls()
	if n > len(calls) {
		return "no such call"
	}
	c := calls[n-1]
	return strings.Join([]string{c.Service, c.Op, c.ID}, " ")
}

// TestLostLedgerEndsTheRun: a ledger that is gone for good ends the run at once,
// with nothing sent after.
func TestLostLedgerEndsTheRun(t *testing.T) {
	w := newMemoryWorld(t)
	before := w.snapshot()
	seen := 0
	w.region.Fault(region.Fault{Process: "victim", Service: "dynamodb", Do: func() region.Effect { return region.Fail(errTimeout) }()})
	if _, err := w.run("victim", resource.Evacuate, resource.Hold); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("run without a ledger returned %v", err)
	}
	for _, c := range w.region.Process("victim").Calls() {
		if c.Mutating && c.Service != "dynamodb" {
			seen++
		}
	}
	if seen > 0 {
		t.Errorf("%d changes were sent without a ledger", seen)
	}
	w.region.ClearFaults()
	w.wantSnapshot(t, before)
}

package matrix

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"sidestep/pkg/app"
	"sidestep/pkg/clock"
	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/memory"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

const (
	sampleAccount = "111122223333"
	sampleRegion  = "us-east-1"
)

// memoryWorld is a region in memory with a ledger, in virtual time.
type memoryWorld struct {
	clock  *clock.Virtual
	region *region.Region
	store  *memory.Store
	runs   int
}

func newMemoryWorld(t testing.TB) *memoryWorld {
	t.Helper()
	c := clock.NewVirtual(time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC))
	return worldOf(c, region.Sample(region.Config{Clock: c, Account: sampleAccount, Name: sampleRegion, Seed: 1}))
}

func worldOf(c *clock.Virtual, r *region.Region) *memoryWorld {
	w := &memoryWorld{clock: c, region: r, store: memory.New()}
	l := ledger.New(w.store, c, sampleAccount, sampleRegion, 5*time.Second)
	if err := l.Init(context.Background()); err != nil {
		panic(err) // in memory
	}
	return w
}

// testConfig is the configuration of the runs here: one worker, so that the nth
// call is the same one each time.
func testConfig() app.Config {
	c := app.DefaultConfig()
	c.Run.Concurrency = 1
	return c
}

// engine is one process of ours.
func (w *memoryWorld) engine(process string, c app.Config) *engine.Engine {
	p := w.region.Process(process)
	return app.Engine(app.Deps{
		AutoScaling: p.AutoScaling(), ECS: p.ECS(), Lambda: p.Lambda(), Tagging: p.Tagging(), EC2: p.EC2(), ELB: p.ELB(), Store: p.Store(w.store),
		Clock: w.clock, Account: sampleAccount, Region: sampleRegion, Config: c,
	})
}

// ledger is the ledger as it is, no fault between.
func (w *memoryWorld) ledger() *ledger.Ledger {
	return ledger.New(w.store, w.clock, sampleAccount, sampleRegion, 5*time.Second)
}

// request makes a request with a run ID of its own.
func (w *memoryWorld) request(d resource.Direction, zone string, p resource.Policy) engine.Request {
	w.runs++
	return engine.Request{
		Run: fmt.Sprintf("%s-%s-%d", d, zone, w.runs), Direction: d, Zone: zone, Policy: p,
		Actor: "test", Reason: "a test",
	}
}

func (w *memoryWorld) evacuate(t testing.TB, process, zone string, p resource.Policy) engine.Result {
	t.Helper()
	result, err := w.engine(process, testConfig()).Evacuate(context.Background(), w.request(resource.Evacuate, zone, p))
	if err != nil {
		t.Fatalf("evacuating %s: %v", zone, err)
	}
	return result
}

func (w *memoryWorld) recover(t testing.TB, process, zone string) engine.Result {
	t.Helper()
	result, err := w.engine(process, testConfig()).Recover(context.Background(), w.request(resource.Recover, zone, ""))
	if err != nil {
		t.Fatalf("recovering %s: %v", zone, err)
	}
	return result
}

// snapshot is everything that is configured in the region, by kind and name.
type snapshot map[string]any

func (w *memoryWorld) snapshot() snapshot { return w.region.Configuration() }

// wantSnapshot checks that the region's configuration is as it was and that
// nothing is left of the evacuation.
func (w *memoryWorld) wantSnapshot(t testing.TB, want snapshot) {
	t.Helper()
	w.wantConfiguration(t, want)
	w.wantNothingOpen(t)
}

func (w *memoryWorld) wantConfiguration(t testing.TB, want snapshot) {
	t.Helper()
	got := w.snapshot()
	for name := range want {
		if !reflect.DeepEqual(got[name], want[name]) {
			t.Errorf("%s is\n  %+v, want\n  %+v", name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d resources, want %d", len(got), len(want))
	}
}

func (w *memoryWorld) wantNothingOpen(t testing.TB) {
	t.Helper()
	items, _ := w.store.Scan(context.Background())
	for _, i := range items {
		if ledger.IsRecord(i) {
			t.Errorf("record left: %v", i)
		}
	}
	out, err := w.ledger().ZonesOut(context.Background())
	if err != nil || len(out) > 0 {
		t.Errorf("zones out: %v, %v", out, err)
	}
	if v := w.region.Violations(); len(v) > 0 {
		t.Errorf("violations: %v", v)
	}
}

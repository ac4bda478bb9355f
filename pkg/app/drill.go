package app

import (
	"context"
	"fmt"
	"time"

	"sidestep/pkg/clock"
	"sidestep/pkg/ledger/memory"
	"sidestep/pkg/region"
)

// Where and when a drill plays.
const (
	DrillAccount = "111122223333"
	DrillRegion  = "us-east-1"
	// DrillZone is the first zone of the sample region.
	DrillZone = "use1-az1"
	// drillLatency is what a call takes there, so that time passes.
	drillLatency = 120 * time.Millisecond
)

// drillStart is the night of the drill.
var drillStart = time.Date(2026, time.November, 30, 2, 0, 0, 0, time.UTC)

// Drill is a region in memory with a ledger, in virtual time.
type Drill struct {
	Deps   Deps
	Region *region.Region
	Clock  *clock.Virtual
}

// NewDrill makes the region of that seed. Whatever waits in it must run in the
// goroutine that called NewDrill, or be started by its clock. Equal seeds give
// equal drills.
func NewDrill(ctx context.Context, seed int64, progress func(string, int, int)) (Drill, error) {
	c := clock.NewVirtual(drillStart)
	r := region.Sample(region.Config{Clock: c, Account: DrillAccount, Name: DrillRegion, Seed: seed})
	r.Latency(drillLatency)
	config := DefaultConfig()
	// One at a time: two at one instant would come in any order.
	config.Run.Concurrency = 1
	p := r.Process("drill")
	deps := Deps{
		AutoScaling: p.AutoScaling(), EC2: p.EC2(), ELB: p.ELB(), Store: p.Store(memory.New()),
		Clock: c, Account: DrillAccount, Region: DrillRegion, Config: config, Progress: progress,
	}
	if err := InitLedger(ctx, deps); err != nil {
		return Drill{}, fmt.Errorf("preparing the drill: %w", err)
	}
	return Drill{Deps: deps, Region: r, Clock: c}, nil
}

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
	// fullPage has the region answer with pages as large as AWS's.
	fullPage = 1000
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

// DrillOptions say what a drill is to be.
type DrillOptions struct {
	// Seed makes up the region's identifiers. Equal options give equal drills.
	Seed int64
	// Fleet is how many groups, services and functions the region has beside the
	// sample. With any it throttles as AWS does, and several are changed at a time.
	Fleet    int
	Config   Config
	Progress func(step string, done, total int)
}

// drillProcess is the drill's one process.
const drillProcess = "drill"

// NewDrill makes the region. Whatever waits in it must run in the goroutine that
// called NewDrill, or be started by its clock.
func NewDrill(ctx context.Context, o DrillOptions) (Drill, error) {
	c := clock.NewVirtual(drillStart)
	r := region.Sample(region.Config{Clock: c, Account: DrillAccount, Name: DrillRegion, Seed: o.Seed})
	r.AddSampleServices()
	r.AddSampleFunctions()
	r.Latency(drillLatency)
	p := r.Process(drillProcess)
	config := o.Config
	if o.Fleet > 0 {
		addFleet(r, o.Fleet)
		r.SetPageSize(fullPage)
		throttle(r, p, c)
	} else {
		config.Run.Concurrency = 1 // two at one instant would come in any order
	}
	deps := Deps{
		AutoScaling: p.AutoScaling(), ECS: p.ECS(), Lambda: p.Lambda(), Tagging: p.Tagging(),
		EC2: p.EC2(), ELB: p.ELB(), Store: p.Store(memory.New()),
		Clock: c, Account: DrillAccount, Region: DrillRegion, Config: config, Progress: o.Progress,
	}
	if err := InitLedger(ctx, deps); err != nil {
		return Drill{}, fmt.Errorf("preparing the drill: %w", err)
	}
	return Drill{Deps: deps, Region: r, Clock: c}, nil
}

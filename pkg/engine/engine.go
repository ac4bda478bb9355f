// Package engine is the logic that exists once for all kinds: plan, change with a
// record before and after, observe, restore. It holds the run lock while it acts,
// and it is the only place that waits.
package engine

import (
	"context"
	"fmt"
	"time"

	"sidestep/pkg/clock"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

// Traffic tells which target groups go on sending a zone its share.
type Traffic interface {
	// Unmoved returns the reason by target group ARN.
	Unmoved(ctx context.Context, targetGroups []string) (map[string]string, error)
}

// Timing holds every duration and number that the configuration may set.
type Timing struct {
	// Lease is how long the run lock outlives its last heartbeat.
	Lease time.Duration
	// CallDeadline is how long after its `started` record a call may still be
	// sent, everything included.
	CallDeadline time.Duration
	// Skew is how far two machines' clocks may differ.
	Skew time.Duration
	// Poll is the pause between readings.
	Poll time.Duration
	// Settle is how long a change must hold before it counts. Reconcilers have put
	// a zone back minutes after a tool had reported success.
	Settle time.Duration
	// Deadline bounds the waiting of one run.
	Deadline time.Duration
	// Concurrency is how many resources are changed at a time.
	Concurrency int
	// Batch is how many resources are read together just before they are changed.
	// Larger saves reads; smaller leaves less time for somebody else's edit to slip
	// between reading and writing, as Auto Scaling has no compare-and-swap.
	Batch int
	// Rollouts is how many resources at a time AWS may be replacing all that runs
	// of, of those we asked it for; 0 is no limit.
	Rollouts int
	// RolloutDeadline is how long after its call a change may be under way before
	// it counts as stuck.
	RolloutDeadline time.Duration
	// BusyWait is how long what somebody else has under way on a resource is waited
	// for before the change is sent all the same.
	BusyWait time.Duration
}

// DefaultTiming suits production.
func DefaultTiming() Timing {
	return Timing{
		Lease:        time.Minute,
		CallDeadline: 30 * time.Second,
		Skew:         5 * time.Second,
		Poll:         15 * time.Second,
		Settle:       10 * time.Minute,
		Deadline:     time.Hour,
		Concurrency:  10,
		Batch:        20,

		Rollouts:        5,
		RolloutDeadline: 30 * time.Minute,
		BusyWait:        5 * time.Minute,
	}
}

// Engine plans and runs evacuations and recoveries of one account and region.
type Engine struct {
	Ledger  *ledger.Ledger
	Drivers []resource.Driver // in the order they act
	Zones   zone.API
	Traffic Traffic
	Clock   clock.Clock
	Timing  Timing
	Region  string
	// Progress is told what a run is doing; it may be nil. Total is 0 where it is
	// not known.
	Progress func(step string, done, total int)
}

func (e *Engine) progress(step string, done, total int) {
	if e.Progress != nil {
		e.Progress(step, done, total)
	}
}

// Request asks for a run.
type Request struct {
	Run       string // its ID
	Direction resource.Direction
	Zone      string // ID or name
	Policy    resource.Policy
	Scope     resource.Scope
	Actor     string
	Reason    string
	Override  string // the ID of the zone that is out already
	NoWait    bool

	floor      int64 // the run's fence must be above it
	interrupts bool  // an evacuation of the zone that executes is asked to stop
}

// Refusal ends a run that must not be, before anything was changed.
type Refusal struct {
	Why  string
	Next string // what to do instead
}

func (r *Refusal) Error() string { return r.Why + "; " + r.Next }

// Item is what became, or is to become, of one resource.
type Item struct {
	resource.ID
	Outcome resource.Outcome    `json:"outcome"`
	Reason  string              `json:"reason,omitempty"`
	Before  map[string][]string `json:"before,omitempty"`
	After   map[string][]string `json:"after,omitempty"`
	Removed []string            `json:"removedSubnets,omitempty"`
	Notes   []string            `json:"notes,omitempty"`
	// Left counts what still runs in the zone; Places, all of it by zone.
	Left   []resource.Place `json:"left,omitempty"`
	Places []resource.Place `json:"-"`
}

// Result is a plan, or what a run did.
type Result struct {
	Run   ledger.Run
	Zone  zone.Zone
	Items []Item
	// Notes concern the whole run.
	Notes []string
	// Open counts the records the zone still has.
	Open int

	closable int // of them, restored and settled: watch deletes them
}

// Counts counts the items by outcome.
func (r Result) Counts() map[resource.Outcome]int {
	counts := map[resource.Outcome]int{}
	for _, i := range r.Items {
		counts[i.Outcome]++
	}
	return counts
}

// Heaviest is the weightiest outcome among the items.
func (r Result) Heaviest() resource.Weight {
	heaviest := resource.Good
	for _, i := range r.Items {
		heaviest = max(heaviest, i.Outcome.Weight(r.Run.Direction))
	}
	return heaviest
}

// Resolve finds the zone a person named.
func (e *Engine) Resolve(ctx context.Context, idOrName string) (zone.Zone, zone.Zones, error) {
	zones, err := zone.ReadZones(ctx, e.Zones, e.Region)
	if err != nil {
		return zone.Zone{}, zones, err
	}
	z, err := zones.Find(idOrName)
	if err != nil {
		return z, zones, &Refusal{Why: err.Error(), Next: "check --zone and --region"}
	}
	return z, zones, nil
}

func (e *Engine) driver(k resource.Kind) resource.Driver {
	for _, d := range e.Drivers {
		if d.Kind() == k {
			return d
		}
	}
	return nil
}

// item starts an item from a change.
func item(c resource.Change) Item {
	i := Item{ID: c.ID, Outcome: c.Outcome, Reason: c.Reason, Removed: c.Removed, Notes: c.Notes}
	if c.Outcome.Weight(c.Direction) != resource.Open {
		i.Removed = nil
	}
	i.Before, i.After = sides(c.Edits)
	return i
}

// sides splits edits into before and after.
func sides(edits []resource.Edit) (before, after map[string][]string) {
	if len(edits) == 0 {
		return nil, nil
	}
	before, after = map[string][]string{}, map[string][]string{}
	for _, e := range edits {
		before[e.Field], after[e.Field] = e.From, e.To
	}
	return before, after
}

func plural(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %s", n, many)
}

package ledger

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// Keys of a run's items.
const (
	runPrefix   = "run#"
	headerKey   = "header"
	eventPrefix = "event#"
)

func isEvent(i Item) bool {
	return strings.HasPrefix(i.PK(), runPrefix) && strings.HasPrefix(i.SK(), eventPrefix)
}

// PutRun writes a run's header together with events.
func (l *Ledger) PutRun(ctx context.Context, r Run, events ...Event) error {
	ops := append(l.eventOps(events), Op{Put: encode(runPrefix+r.ID, headerKey, r)})
	if err := l.write(ctx, ops...); err != nil {
		return fmt.Errorf("writing the header of run %s: %w", r.ID, err)
	}
	return nil
}

// Run reads a run's header. It returns ErrNoRun if there is none.
func (l *Ledger) Run(ctx context.Context, id string) (Run, error) {
	var r Run
	item, err := l.get(ctx, runPrefix+id, headerKey, &r)
	if err != nil {
		return Run{}, fmt.Errorf("reading the header of run %s: %w", id, err)
	}
	if item == nil {
		return Run{}, fmt.Errorf("%w: %s", ErrNoRun, id)
	}
	return r, nil
}

// Runs returns the headers of all runs, oldest first.
func (l *Ledger) Runs(ctx context.Context) ([]Run, error) {
	ctx, cancel := l.clock.WithTimeout(ctx, 6*l.deadline)
	defer cancel()
	items, err := l.store.Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the runs: %w", err)
	}
	var runs []Run
	for _, item := range items {
		if !strings.HasPrefix(item.PK(), runPrefix) || item.SK() != headerKey {
			continue
		}
		var r Run
		if err := decode(item, &r); err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	slices.SortFunc(runs, func(a, b Run) int { return a.StartedAt.Compare(b.StartedAt) })
	return runs, nil
}

// Append adds events to a run's trail.
func (l *Ledger) Append(ctx context.Context, events ...Event) error {
	for chunk := range slices.Chunk(events, MaxOps) {
		if err := l.write(ctx, l.eventOps(chunk)...); err != nil {
			return fmt.Errorf("writing the audit trail: %w", err)
		}
	}
	return nil
}

// Events returns a run's trail, oldest first.
func (l *Ledger) Events(ctx context.Context, run string) ([]Event, error) {
	items, err := l.query(ctx, runPrefix+run, eventPrefix)
	if err != nil {
		return nil, fmt.Errorf("reading the audit trail of %s: %w", run, err)
	}
	events := make([]Event, len(items))
	for i, item := range items {
		if err := decode(item, &events[i]); err != nil {
			return nil, err
		}
	}
	return events, nil
}

// eventOps puts events under keys that sort by time, and by order within one
// instant. No two are alike, and a write sent twice writes the same ones.
func (l *Ledger) eventOps(events []Event) []Op {
	ops := make([]Op, len(events))
	for i, e := range events {
		key := fmt.Sprintf(eventPrefix+"%020d#%s", e.At.UnixNano(), l.sequence())
		ops[i] = Op{Put: encode(runPrefix+e.Run, key, e)}
	}
	return ops
}

// numbers counts, with a word of this process's own behind each number: two that
// write for one run, shards or a crashed one and its successor, may meet in one
// instant with the same number, and neither may overwrite the other's event.
func numbers() func() string {
	var n atomic.Int64
	process := rand.Text()
	return func() string { return fmt.Sprintf("%08d-%s", n.Add(1), process) }
}

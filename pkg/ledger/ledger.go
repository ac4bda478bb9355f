// Package ledger is Sidestep's memory: what was changed, from what, by whom, and
// who may act. Every write is conditional. The protocol is here, once; a Store
// keeps the items (DynamoDB, a file, memory).
package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sidestep/pkg/clock"
	"sidestep/pkg/resource"
)

// SchemaVersion is written by `ledger init` and checked before anything else.
const SchemaVersion = 1

// Errors that callers act on.
var (
	// ErrStale says that another run has taken over: the record or the lock no
	// longer carries this run's fence. The holder of a stale one stops quietly.
	ErrStale = errors.New("another run has taken over")
	// ErrBusy says that a live run holds the lock.
	ErrBusy = errors.New("another run is executing")
	// ErrSchema says that the table was written by another version.
	ErrSchema = errors.New("the ledger has another schema")
	// ErrNoRun says that there is no run of that ID.
	ErrNoRun = errors.New("no such run")
)

// Ledger is the ledger of one account and region.
type Ledger struct {
	store    Store
	clock    clock.Clock
	region   string // pk of the lock and the zones out
	deadline time.Duration
	sequence func() string
}

// New returns the ledger that store keeps for the account and region. Every call
// has the deadline; one that overruns it may have taken effect.
func New(store Store, c clock.Clock, account, region string, deadline time.Duration) *Ledger {
	return &Ledger{
		store:    store,
		clock:    c,
		region:   Name(account, region),
		deadline: deadline,
		sequence: numbers(),
	}
}

// Name names the ledger of an account and region. It is the partition key of the
// lock and of the zones out.
func Name(account, region string) string { return "region#" + account + "#" + region }

// Store gives the raw items, for export and import.
func (l *Ledger) Store() Store { return l.store }

func (l *Ledger) write(ctx context.Context, ops ...Op) error {
	ctx, cancel := l.clock.WithTimeout(ctx, l.deadline)
	defer cancel()
	return l.store.Write(ctx, ops...)
}

func (l *Ledger) get(ctx context.Context, pk, sk string, v any) (Item, error) {
	ctx, cancel := l.clock.WithTimeout(ctx, l.deadline)
	defer cancel()
	item, err := l.store.Get(ctx, pk, sk)
	if err != nil || item == nil {
		return nil, err
	}
	return item, decode(item, v)
}

func (l *Ledger) query(ctx context.Context, pk, prefix string) ([]Item, error) {
	ctx, cancel := l.clock.WithTimeout(ctx, 6*l.deadline) // many pages
	defer cancel()
	return l.store.Query(ctx, pk, prefix)
}

// schema is the item that says which version wrote the table.
type schema struct {
	Version int `json:"version"`
}

// Check returns nil if the ledger is there and of this schema, else ErrNoTable,
// ErrSchema or what kept it from being read.
func (l *Ledger) Check(ctx context.Context) error {
	var s schema
	item, err := l.get(ctx, "schema", "version", &s)
	switch {
	case err != nil:
		return fmt.Errorf("reading the ledger's schema: %w", err)
	case item == nil:
		return fmt.Errorf("%w: it was never initialised; run `sidestep ledger init`", ErrSchema)
	case s.Version != SchemaVersion:
		return fmt.Errorf("%w: version %d, and this binary writes version %d", ErrSchema, s.Version, SchemaVersion)
	}
	return nil
}

// Init writes the schema. It is done once, to a table that exists.
func (l *Ledger) Init(ctx context.Context) error {
	err := l.write(ctx, Op{Put: encode("schema", "version", schema{SchemaVersion}), If: Condition{Absent: true}})
	if errors.Is(err, ErrCondition) {
		return l.Check(ctx)
	}
	return err
}

// Begin makes a ledger in a file ready for a run. Its fences begin at the present
// second, in a new file and in one that a run began with the table's: that is above
// the table's, which may not be asked for its own, and above those of a file begun
// earlier elsewhere. What is written later counts as later when all are joined.
func (l *Ledger) Begin(ctx context.Context) error {
	if err := l.Init(ctx); err != nil {
		return err
	}
	now := l.clock.Now().UTC()
	first := Lock{Fence: now.Unix(), Heartbeat: now}
	err := l.write(ctx, Op{Put: encode(l.region, lockKey, first), If: Condition{Absent: true}})
	if !errors.Is(err, ErrCondition) {
		return err
	}
	seen, err := l.Lock(ctx)
	if err != nil || seen.Owner != "" || seen.Fence >= first.Fence {
		return err
	}
	return l.write(ctx, Op{Put: encode(l.region, lockKey, first), If: asSeen(seen)})
}

// Records returns the zone's records, all pages.
func (l *Ledger) Records(ctx context.Context, zone string) ([]Record, error) {
	items, err := l.query(ctx, zone, "")
	if err != nil {
		return nil, fmt.Errorf("reading the records of %s: %w", zone, err)
	}
	return records(items)
}

// RecordsOfKind returns the records of one kind in all zones. It reads an index
// that lags behind: good for a view, never the ground for a change.
func (l *Ledger) RecordsOfKind(ctx context.Context, kind resource.Kind) ([]Record, error) {
	ctx, cancel := l.clock.WithTimeout(ctx, 6*l.deadline)
	defer cancel()
	items, err := l.store.QueryKind(ctx, string(kind), "")
	if err != nil {
		return nil, fmt.Errorf("reading the records of kind %s: %w", kind, err)
	}
	return records(items)
}

func records(items []Item) ([]Record, error) {
	out := make([]Record, 0, len(items))
	for _, item := range items {
		r, err := RecordOf(item)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// RecordOf reads a record's item.
func RecordOf(item Item) (Record, error) {
	r := Record{Zone: item.PK(), ARN: item.SK()}
	err := decode(item, &r)
	return r, err
}

// ItemOf is a record's item.
func ItemOf(r Record) Item { return encode(r.Zone, r.ARN, r) }

// IsRecord reports whether an item is a record.
func IsRecord(item Item) bool {
	_, kind := item["kind"]
	return kind && item["state"] != nil && !strings.HasPrefix(item.PK(), "run#")
}

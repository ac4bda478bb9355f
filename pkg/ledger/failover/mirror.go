package failover

import (
	"context"
	"slices"
	"strings"

	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/memory"
)

// mirror is every item as this process saw it last.
type mirror struct {
	items *memory.Store
	// count is how many writes there were, and written the last one of each item: an
	// answer that was on its way during a write says what was before it.
	count   int
	written map[string]int
}

func newMirror() *mirror { return &mirror{items: memory.New(), written: map[string]int{}} }

func key(i ledger.Item) string { return i.PK() + "\x00" + i.SK() }

// within matches the items of a partition by prefix.
func within(pk, prefix string) func(ledger.Item) bool {
	return func(i ledger.Item) bool { return i.PK() == pk && strings.HasPrefix(i.SK(), prefix) }
}

// wrote keeps what a write that succeeded has changed.
func (m *mirror) wrote(ctx context.Context, ops []ledger.Op) error {
	m.count++
	var changes []ledger.Op
	for _, op := range ops {
		if op.Check != nil {
			continue
		}
		m.written[key(op.Key())] = m.count
		changes = append(changes, ledger.Op{Put: op.Put, Delete: op.Delete})
	}
	return m.items.Write(ctx, changes...)
}

// read keeps an answer that was asked for when there had been so many writes. What
// matches and is not in it is not there.
func (m *mirror) read(ctx context.Context, since int, items []ledger.Item, match func(ledger.Item) bool) error {
	if match == nil {
		return nil
	}
	var changes []ledger.Op
	found := map[string]bool{}
	for _, item := range items {
		found[key(item)] = true
		if m.written[key(item)] <= since {
			changes = append(changes, ledger.Op{Put: item})
		}
	}
	known, err := m.items.Scan(ctx)
	if err != nil {
		return err
	}
	for _, item := range known {
		if match(item) && !found[key(item)] && m.written[key(item)] <= since {
			changes = append(changes, ledger.Op{Delete: item})
		}
	}
	for chunk := range slices.Chunk(changes, ledger.MaxOps) {
		if err := m.items.Write(ctx, chunk...); err != nil {
			return err
		}
	}
	return nil
}

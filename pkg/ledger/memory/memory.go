// Package memory keeps the ledger's items in memory, for tests and drills.
package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"sidestep/pkg/ledger"
)

// Store is a ledger.Store that is gone with the process.
type Store struct {
	mu    sync.Mutex
	items map[string]ledger.Item
}

// New returns an empty store.
func New() *Store { return &Store{items: map[string]ledger.Item{}} }

func key(pk, sk string) string { return pk + "\x00" + sk }

// Write applies all ops or none.
func (s *Store) Write(_ context.Context, ops ...ledger.Op) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(ops) > ledger.MaxOps {
		return fmt.Errorf("%d ops in one write, at most %d", len(ops), ledger.MaxOps)
	}
	seen := map[string]bool{}
	for _, op := range ops {
		k := key(op.Key().PK(), op.Key().SK())
		if seen[k] {
			return fmt.Errorf("two ops on item %s / %s", op.Key().PK(), op.Key().SK())
		}
		seen[k] = true
		if !op.If.Holds(s.items[k]) {
			return fmt.Errorf("item %s / %s: %w", op.Key().PK(), op.Key().SK(), ledger.ErrCondition)
		}
	}
	for _, op := range ops {
		k := key(op.Key().PK(), op.Key().SK())
		switch {
		case op.Put != nil:
			s.items[k] = maps.Clone(op.Put)
		case op.Delete != nil:
			delete(s.items, k)
		}
	}
	return nil
}

// Get reads one item, nil if there is none.
func (s *Store) Get(_ context.Context, pk, sk string) (ledger.Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.items[key(pk, sk)]), nil
}

// Query returns a partition's items by prefix, in order.
func (s *Store) Query(_ context.Context, pk, prefix string) ([]ledger.Item, error) {
	return s.find(func(i ledger.Item) bool {
		return i.PK() == pk && strings.HasPrefix(i.SK(), prefix)
	}), nil
}

// QueryKind returns the records of a kind.
func (s *Store) QueryKind(_ context.Context, kind, zone string) ([]ledger.Item, error) {
	return s.find(func(i ledger.Item) bool {
		return i["kind"] == kind && ledger.IsRecord(i) && (zone == "" || i.PK() == zone)
	}), nil
}

// Scan returns everything.
func (s *Store) Scan(context.Context) ([]ledger.Item, error) {
	return s.find(func(ledger.Item) bool { return true }), nil
}

func (s *Store) find(match func(ledger.Item) bool) []ledger.Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []ledger.Item
	for _, k := range slices.Sorted(maps.Keys(s.items)) {
		if match(s.items[k]) {
			found = append(found, maps.Clone(s.items[k]))
		}
	}
	return found
}

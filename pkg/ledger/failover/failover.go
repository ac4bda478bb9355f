// Package failover lets a run go on without the ledger's table. When the table
// does not answer, somebody is asked once; after a yes everything goes to a
// journal for the rest of the process.
package failover

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"sidestep/pkg/awserr"
	"sidestep/pkg/ledger"
)

// Consent is asked when the table does not answer, with what it returned instead.
// It returns the journal to go on with, new and ready for use, or why not.
type Consent func(err error) (ledger.Store, error)

// Store is a ledger.Store over the table's until that does not answer, and over a
// journal from then on. Many goroutines may use it: one is asked, and the others
// wait for the answer.
//
// The journal begins with all that this process has read or written, so that it is
// enough to recover the zone by. The call that failed is then made again on it. A
// write may have taken effect in the table all the same; it says the same there.
type Store struct {
	table   ledger.Store
	consent Consent

	mu      sync.Mutex
	seen    *mirror
	journal ledger.Store // nil until the table is given up
	refused error        // the answer was no
}

var _ ledger.Store = (*Store)(nil)

// New returns the store.
func New(table ledger.Store, consent Consent) *Store {
	return &Store{table: table, consent: consent, seen: newMirror()}
}

// isDown reports whether an error says that the table does not answer. A table
// that is not there, or says no, does.
func isDown(err error) bool {
	if errors.Is(err, ledger.ErrNoTable) || errors.Is(err, ledger.ErrCondition) {
		return false
	}
	switch awserr.Classify(err) {
	case awserr.Unreachable, awserr.AtFault, awserr.Throttled:
		return true
	}
	return false
}

// begin returns the journal, if it is in use, and else how many writes there were.
func (s *Store) begin() (ledger.Store, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.journal, s.seen.count
}

// giveUp asks whether to go on without the table, and fills the journal. The store
// is locked.
func (s *Store) giveUp(ctx context.Context, cause error) error {
	if s.refused == nil {
		s.refused = s.turn(ctx, cause)
	}
	if s.refused != nil {
		return fmt.Errorf("%w (%w)", s.refused, cause)
	}
	return nil
}

func (s *Store) turn(ctx context.Context, cause error) error {
	journal, err := s.consent(cause)
	if err != nil {
		return err
	}
	items, err := s.seen.items.Scan(ctx)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(items, ledger.MaxOps) {
		if err := journal.Write(ctx, puts(chunk)...); err != nil {
			return fmt.Errorf("beginning the journal: %w", err)
		}
	}
	s.journal = journal
	return nil
}

func puts(items []ledger.Item) []ledger.Op {
	ops := make([]ledger.Op, len(items))
	for i, item := range items {
		ops[i] = ledger.Op{Put: item}
	}
	return ops
}

// Write applies all ops or none.
func (s *Store) Write(ctx context.Context, ops ...ledger.Op) error {
	if journal, _ := s.begin(); journal != nil {
		return journal.Write(ctx, ops...)
	}
	err := s.table.Write(ctx, ops...)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil && !isDown(err):
		return err // an answer
	case err == nil && s.journal == nil:
		return s.seen.wrote(ctx, ops)
	case s.journal == nil:
		if err := s.giveUp(ctx, err); err != nil {
			return err
		}
	}
	// What the table took while it was given up, the journal must have as well.
	return s.repeat(ctx, ops)
}

// repeat makes a write on the journal that the table may have taken. Then somebody
// may have read it there, and so it is in the journal already.
func (s *Store) repeat(ctx context.Context, ops []ledger.Op) error {
	err := s.journal.Write(ctx, ops...)
	if !errors.Is(err, ledger.ErrCondition) {
		return err
	}
	for _, op := range ops {
		if op.Check != nil {
			continue
		}
		now, readErr := s.journal.Get(ctx, op.Key().PK(), op.Key().SK())
		if readErr != nil {
			return readErr
		}
		if !reflect.DeepEqual(now, op.Put) {
			return err
		}
	}
	return nil
}

// Get reads one item, nil if there is none.
func (s *Store) Get(ctx context.Context, pk, sk string) (ledger.Item, error) {
	items, err := s.read(ctx, func(t ledger.Store) ([]ledger.Item, error) {
		item, err := t.Get(ctx, pk, sk)
		if err != nil || item == nil {
			return nil, err
		}
		return []ledger.Item{item}, nil
	}, func(i ledger.Item) bool { return i.PK() == pk && i.SK() == sk })
	if err != nil || len(items) == 0 {
		return nil, err
	}
	return items[0], nil
}

// Query returns a partition's items by prefix, in order.
func (s *Store) Query(ctx context.Context, pk, prefix string) ([]ledger.Item, error) {
	return s.read(ctx, func(t ledger.Store) ([]ledger.Item, error) { return t.Query(ctx, pk, prefix) }, within(pk, prefix))
}

// QueryKind returns the records of a kind. The index may lag behind: what it says
// is passed on and not kept.
func (s *Store) QueryKind(ctx context.Context, kind, zone string) ([]ledger.Item, error) {
	return s.read(ctx, func(t ledger.Store) ([]ledger.Item, error) { return t.QueryKind(ctx, kind, zone) }, nil)
}

// Scan returns everything.
func (s *Store) Scan(ctx context.Context) ([]ledger.Item, error) {
	return s.read(ctx, func(t ledger.Store) ([]ledger.Item, error) { return t.Scan(ctx) }, func(ledger.Item) bool { return true })
}

// read asks the table or the journal, and keeps what the table says. All that the
// table has and which matches is in the answer; match is nil where that is not so.
func (s *Store) read(ctx context.Context, from func(ledger.Store) ([]ledger.Item, error), match func(ledger.Item) bool) ([]ledger.Item, error) {
	journal, since := s.begin()
	if journal != nil {
		return from(journal)
	}
	items, err := from(s.table)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil && !isDown(err):
		return nil, err
	case err == nil && (match == nil || s.journal == nil):
		return items, s.seen.read(ctx, since, items, match)
	case err == nil:
		err = s.bring(ctx, items)
	case s.journal == nil:
		err = s.giveUp(ctx, err)
	default:
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return from(s.journal)
}

// bring adds to the journal what the table said while it was given up.
func (s *Store) bring(ctx context.Context, items []ledger.Item) error {
	for _, item := range items {
		err := s.journal.Write(ctx, ledger.Op{Put: item, If: ledger.Condition{Absent: true}})
		if err != nil && !errors.Is(err, ledger.ErrCondition) {
			return err
		}
	}
	return nil
}

package failover

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/journal"
	"sidestep/pkg/ledger/ledgertest"
	"sidestep/pkg/ledger/memory"
)

var errSilent = fmt.Errorf("no answer: %w", context.DeadlineExceeded)

// dying is a table that stops answering at a call, counted from 1; 0 is never.
type dying struct {
	ledger.Store
	mu    sync.Mutex
	calls int
	at    int
	late  bool // the call at which it stops takes effect
}

// answers reports whether the call takes effect, and whether it is answered.
func (d *dying) answers() (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls++
	if d.at == 0 || d.calls < d.at {
		return true, nil
	}
	return d.late && d.calls == d.at, errSilent
}

func (d *dying) Write(ctx context.Context, ops ...ledger.Op) error {
	effect, silent := d.answers()
	if effect {
		if err := d.Store.Write(ctx, ops...); err != nil {
			return err
		}
	}
	return silent
}

func (d *dying) Get(ctx context.Context, pk, sk string) (ledger.Item, error) {
	if _, err := d.answers(); err != nil {
		return nil, err
	}
	return d.Store.Get(ctx, pk, sk)
}

func (d *dying) Query(ctx context.Context, pk, prefix string) ([]ledger.Item, error) {
	if _, err := d.answers(); err != nil {
		return nil, err
	}
	return d.Store.Query(ctx, pk, prefix)
}

func (d *dying) QueryKind(ctx context.Context, kind, zone string) ([]ledger.Item, error) {
	if _, err := d.answers(); err != nil {
		return nil, err
	}
	return d.Store.QueryKind(ctx, kind, zone)
}

func (d *dying) Scan(ctx context.Context) ([]ledger.Item, error) {
	if _, err := d.answers(); err != nil {
		return nil, err
	}
	return d.Store.Scan(ctx)
}

// yes goes on with a new journal.
func yes(t *testing.T) Consent {
	return func(error) (ledger.Store, error) {
		s, err := journal.Open(filepath.Join(t.TempDir(), "a.journal"), ledger.Name("111122223333", "us-east-1"))
		if err == nil {
			t.Cleanup(func() { _ = s.Close() })
		}
		return s, err
	}
}

func TestConformance(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T) ledger.Store {
		return New(memory.New(), func(err error) (ledger.Store, error) { t.Error(err); return nil, err })
	})
}

// TestConformanceWithoutATable runs the suite over tables that stop answering at
// their nth call, with and without that call's effect. Nothing of it shows.
func TestConformanceWithoutATable(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5} {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprintf("call %d, with effect %t", n, late), func(t *testing.T) {
				t.Parallel()
				ledgertest.Run(t, func(t *testing.T) ledger.Store {
					return New(&dying{Store: memory.New(), at: n, late: late}, func(error) (ledger.Store, error) { return memory.New(), nil })
				})
			})
		}
	}
}

func put(pk, sk string, n float64) ledger.Op {
	return ledger.Op{Put: ledger.Item{"pk": pk, "sk": sk, "n": n}}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestJournalHoldsAllThatWasSeen(t *testing.T) {
	inner := memory.New()
	must(t, inner.Write(t.Context(), put("zone", "1", 1), put("zone", "2", 1), put("other", "1", 1), put("lock", "1", 1), put("never read", "1", 1)))
	table := &dying{Store: inner}
	kept := memory.New()
	s := New(table, func(err error) (ledger.Store, error) {
		if !errors.Is(err, errSilent) {
			t.Errorf("asked about %v", err)
		}
		return kept, nil
	})
	_, err := s.Query(t.Context(), "zone", "")
	must(t, err)
	must(t, s.Write(t.Context(), put("zone", "1", 2), put("zone", "3", 1)))
	_, err = s.Get(t.Context(), "other", "1")
	must(t, err)
	must(t, inner.Write(t.Context(), ledger.Op{Delete: put("zone", "2", 1).Put})) // by another process
	_, err = s.Query(t.Context(), "zone", "")
	must(t, err)
	table.at = 1
	if got, err := s.Query(t.Context(), "lock", ""); err != nil || len(got) > 0 {
		t.Errorf("what was not read is %v, %v", got, err)
	}
	got, err := kept.Scan(t.Context())
	must(t, err)
	if want := []ledger.Item{put("other", "1", 1).Put, put("zone", "1", 2).Put, put("zone", "3", 1).Put}; !reflect.DeepEqual(got, want) {
		t.Errorf("the journal holds %v, want %v", got, want)
	}
	calls := table.calls
	must(t, s.Write(t.Context(), put("zone", "4", 1)))
	if table.calls != calls {
		t.Error("the table was asked again")
	}
}

func TestAnswersAreNoOutage(t *testing.T) {
	for _, answer := range []error{ledger.ErrNoTable, ledger.ErrCondition, context.Canceled, errors.New("odd")} {
		s := New(answering{memory.New(), answer}, func(err error) (ledger.Store, error) {
			t.Errorf("asked about %v", err)
			return nil, err
		})
		if err := s.Write(t.Context(), put("p", "s", 1)); !errors.Is(err, answer) {
			t.Errorf("%v came back as %v", answer, err)
		}
		if _, err := s.Get(t.Context(), "p", "s"); !errors.Is(err, answer) {
			t.Errorf("%v came back as %v", answer, err)
		}
	}
}

// answering answers everything so.
type answering struct {
	ledger.Store
	err error
}

func (a answering) Write(context.Context, ...ledger.Op) error { return a.err }

func (a answering) Get(context.Context, string, string) (ledger.Item, error) { return nil, a.err }

func TestNoIsAskedOnce(t *testing.T) {
	no, asked := errors.New("no"), 0
	table := &dying{Store: memory.New(), at: 1}
	s := New(table, func(error) (ledger.Store, error) { asked++; return nil, no })
	for range 3 {
		if err := s.Write(t.Context(), put("p", "s", 1)); !errors.Is(err, no) || !errors.Is(err, errSilent) {
			t.Errorf("got %v", err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	table.at = 0 // and it is back
	must(t, s.Write(t.Context(), put("p", "s", 1)))
}

func TestJournalThatFails(t *testing.T) {
	full := errors.New("disk full")
	table := &dying{Store: memory.New()}
	s := New(table, func(error) (ledger.Store, error) { return answering{memory.New(), full}, nil })
	must(t, s.Write(t.Context(), put("p", "s", 1)))
	table.at = 1
	if err := s.Write(t.Context(), put("p", "s", 2)); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

// TestManyAtOnce: all fail at once; one is asked, and no write is lost or done
// twice.
func TestManyAtOnce(t *testing.T) {
	for at := range 40 {
		var asked atomic.Int64
		table := &dying{Store: memory.New(), at: at + 1, late: at%2 == 0}
		kept := memory.New()
		s := New(table, func(error) (ledger.Store, error) { asked.Add(1); return kept, nil })
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				for n := range 5 {
					op := put("p", fmt.Sprint(i), float64(n))
					if op.If.Absent = n == 0; n > 0 {
						op.If.Equals = map[string]any{"n": float64(n - 1)}
					}
					if err := s.Write(t.Context(), op); err != nil {
						t.Errorf("gone at %d: %v", at, err)
					}
					if _, err := s.Query(t.Context(), "p", ""); err != nil {
						t.Errorf("gone at %d: %v", at, err)
					}
				}
			})
		}
		wg.Wait()
		items, err := kept.Query(t.Context(), "p", "")
		must(t, err)
		for _, i := range items {
			if i["n"] != 4.0 {
				t.Errorf("gone at %d: the journal ends with %v", at, i)
			}
		}
		if len(items) != 10 || asked.Load() != 1 {
			t.Errorf("gone at %d: %d items, asked %d times", at, len(items), asked.Load())
		}
	}
}

// slow is a table one of whose answers is on its way while it is given up.
type slow struct {
	ledger.Store
	wait, asked chan struct{}
}

func (s slow) Query(ctx context.Context, pk, prefix string) ([]ledger.Item, error) {
	items, err := s.Store.Query(ctx, pk, prefix)
	close(s.asked)
	<-s.wait
	return items, err
}

func (s slow) Get(context.Context, string, string) (ledger.Item, error) { return nil, errSilent }

func TestAnswerThatComesTooLate(t *testing.T) {
	inner := memory.New()
	must(t, inner.Write(t.Context(), put("zone", "1", 1), put("zone", "2", 1)))
	table := slow{inner, make(chan struct{}), make(chan struct{})}
	s := New(table, yes(t))
	var got []ledger.Item
	var wg sync.WaitGroup
	wg.Go(func() { got, _ = s.Query(t.Context(), "zone", "") })
	<-table.asked
	_, err := s.Get(t.Context(), "p", "s") // gives the table up
	must(t, err)
	must(t, s.Write(t.Context(), put("zone", "1", 2)))
	close(table.wait)
	wg.Wait()
	if want := []ledger.Item{put("zone", "1", 2).Put, put("zone", "2", 1).Put}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

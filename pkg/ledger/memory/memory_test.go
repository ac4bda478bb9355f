package memory_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/ledgertest"
	"sidestep/pkg/ledger/memory"
)

func TestConformance(t *testing.T) {
	ledgertest.Run(t, func(*testing.T) ledger.Store { return memory.New() })
}

func TestOneOfManyWritersWins(t *testing.T) {
	store := memory.New()
	var won, lost atomic.Int64
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			err := store.Write(t.Context(), ledger.Op{
				Put: ledger.Item{"pk": "region", "sk": "lock"}, If: ledger.Condition{Absent: true},
			})
			switch {
			case err == nil:
				won.Add(1)
			case errors.Is(err, ledger.ErrCondition):
				lost.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 || lost.Load() != 49 {
		t.Errorf("%d writers won and %d lost, want 1 and 49", won.Load(), lost.Load())
	}
}

package ledgertest

import (
	"reflect"
	"testing"
	"time"

	"sidestep/pkg/ledger"
)

var lockTests = []test{
	{"schema", schema},
	{"acquire, beat, release", lifeOfALock},
	{"a lock is taken once", takenOnce},
	{"expired", expired},
	{"takeover", takeover},
	{"zones out", zonesOut},
}

func schema(t *testing.T, s ledger.Store) {
	l := newLedger(s, newClock())
	wantErr(t, l.Check(t.Context()), ledger.ErrSchema)
	must(t, l.Init(t.Context()))
	must(t, l.Check(t.Context()))
	must(t, l.Init(t.Context()))

	other := item("schema", "version", map[string]any{"version": float64(ledger.SchemaVersion + 1)})
	must(t, s.Write(t.Context(), ledger.Op{Put: other}))
	wantErr(t, l.Check(t.Context()), ledger.ErrSchema)
	wantErr(t, l.Init(t.Context()), ledger.ErrSchema)
	wantItem(t, s, other)
}

func wantLock(t *testing.T, l *ledger.Ledger, want ledger.Lock) {
	t.Helper()
	got, err := l.Lock(t.Context())
	must(t, err)
	if got.Owner != want.Owner || got.Fence != want.Fence || got.Actor != want.Actor || !got.Heartbeat.Equal(want.Heartbeat) {
		t.Errorf("lock is %+v, want %+v", got, want)
	}
}

func lifeOfALock(t *testing.T, s ledger.Store) {
	clk := newClock()
	l := newLedger(s, clk)
	wantLock(t, l, ledger.Lock{})

	lock, err := l.Acquire(t.Context(), ledger.Lock{}, "run-1", "ann")
	must(t, err)
	wantLock(t, l, ledger.Lock{Owner: "run-1", Fence: 1, Heartbeat: clk.Now(), Actor: "ann"})

	must(t, clk.Sleep(t.Context(), time.Minute))
	beaten, err := l.Beat(t.Context(), lock)
	must(t, err)
	wantLock(t, l, ledger.Lock{Owner: "run-1", Fence: 1, Heartbeat: clk.Now(), Actor: "ann"})
	// The lock as it was before the beat is its owner's still.
	_, err = l.Beat(t.Context(), lock)
	must(t, err)

	must(t, l.Release(t.Context(), beaten))
	wantLock(t, l, ledger.Lock{Fence: 1, Heartbeat: clk.Now()})
	_, err = l.Beat(t.Context(), beaten)
	wantErr(t, err, ledger.ErrStale)

	if next := takeOver(t, l, "run-2"); next.Fence != 2 {
		t.Errorf("the next taker's fence is %d, want 2", next.Fence)
	}
}

func takenOnce(t *testing.T, s ledger.Store) {
	clk := newClock()
	l := newLedger(s, clk)
	first, err := l.Acquire(t.Context(), ledger.Lock{}, "run-1", "ann")
	must(t, err)
	_, err = l.Acquire(t.Context(), ledger.Lock{}, "run-2", "bob")
	wantErr(t, err, ledger.ErrBusy)

	// Its owner gave a sign of life after run-2 looked.
	must(t, clk.Sleep(t.Context(), time.Second))
	beaten, err := l.Beat(t.Context(), first)
	must(t, err)
	_, err = l.Acquire(t.Context(), first, "run-2", "bob")
	wantErr(t, err, ledger.ErrBusy)

	// Two saw it free; one is too late.
	must(t, l.Release(t.Context(), beaten))
	free, err := l.Lock(t.Context())
	must(t, err)
	third, err := l.Acquire(t.Context(), free, "run-3", "cyd")
	must(t, err)
	_, err = l.Acquire(t.Context(), free, "run-4", "dee")
	wantErr(t, err, ledger.ErrBusy)
	wantLock(t, l, third)
}

func expired(t *testing.T, s ledger.Store) {
	const lease, skew = time.Minute, 5 * time.Second
	l, _ := locked(t, s)
	lock, err := l.Lock(t.Context())
	must(t, err)
	for _, c := range []struct {
		age  time.Duration
		want bool
	}{
		{0, false}, {-time.Hour, false}, {lease, false}, {lease + skew, false}, {lease + skew + 1, true}, {time.Hour, true},
	} {
		if got := lock.Expired(lock.Heartbeat.Add(c.age), lease, skew); got != c.want {
			t.Errorf("a lock last heard of %v ago: expired is %t, want %t", c.age, got, c.want)
		}
	}
	must(t, l.Release(t.Context(), lock))
	free, err := l.Lock(t.Context())
	must(t, err)
	if !free.Expired(free.Heartbeat, lease, skew) {
		t.Error("a free lock may not be taken")
	}
}

func takeover(t *testing.T, s ledger.Store) {
	l, old := locked(t, s)
	lock := takeOver(t, l, "run-2")
	if lock.Fence != old.Fence+1 {
		t.Errorf("taking over raised the fence from %d to %d", old.Fence, lock.Fence)
	}
	_, err := l.Beat(t.Context(), old)
	wantErr(t, err, ledger.ErrStale)
	must(t, l.Release(t.Context(), old))
	wantLock(t, l, lock)

	// The same run, started again, is another owner.
	again := takeOver(t, l, "run-2")
	_, err = l.Beat(t.Context(), lock)
	wantErr(t, err, ledger.ErrStale)
	wantLock(t, l, again)
}

func zonesOut(t *testing.T, s ledger.Store) {
	l, lock := locked(t, s)
	wantZones(t, l, ledger.ZonesOut{})

	since := time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)
	out := ledger.ZonesOut{
		zoneID:    {Run: "run-1", Phase: ledger.Out, Since: since, Actor: "ann", Reason: "power"},
		otherZone: {Run: "run-0", Phase: ledger.Recovering, Since: since, Actor: "bob", Override: true},
	}
	must(t, l.SetZonesOut(t.Context(), lock, out))
	wantZones(t, l, out)

	takeOver(t, l, "run-2")
	wantErr(t, l.SetZonesOut(t.Context(), lock, ledger.ZonesOut{}), ledger.ErrStale)
	wantZones(t, l, out)

	lock = takeOver(t, l, "run-3")
	must(t, l.SetZonesOut(t.Context(), lock, ledger.ZonesOut{}))
	wantZones(t, l, ledger.ZonesOut{})
}

func wantZones(t *testing.T, l *ledger.Ledger, want ledger.ZonesOut) {
	t.Helper()
	got, err := l.ZonesOut(t.Context())
	must(t, err)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("zones out are %v, want %v", got, want)
	}
}

package ledgertest

import (
	"context"
	"errors"
	"testing"

	"sidestep/pkg/ledger"
)

// repeating sends every write that succeeds once more, as an SDK does whose first
// answer was lost: the second meets what the first wrote.
type repeating struct{ ledger.Store }

func (r repeating) Write(ctx context.Context, ops ...ledger.Op) error {
	if err := r.Store.Write(ctx, ops...); err != nil {
		return err
	}
	return r.Store.Write(ctx, ops...)
}

var errLost = errors.New("the answer was lost")

// losing carries out the next write and reports an error, once.
type losing struct {
	ledger.Store
	lose bool
}

func (l *losing) Write(ctx context.Context, ops ...ledger.Op) error {
	err := l.Store.Write(ctx, ops...)
	if err == nil && l.lose {
		l.lose = false
		return errLost
	}
	return err
}

// afterWrite calls then after the first write that succeeds.
type afterWrite struct {
	ledger.Store
	then func()
}

func (a *afterWrite) Write(ctx context.Context, ops ...ledger.Op) error {
	err := a.Store.Write(ctx, ops...)
	if then := a.then; err == nil && then != nil {
		a.then = nil
		then()
	}
	return err
}

var lostTests = []test{
	{"lock", lostLock},
	{"records", lostRecords},
	{"create finds others' records", lostCreate},
	{"events", lostEvents},
	{"the caller tries again", triesAgain},
	{"a lost answer hides no takeover", lostTakeover},
}

func lostLock(t *testing.T, s ledger.Store) {
	l := newLedger(repeating{s}, newClock())
	must(t, l.Init(t.Context()))
	lock, err := l.Acquire(t.Context(), ledger.Lock{}, "run-1", "ann")
	must(t, err)
	wantLock(t, l, lock)
	lock, err = l.Beat(t.Context(), lock)
	must(t, err)
	must(t, l.SetZonesOut(t.Context(), lock, ledger.ZonesOut{zoneID: {Run: "run-1", Phase: ledger.Out}}))
	must(t, l.Release(t.Context(), lock))
	wantLock(t, l, ledger.Lock{Fence: lock.Fence, Heartbeat: lock.Heartbeat})
}

func lostRecords(t *testing.T, s ledger.Store) {
	_, lock := locked(t, s)
	l := newLedger(repeating{s}, newClock())
	created, err := l.Create(t.Context(), lock, manyRecords(120))
	must(t, err)
	wantRecords(t, l, zoneID, created...)

	r := created[0]
	r.State = ledger.Started
	r, err = l.Update(t.Context(), r)
	must(t, err)
	wantRecords(t, l, zoneID, append([]ledger.Record{r}, created[1:]...)...)

	r, err = l.Claim(t.Context(), takeOver(t, l, "run-2"), r)
	must(t, err)
	wantRecords(t, l, zoneID, append([]ledger.Record{r}, created[1:]...)...)
	must(t, l.Delete(t.Context(), r))
	wantRecords(t, l, zoneID, created[1:]...)
}

// lostCreate: records that are there already are a lost answer only if this very
// lock wrote all of them.
func lostCreate(t *testing.T, s ledger.Store) {
	l, lock := locked(t, s)
	web := create(t, l, lock, planned(zoneID, "web"))
	_, err := l.Create(t.Context(), lock, []ledger.Record{planned(zoneID, "api"), planned(zoneID, "web")})
	wantErr(t, err, ledger.ErrStale)
	_, err = l.Create(t.Context(), takeOver(t, l, "run-2"), []ledger.Record{planned(zoneID, "web")})
	wantErr(t, err, ledger.ErrStale)
	_, err = l.Create(t.Context(), lock, []ledger.Record{planned(zoneID, "web")})
	wantErr(t, err, ledger.ErrStale)
	wantRecords(t, l, zoneID, web)
}

func lostEvents(t *testing.T, s ledger.Store) {
	_, lock := locked(t, s)
	l := newLedger(repeating{s}, newClock())
	r := create(t, l, lock, planned(zoneID, "web"))
	must(t, l.PutRun(t.Context(), ledger.Run{ID: "run-1"}, event(0, "begun")))
	r, err := l.Update(t.Context(), r, event(1, "started"))
	must(t, err)
	must(t, l.Append(t.Context(), event(2, "waiting")))
	must(t, l.Delete(t.Context(), r, event(3, "deleted")))
	wantEvents(t, l, "run-1", "begun", "started", "waiting", "deleted")
}

// triesAgain repeats calls that returned an error and had taken effect.
func triesAgain(t *testing.T, s ledger.Store) {
	_, lock := locked(t, s)
	lossy := &losing{Store: s}
	l := newLedger(lossy, newClock())
	twice := func(call func() error) {
		t.Helper()
		lossy.lose = true
		wantErr(t, call(), errLost)
		must(t, call())
	}
	var r ledger.Record
	twice(func() error {
		created, err := l.Create(t.Context(), lock, []ledger.Record{planned(zoneID, "web")})
		if err == nil {
			r = created[0]
		}
		return err
	})
	r.State = ledger.Started
	var next ledger.Record
	twice(func() (err error) { next, err = l.Update(t.Context(), r, event(1, "started")); return err })
	wantRecords(t, l, zoneID, next)
	twice(func() (err error) { _, err = l.Beat(t.Context(), lock); return err })
	twice(func() error { return l.Delete(t.Context(), next, event(2, "deleted")) })
	wantRecords(t, l, zoneID)
	wantEvents(t, l, "run-1", "started", "deleted")
	twice(func() error { return l.Release(t.Context(), lock) })
}

// lostTakeover: the write landed, and then somebody else took the record over
// before it was sent again. The first writer must not go on.
func lostTakeover(t *testing.T, s ledger.Store) {
	other, lock := locked(t, s)
	r := create(t, other, lock, planned(zoneID, "web"))
	var claimed ledger.Record
	l := newLedger(repeating{&afterWrite{Store: s, then: func() {
		now, err := other.Records(t.Context(), zoneID)
		must(t, err)
		claimed, err = other.Claim(t.Context(), takeOver(t, other, "run-2"), now[0])
		must(t, err)
	}}}, newClock())
	r.State = ledger.Started
	_, err := l.Update(t.Context(), r)
	wantErr(t, err, ledger.ErrStale)
	wantRecords(t, other, zoneID, claimed)
	if claimed.State != ledger.Started {
		t.Errorf("the new run claimed %s, want the started it took over", claimed.State)
	}
}

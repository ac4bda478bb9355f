package ledgertest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

var recordTests = []test{
	{"create stamps and keeps", createKeeps},
	{"create more than one write takes", createMany},
	{"create without the lock", createStale},
	{"create loses the lock half way", createHalfWay},
	{"create never overwrites", createOver},
	{"update", updates},
	{"claim", claims},
	{"claim what its writer changed in between", claimChanged},
	{"claim many, one of them changed in between", claimMany},
	{"claim by a run that lost the lock", claimStale},
	{"a record made anew is another", madeAnew},
	{"delete", deleteRecord},
	{"by kind", byKind},
}

func createKeeps(t *testing.T, s ledger.Store) {
	l, lock := locked(t, s)
	r := create(t, l, lock, planned(zoneID, "web"))
	if r.Fence != lock.Fence || r.Run != lock.Owner || r.Sequence != 1 || r.CreatedAt.IsZero() || r.UpdatedAt.IsZero() {
		t.Errorf("created %+v, want it stamped with fence %d, run %s, sequence 1 and times", r, lock.Fence, lock.Owner)
	}
	// The same resource has a record of its own in each zone.
	other := create(t, l, lock, planned(otherZone, "web"))
	wantRecords(t, l, zoneID, r)
	wantRecords(t, l, otherZone, other)

	raw, err := s.Get(t.Context(), r.Zone, r.ARN)
	must(t, err)
	if want := []any{"subnet-a"}; !reflect.DeepEqual(raw["removedSubnets"], want) {
		t.Errorf("removedSubnets is %#v, want %#v", raw["removedSubnets"], want)
	}
	if !ledger.IsRecord(raw) {
		t.Errorf("%v is taken for no record", raw)
	}
}

func manyRecords(n int) []ledger.Record {
	all := make([]ledger.Record, n)
	for i := range all {
		all[i] = planned(zoneID, fmt.Sprintf("group-%03d", i))
	}
	return all
}

func createMany(t *testing.T, s ledger.Store) {
	l, lock := locked(t, s)
	created, err := l.Create(t.Context(), lock, manyRecords(250))
	must(t, err)
	wantRecords(t, l, zoneID, created...)
	if len(created) != 250 {
		t.Errorf("created %d records, want 250", len(created))
	}
	none, err := l.Create(t.Context(), lock, nil)
	if err != nil || len(none) != 0 {
		t.Errorf("creating no records returned %v, %v", none, err)
	}
}

func createStale(t *testing.T, s ledger.Store) {
	l, lock := locked(t, s)
	takeOver(t, l, "run-2")
	created, err := l.Create(t.Context(), lock, manyRecords(3))
	wantErr(t, err, ledger.ErrStale)
	if len(created) != 0 {
		t.Errorf("a stale run is told of %d records created", len(created))
	}
	wantRecords(t, l, zoneID)
}

// createHalfWay lets another run take over after the first of several writes.
func createHalfWay(t *testing.T, s ledger.Store) {
	other, lock := locked(t, s)
	after := &afterWrite{Store: s, then: func() { takeOver(t, other, "run-2") }}
	created, err := newLedger(after, newClock()).Create(t.Context(), lock, manyRecords(150))
	wantErr(t, err, ledger.ErrStale)
	wantRecords(t, other, zoneID, created...)
	if len(created) != ledger.MaxOps-1 {
		t.Errorf("created %d records, want the %d of the first write", len(created), ledger.MaxOps-1)
	}
}

func createOver(t *testing.T, s ledger.Store) {
	l, lock := locked(t, s)
	old := create(t, l, lock, planned(zoneID, "web"))
	lock = takeOver(t, l, "run-2")
	again := planned(zoneID, "web")
	again.RemovedSubnets = nil
	_, err := l.Create(t.Context(), lock, []ledger.Record{planned(zoneID, "api"), again})
	wantErr(t, err, ledger.ErrStale)
	wantRecords(t, l, zoneID, old)
}

func updates(t *testing.T, s ledger.Store) {
	l, lock := locked(t, s)
	first := create(t, l, lock, planned(zoneID, "web"))
	want := first
	want.State, want.StartedAt, want.Attempt = ledger.Started, time.Date(2026, 3, 1, 0, 0, 0, 1, time.UTC), 1
	second, err := l.Update(t.Context(), want)
	must(t, err)
	if second.Sequence != 2 || second.State != ledger.Started || second.Fence != lock.Fence {
		t.Errorf("updated record is %+v, want sequence 2, started, fence %d", second, lock.Fence)
	}
	wantRecords(t, l, zoneID, second)

	// An older copy must not undo what was written since.
	first.State = ledger.Settled
	_, err = l.Update(t.Context(), first)
	wantErr(t, err, ledger.ErrStale)

	claimed, err := l.Claim(t.Context(), takeOver(t, l, "run-2"), second)
	must(t, err)
	second.State = ledger.Applied
	_, err = l.Update(t.Context(), second)
	wantErr(t, err, ledger.ErrStale)
	wantRecords(t, l, zoneID, claimed)

	must(t, l.Delete(t.Context(), claimed))
	claimed.State = ledger.Applied
	_, err = l.Update(t.Context(), claimed)
	wantErr(t, err, ledger.ErrStale)
	wantRecords(t, l, zoneID)
}

func claims(t *testing.T, s ledger.Store) {
	l, lock := locked(t, s)
	r := create(t, l, lock, planned(zoneID, "web"))
	next := takeOver(t, l, "run-2")
	claimed, err := l.Claim(t.Context(), next, r)
	must(t, err)
	if claimed.Fence != next.Fence || claimed.Run != "run-2" || claimed.Sequence != r.Sequence+1 {
		t.Errorf("claimed %+v, want fence %d, run-2 and sequence %d", claimed, next.Fence, r.Sequence+1)
	}
	if !reflect.DeepEqual(claimed.Recorded, r.Recorded) || !claimed.CreatedAt.Equal(r.CreatedAt) {
		t.Errorf("claiming changed what was recorded: %+v, want %+v", claimed, r)
	}
	wantRecords(t, l, zoneID, claimed)

	must(t, l.Delete(t.Context(), claimed))
	_, err = l.Claim(t.Context(), next, claimed)
	wantErr(t, err, ledger.ErrStale)
	wantRecords(t, l, zoneID)
}

func claimChanged(t *testing.T, s ledger.Store) {
	l, lock := locked(t, s)
	seen := create(t, l, lock, planned(zoneID, "web"))
	next := takeOver(t, l, "run-2")

	changed := seen
	changed.State, changed.RemovedSubnets = ledger.Started, []string{"subnet-a", "subnet-d"}
	changed, err := l.Update(t.Context(), changed)
	must(t, err)

	claimed, err := l.Claim(t.Context(), next, seen)
	must(t, err)
	if claimed.State != ledger.Started || !slices.Equal(claimed.RemovedSubnets, changed.RemovedSubnets) {
		t.Errorf("claimed %+v, want what its writer left: %+v", claimed, changed)
	}
	if claimed.Zone != zoneID || claimed.ARN != seen.ARN || claimed.Fence != next.Fence || claimed.Sequence != changed.Sequence+1 {
		t.Errorf("claimed %+v, want it under fence %d and sequence %d", claimed, next.Fence, changed.Sequence+1)
	}
	wantRecords(t, l, zoneID, claimed)
	_, err = l.Update(t.Context(), changed)
	wantErr(t, err, ledger.ErrStale)
}

// claimMany: more than one write takes, and one that was written meanwhile must
// neither be lost nor keep the others from being claimed.
func claimMany(t *testing.T, s ledger.Store) {
	l, lock := locked(t, s)
	var wanted []ledger.Record
	for i := range ledger.MaxOps + 20 {
		wanted = append(wanted, planned(zoneID, fmt.Sprintf("web-%03d", i)))
	}
	seen, err := l.Create(t.Context(), lock, wanted)
	must(t, err)
	next := takeOver(t, l, "run-2")
	changed := seen[7]
	changed.State = ledger.Started
	_, err = l.Update(t.Context(), changed)
	must(t, err)

	claimed, err := l.ClaimAll(t.Context(), next, seen)
	must(t, err)
	if len(claimed) != len(seen) || claimed[7].State != ledger.Started {
		t.Fatalf("claimed %d of %d, the changed one as %s", len(claimed), len(seen), claimed[7].State)
	}
	for _, r := range claimed {
		if r.Fence != next.Fence || r.Run != "run-2" {
			t.Errorf("%s has fence %d of %s", r.Name, r.Fence, r.Run)
		}
	}
	wantRecords(t, l, zoneID, claimed...)

	later := claimed[3]
	later.Fence = next.Fence + 1
	_, err = l.ClaimAll(t.Context(), next, []ledger.Record{claimed[2], later})
	wantErr(t, err, ledger.ErrStale)
}

// claimStale must not lower a fence, whether the stale run read the record before
// the new one claimed it or after.
func claimStale(t *testing.T, s ledger.Store) {
	l, stale := locked(t, s)
	before := create(t, l, stale, planned(zoneID, "web"))
	claimed, err := l.Claim(t.Context(), takeOver(t, l, "run-2"), before)
	must(t, err)
	for _, read := range []ledger.Record{before, claimed} {
		_, err := l.Claim(t.Context(), stale, read)
		wantErr(t, err, ledger.ErrStale)
		wantRecords(t, l, zoneID, claimed)
	}
}

// madeAnew has a later run delete a record and create it again, which begins its
// sequence anew: only the fence tells the two apart.
func madeAnew(t *testing.T, s ledger.Store) {
	l, lock := locked(t, s)
	old := create(t, l, lock, planned(zoneID, "web"))
	next := takeOver(t, l, "run-2")
	claimed, err := l.Claim(t.Context(), next, old)
	must(t, err)
	must(t, l.Delete(t.Context(), claimed))
	anew := create(t, l, next, planned(zoneID, "web"))

	changed := old
	changed.State = ledger.Started
	_, err = l.Update(t.Context(), changed)
	wantErr(t, err, ledger.ErrStale)
	wantErr(t, l.Delete(t.Context(), old), ledger.ErrStale)
	wantRecords(t, l, zoneID, anew)
}

func deleteRecord(t *testing.T, s ledger.Store) {
	l, lock := locked(t, s)
	r := create(t, l, lock, planned(zoneID, "web"))
	kept := create(t, l, lock, planned(zoneID, "xen"))
	claimed, err := l.Claim(t.Context(), takeOver(t, l, "run-2"), r)
	must(t, err)

	wantErr(t, l.Delete(t.Context(), r), ledger.ErrStale)
	wantRecords(t, l, zoneID, claimed, kept)
	must(t, l.Delete(t.Context(), claimed))
	wantRecords(t, l, zoneID, kept)
	must(t, l.Delete(t.Context(), claimed)) // gone is as wanted
}

func byKind(t *testing.T, s ledger.Store) {
	l, lock := locked(t, s)
	function := planned(zoneID, "fn")
	function.Kind = "lambda-function"
	created, err := l.Create(t.Context(), lock, []ledger.Record{planned(zoneID, "web"), planned(otherZone, "web"), function})
	must(t, err)
	must(t, l.Append(t.Context(), ledger.Event{Run: "run-1", Kind: resource.AutoScalingGroup, Text: "no record"}))
	eventually(t, func(ctx context.Context) error {
		got, err := l.RecordsOfKind(ctx, resource.AutoScalingGroup)
		if err != nil {
			return err
		}
		slices.SortFunc(got, func(a, b ledger.Record) int { return strings.Compare(a.Zone, b.Zone) })
		if len(got) != 2 || !reflect.DeepEqual(ledger.ItemOf(got[0]), ledger.ItemOf(created[0])) ||
			!reflect.DeepEqual(ledger.ItemOf(got[1]), ledger.ItemOf(created[1])) {
			return fmt.Errorf("records of the kind are %v, want %v", got, created[:2])
		}
		return nil
	})
}

package ledger_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sidestep/pkg/clock"
	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/memory"
	"sidestep/pkg/resource"
)

const zone = "use1-az1"

// fataler is a test or a property's.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// table is a ledger in memory, and how many runs took its lock.
type table struct {
	t     fataler
	store *memory.Store
	*ledger.Ledger
	runs int
}

func newTable(t fataler) *table {
	t.Helper()
	store := memory.New()
	c := clock.NewVirtual(time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC))
	l := ledger.New(store, c, "111122223333", "us-east-1", 5*time.Second)
	if err := l.Init(noContext()); err != nil {
		t.Fatal(err)
	}
	return &table{t, store, l, 0}
}

// lock gives the lock to a new run with a fence above floor.
func (b *table) lock(floor int64) ledger.Lock {
	b.t.Helper()
	b.runs++
	seen, err := b.Lock(noContext())
	if err != nil {
		b.t.Fatal(err)
	}
	lock, err := b.AcquireAbove(noContext(), seen, floor, fmt.Sprint("run-", b.runs), "ann")
	if err != nil {
		b.t.Fatal(err)
	}
	return lock
}

func (b *table) export() string {
	b.t.Helper()
	var file bytes.Buffer
	if err := b.Export(noContext(), &file); err != nil {
		b.t.Fatal(err)
	}
	return file.String()
}

func (b *table) importFile(file string) (ledger.ImportResult, error) {
	b.t.Helper()
	transfer, err := b.ReadTransfer(strings.NewReader(file))
	if err != nil {
		b.t.Fatalf("reading %s: %v", file, err)
	}
	return b.Import(noContext(), b.lock(transfer.Fence()), transfer)
}

func (b *table) mustImport(file string) ledger.ImportResult {
	b.t.Helper()
	result, err := b.importFile(file)
	if err != nil {
		b.t.Fatal(err)
	}
	return result
}

// sample is a ledger with a zone out, one record and its run.
func sample(t fataler) *table {
	b := newTable(t)
	lock := b.lock(0)
	now := time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC)
	created, err := b.Create(noContext(), lock, []ledger.Record{{
		Zone: zone, ARN: "arn:web", Kind: resource.AutoScalingGroup, Name: "web <&>", State: ledger.Planned,
	}})
	if err != nil {
		t.Fatal(err)
	}
	rec := created[0]
	rec.State, rec.RemovedSubnets = ledger.Applied, []string{"subnet-1a"}
	run := ledger.Run{ID: "run-1", Zone: zone, StartedAt: now}
	event := ledger.Event{At: now, Type: "change.accepted", Run: "run-1", Zone: zone, Duration: time.Second}
	if _, err = b.Update(noContext(), rec, event); err != nil {
		t.Fatal(err)
	}
	if err = b.PutRun(noContext(), run); err != nil {
		t.Fatal(err)
	}
	if err = b.SetZonesOut(noContext(), lock, ledger.ZonesOut{zone: {Run: "run-1", Phase: ledger.Out, Since: now, Actor: "ann"}}); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestExport(t *testing.T) {
	b := sample(t)
	lines := strings.Split(strings.TrimSpace(b.export()), "\n")
	if len(lines) != 5 || lines[0] != `{"format":"sidestep-ledger","schema":1,"ledger":"region#111122223333#us-east-1","items":4}` {
		t.Fatalf("the export is\n%s", strings.Join(lines, "\n"))
	}
	for i, want := range []string{`"sk":"out"`, `"sk":"event#`, `"sk":"header"`, `"sk":"arn:web"`} {
		if !strings.Contains(lines[i+1], want) {
			t.Errorf("line %d holds no %s: %s", i+2, want, lines[i+1])
		}
	}
	if first, second := b.export(), b.export(); first != second {
		t.Error("two exports differ")
	}
}

func TestImportIntoAnEmptyLedger(t *testing.T) {
	file := sample(t).export()
	b := newTable(t)
	if got, want := b.mustImport(file), (ledger.ImportResult{Zones: []string{zone}, Created: 1, Runs: 1, Events: 1}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	records, err := b.Records(noContext(), zone)
	if err != nil || len(records) != 1 || records[0].State != ledger.Applied || records[0].Name != "web <&>" {
		t.Fatalf("the records are %+v, %v", records, err)
	}
	lock, err := b.Lock(noContext())
	if err != nil || records[0].Fence != lock.Fence {
		t.Errorf("the record's fence is %d, the importer's %d, %v", records[0].Fence, lock.Fence, err)
	}
	before := content(t, b)
	if got, want := b.mustImport(file), (ledger.ImportResult{Zones: []string{zone}, Unchanged: 1}); !reflect.DeepEqual(got, want) {
		t.Errorf("the second time: got %+v, want %+v", got, want)
	}
	if after := content(t, b); after != before {
		t.Errorf("the second import changed\n%s\nto\n%s", before, after)
	}
}

func TestImportOfOneself(t *testing.T) {
	b := sample(t)
	before := content(t, b)
	b.mustImport(b.export())
	if after := content(t, b); after != before {
		t.Errorf("the import changed\n%s\nto\n%s", before, after)
	}
}

func TestImportBesideAnotherZone(t *testing.T) {
	b := newTable(t)
	lock := b.lock(0)
	if err := b.SetZonesOut(noContext(), lock, ledger.ZonesOut{"use1-az2": {Since: time.Now()}}); err != nil {
		t.Fatal(err)
	}
	before := content(t, b)
	_, err := b.importFile(sample(t).export())
	other, ok := errors.AsType[*ledger.OtherZoneError](err)
	if !ok || other.Zone != "use1-az2" {
		t.Errorf("got %v", err)
	}
	if after := content(t, b); after != before {
		t.Errorf("the refused import changed\n%s\nto\n%s", before, after)
	}
}

func TestReadTransferRefuses(t *testing.T) {
	good := sample(t).export()
	lines := strings.Split(good, "\n")
	for _, c := range []struct {
		name, file, want string
		is               error
	}{
		{"empty", "", "line 1: it is empty", ledger.ErrFile},
		{"no JSON", "hello\n", "line 1: it is no export", ledger.ErrFile},
		{"another version", strings.Replace(good, `"schema":1`, `"schema":2`, 1), "version 2", ledger.ErrSchema},
		{"another account", strings.ReplaceAll(good, "111122223333", "444455556666"), "line 1: it is of ledger", ledger.ErrFile},
		{"cut off", strings.Join(lines[:4], "\n"), "line 4: it ends after 3 of 4 items", ledger.ErrFile},
		{"cut off in a line", good[:len(good)-20], "line 5: reading JSON", ledger.ErrFile},
		{"a line twice", good + lines[4], "line 6: item use1-az1 / arn:web is there twice", ledger.ErrFile},
		{"unknown attribute", strings.Replace(good, `"kind":`, `"sort":1,"kind":`, 1), `line 5: reading JSON: json: unknown field "sort"`, ledger.ErrFile},
		{"unknown state", strings.Replace(good, `"applied"`, `"eaten"`, 1), `has state "eaten"`, ledger.ErrFile},
		{"no fence", strings.Replace(good, `"fence":1`, `"fence":0`, 1), "has no fence", ledger.ErrFile},
		{"unknown item", strings.Replace(good, `"sk":"out"`, `"sk":"lock"`, 1), "line 2: item", ledger.ErrFile},
		{"someone else's event", strings.Replace(good, `"run":"run-1","sk":"event`, `"run":"run-2","sk":"event`, 1), "line 3: an event of run", ledger.ErrFile},
		{"a long line", lines[0] + "\n" + strings.Repeat("a", 1<<20+1), "line 2: it is longer", ledger.ErrFile},
		{"two objects in a line", strings.Replace(good, "\n", "{}\n", 2), "line 1", ledger.ErrFile},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newTable(t).ReadTransfer(strings.NewReader(c.file))
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestImportDoesNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start, a, b := drawFile(t, "start"), drawFile(t, "a"), drawFile(t, "b")
		var got []string
		for _, order := range [][]string{{a, b}, {b, a}, {a, b, a}, {b, b, a}} {
			l := newTable(t)
			l.mustImport(start)
			for _, file := range order {
				l.mustImport(file)
			}
			got = append(got, content(t, l))
		}
		for i := range got {
			if got[i] != got[0] {
				t.Fatalf("order %d gives\n%s\nnot\n%s", i, got[i], got[0])
			}
		}
	})
}

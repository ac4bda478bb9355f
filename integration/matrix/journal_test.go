package matrix

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/failover"
	"sidestep/pkg/ledger/journal"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

// groups is the scope of the runs here.
var groups = resource.Scope{Kinds: []resource.Kind{resource.AutoScalingGroup}}

// over is an engine like any, with its ledger in the store.
func (w *memoryWorld) over(process string, s ledger.Store) *engine.Engine {
	e := w.engine(process, quick())
	e.Ledger = ledger.New(s, w.clock, sampleAccount, sampleRegion, quick().Ledger.Deadline)
	return e
}

// openJournal opens the world's journal, as a process of its own.
func (w *memoryWorld) openJournal(t testing.TB, path string) *journal.Store {
	t.Helper()
	s, err := journal.Open(path, ledger.Name(sampleAccount, sampleRegion))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := w.over("any", s).Ledger.Begin(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s
}

// giveUp is an engine that goes on with a journal when the table does not answer.
func (w *memoryWorld) giveUp(t testing.TB, process, path string) *engine.Engine {
	t.Helper()
	return w.over(process, failover.New(w.region.Process(process).Store(w.store), func(cause error) (ledger.Store, error) {
		if !errors.Is(cause, errTimeout) {
			t.Errorf("asked about %v", cause)
		}
		return w.openJournal(t, path), nil
	}))
}

// gone has the table answer the process no more from its nth call on. The first of
// them may take effect.
func (w *memoryWorld) gone(process string, n int, late bool) {
	fault := func(nth int, do region.Effect) region.Fault {
		return region.Fault{Process: process, Service: region.ServiceLedger, Nth: nth, Do: do}
	}
	first := region.Fail(errTimeout)
	if late {
		first = region.FailAfter(errTimeout)
	}
	w.region.Fault(fault(n, first))
	w.region.Fault(fault(n, region.Foreign(func(r *region.Region) { r.Fault(fault(0, region.Fail(errTimeout))) })))
}

// importJournal joins a journal into the table.
func (w *memoryWorld) importJournal(t testing.TB, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	items, err := journal.Items(context.Background(), f, ledger.Name(sampleAccount, sampleRegion))
	if err != nil {
		t.Fatal(err)
	}
	transfer, err := w.ledger().TransferOf(items)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.engine("import", quick()).Import(context.Background(), w.request("", "", ""), transfer); err != nil {
		t.Fatalf("importing: %v", err)
	}
}

// standing is what a ledger says is to be undone, but for when and by which run.
type standing struct {
	Records []ledger.Record
	Zones   map[string]ledger.Phase
}

func (w *memoryWorld) standing(t testing.TB, l *ledger.Ledger) standing {
	t.Helper()
	s := standing{Zones: map[string]ledger.Phase{}}
	out, err := l.ZonesOut(context.Background())
	records, readErr := l.Records(context.Background(), leaving)
	if err := errors.Join(err, readErr); err != nil {
		t.Fatal(err)
	}
	for id, z := range out {
		s.Zones[id] = z.Phase
	}
	for _, r := range records {
		s.Records = append(s.Records, ledger.Record{
			Zone: r.Zone, ARN: r.ARN, Kind: r.Kind, Name: r.Name, Recorded: r.Recorded,
			State: r.State, Outcome: r.Outcome, Reason: r.Reason, Policy: r.Policy, Attempt: r.Attempt,
		})
	}
	return s
}

// wantStanding compares with what an undisturbed run leaves.
func (w *memoryWorld) wantStanding(t testing.TB, l *ledger.Ledger, want standing) {
	t.Helper()
	if got := w.standing(t, l); !reflect.DeepEqual(got, want) {
		t.Errorf("it says\n  %+v, want\n  %+v", got, want)
	}
}

// evacuateBy is an evacuation by an engine.
func (s setting) evacuateBy(w *memoryWorld, e *engine.Engine) (engine.Result, error) {
	req := w.request(resource.Evacuate, leaving, s.policy)
	req.Scope = s.scope
	e.Timing = s.config().Timing()
	return e.Evacuate(context.Background(), req)
}

func (s setting) recoverBy(w *memoryWorld, e *engine.Engine) (engine.Result, error) {
	e.Timing = s.config().Timing()
	return e.Recover(context.Background(), w.request(resource.Recover, leaving, ""))
}

// atEachCall has the table go away at one call after the other, the last of them
// taking effect or not.
func atEachCall(t *testing.T, least int, at func(t *testing.T, s setting, n int, late bool) bool) {
	t.Helper()
	for name, s := range settings {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/the last call takes effect: %t", name, late), func(t *testing.T) {
				t.Parallel()
				n := 1
				for at(t, s, n, late) {
					n += stride()
				}
				if n < least {
					t.Errorf("only calls up to the %dth were covered", n)
				}
			})
		}
	}
}

// TestFR08LedgerGoneWhileEvacuating: the table stops answering at the first call of
// an evacuation, or at any later one. The run goes on with a journal, the import
// makes the table what an undisturbed run leaves, the journal alone is enough to
// recover by, and another import closes what the table has.
func TestFR08LedgerGoneWhileEvacuating(t *testing.T) {
	atEachCall(t, 25, goneEvacuating)
}

// goneEvacuating reports whether there was an nth call.
func goneEvacuating(t *testing.T, s setting, n int, late bool) bool {
	t.Helper()
	undisturbed := s.open(t)
	if _, err := s.evacuateBy(undisturbed, undisturbed.engine("out", s.config())); err != nil {
		t.Fatal(err)
	}
	want := undisturbed.standing(t, undisturbed.ledger())
	w := s.open(t)
	before := w.snapshot()
	path := filepath.Join(t.TempDir(), "a.journal")
	w.gone("out", n, late)
	if _, err := s.evacuateBy(w, w.giveUp(t, "out", path)); err != nil {
		t.Fatalf("gone at call %d: %v", n, err)
	}
	if _, err := os.Stat(path); err != nil {
		return false
	}
	w.region.ClearFaults()
	w.importJournal(t, path)
	w.wantStanding(t, w.ledger(), want)

	file := w.reopen(t, path)
	if _, err := s.recoverBy(w, w.over("back", file)); err != nil {
		t.Fatalf("gone at call %d: recovering from the journal: %v", n, err)
	}
	w.wantStanding(t, ledger.New(file, w.clock, sampleAccount, sampleRegion, quick().Ledger.Deadline), standing{Zones: map[string]ledger.Phase{}})
	w.wantConfiguration(t, before)
	w.importJournal(t, path)
	w.wantNothingOpen(t)
	if t.Failed() {
		t.Fatalf("gone at call %d", n)
	}
	return true
}

// reopen opens a journal whose process has ended.
func (w *memoryWorld) reopen(t testing.TB, path string) *journal.Store {
	t.Helper()
	copied := path + ".copy" // the process that has the file ends with the test
	text, err := os.ReadFile(path)
	if err == nil {
		err = errors.Join(os.WriteFile(copied, text, 0o600), os.Remove(path), os.Rename(copied, path))
	}
	if err != nil {
		t.Fatal(err)
	}
	return w.openJournal(t, path)
}

// TestFR08LedgerGoneWhileRecovering: so during a recovery whose plan has read what
// is to be put back.
func TestFR08LedgerGoneWhileRecovering(t *testing.T) {
	atEachCall(t, 15, goneRecovering)
}

func goneRecovering(t *testing.T, s setting, n int, late bool) bool {
	t.Helper()
	w := s.open(t)
	before := w.snapshot()
	if _, err := s.evacuateBy(w, w.engine("out", quick())); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.journal")
	e := w.giveUp(t, "back", path)
	if _, err := e.Plan(context.Background(), w.request(resource.Recover, leaving, "")); err != nil {
		t.Fatal(err)
	}
	w.gone("back", n, late)
	if _, err := s.recoverBy(w, e); err != nil {
		t.Fatalf("gone at call %d: %v", n, err)
	}
	w.wantConfiguration(t, before)
	if _, err := os.Stat(path); err != nil {
		return false
	}
	w.region.ClearFaults()
	w.importJournal(t, path)
	w.wantNothingOpen(t)
	if t.Failed() {
		t.Fatalf("gone at call %d", n)
	}
	return true
}

// TestTwoMachinesJournals: each of two machines evacuates the zone with a journal
// of its own, and one then brings back what it knows of. In whichever order the two
// are imported, the table says the same: what the other took out is open. Recovering
// by it ends at the snapshot.
func TestTwoMachinesJournals(t *testing.T) {
	var agreed []standing
	for _, order := range [][]string{{"a", "b"}, {"b", "a"}, {"b", "a", "b"}} {
		w := newMemoryWorld(t)
		before := w.region.Snapshot()
		folder := t.TempDir()
		w.evacuateTwice(t, folder)
		for _, machine := range order {
			w.importJournal(t, filepath.Join(folder, machine))
		}
		got := w.standing(t, w.ledger())
		agreed = append(agreed, got)
		if len(got.Records) != 1 || got.Records[0].Name != "web" || len(got.Zones) != 1 || !reflect.DeepEqual(got, agreed[0]) {
			t.Errorf("imported in order %v, the table says\n  %+v, not\n  %+v", order, got, agreed[0])
		}
		w.recover(t, "back", leaving)
		if after := w.region.Snapshot(); !reflect.DeepEqual(after, before) {
			t.Errorf("imported in order %v and recovered, the groups are %v, want %v", order, after, before)
		}
	}
}

// evacuateTwice evacuates with journals a and b, and recovers with a.
func (w *memoryWorld) evacuateTwice(t testing.TB, folder string) {
	t.Helper()
	web, machines := w.region.Snapshot()["web"].Subnets, map[string]*engine.Engine{}
	for _, machine := range []string{"a", "b"} {
		machines[machine] = w.over(machine, w.openJournal(t, filepath.Join(folder, machine)))
		if _, err := settings["groups"].evacuateBy(w, machines[machine]); err != nil {
			t.Fatal(err)
		}
		w.region.SetGroupSubnets("web", web...) // a pipeline puts it back
	}
	if _, err := machines["a"].Recover(context.Background(), w.request(resource.Recover, leaving, "")); err != nil {
		t.Fatal(err)
	}
}

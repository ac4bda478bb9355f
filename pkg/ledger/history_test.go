package ledger_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sidestep/pkg/clock"
	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/memory"
	"sidestep/pkg/resource"
)

// machines are a table and copies of it that went on by themselves, as journals
// do. Every state of a record carries a number of its own, its reason, so that what
// became of which is known here by other means than the ledger's.
type machines struct {
	t       fataler
	clock   *clock.Virtual
	parents map[string]string // of states, by number
	closed  map[string]bool
	runs    int
}

func newMachines(t fataler) *machines {
	return &machines{t: t, clock: clock.NewVirtual(at(2)), parents: map[string]string{}, closed: map[string]bool{}}
}

func (m *machines) ledger(items []ledger.Item) *table {
	m.t.Helper()
	store := memory.New()
	for _, item := range items {
		m.must(store.Write(noContext(), ledger.Op{Put: item}))
	}
	b := &table{m.t, store, ledger.New(store, m.clock, "111122223333", "us-east-1", 5*time.Second), 0}
	m.must(b.Begin(noContext()))
	return b
}

func (m *machines) copy(b *table) *table {
	items, err := b.store.Scan(noContext())
	m.must(err)
	return m.ledger(items)
}

// step is what a run does to the record of one resource, if there is one.
type step string

const (
	update step = "update" // or create it
	remove step = "remove"
	leave  step = "leave"
)

// must ends the test if there is an error.
func (m *machines) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// run has a run of its own take the lock, claim every record and go on.
func (m *machines) run(b *table, steps map[string]step) {
	m.t.Helper()
	m.runs++
	m.must(m.clock.Sleep(noContext(), time.Minute))
	seen, err := b.Lock(noContext())
	m.must(err)
	lock, err := b.Acquire(noContext(), seen, fmt.Sprint("run-", m.runs), "ann")
	m.must(err)
	records, err := b.Records(noContext(), zone)
	m.must(err)
	claimed, err := b.ClaimAll(noContext(), lock, records)
	m.must(err)
	known := map[string]ledger.Record{}
	for _, r := range claimed {
		known[r.ARN] = m.write(b, r)
	}
	for _, arn := range slices.Sorted(maps.Keys(steps)) {
		r, isKnown := known[arn]
		switch {
		case steps[arn] == update && isKnown:
			known[arn] = m.write(b, r)
		case steps[arn] == update:
			known[arn] = m.create(b, lock, arn)
		case steps[arn] == remove && isKnown:
			m.must(b.Delete(noContext(), r, ledger.Event{At: m.clock.Now(), Type: "record.closed", Run: lock.Owner, Zone: zone, ARN: arn}))
			m.closed[r.Reason] = true
			delete(known, arn)
		}
	}
	m.conclude(b, lock, len(known))
	m.must(b.Release(noContext(), lock))
}

func (m *machines) create(b *table, lock ledger.Lock, arn string) ledger.Record {
	created, err := b.Create(noContext(), lock, []ledger.Record{{Zone: zone, ARN: arn, Kind: resource.AutoScalingGroup, Name: arn, State: ledger.Started}})
	m.must(err)
	return m.write(b, created[0])
}

// conclude says whether the zone is out, as long as it has records.
func (m *machines) conclude(b *table, lock ledger.Lock, records int) {
	out, err := b.ZonesOut(noContext())
	m.must(err)
	if _, isOut := out[zone]; !isOut {
		out[zone] = ledger.ZoneOut{Run: lock.Owner, Phase: ledger.Out, Since: m.clock.Now()}
	}
	if records > 0 {
		m.must(b.SetZonesOut(noContext(), lock, out))
		return
	}
	m.must(b.SetZonesOut(noContext(), lock, ledger.ZonesOut{}))
	m.must(b.Append(noContext(), ledger.Event{At: m.clock.Now(), Type: ledger.ZoneBack, Run: lock.Owner, Zone: zone}))
}

// write gives a record a new state, which removes one more subnet.
func (m *machines) write(b *table, r ledger.Record) ledger.Record {
	m.t.Helper()
	number := fmt.Sprint(len(m.parents) + 1)
	m.parents[number] = r.Reason
	r.Reason = number
	r.RemovedSubnets = append(slices.Clone(r.RemovedSubnets), "subnet-"+number)
	r, err := b.Update(noContext(), r)
	m.must(err)
	return r
}

// behind lists a state and all that it was made from.
func (m *machines) behind(number string) []string {
	var all []string
	for ; number != ""; number = m.parents[number] {
		all = append(all, number)
	}
	return all
}

// want works out which states of the ledgers' records must be open, by ARN.
func (m *machines) want(all ...*table) map[string][]string {
	over := map[string]bool{}
	for number := range m.closed {
		for _, n := range m.behind(number) {
			over[n] = true
		}
	}
	found := map[string][]string{}
	for _, b := range all {
		records, err := b.Records(noContext(), zone)
		m.must(err)
		for _, r := range records {
			found[r.ARN] = append(found[r.ARN], r.Reason)
			for _, n := range m.behind(r.Reason)[1:] {
				over[n] = true
			}
		}
	}
	for arn, numbers := range found {
		numbers = slices.DeleteFunc(numbers, func(n string) bool { return over[n] })
		slices.Sort(numbers)
		found[arn] = slices.Compact(numbers)
		if len(numbers) == 0 {
			delete(found, arn)
		}
	}
	return found
}

// check compares a ledger with what must be open.
func (m *machines) check(t *rapid.T, b *table, want map[string][]string) {
	records, err := b.Records(noContext(), zone)
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.ZonesOut(noContext())
	if err != nil || (len(out) > 0) != (len(want) > 0) {
		t.Fatalf("%d records, and the zones out are %v, %v", len(records), out, err)
	}
	if len(records) != len(want) {
		t.Fatalf("%d records are open, want %v", len(records), want)
	}
	for _, r := range records {
		for _, number := range want[r.ARN] {
			for _, n := range m.behind(number) {
				if !slices.Contains(r.RemovedSubnets, "subnet-"+n) {
					t.Fatalf("%s has removed %v, and not subnet-%s of state %s", r.ARN, r.RemovedSubnets, n, number)
				}
			}
		}
		if len(want[r.ARN]) == 1 && len(r.RemovedSubnets) != len(m.behind(want[r.ARN][0])) {
			t.Fatalf("%s has removed %v, which is more than state %s did", r.ARN, r.RemovedSubnets, want[r.ARN][0])
		}
	}
}

// drawRun draws what a run does.
func drawRun(t *rapid.T) map[string]step {
	steps := map[string]step{}
	all := rapid.SampledFrom([]step{update, remove, leave})
	for _, arn := range []string{"arn:1", "arn:2"} {
		steps[arn] = all.Draw(t, arn)
	}
	return steps
}

// TestJournalsOfTwoMachines lets a table and two journals, each begun with a copy
// of the table or with nothing, go on by themselves. Whichever is imported first,
// the table then holds what nobody has closed who knew of it, and nothing else.
func TestJournalsOfTwoMachines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachines(t)
		b := m.ledger(nil)
		runs := func(l *table, label string) {
			for range rapid.IntRange(0, 3).Draw(t, label) {
				m.run(l, drawRun(t))
			}
		}
		runs(b, "runs before")
		journals := []*table{m.ledger(nil), m.ledger(nil)}
		for i := range journals {
			if rapid.Bool().Draw(t, "begins with a copy") {
				journals[i] = m.copy(b)
			}
			runs(journals[i], "runs with the journal")
			runs(b, "runs meanwhile")
		}
		want := m.want(b, journals[0], journals[1])
		var first string
		for _, order := range [][]int{{0, 1}, {1, 0}, {0, 1, 0}, {1, 1, 0, 0}} {
			table := m.copy(b)
			for _, i := range order {
				importJournal(t, table, journals[i])
			}
			m.check(t, table, want)
			if got := withoutEntry(content(t, table)); first == "" {
				first = got
			} else if got != first {
				t.Fatalf("order %v gives\n%s\nnot\n%s", order, got, first)
			}
		}
	})
}

// withoutEntry leaves out the zones-out map, which is checked by itself: since when
// a zone is out depends on which journal's records were there at what time.
func withoutEntry(content string) string {
	return regexp.MustCompile(`(?m)^.*"sk":"out".*\n`).ReplaceAllString(content, "")
}

// importJournal imports a ledger's items, as they are, into a table.
func importJournal(t fataler, b, journal *table) ledger.ImportResult {
	items, _ := journal.store.Scan(noContext()) // in memory
	transfer, err := b.TransferOf(items)
	if err != nil {
		t.Fatal(err)
	}
	result, err := b.Import(noContext(), b.lock(transfer.Fence()), transfer)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestOldExportRevivesNothing: what the evacuation had recorded before it was over
// stays closed, also where the ledger that is imported into knows of the recovery
// only by a journal.
func TestOldExportRevivesNothing(t *testing.T) {
	m := newMachines(t)
	b := m.ledger(nil)
	m.run(b, map[string]step{"arn:1": update, "arn:2": update})
	old := b.export()
	journal := m.copy(b)
	m.run(journal, map[string]step{"arn:1": remove, "arn:2": update})
	m.run(journal, map[string]step{"arn:2": remove})

	if got := importJournal(t, b, journal); got.Closed != 2 {
		t.Errorf("the journal's import counts %+v", got)
	}
	if got := b.mustImport(old); got.Created+got.Merged != 0 || got.Unchanged != 2 {
		t.Errorf("the export's import counts %+v", got)
	}
	records, err := b.Records(noContext(), zone)
	out, outErr := b.ZonesOut(noContext())
	if err != nil || outErr != nil || len(records)+len(out) > 0 {
		t.Errorf("records %v, zones out %v, %v, %v", records, out, err, outErr)
	}
	m.run(b, map[string]step{"arn:1": update}) // out again
	b.mustImport(old)
	if records, err := b.Records(noContext(), zone); err != nil || len(records) != 1 || len(records[0].RemovedSubnets) != 1 {
		t.Errorf("the new evacuation has records %v, %v", records, err)
	}
}

package ledger

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sidestep/pkg/resource"
)

// hour is a time of the night in question.
func hour(h int) time.Time { return time.Date(2026, 11, 30, h, 0, 0, 0, time.UTC) }

// recorded makes a record of a group whose subnets went from to.
func recorded(created int, fence, sequence int64, state State, from, to string) Record {
	return Record{
		Zone: "use1-az1", ARN: "arn:web", Kind: resource.AutoScalingGroup, Name: "web", State: state,
		Recorded: resource.Recorded{
			Edits:          []resource.Edit{{Field: "subnets", From: []string{from}, To: []string{to}}},
			RemovedSubnets: []string{from},
		},
		Fence: fence, Sequence: sequence, CreatedAt: hour(created), UpdatedAt: hour(created + 1),
	}
}

func TestMergeRecords(t *testing.T) {
	older := recorded(1, 2, 5, Applied, "a", "x")
	for _, c := range []struct {
		name    string
		other   Record
		state   State
		from    string
		to      string
		removed []string
	}{
		{"the same", older, Applied, "a", "x", []string{"a"}},
		{"younger and later", recorded(2, 3, 1, Settled, "b", "y"), Settled, "a", "y", []string{"a", "b"}},
		{"younger, of an earlier fence", recorded(2, 1, 9, Started, "b", "y"), Applied, "a", "x", []string{"a", "b"}},
		{"younger, earlier in the same fence", recorded(2, 2, 4, Started, "b", "y"), Applied, "a", "x", []string{"a", "b"}},
		{"older and earlier", recorded(0, 1, 1, Started, "b", "y"), Applied, "b", "x", []string{"a", "b"}},
		{"older and later", recorded(0, 9, 1, Restoring, "b", "y"), Restoring, "b", "y", []string{"a", "b"}},
		{"never acted on, though older and later", recorded(0, 9, 9, Planned, "b", "y"), Applied, "a", "x", []string{"a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, got := range []Record{mergeRecords(older, c.other), mergeRecords(c.other, older)} {
				edit, _ := got.Edit("subnets")
				if got.State != c.state || edit.From[0] != c.from || edit.To[0] != c.to || !slices.Equal(got.RemovedSubnets, c.removed) {
					t.Errorf("got %s, %s -> %s, removed %v; want %s, %s -> %s, removed %v", got.State, edit.From, edit.To,
						got.RemovedSubnets, c.state, c.from, c.to, c.removed)
				}
			}
		})
	}
}

// TestMergeRemembersWhoMadeWhat: a third record must be compared with what the
// first two were, not with what merging made of them.
func TestMergeRemembersWhoMadeWhat(t *testing.T) {
	oldest := recorded(0, 9, 1, Applied, "a", "x")
	oldest.Edits = nil
	middle, youngest := recorded(1, 2, 1, Applied, "m", "m2"), recorded(2, 3, 1, Applied, "y", "y2")
	got := mergeRecords(mergeRecords(oldest, youngest), middle)
	if edit, _ := got.Edit("subnets"); edit.From[0] != "m" || edit.To[0] != "y2" {
		t.Errorf("got %v -> %v, want the original of the middle one and the result of the youngest", edit.From, edit.To)
	}
}

func TestVersionAfterImport(t *testing.T) {
	imported := stamp(mergeRecords(recorded(1, 2, 5, Applied, "a", "x"), recorded(1, 2, 5, Applied, "a", "x")), Lock{Fence: 40}, 7)
	if imported.Fence != 40 || imported.Sequence != 8 {
		t.Errorf("the record carries fence %d and sequence %d, want the importer's 40 and 8", imported.Fence, imported.Sequence)
	}
	later := recorded(1, 3, 1, Restoring, "a", "x")
	if got := mergeRecords(imported, later); got.State != Restoring {
		t.Errorf("a state of fence 3 loses to one of fence 2 that was imported: %s", got.State)
	}
	imported.Fence, imported.State = 41, Settled // a run wrote it since
	if got := mergeRecords(imported, later); got.State != Settled {
		t.Errorf("what a run wrote since the import loses to an old file: %s", got.State)
	}
}

// anyRecord draws small values, so that records meet in all ways.
func anyRecord() *rapid.Generator[Record] {
	subnets := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID)
	return rapid.Custom(func(t *rapid.T) Record {
		r := Record{
			Zone: "use1-az1", ARN: rapid.SampledFrom([]string{"arn:1", "arn:2"}).Draw(t, "arn"), Kind: "kind",
			State:   rapid.SampledFrom([]State{Planned, Started, Applied, Settled, Restoring}).Draw(t, "state"),
			Fence:   rapid.Int64Range(1, 3).Draw(t, "fence"),
			Attempt: rapid.IntRange(0, 2).Draw(t, "attempt"), Sequence: rapid.Int64Range(1, 3).Draw(t, "sequence"),
			CreatedAt: hour(rapid.IntRange(0, 2).Draw(t, "created")), UpdatedAt: hour(rapid.IntRange(3, 5).Draw(t, "updated")),
			Run: rapid.SampledFrom([]string{"run-1", "run-2"}).Draw(t, "run"),
		}
		r.RemovedSubnets = subnets.Draw(t, "removed")
		r.Order = subnets.Draw(t, "order")
		for _, field := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"subnets", "process/P"}), 0, 2, rapid.ID).Draw(t, "fields") {
			r.Edits = append(r.Edits, resource.Edit{Field: field, From: subnets.Draw(t, "from"), To: subnets.Draw(t, "to")})
		}
		if rapid.Bool().Draw(t, "has receipt") {
			r.Receipt = resource.Receipt{"id": rapid.SampledFrom([]string{"1", "2"}).Draw(t, "receipt")}
		}
		return r
	})
}

func TestMergeDoesNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfN(anyRecord(), 3, 3).Draw(t, "records")
		for i := range records {
			records[i].ARN = "arn:1"
		}
		a, b, c := records[0], records[1], records[2]
		want := canonical(mergeRecords(mergeRecords(a, b), c))
		for i, got := range []Record{
			mergeRecords(a, mergeRecords(b, c)), mergeRecords(mergeRecords(c, a), b), mergeRecords(c, mergeRecords(b, a)),
			mergeRecords(mergeRecords(mergeRecords(a, b), c), a),
		} {
			if !bytes.Equal(canonical(got), want) {
				t.Fatalf("order %d gives\n%s\nnot\n%s", i, canonical(got), want)
			}
		}
	})
}

func TestRebuild(t *testing.T) {
	early := ZoneOut{Run: "r1", Phase: Evacuating, Since: hour(1), Actor: "ann", Reason: "outage"}
	late := ZoneOut{Run: "r2", Phase: Recovering, Since: hour(2), Actor: "bob", Reason: "drill", Override: true}
	with := func(run string, fence int64, state State) Record {
		r := recorded(3, fence, 1, state, "a", "b")
		r.Run = run
		return r
	}
	for _, c := range []struct {
		name    string
		records []Record
		entries []ZoneOut
		want    ZoneOut
	}{
		{"no record", nil, []ZoneOut{late, early}, ZoneOut{"r1", Evacuating, hour(1), "ann", "outage", true}},
		{"all applied", []Record{with("r3", 1, Applied), with("r4", 2, Settled)}, []ZoneOut{early}, ZoneOut{"r4", Out, hour(1), "ann", "outage", false}},
		{"one not yet", []Record{with("r3", 1, Planned), with("r4", 2, Settled)}, []ZoneOut{early}, ZoneOut{"r4", Evacuating, hour(1), "ann", "outage", false}},
		{"coming back", []Record{with("r3", 1, Applied), with("r4", 2, Restoring)}, []ZoneOut{early}, ZoneOut{"r4", Recovering, hour(1), "ann", "outage", false}},
		{"no entry", []Record{with("r3", 1, Applied)}, nil, ZoneOut{"r3", Out, hour(3), "import", "imported without an entry of its own", false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := rebuild(c.records, c.entries); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

package ledger_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"pgregory.net/rapid"

	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

func noContext() context.Context { return context.Background() }

func at(hour int) time.Time { return time.Date(2026, 11, 30, hour, 0, 0, 0, time.UTC) }

// drawFile draws an export with the zone out, a few records and a run, small
// enough that two files meet in all ways.
func drawFile(t *rapid.T, label string) string {
	var items []map[string]any
	add := func(pk, sk string, v any) {
		item := map[string]any{}
		b, err := json.Marshal(v)
		if err == nil {
			err = json.Unmarshal(b, &item)
		}
		if err != nil {
			t.Fatal(err)
		}
		item["pk"], item["sk"] = pk, sk
		items = append(items, item)
	}
	if rapid.Bool().Draw(t, label+" has an entry") {
		out := ledger.ZoneOut{
			Run: draw(t, label, "r1", "r2"), Phase: draw(t, label, ledger.Out, ledger.Recovering), Override: rapid.Bool().Draw(t, label),
			Since: at(rapid.IntRange(0, 2).Draw(t, label)), Actor: draw(t, label, "ann", "bob"), Reason: draw(t, label, "x", "y"),
		}
		add("region#111122223333#us-east-1", "out", map[string]any{"zones": ledger.ZonesOut{zone: out}})
	}
	add("run#r1", "header", ledger.Run{ID: "r1", EndedAt: at(rapid.IntRange(0, 1).Draw(t, label)), Cause: draw(t, label, "x", "y")})
	add("run#r1", "event#1", ledger.Event{Run: "r1", Text: draw(t, label, "x", "y")})
	// Every file has the first record, so that each knows the zone.
	for i := range rapid.IntRange(1, 2).Draw(t, label+" records") {
		add(zone, fmt.Sprint("arn:", i), drawRecord(t, label))
	}
	var file strings.Builder
	fmt.Fprintf(&file, `{"format":"sidestep-ledger","schema":1,"ledger":"region#111122223333#us-east-1","items":%d}`+"\n", len(items))
	for _, item := range items {
		b, err := json.Marshal(item)
		if err != nil {
			t.Fatal(err)
		}
		file.Write(append(b, '\n'))
	}
	return file.String()
}

func drawRecord(t *rapid.T, label string) ledger.Record {
	r := ledger.Record{
		Kind: resource.AutoScalingGroup, Name: "web",
		State: draw(t, label, ledger.Planned, ledger.Started, ledger.Applied, ledger.Settled, ledger.Restoring),
		Run:   draw(t, label, "r1", "r2"), Fence: rapid.Int64Range(1, 3).Draw(t, label), Sequence: rapid.Int64Range(1, 3).Draw(t, label),
		CreatedAt: at(rapid.IntRange(0, 2).Draw(t, label)), UpdatedAt: at(rapid.IntRange(3, 5).Draw(t, label)),
	}
	for _, field := range []string{"subnets", "process/P"} {
		if rapid.Bool().Draw(t, label+" has "+field) {
			r.Edits = append(r.Edits, resource.Edit{Field: field, From: []string{draw(t, label, "a", "b")}, To: []string{draw(t, label, "c", "d")}})
		}
	}
	r.RemovedSubnets = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID).Draw(t, label)
	return r
}

func draw[T any](t *rapid.T, label string, from ...T) T {
	return rapid.SampledFrom(from).Draw(t, label)
}

// content is all that a ledger holds but for who holds the lock and which import
// wrote what.
func content(t fataler, b *table) string {
	items, err := b.store.Scan(noContext())
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, item := range items {
		if item.SK() == "lock" {
			continue
		}
		if merged, ok := item["merged"].(map[string]any); ok {
			merged = maps.Clone(merged) // the store shares it
			delete(merged, "by")
			item["merged"] = merged
			delete(item, "fence")
			delete(item, "sequence")
		}
		line, err := json.Marshal(item)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(append(line, '\n'))
	}
	return all.String()
}

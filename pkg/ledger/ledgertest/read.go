package ledgertest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sidestep/pkg/ledger"
)

var readTests = []test{
	{"values survive", values},
	{"what is read is the reader's own", readersOwn},
	{"query by prefix, in order", queryPrefix},
	{"query and scan page to the end", pages},
	{"query by kind", queryKind},
	{"empty", emptyStore},
}

// stored are the values an item can hold. A number is a float64, as in JSON.
var stored = map[string]any{
	"string":       "web-asg",
	"unicode":      "Zürich ☂ 東京",
	"empty string": "",
	"zero":         0.0,
	"integer":      42.0,
	"negative":     -7.0,
	"large":        9007199254740991.0,
	"larger":       1e21,
	"fraction":     1234567.891,
	"small":        1e-7,
	"true":         true,
	"false":        false,
	"null":         nil,
	"strings":      []any{"subnet-c", "subnet-a", "subnet-b", "subnet-a"},
	"empty list":   []any{},
	"mixed list":   []any{"a", 1.0, true, nil, []any{}, map[string]any{}},
	"empty map":    map[string]any{},
	"nested": map[string]any{
		"use1-az1": map[string]any{"phase": "out", "override": false, "count": 3.0, "list": []any{"z", "a"}},
		"use1-az2": map[string]any{"reason": "", "deep": map[string]any{"er": []any{map[string]any{"still": "here"}}}},
	},
	// DynamoDB has words of its own for these.
	"name": "n", "state": "s", "status": "t", "zone": "z", "values": "v", "a.b": "dot", "c-d": "dash", "#e": "hash", ":f": "colon",
}

func values(t *testing.T, s ledger.Store) {
	must(t, s.Write(t.Context(), ledger.Op{Put: item("p", "s", stored)}))
	must(t, s.Write(t.Context(), ledger.Op{Put: item("q", "1", stored)}, ledger.Op{Put: item("q", "2", nil)}))
	fromGet, err := s.Get(t.Context(), "p", "s")
	must(t, err)
	fromQuery, err := s.Query(t.Context(), "q", "1")
	must(t, err)
	if len(fromQuery) != 1 {
		t.Fatalf("query returned %d items, want 1", len(fromQuery))
	}
	for name, want := range stored {
		for how, got := range map[string]ledger.Item{"get": fromGet, "query": fromQuery[0]} {
			if !reflect.DeepEqual(got[name], want) {
				t.Errorf("%s: %s came back as %#v, want %#v", how, name, got[name], want)
			}
		}
	}
}

func readersOwn(t *testing.T, s ledger.Store) {
	written := item("p", "s", map[string]any{"a": "1"})
	must(t, s.Write(t.Context(), ledger.Op{Put: written}))
	written["a"] = "changed by the writer later"
	got, err := s.Get(t.Context(), "p", "s")
	must(t, err)
	got["a"] = "changed by a reader"
	wantItem(t, s, item("p", "s", map[string]any{"a": "1"}))
}

func queryPrefix(t *testing.T, s ledger.Store) {
	putAll(t, s, []ledger.Item{
		item("p", "event#3", nil), item("p", "event#1", nil), item("p", "header", nil), item("p", "event#20", nil),
		item("p", "event", nil), item("p", "Event#1", nil), item("q", "event#1", nil), item("p2", "event#1", nil),
	})
	for prefix, want := range map[string][]string{
		"event#": {"p / event#1", "p / event#20", "p / event#3"},
		"":       {"p / Event#1", "p / event", "p / event#1", "p / event#20", "p / event#3", "p / header"},
		"none":   {},
	} {
		got, err := s.Query(t.Context(), "p", prefix)
		must(t, err)
		if !slices.Equal(keys(got), want) {
			t.Errorf("query of %q returned %q, want %q", prefix, keys(got), want)
		}
	}
}

// pages writes more than the 1 MB that DynamoDB returns in one answer.
func pages(t *testing.T, s ledger.Store) {
	const count = 300
	text := strings.Repeat("x", 5*1024)
	var items []ledger.Item
	for i := range count {
		record := item("p", fmt.Sprintf("%04d", i), map[string]any{"kind": "k", "state": "planned", "text": text})
		items = append(items, record)
	}
	putAll(t, s, items)

	queried, err := s.Query(t.Context(), "p", "0")
	must(t, err)
	if want := keys(items); !slices.Equal(keys(queried), want) {
		t.Errorf("query returned %d items, want %d in order", len(queried), count)
	}
	scanned, err := s.Scan(t.Context())
	must(t, err)
	if got := slices.Sorted(slices.Values(keys(scanned))); !slices.Equal(got, keys(items)) {
		t.Errorf("scan returned %d items, want %d", len(scanned), count)
	}
	eventually(t, func(ctx context.Context) error { return wantKind(ctx, s, "k", "", keys(items)) })
}

func queryKind(t *testing.T, s ledger.Store) {
	record := map[string]any{"kind": "group", "state": "planned", "name": "n"}
	putAll(t, s, []ledger.Item{
		item("use1-az1", "arn:1", record), item("use1-az1", "arn:2", record), item("use1-az2", "arn:1", record),
		item("use1-az1", "arn:3", map[string]any{"kind": "function", "state": "planned"}),
		// None of these is a record, whatever its attributes are called.
		item("run#1", "event#1", map[string]any{"resourceKind": "group", "state": "planned"}),
		item("run#1", "event#2", record),
		item("use1-az1", "note", map[string]any{"kind": "group"}),
	})
	for _, c := range []struct {
		kind, zone string
		want       []string
	}{
		{"group", "", []string{"use1-az1 / arn:1", "use1-az1 / arn:2", "use1-az2 / arn:1"}},
		{"group", "use1-az1", []string{"use1-az1 / arn:1", "use1-az1 / arn:2"}},
		{"group", "use1-az3", nil},
		{"function", "", []string{"use1-az1 / arn:3"}},
		{"service", "", nil},
	} {
		eventually(t, func(ctx context.Context) error { return wantKind(ctx, s, c.kind, c.zone, c.want) })
	}
	// The index gives whole items.
	items, err := s.QueryKind(t.Context(), "group", "use1-az2")
	must(t, err)
	if len(items) != 1 || !reflect.DeepEqual(items[0], item("use1-az2", "arn:1", record)) {
		t.Errorf("query by kind returned %v, want the whole record", items)
	}
}

func wantKind(ctx context.Context, s ledger.Store, kind, zone string, want []string) error {
	items, err := s.QueryKind(ctx, kind, zone)
	if err != nil {
		return err
	}
	if got := slices.Sorted(slices.Values(keys(items))); !slices.Equal(got, want) {
		return fmt.Errorf("records of kind %s in zone %q are %q, want %q", kind, zone, got, want)
	}
	return nil
}

func emptyStore(t *testing.T, s ledger.Store) {
	for name, read := range map[string]func() ([]ledger.Item, error){
		"query":         func() ([]ledger.Item, error) { return s.Query(t.Context(), "p", "") },
		"query by kind": func() ([]ledger.Item, error) { return s.QueryKind(t.Context(), "group", "") },
		"scan":          func() ([]ledger.Item, error) { return s.Scan(t.Context()) },
	} {
		items, err := read()
		if err != nil || len(items) != 0 {
			t.Errorf("%s of an empty store returned %v, %v", name, items, err)
		}
	}
}

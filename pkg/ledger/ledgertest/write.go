package ledgertest

import (
	"errors"
	"fmt"
	"testing"

	"sidestep/pkg/ledger"
)

var writeTests = []test{
	{"put replaces the whole item", putReplaces},
	{"put if absent", putIfAbsent},
	{"equals", equals},
	{"delete", deletes},
	{"check", checks},
	{"one failed condition stops all ops", allOrNothing},
	{"as many ops as allowed", mostOps},
	{"refused as a whole", refused},
	{"no ops", func(t *testing.T, s ledger.Store) { must(t, s.Write(t.Context())) }},
}

func putReplaces(t *testing.T, s ledger.Store) {
	wantNone(t, s, "p", "s")
	must(t, s.Write(t.Context(), ledger.Op{Put: item("p", "s", map[string]any{"a": "1", "b": "2"})}))
	replaced := item("p", "s", map[string]any{"a": "3"})
	must(t, s.Write(t.Context(), ledger.Op{Put: replaced}))
	wantItem(t, s, replaced)
	wantNone(t, s, "p", "other")
	wantNone(t, s, "other", "s")
}

func putIfAbsent(t *testing.T, s ledger.Store) {
	first := item("p", "s", map[string]any{"a": "first"})
	must(t, s.Write(t.Context(), ledger.Op{Put: first, If: ledger.Condition{Absent: true}}))
	second := item("p", "s", map[string]any{"a": "second"})
	err := s.Write(t.Context(), ledger.Op{Put: second, If: ledger.Condition{Absent: true}})
	wantErr(t, err, ledger.ErrCondition)
	wantItem(t, s, first)
	// The sort key alone makes another item.
	beside := item("p", "s2", nil)
	must(t, s.Write(t.Context(), ledger.Op{Put: beside, If: ledger.Condition{Absent: true}}))
	wantItem(t, s, beside)
}

// equalsCases name attributes by words that DynamoDB reserves; a driver that
// writes names into expressions fails here.
var equalsCases = []struct {
	name  string
	when  map[string]any
	holds bool
}{
	{"string", map[string]any{"name": "web"}, true},
	{"empty string", map[string]any{"comment": ""}, true},
	{"number", map[string]any{"count": 7.0}, true},
	{"fraction", map[string]any{"level": 0.25}, true},
	{"false", map[string]any{"open": false}, true},
	{"list", map[string]any{"values": []any{"b", "a"}}, true},
	{"map", map[string]any{"map": map[string]any{"k": 1.0}}, true},
	{"null", map[string]any{"null": nil}, true},
	{"missing, as null", map[string]any{"zone": nil}, true},
	{"several", map[string]any{"name": "web", "count": 7.0, "open": false}, true},
	{"other string", map[string]any{"name": "Web"}, false},
	{"other number", map[string]any{"count": 8.0}, false},
	{"number as string", map[string]any{"count": "7"}, false},
	{"true", map[string]any{"open": true}, false},
	{"list in another order", map[string]any{"values": []any{"a", "b"}}, false},
	{"missing", map[string]any{"zone": "use1-az1"}, false},
	{"missing, as empty string", map[string]any{"zone": ""}, false},
	{"one of several", map[string]any{"name": "web", "count": 8.0}, false},
}

func equals(t *testing.T, s ledger.Store) {
	stored := item("p", "s", map[string]any{
		"name": "web", "comment": "", "count": 7.0, "level": 0.25, "open": false,
		"values": []any{"b", "a"}, "map": map[string]any{"k": 1.0}, "null": nil,
	})
	for _, c := range equalsCases {
		t.Run(c.name, func(t *testing.T) {
			must(t, s.Write(t.Context(), ledger.Op{Put: stored}))
			err := s.Write(t.Context(), ledger.Op{Put: item("p", "s", nil), If: ledger.Condition{Equals: c.when}})
			if !c.holds {
				wantErr(t, err, ledger.ErrCondition)
				wantItem(t, s, stored)
				return
			}
			must(t, err)
			wantItem(t, s, item("p", "s", nil))
		})
	}
	for _, value := range []any{"x", nil} {
		err := s.Write(t.Context(), ledger.Op{
			Put: item("p", "none", nil), If: ledger.Condition{Equals: map[string]any{"name": value}},
		})
		wantErr(t, err, ledger.ErrCondition)
		wantNone(t, s, "p", "none")
	}
}

func deletes(t *testing.T, s ledger.Store) {
	stored := item("p", "s", map[string]any{"state": "settled"})
	must(t, s.Write(t.Context(), ledger.Op{Put: stored}))

	wrong := ledger.Op{Delete: stored, If: ledger.Condition{Equals: map[string]any{"state": "applied"}}}
	wantErr(t, s.Write(t.Context(), wrong), ledger.ErrCondition)
	wantItem(t, s, stored)

	right := ledger.Op{Delete: stored, If: ledger.Condition{Equals: map[string]any{"state": "settled"}}}
	must(t, s.Write(t.Context(), right))
	wantNone(t, s, "p", "s")

	wantErr(t, s.Write(t.Context(), right), ledger.ErrCondition)
	must(t, s.Write(t.Context(), ledger.Op{Delete: stored})) // nothing to delete, and nobody asked
}

func checks(t *testing.T, s ledger.Store) {
	stored := item("p", "s", map[string]any{"owner": "run-1", "fence": 3.0})
	must(t, s.Write(t.Context(), ledger.Op{Put: stored}))
	mine := ledger.Op{Check: item("p", "s", nil), If: ledger.Condition{Equals: map[string]any{"owner": "run-1", "fence": 3.0}}}
	stale := ledger.Op{Check: item("p", "s", nil), If: ledger.Condition{Equals: map[string]any{"owner": "run-1", "fence": 2.0}}}
	absent := ledger.Op{Check: item("p", "none", nil), If: ledger.Condition{Absent: true}}
	always := ledger.Op{Check: item("p", "always", nil)}

	for i, op := range []ledger.Op{mine, absent, always} {
		must(t, s.Write(t.Context(), op))
		beside := item("p", fmt.Sprintf("beside-%d", i), nil)
		must(t, s.Write(t.Context(), op, ledger.Op{Put: beside}))
		wantItem(t, s, beside)
	}
	wantErr(t, s.Write(t.Context(), stale), ledger.ErrCondition)
	wantErr(t, s.Write(t.Context(), stale, ledger.Op{Put: item("p", "no", nil)}), ledger.ErrCondition)
	wantNone(t, s, "p", "no")
	wantNone(t, s, "p", "none")
	wantNone(t, s, "p", "always")
	wantItem(t, s, stored)
}

func allOrNothing(t *testing.T, s ledger.Store) {
	a, b := item("p", "a", map[string]any{"n": 1.0}), item("p", "b", map[string]any{"n": 1.0})
	putAll(t, s, []ledger.Item{a, b})
	ops := []ledger.Op{
		{Put: item("p", "a", map[string]any{"n": 2.0})},
		{Delete: b, If: ledger.Condition{Equals: map[string]any{"n": 1.0}}},
		{Put: item("q", "new", nil), If: ledger.Condition{Absent: true}},
	}
	unmet := ledger.Op{Check: item("q", "lock", nil), If: ledger.Condition{Equals: map[string]any{"fence": 1.0}}}
	for at := range len(ops) + 1 {
		failing := append(append(append([]ledger.Op{}, ops[:at]...), unmet), ops[at:]...)
		wantErr(t, s.Write(t.Context(), failing...), ledger.ErrCondition)
		wantItem(t, s, a)
		wantItem(t, s, b)
		wantNone(t, s, "q", "new")
	}
	must(t, s.Write(t.Context(), ops...))
	wantItem(t, s, ops[0].Put)
	wantNone(t, s, "p", "b")
	wantItem(t, s, ops[2].Put)
}

func manyOps(n int) []ledger.Op {
	ops := make([]ledger.Op, n)
	for i := range ops {
		ops[i] = ledger.Op{Put: item("many", fmt.Sprintf("%03d", i), nil), If: ledger.Condition{Absent: true}}
	}
	return ops
}

func mostOps(t *testing.T, s ledger.Store) {
	must(t, s.Write(t.Context(), manyOps(ledger.MaxOps)...))
	items, err := s.Query(t.Context(), "many", "")
	must(t, err)
	if len(items) != ledger.MaxOps {
		t.Errorf("%d items stored, want %d", len(items), ledger.MaxOps)
	}
}

// refused writes break the contract. That is the caller's mistake and no failed
// condition, which would read as "another run has taken over".
func refused(t *testing.T, s ledger.Store) {
	twice := []ledger.Op{{Put: item("many", "000", nil)}, {Delete: item("many", "000", nil)}}
	for _, ops := range [][]ledger.Op{manyOps(ledger.MaxOps + 1), twice} {
		err := s.Write(t.Context(), ops...)
		if err == nil || errors.Is(err, ledger.ErrCondition) {
			t.Errorf("%d ops returned %v, want an error that is not ErrCondition", len(ops), err)
		}
	}
	items, err := s.Scan(t.Context())
	must(t, err)
	if len(items) != 0 {
		t.Errorf("%d items stored, want none", len(items))
	}
}

package resource_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sidestep/pkg/resource"
)

// anOrder draws a list of subnets in some order.
func anOrder(t *rapid.T) []string {
	n := rapid.IntRange(0, 8).Draw(t, "subnets")
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("subnet-%d", i)
	}
	return rapid.Permutation(ids).Draw(t, "order")
}

// some draws a part of the list, in any order.
func some(t *rapid.T, list []string, label string) []string {
	var part []string
	for _, id := range list {
		if rapid.Bool().Draw(t, label+" has "+id) {
			part = append(part, id)
		}
	}
	return rapid.Permutation(part).Draw(t, label)
}

// aLiveList draws what others may have made of a list: some of it, in any order,
// and some that was never in it.
func aLiveList(t *rapid.T, order []string) []string {
	return some(t, append(slices.Clone(order), "foreign-1", "foreign-2"), "live")
}

func unique(list []string) bool {
	sorted := slices.Sorted(slices.Values(list))
	return len(slices.Compact(sorted)) == len(list)
}

func TestMergeRestoresWhatWasUndisturbedExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		order := anOrder(t)
		removed := some(t, order, "removed")
		if got := resource.Merge(resource.Without(order, removed), order, removed); !slices.Equal(got, order) {
			t.Fatalf("%v without %v merges to %v", order, removed, got)
		}
	})
}

func TestMergeKeepsWhatIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		order := anOrder(t)
		live, restore := aLiveList(t, order), some(t, order, "restore")
		was := slices.Clone(live)
		got := resource.Merge(live, order, restore)
		if !slices.Equal(live, was) {
			t.Fatalf("merging changed its argument from %v to %v", was, live)
		}
		added := resource.Without(restore, live)
		if kept := resource.Without(got, added); !slices.Equal(kept, live) {
			t.Fatalf("%v of %v is left, in that order: %v", kept, live, got)
		}
		if lost := resource.Without(restore, got); len(lost) > 0 {
			t.Fatalf("%v were to be restored, and are not in %v", lost, got)
		}
		if !unique(got) {
			t.Fatalf("some are twice in %v", got)
		}
	})
}

func TestMergeTwiceIsMergeOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		order := anOrder(t)
		live, restore := aLiveList(t, order), some(t, order, "restore")
		once := resource.Merge(live, order, restore)
		if twice := resource.Merge(once, order, restore); !slices.Equal(twice, once) {
			t.Fatalf("merged once %v, twice %v", once, twice)
		}
	})
}

// TestMergeOfTwoZonesInEitherOrder: two zones that were out come back one after
// the other. Their records agree on the order, whatever others made of the list.
func TestMergeOfTwoZonesInEitherOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		order := anOrder(t)
		a := some(t, order, "a")
		b := some(t, resource.Without(order, a), "b")
		live := resource.Without(aLiveList(t, order), append(slices.Clone(a), b...))
		ab := resource.Merge(resource.Merge(live, order, a), order, b)
		ba := resource.Merge(resource.Merge(live, order, b), order, a)
		if !slices.Equal(ab, ba) {
			t.Fatalf("%v with %v and %v: %v one way, %v the other", live, a, b, ab, ba)
		}
	})
}

// TestMergeOfWhatNobodyOrdered: a subnet met later than the order was recorded.
func TestMergeOfWhatNobodyOrdered(t *testing.T) {
	for name, tt := range map[string]struct{ live, order, restore, want []string }{
		"behind the one before":  {[]string{"a", "x", "c"}, []string{"a", "b", "c"}, []string{"b"}, []string{"a", "b", "x", "c"}},
		"before the one behind":  {[]string{"x", "c"}, []string{"a", "b", "c"}, []string{"b", "a"}, []string{"x", "a", "b", "c"}},
		"nothing left of it":     {[]string{"x"}, []string{"a", "b"}, []string{"b", "a"}, []string{"x", "a", "b"}},
		"in no order, at end":    {[]string{"b", "c"}, []string{"a", "b", "c"}, []string{"z", "a"}, []string{"a", "b", "c", "z"}},
		"without an order":       {[]string{"b"}, nil, []string{"d", "c"}, []string{"b", "d", "c"}},
		"into nothing":           {nil, []string{"b", "a"}, []string{"a", "b"}, []string{"b", "a"}},
		"nothing":                {[]string{"b"}, []string{"b", "a"}, nil, []string{"b"}},
		"somebody's other order": {[]string{"c", "a"}, []string{"a", "b", "c"}, []string{"b"}, []string{"c", "a", "b"}},
	} {
		if got := resource.Merge(tt.live, tt.order, tt.restore); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestWithout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := anOrder(t)
		ids := some(t, append(slices.Clone(list), "none"), "ids")
		was := slices.Clone(list)
		got := resource.Without(list, ids)
		if !slices.Equal(list, was) {
			t.Fatalf("it changed its argument from %v to %v", was, list)
		}
		for _, id := range list {
			if slices.Contains(got, id) == slices.Contains(ids, id) {
				t.Fatalf("%v without %v is %v", list, ids, got)
			}
		}
		if rest := resource.Without(list, got); !slices.Equal(resource.Without(list, rest), got) {
			t.Fatalf("%v without %v is %v, out of order", list, ids, got)
		}
	})
}

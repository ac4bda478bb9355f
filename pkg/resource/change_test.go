package resource_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sidestep/pkg/resource"
)

// aChange draws a change and the resource that it was planned for.
func aChange(t *rapid.T) (resource.Resource, resource.Change) {
	r := resource.Resource{Fields: map[string][]string{}}
	c := resource.Change{}
	for i := range rapid.IntRange(0, 5).Draw(t, "fields") {
		e := resource.Edit{
			Field: fmt.Sprint("field-", i),
			From:  rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), 0, 2).Draw(t, "from"),
			To:    rapid.SliceOfN(rapid.SampledFrom([]string{"c", "d"}), 1, 2).Draw(t, "to"),
		}
		c.Edits = append(c.Edits, e)
		r.Fields[e.Field] = e.From
	}
	return r, c
}

func TestMissingIsWhatWasNotSentYet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, c := aChange(t)
		var want []resource.Edit
		for _, e := range c.Edits {
			if rapid.Bool().Draw(t, e.Field+" was sent") {
				r.Fields[e.Field] = e.To
			} else {
				want = append(want, e)
			}
		}
		got, err := c.Missing(r)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("missing are %v and %v, want %v", got, err, want)
		}
		for _, e := range got {
			r.Fields[e.Field] = e.To
		}
		if got, err = c.Missing(r); len(got) > 0 || err != nil {
			t.Fatalf("once all were sent, %v and %v are missing", got, err)
		}
	})
}

func TestMissingRefusesWhatDrifted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, c := aChange(t)
		if len(c.Edits) == 0 {
			t.Skip("nothing can drift")
		}
		e := rapid.SampledFrom(c.Edits).Draw(t, "drifted")
		r.Fields[e.Field] = rapid.SampledFrom([][]string{
			{"x"}, append([]string{"x"}, e.From...), append(slices.Clone(e.To), "x"), {},
		}).Draw(t, "to")
		if len(r.Fields[e.Field]) == len(e.From) && len(e.From) == 0 {
			t.Skip("that is what it was")
		}
		if got, err := c.Missing(r); !errors.Is(err, resource.ErrDrifted) || got != nil {
			t.Fatalf("missing are %v and %v", got, err)
		}
	})
}

// TestAnotherOrderIsDrift: a list's order is part of it.
func TestAnotherOrderIsDrift(t *testing.T) {
	c := resource.Change{Edits: []resource.Edit{{Field: "subnets", From: []string{"a", "b", "c"}, To: []string{"b", "c"}}}}
	for _, live := range [][]string{{"b", "a", "c"}, {"c", "b"}, nil} {
		if _, err := c.Missing(resource.Resource{Fields: map[string][]string{"subnets": live}}); !errors.Is(err, resource.ErrDrifted) {
			t.Errorf("%v: %v", live, err)
		}
	}
}

// aRecord draws a record and a further change to grow it by.
func aRecord(t *rapid.T) (resource.Recorded, resource.Change) {
	_, first := aChange(t)
	_, second := aChange(t)
	first.Removed = some(t, []string{"s1", "s2", "s3"}, "removed first")
	second.Removed = some(t, []string{"s1", "s2", "s3", "s4"}, "removed then")
	second.Order = some(t, []string{"s1", "s2", "s3", "s4"}, "order")
	rec := resource.Recorded{Receipt: resource.Receipt{"shift": "1"}}
	return rec.Grow(first), second
}

func TestGrowNeverForgets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec, c := aRecord(t)
		was := fmt.Sprintf("%+v", rec)
		grown := rec.Grow(c)
		if now := fmt.Sprintf("%+v", rec); now != was {
			t.Fatalf("growing changed the record from %s to %s", was, now)
		}
		for _, e := range rec.Edits {
			if got, ok := grown.Edit(e.Field); !ok || !slices.Equal(got.From, e.From) {
				t.Fatalf("the original of %s was %v, and is %v", e.Field, e.From, got.From)
			}
		}
		for _, e := range c.Edits {
			if got, ok := grown.Edit(e.Field); !ok || !slices.Equal(got.To, e.To) {
				t.Fatalf("%s was made %v, and the record says %v", e.Field, e.To, got.To)
			}
		}
		if !maps.Equal(grown.Receipt, rec.Receipt) {
			t.Fatalf("the receipt became %v", grown.Receipt)
		}
	})
}

func TestGrowOnlyAddsRemovedSubnets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec, c := aRecord(t)
		grown := rec.Grow(c)
		if !slices.Equal(grown.RemovedSubnets[:len(rec.RemovedSubnets)], rec.RemovedSubnets) {
			t.Fatalf("removed were %v, and are %v", rec.RemovedSubnets, grown.RemovedSubnets)
		}
		if lost := resource.Without(c.Removed, grown.RemovedSubnets); len(lost) > 0 || !unique(grown.RemovedSubnets) {
			t.Fatalf("removed are %v: lost are %v, or some are twice", grown.RemovedSubnets, lost)
		}
	})
}

func TestGrowTwiceIsGrowOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec, c := aRecord(t)
		once := rec.Grow(c)
		if twice := once.Grow(c); !reflect.DeepEqual(twice, once) {
			t.Fatalf("grown once %+v, twice %+v", once, twice)
		}
		if same := once.Grow(resource.Change{}); !reflect.DeepEqual(same, once) {
			t.Fatalf("grown by nothing %+v, want %+v", same, once)
		}
	})
}

func TestGrowKeepsItsOrder(t *testing.T) {
	rec := resource.Recorded{}.Grow(resource.Change{Order: []string{"a", "b"}})
	if rec = rec.Grow(resource.Change{Order: []string{"b"}}); !slices.Equal(rec.Order, []string{"a", "b"}) {
		t.Errorf("order is %v", rec.Order)
	}
}

func TestEditOfNoRecord(t *testing.T) {
	var none *resource.Recorded
	if e, ok := none.Edit("subnets"); ok {
		t.Errorf("no record has the edit %v", e)
	}
	if e, ok := (&resource.Recorded{}).Edit("subnets"); ok {
		t.Errorf("an empty record has the edit %v", e)
	}
}

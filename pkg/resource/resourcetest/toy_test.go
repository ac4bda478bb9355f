package resourcetest

import (
	"context"
	"errors"
	"maps"
	"slices"

	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

// toyKind is a kind as small as the contract allows, so that the suite can be
// shown to find each thing that may be wrong with one. It has subnets and a lock,
// which hold closes first; the rest of it is a note that it does not own.
const toyKind resource.Kind = "toy"

const lockField = "lock"

type toy struct {
	subnets    []string
	lock, note string
	tags       map[string]string
}

// toys is the world of them, and somebody else in it.
type toys struct {
	all      map[string]toy
	subnets  zone.Subnets
	calls    int
	writes   int
	fail     int // how many calls from now
	after    bool
	scripted error
}

func newToys() *toys {
	w := &toys{subnets: zone.Subnets{}, scripted: errors.New("scripted")}
	for _, z := range []string{"1", "2", "3"} {
		for _, s := range []string{"a", "b"} {
			w.subnets[z+s] = zone.Subnet{ID: z + s, Zone: "az" + z, VPC: "vpc"}
		}
	}
	w.all = map[string]toy{
		"alone":     {subnets: []string{"1a"}, lock: "open"},
		"elsewhere": {subnets: []string{"2a", "3a"}, lock: "open"},
		"excluded":  {subnets: []string{"1a", "2a"}, lock: "open", tags: map[string]string{resource.ExcludeTag: "true"}},
		"plain":     {subnets: []string{"3a", "1a", "2a"}, lock: "open", note: "n"},
		"tagged":    {subnets: []string{"2a", "3a"}, lock: "open", tags: map[string]string{"k": "v"}},
		"wide":      {subnets: []string{"2b", "1b", "3a", "1a", "2a"}, lock: "open"},
	}
	return w
}

// call is one call to the API.
func (w *toys) call(write bool, effect func()) error {
	w.calls++
	if write {
		w.writes++
	}
	w.fail--
	if w.fail != 0 || w.after {
		effect()
	}
	if w.fail == 0 {
		return w.scripted
	}
	return nil
}

func (w *toys) Snapshot() map[string]any {
	all := map[string]any{}
	for name, t := range w.all {
		all["arn:"+name] = toy{slices.Clone(t.subnets), t.lock, t.note, maps.Clone(t.tags)}
	}
	return all
}
func (w *toys) Subnets() zone.Subnets    { return maps.Clone(w.subnets) }
func (w *toys) Calls() (int, int)        { return w.calls, w.writes }
func (w *toys) Fail(nth int, after bool) { w.fail, w.after = nth, after }
func (w *toys) SetSubnets(name string, list []string) {
	w.edit(name, func(t *toy) { t.subnets = list })
}
func (w *toys) Disturb(name string)    { w.edit(name, func(t *toy) { t.note += "!" }) }
func (w *toys) Delete(name string)     { delete(w.all, name) }
func (w *toys) DeleteSubnet(id string) { delete(w.subnets, id) }

func (w *toys) edit(name string, f func(*toy)) {
	t := w.all[name]
	f(&t)
	w.all[name] = t
}

func (w *toys) describe(name string) resource.Resource {
	t := w.all[name]
	return resource.Resource{
		ID:     resource.ID{Kind: toyKind, ARN: "arn:" + name, Name: name},
		Fields: map[string][]string{resource.SubnetsField: slices.Clone(t.subnets), lockField: {t.lock}},
	}
}

// Settle: a toy's changes are at once.
func (w *toys) Settle() {}

// faults are the ways in which a toy driver may be broken.
type faults struct {
	firstPage, partOfList, ignoresScope, ignoresExclude bool
	listsBare                                           bool
	readsAll, inventsMissing                            bool
	writesInPlan, mutates, random                       bool
	empties, guesses, removesLess, sorts                bool
	ignoresDrift, sendsAll, hidesFailure, setsNote      bool
	overwrites, refills, forgetsLock, restoresDeleted   bool
	alwaysReached, neverReached, touchesOthers          bool
	readsOne, reorders                                  bool
}

type toyDriver struct {
	w       *toys
	f       faults
	planned *int
}

func (d toyDriver) Kind() resource.Kind { return toyKind }

func (d toyDriver) List(_ context.Context, s resource.Scope) ([]resource.Resource, error) {
	if !s.Has(toyKind) && !d.f.ignoresScope {
		return nil, nil
	}
	var found []resource.Resource
	for page := range slices.Chunk(slices.Sorted(maps.Keys(d.w.all)), 2) {
		if err := d.w.call(false, func() {}); err != nil {
			if d.f.partOfList {
				return found, nil
			}
			return nil, err
		}
		for _, name := range page {
			tags := d.w.all[name].tags
			if s.Match(name, tags) || d.f.ignoresExclude && tags[resource.ExcludeTag] == "true" {
				found = append(found, d.listed(name))
			}
		}
		if d.f.firstPage {
			break
		}
	}
	return found, nil
}

func (d toyDriver) listed(name string) resource.Resource {
	r := d.w.describe(name)
	if d.f.listsBare {
		r.Fields = nil
	}
	return r
}

func (d toyDriver) Read(_ context.Context, ids ...resource.ID) ([]resource.Resource, error) {
	if len(ids) == 0 && !d.f.readsAll {
		return nil, nil
	}
	var found []resource.Resource
	err := d.w.call(false, func() {
		if d.f.readsOne {
			ids = ids[:1]
		}
		for _, id := range ids {
			if _, ok := d.w.all[id.Name]; ok || d.f.inventsMissing {
				found = append(found, d.w.describe(id.Name))
			}
		}
	})
	if d.f.hidesFailure {
		err = nil
	}
	return found, err
}

func (d toyDriver) Apply(_ context.Context, live resource.Resource, c resource.Change) (resource.Receipt, error) {
	missing, err := c.Missing(live)
	if d.f.ignoresDrift {
		err = nil
	}
	if d.f.sendsAll || d.f.ignoresDrift {
		missing = c.Edits
	}
	for _, e := range missing {
		if err == nil {
			err = d.send(c.Name, e)
		}
		if d.f.hidesFailure {
			err = nil
		}
	}
	return nil, err
}

func (d toyDriver) send(name string, e resource.Edit) error {
	if len(e.To) == 0 && !d.f.empties {
		return errors.New("refusing to send an empty list")
	}
	return d.w.call(true, func() {
		d.w.edit(name, func(t *toy) {
			if e.Field == resource.SubnetsField {
				t.subnets = slices.Clone(e.To)
			} else {
				t.lock = e.To[0]
			}
			if d.f.setsNote {
				t.note = "evacuated"
			}
		})
		if d.f.touchesOthers {
			d.w.edit("elsewhere", func(t *toy) { t.note = "seen" })
		}
	})
}

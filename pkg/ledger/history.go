package ledger

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Hand is one run's time with a record: what it wrote last. With the run's fence
// and a sequence every state that a record ever had has a name of its own, in
// whatever table or file it was written.
type Hand struct {
	Run      string `json:"run"`
	Fence    int64  `json:"fence"`
	Sequence int64  `json:"sequence"`
}

func handOf(r Record) Hand { return Hand{r.Run, r.Fence, r.Sequence} }

// holder is a hand without how far it came.
type holder struct {
	run   string
	fence int64
}

// past is a set of states: by holder, all up to a sequence.
type past map[holder]int64

func (p past) add(hands ...Hand) {
	for _, h := range hands {
		p[holder{h.Run, h.Fence}] = max(p[holder{h.Run, h.Fence}], h.Sequence)
	}
}

func (p past) has(r Record) bool { return p[holder{r.Run, r.Fence}] >= r.Sequence }

// hands lists the set, in order.
func (p past) hands() []Hand {
	hands := make([]Hand, 0, len(p))
	for h, sequence := range p {
		hands = append(hands, Hand{h.run, h.fence, sequence})
	}
	slices.SortFunc(hands, func(a, b Hand) int { return cmp.Or(cmp.Compare(a.Fence, b.Fence), cmp.Compare(a.Run, b.Run)) })
	return hands
}

// behind is all that a record's present state was made from, and itself.
func behind(r Record) past {
	p := past{}
	for _, s := range states(r) {
		p.add(s.Past...)
		p.add(handOf(s))
	}
	return p
}

// states are what runs wrote: the record itself or, if it is as an import left it,
// what that import had joined.
func states(r Record) []Record {
	m := r.Merged
	if m == nil || m.By != r.Fence {
		return []Record{r}
	}
	if len(m.States) == 0 {
		r.Fence, r.Sequence, r.Merged = m.Fence, m.Sequence, sinceOnly(m)
		return []Record{r}
	}
	all := slices.Clone(m.States)
	for i := range all {
		all[i].Zone, all[i].ARN = r.Zone, r.ARN
	}
	return all
}

// sinceOnly is what a record keeps of a merge once a run has written it.
func sinceOnly(m *Merged) *Merged {
	if m == nil || len(m.Since) == 0 {
		return nil
	}
	return &Merged{Since: m.Since}
}

// newest leaves out the states that another of them was made from.
func newest(all []Record) []Record {
	slices.SortFunc(all, func(a, b Record) int { return bytes.Compare(canonical(a), canonical(b)) })
	all = slices.CompactFunc(all, func(a, b Record) bool { return bytes.Equal(canonical(a), canonical(b)) })
	return slices.DeleteFunc(slices.Clone(all), func(r Record) bool {
		return slices.ContainsFunc(all, func(later Record) bool {
			return handOf(later) != handOf(r) && behind(later).has(r)
		})
	})
}

// join merges states into one record, whatever their order.
func join(all []Record) Record {
	merged := mergeRecords(all[0], all[0])
	for _, r := range all[1:] {
		merged = mergeRecords(merged, r)
	}
	if len(all) > 1 {
		merged.Merged.States = all
	}
	return merged
}

// closing marks the event that keeps what a deleted record said, so that whoever
// imports an older copy of the record knows that it is closed.
func closing(e Entry) []Event {
	events := slices.Clone(e.Events)
	for i := range events {
		if events[i].Zone == e.Record.Zone && events[i].ARN == e.Record.ARN {
			events[i].Closes = behind(e.Record).hands()
		}
	}
	return events
}

// ZoneBack is the type of the event that says of a zone that it has no open record
// any more and is off the zones-out map.
const ZoneBack = "zone.back"

// endings are what trails know of records that were deleted, and of zones that
// came back.
type endings struct {
	closed map[resourceKey]past
	back   map[string]time.Time // by zone, the last time
}

type resourceKey struct{ zone, arn string }

func (e *endings) add(v Event) {
	if len(v.Closes) > 0 {
		k := resourceKey{v.Zone, v.ARN}
		if e.closed[k] == nil {
			e.closed[k] = past{}
		}
		e.closed[k].add(v.Closes...)
	}
	if v.Type == ZoneBack && v.At.After(e.back[v.Zone]) {
		e.back[v.Zone] = v.At
	}
}

// open leaves out the states of records that were closed.
func (e *endings) open(all []Record) []Record {
	return slices.DeleteFunc(all, func(r Record) bool { return e.closed[resourceKey{r.Zone, r.ARN}].has(r) })
}

// isOver reports whether the zone came back after the time when the entry says
// that it went out.
func (e *endings) isOver(zone string, z ZoneOut) bool { return e.back[zone].After(z.Since) }

// zones lists the zones that the endings concern.
func (e *endings) zones() []string {
	ids := slices.Collect(maps.Keys(e.back))
	for k := range e.closed {
		ids = append(ids, k.zone)
	}
	return ids
}

// endings reads the trails of the ledger and of the file.
func (l *Ledger) endings(ctx context.Context, t *Transfer) (*endings, error) {
	ctx, cancel := l.clock.WithTimeout(ctx, 6*l.deadline)
	defer cancel()
	items, err := l.store.Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the audit trails: %w", err)
	}
	found := newEndings()
	for _, item := range slices.Concat(items, t.events) {
		if !isEvent(item) {
			continue
		}
		var v Event
		if err := decode(item, &v); err != nil {
			return nil, err
		}
		found.add(v)
	}
	return found, nil
}

func newEndings() *endings {
	return &endings{closed: map[resourceKey]past{}, back: map[string]time.Time{}}
}

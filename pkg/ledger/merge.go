package ledger

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"sidestep/pkg/resource"
)

// Merged says where the parts of an imported record come from. The record itself
// carries the fence of the run that imported it, so that the fence only rises;
// a further import must compare what was written by those who acted.
type Merged struct {
	// Version is that of the state the record has.
	Version
	// By is the importing run's fence. A record that has a higher one was written
	// since, and Version and Made say nothing any more.
	By int64 `json:"by"`
	// Since says by part when its original was recorded, where that is not when
	// the record was created.
	Since map[string]time.Time `json:"since,omitempty"`
	// Made says by part which version it is of, where that is not Version.
	Made map[string]Version `json:"made,omitempty"`
	// States are what was merged, where it is more than one: written by runs that
	// knew nothing of each other. A further import may show that one is closed.
	States []Record `json:"states,omitempty"`
}

// Version orders what runs wrote: by fence, and by sequence within one.
type Version struct {
	Fence    int64 `json:"fence"`
	Sequence int64 `json:"sequence"`
}

func (v Version) compare(w Version) int {
	return cmp.Or(cmp.Compare(v.Fence, w.Fence), cmp.Compare(v.Sequence, w.Sequence))
}

// Parts that are no fields. No field is called so.
const (
	orderPart   = "#order"
	receiptPart = "#receipt"
)

// origin is a record taken apart, each part with what decides whether it stays.
// Joining two takes the smaller or the larger of each, so that any number of
// records joined in any order come to the same.
type origin struct {
	head    Record // without what stands below
	version Version
	created time.Time
	fields  []string
	removed []string
	since   map[string]dated[[]string]
	made    map[string]versioned
}

// dated is an original; the older stays.
type dated[T any] struct {
	at    time.Time
	value T
}

// versioned is what was made of it; the later stays.
type versioned struct {
	version Version
	to      []string
	receipt resource.Receipt
}

// mergeRecords joins two records on one resource: the older original stays,
// removed subnets are joined, and the later state counts. A record that was
// never acted on yields to one that was, whatever its age: there is nothing of it
// to undo. The result has the version of its state; write it with stamp.
func mergeRecords(a, b Record) Record {
	switch {
	case a.Sent() && !b.Sent():
		b = a
	case b.Sent() && !a.Sent():
		a = b
	}
	return takeApart(a).join(takeApart(b)).record()
}

// stamp makes a merged record one that the holder of the lock writes, over one of
// that sequence.
func stamp(r Record, lock Lock, sequence int64) Record {
	merged := *r.Merged
	merged.By = lock.Fence
	r.Merged, r.Fence, r.Sequence = &merged, lock.Fence, sequence+1
	return r
}

func takeApart(r Record) origin {
	o := origin{
		version: Version{r.Fence, r.Sequence}, created: r.CreatedAt, removed: r.RemovedSubnets,
		since: map[string]dated[[]string]{}, made: map[string]versioned{},
	}
	merged := Merged{}
	if r.Merged != nil {
		merged = *r.Merged
	}
	if r.Merged != nil && merged.By == r.Fence {
		o.version = merged.Version
	} else {
		merged.Made = nil
	}
	since := func(part string) time.Time {
		if at, ok := merged.Since[part]; ok {
			return at
		}
		return r.CreatedAt
	}
	made := func(part string) Version {
		if v, ok := merged.Made[part]; ok {
			return v
		}
		return o.version
	}
	for _, e := range r.Edits {
		o.fields = append(o.fields, e.Field)
		o.since[e.Field] = dated[[]string]{since(e.Field), e.From}
		o.made[e.Field] = versioned{version: made(e.Field), to: e.To}
	}
	if len(r.Order) > 0 {
		o.since[orderPart] = dated[[]string]{since(orderPart), r.Order}
	}
	if len(r.Receipt) > 0 {
		o.made[receiptPart] = versioned{version: made(receiptPart), receipt: r.Receipt}
	}
	o.head = r
	o.head.Recorded, o.head.Merged = resource.Recorded{}, nil
	o.head.Fence, o.head.Sequence, o.head.CreatedAt = 0, 0, time.Time{}
	return o
}

func (o origin) join(p origin) origin {
	j := origin{
		head: o.head, version: o.version, created: o.created,
		fields: union(o.fields, p.fields), removed: union(o.removed, p.removed),
		since: maps.Clone(o.since), made: maps.Clone(o.made),
	}
	if cmp.Or(o.version.compare(p.version), bytes.Compare(canonical(o.head), canonical(p.head))) < 0 {
		j.head, j.version = p.head, p.version
	}
	if p.created.Before(o.created) {
		j.created = p.created
	}
	for part, theirs := range p.since {
		ours, ok := j.since[part]
		if !ok || cmp.Or(theirs.at.Compare(ours.at), bytes.Compare(canonical(theirs.value), canonical(ours.value))) < 0 {
			j.since[part] = theirs
		}
	}
	for part, theirs := range p.made {
		ours, ok := j.made[part]
		if !ok || cmp.Or(theirs.version.compare(ours.version), bytes.Compare(theirs.bytes(), ours.bytes())) > 0 {
			j.made[part] = theirs
		}
	}
	return j
}

func (v versioned) bytes() []byte { return canonical([]any{v.to, v.receipt}) }

// record puts the parts together again.
func (o origin) record() Record {
	r := o.head
	r.Fence, r.Sequence, r.CreatedAt, r.RemovedSubnets = o.version.Fence, o.version.Sequence, o.created, o.removed
	merged := Merged{Version: o.version, By: o.version.Fence}
	for _, field := range o.fields {
		r.Edits = append(r.Edits, resource.Edit{Field: field, From: o.since[field].value, To: o.made[field].to})
	}
	r.Order, r.Receipt = o.since[orderPart].value, o.made[receiptPart].receipt
	for part, d := range o.since {
		if !d.at.Equal(o.created) {
			if merged.Since == nil {
				merged.Since = map[string]time.Time{}
			}
			merged.Since[part] = d.at
		}
	}
	for part, v := range o.made {
		if v.version != o.version {
			if merged.Made == nil {
				merged.Made = map[string]Version{}
			}
			merged.Made[part] = v.version
		}
	}
	r.Merged = &merged
	return r
}

// union keeps a list that both have, and else sorts what either has: the order
// must not depend on which came first.
func union(a, b []string) []string {
	if slices.Equal(a, b) {
		return a
	}
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// mergeRuns keeps the later of two headers of one run.
func mergeRuns(a, b Run) Run {
	if cmp.Or(a.EndedAt.Compare(b.EndedAt), bytes.Compare(canonical(a), canonical(b))) < 0 {
		return b
	}
	return a
}

// rebuild makes a zone's entry in the zones-out map from its records and from the
// entries that are known: out since the earliest, and by whom; as far as the
// latest record says.
func rebuild(records []Record, entries []ZoneOut) ZoneOut {
	z := ZoneOut{Actor: "import", Reason: "imported without an entry of its own"}
	for i, e := range entries {
		older := cmp.Or(e.Since.Compare(z.Since), bytes.Compare(canonical([]any{e.Actor, e.Reason, e.Run, e.Phase}),
			canonical([]any{z.Actor, z.Reason, z.Run, z.Phase}))) < 0
		override := z.Override || e.Override
		if i == 0 || older {
			z = e
		}
		z.Override = override
	}
	if len(records) == 0 {
		return z
	}
	latest := slices.MaxFunc(records, func(a, b Record) int {
		return cmp.Or(cmp.Compare(takeApart(a).version.Fence, takeApart(b).version.Fence),
			a.UpdatedAt.Compare(b.UpdatedAt), cmp.Compare(a.ARN, b.ARN))
	})
	if len(entries) == 0 {
		z.Since = slices.MinFunc(records, func(a, b Record) int { return a.CreatedAt.Compare(b.CreatedAt) }).CreatedAt
	}
	z.Run, z.Phase = latest.Run, phase(records, latest)
	return z
}

// phase is how far a zone's records say that its evacuation has come.
func phase(records []Record, latest Record) Phase {
	if latest.State == Restoring {
		return Recovering
	}
	if slices.ContainsFunc(records, func(r Record) bool { return r.State == Planned || r.State == Started }) {
		return Evacuating
	}
	return Out
}

// canonical is a value's one form in bytes.
func canonical(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("ledger: encoding %T: %v", v, err)) // our own plain types always encode
	}
	return b
}

package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// importBatch is how many items one import transaction writes. A transaction may
// hold 100 items and 4 MB.
const importBatch = 25

// OtherZoneError refuses an import into a ledger in which a zone is out that the
// file knows nothing of.
type OtherZoneError struct{ Zone string }

func (e *OtherZoneError) Error() string {
	return "zone " + e.Zone + " is out, and the file knows nothing of it"
}

// ImportResult counts what an import found and wrote.
type ImportResult struct {
	Zones     []string `json:"zones"`
	Created   int      `json:"recordsCreated"`
	Merged    int      `json:"recordsMerged"`
	Closed    int      `json:"recordsClosed"`
	Unchanged int      `json:"recordsUnchanged"`
	Runs      int      `json:"runs"`
	Events    int      `json:"events"`
}

// Import joins a file into the ledger. What a run made of a record takes its
// place, in whichever of the two it was written, and a record that a run closed
// stays closed. Where two runs wrote of one resource and neither knew of the
// other, the older original stays, removed subnets are joined and the later state
// counts; which zones are out is worked out from that. Importing a file again
// changes nothing, and the order in which several are imported does not matter.
// The lock's fence must be above the file's. It returns an *OtherZoneError, with
// nothing written, if the file has a zone out and another one is.
func (l *Ledger) Import(ctx context.Context, lock Lock, t *Transfer) (ImportResult, error) {
	result := ImportResult{Zones: t.Zones()}
	if t.fence >= lock.Fence {
		return result, fmt.Errorf("importing with fence %d a file with fence %d: %w", lock.Fence, t.fence, ErrStale)
	}
	before, err := l.ZonesOut(ctx)
	if err != nil {
		return result, err
	}
	over, err := l.endings(ctx, t)
	if err != nil {
		return result, err
	}
	i := importing{l: l, lock: lock, file: t, over: over, out: maps.Clone(before), result: &result}
	for _, id := range result.Zones {
		if err := i.zone(ctx, id); err != nil {
			return result, err
		}
	}
	if err := t.alone(i.out); err != nil {
		return result, err
	}
	trails, err := l.importTrails(ctx, t, &result)
	if err != nil {
		return result, err
	}
	return result, i.write(ctx, before, append(trails, i.ops...))
}

// importing is an import being worked out.
type importing struct {
	l      *Ledger
	lock   Lock
	file   *Transfer
	over   *endings
	out    ZonesOut // as it is to be
	ops    []Op     // on records
	result *ImportResult
}

// zone joins the file's records of one zone with the ledger's, and works out the
// zone's entry.
func (i *importing) zone(ctx context.Context, id string) error {
	here, err := i.l.Records(ctx, id)
	if err != nil {
		return err
	}
	old, all := map[string]Record{}, map[string][]Record{}
	for _, r := range here {
		old[r.ARN] = r
		all[r.ARN] = states(r)
	}
	for _, r := range i.file.records {
		if r.Zone == id {
			all[r.ARN] = append(all[r.ARN], states(r)...)
		}
	}
	var left []Record
	changes := len(i.ops)
	for _, arn := range slices.Sorted(maps.Keys(all)) {
		known, isKnown := old[arn]
		if r, open := i.record(known, isKnown, all[arn]); open {
			left = append(left, r)
		}
	}
	i.entry(id, left, len(i.ops) > changes)
	return nil
}

// record works out what becomes of one record, given all its states, and reports
// whether there is one.
func (i *importing) record(old Record, known bool, all []Record) (Record, bool) {
	all = i.over.open(newest(all))
	switch {
	case len(all) == 0 && known:
		i.result.Closed++
		i.ops = append(i.ops, Op{Delete: ItemOf(old), If: held(old)})
		return old, false
	case len(all) == 0:
		i.result.Unchanged++
		return old, false
	}
	r := join(all)
	switch {
	case !known:
		i.result.Created++
		r = stamp(r, i.lock, 0)
		i.ops = append(i.ops, Op{Put: ItemOf(r), If: Condition{Absent: true}})
	case bytes.Equal(canonical(join(newest(states(old)))), canonical(r)):
		i.result.Unchanged++
		return old, true
	default:
		i.result.Merged++
		r = stamp(r, i.lock, old.Sequence)
		i.ops = append(i.ops, Op{Put: ItemOf(r), If: held(old)})
	}
	return r, true
}

// entry brings the zone's entry up to what its records, the ledger and the file
// say.
func (i *importing) entry(id string, records []Record, changed bool) {
	ours := i.entryOf(i.out, id, records)
	theirs := i.entryOf(i.file.out, id, records)
	entries := slices.Concat(ours, theirs)
	switch {
	case len(entries)+len(records) == 0:
		delete(i.out, id)
	case len(ours) == 1 && !changed && bytes.Equal(canonical(entries[len(entries)-1]), canonical(ours[0])):
		// nothing adds to it
	default:
		i.out[id] = rebuild(records, entries)
	}
}

// entryOf is the zone's entry in a map, if there is one. Without a record, one that
// a trail shows to be over is none.
func (i *importing) entryOf(out ZonesOut, id string, records []Record) []ZoneOut {
	z, isOut := out[id]
	if !isOut || len(records) == 0 && i.over.isOver(id, z) {
		return nil
	}
	return []ZoneOut{z}
}

// write writes an import that was worked out. A zone is on the map before its
// records are there and as long as they are: the guard must know of it however far
// this comes.
func (i *importing) write(ctx context.Context, before ZonesOut, ops []Op) error {
	wide := maps.Clone(before)
	maps.Copy(wide, i.out)
	if !bytes.Equal(canonical(before), canonical(wide)) {
		if err := i.l.SetZonesOut(ctx, i.lock, wide); err != nil {
			return err
		}
	}
	for chunk := range slices.Chunk(ops, importBatch) {
		if err := i.l.write(ctx, append([]Op{i.l.fenced(i.lock)}, chunk...)...); err != nil {
			return fmt.Errorf("writing imported items: %w", stale(err))
		}
	}
	if bytes.Equal(canonical(wide), canonical(i.out)) {
		return nil
	}
	return i.l.SetZonesOut(ctx, i.lock, i.out)
}

// importTrails returns the writes for runs and events that are not there, or not
// so.
func (l *Ledger) importTrails(ctx context.Context, t *Transfer, result *ImportResult) ([]Op, error) {
	runs, err := l.importRuns(ctx, t)
	if err != nil {
		return nil, err
	}
	events, err := l.importEvents(ctx, t)
	result.Runs, result.Events = len(runs), len(events)
	return append(runs, events...), err
}

func (l *Ledger) importRuns(ctx context.Context, t *Transfer) ([]Op, error) {
	var ops []Op
	for _, r := range t.runs {
		old, err := l.Run(ctx, r.ID)
		switch {
		case err == nil:
			r = mergeRuns(old, r)
		case !errors.Is(err, ErrNoRun):
			return nil, err
		}
		if err != nil || !bytes.Equal(canonical(r), canonical(old)) {
			ops = append(ops, Op{Put: encode(runPrefix+r.ID, headerKey, r)})
		}
	}
	return ops, nil
}

func (l *Ledger) importEvents(ctx context.Context, t *Transfer) ([]Op, error) {
	var ops []Op
	known := map[string]map[string]Item{} // by partition and sort key
	for _, e := range t.events {
		if known[e.PK()] == nil {
			here, err := l.query(ctx, e.PK(), eventPrefix)
			if err != nil {
				return nil, fmt.Errorf("reading the audit trail of %s: %w", e.PK(), err)
			}
			known[e.PK()] = map[string]Item{}
			for _, i := range here {
				known[e.PK()][i.SK()] = i
			}
		}
		// An event is never changed: should two differ, the order of their bytes
		// decides, so that it does not depend on which came first.
		old, isKnown := known[e.PK()][e.SK()]
		if !isKnown || bytes.Compare(canonical(e), canonical(old)) > 0 {
			ops = append(ops, Op{Put: e})
		}
	}
	return ops, nil
}

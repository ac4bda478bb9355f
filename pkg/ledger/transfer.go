package ledger

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// exportFormat is the first word of an export, which tells it from other files.
const exportFormat = "sidestep-ledger"

// exportHeader is the first line of an export.
type exportHeader struct {
	Format string `json:"format"`
	Schema int    `json:"schema"`
	Ledger string `json:"ledger"` // account and region
	Items  int    `json:"items"`  // how many lines follow: a file that was cut off is noticed
}

// Export writes the ledger as lines of JSON: a header, then an item a line in the
// order of their keys. The run lock and the schema are left out, being about the
// table and not about what was changed. It takes no lock: what a run writes
// meanwhile may be in the file or not.
func (l *Ledger) Export(ctx context.Context, w io.Writer) error {
	ctx, cancel := l.clock.WithTimeout(ctx, 6*l.deadline)
	defer cancel()
	items, err := l.store.Scan(ctx)
	if err != nil {
		return fmt.Errorf("reading the ledger: %w", err)
	}
	items = slices.DeleteFunc(items, func(i Item) bool { return !l.exported(i) })
	slices.SortFunc(items, compareItems)
	out := bufio.NewWriter(w)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	err = lines.Encode(exportHeader{exportFormat, SchemaVersion, l.region, len(items)})
	for _, item := range items {
		if err == nil {
			err = lines.Encode(item) // sorts the attributes
		}
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("writing the export: %w", err)
	}
	return nil
}

// exported says which items an export holds: records, runs with their trails, and
// this account's zones out.
func (l *Ledger) exported(i Item) bool {
	if strings.HasPrefix(i.PK(), runPrefix) || IsRecord(i) {
		return true
	}
	return i.PK() == l.region && i.SK() == outKey
}

func compareItems(a, b Item) int {
	return cmp.Or(cmp.Compare(a.PK(), b.PK()), cmp.Compare(a.SK(), b.SK()))
}

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
	Unchanged int      `json:"recordsUnchanged"`
	Runs      int      `json:"runs"`
	Events    int      `json:"events"`
}

// Import joins a file into the ledger. Of two records on one resource the older
// original stays, removed subnets are joined and the later state counts; which
// zones are out is worked out from that. Importing a file again changes nothing,
// and the order in which several are imported does not matter. The lock's fence
// must be above the file's. It returns an *OtherZoneError, with nothing written,
// if a zone is out that is not in the file.
func (l *Ledger) Import(ctx context.Context, lock Lock, t *Transfer) (ImportResult, error) {
	result := ImportResult{Zones: t.Zones()}
	out, err := l.ZonesOut(ctx)
	if err != nil {
		return result, err
	}
	for _, id := range slices.Sorted(maps.Keys(out)) {
		if !slices.Contains(result.Zones, id) {
			return result, &OtherZoneError{id}
		}
	}
	if t.fence >= lock.Fence {
		return result, fmt.Errorf("importing with fence %d a file with fence %d: %w", lock.Fence, t.fence, ErrStale)
	}
	before := canonical(out)
	records, err := l.importRecords(ctx, lock, t, out, &result)
	if err != nil {
		return result, err
	}
	trails, err := l.importTrails(ctx, t, &result)
	if err != nil {
		return result, err
	}
	// The map comes first: from then on the guard knows of the zone, however far
	// the rest comes.
	if !bytes.Equal(before, canonical(out)) {
		if err := l.SetZonesOut(ctx, lock, out); err != nil {
			return result, err
		}
	}
	for chunk := range slices.Chunk(append(trails, records...), importBatch) {
		if err := l.write(ctx, append([]Op{l.fenced(lock)}, chunk...)...); err != nil {
			return result, fmt.Errorf("writing imported items: %w", stale(err))
		}
	}
	return result, nil
}

// importRecords joins the file's records with the ledger's, and rebuilds in out
// the entries of their zones.
func (l *Ledger) importRecords(ctx context.Context, lock Lock, t *Transfer, out ZonesOut, result *ImportResult) ([]Op, error) {
	var ops []Op
	for _, id := range result.Zones {
		here, err := l.Records(ctx, id)
		if err != nil {
			return nil, err
		}
		known := map[string]Record{}
		for _, r := range here {
			known[r.ARN] = r
		}
		before := len(ops)
		for _, r := range t.records {
			if r.Zone != id {
				continue
			}
			old, isKnown := known[r.ARN]
			merged, op := joinRecord(lock, old, isKnown, r)
			known[r.ARN] = merged
			result.count(isKnown, op)
			ops = append(ops, op...)
		}
		out.join(id, t.out, slices.Collect(maps.Values(known)), len(ops) > before)
	}
	return ops, nil
}

// joinRecord joins a record into the ledger's, if there is one, and returns what
// to write, which is nothing where it adds nothing.
func joinRecord(lock Lock, old Record, known bool, r Record) (Record, []Op) {
	if !known {
		r = stamp(mergeRecords(r, r), lock, 0)
		return r, []Op{{Put: ItemOf(r), If: Condition{Absent: true}}}
	}
	merged := mergeRecords(old, r)
	if same(old, merged) {
		return old, nil
	}
	merged = stamp(merged, lock, old.Sequence)
	return merged, []Op{{Put: ItemOf(merged), If: held(old)}}
}

func (r *ImportResult) count(known bool, ops []Op) {
	switch {
	case !known:
		r.Created++
	case len(ops) > 0:
		r.Merged++
	default:
		r.Unchanged++
	}
}

// join brings the zone's entry up to what its records and the file say.
func (out ZonesOut) join(id string, file ZonesOut, records []Record, changed bool) {
	var entries []ZoneOut
	ours, isOurs := out[id]
	if isOurs {
		entries = append(entries, ours)
	}
	theirs, isTheirs := file[id]
	if isTheirs {
		entries = append(entries, theirs)
	}
	if isOurs && !changed && (!isTheirs || bytes.Equal(canonical(ours), canonical(theirs))) {
		return
	}
	out[id] = rebuild(records, entries)
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

package ledger

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sidestep/pkg/resource"
)

// maxLine bounds a line of an export. DynamoDB's own limit for an item is 400 KB.
const maxLine = 1 << 20

// ErrFile says that a file cannot be imported as it is.
var ErrFile = errors.New("the file cannot be imported")

// Transfer is an export that was read, and every line of it understood.
type Transfer struct {
	records []Record
	runs    []Run
	events  []Item
	out     ZonesOut
	over    *endings
	fence   int64
}

func newTransfer() *Transfer { return &Transfer{out: ZonesOut{}, over: newEndings()} }

// Zones lists the IDs of the zones that the file says are out, or came back.
func (t *Transfer) Zones() []string {
	ids := slices.Concat(t.zonesOut(), t.over.zones())
	slices.Sort(ids)
	return slices.Compact(ids)
}

// zonesOut lists the IDs of the zones that the file says are out.
func (t *Transfer) zonesOut() []string {
	ids := slices.Collect(maps.Keys(t.out))
	for _, r := range t.records {
		ids = append(ids, r.Zone)
	}
	return ids
}

// alone returns an *OtherZoneError if the file has a zone out and one of out is
// none of the file's.
func (t *Transfer) alone(out ZonesOut) error {
	theirs := t.zonesOut()
	for _, id := range slices.Sorted(maps.Keys(out)) {
		if len(theirs) > 0 && !slices.Contains(theirs, id) {
			return &OtherZoneError{id}
		}
	}
	return nil
}

// Fence is the highest fence in the file. Who imports it needs a higher one, or a
// later import would take the file's states for newer than what runs since wrote.
func (t *Transfer) Fence() int64 { return t.fence }

// ReadTransfer reads an export of this ledger and touches nothing. It returns
// ErrFile, with the line, for what it does not understand to the last attribute,
// and ErrSchema for a file of another version.
func (l *Ledger) ReadTransfer(r io.Reader) (*Transfer, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	t := newTransfer()
	header, seen, n := exportHeader{}, map[string]bool{}, 0
	for lines.Scan() {
		n++
		var err error
		if n == 1 {
			header, err = l.readHeader(lines.Bytes())
		} else {
			err = l.readLine(t, lines.Bytes(), seen)
		}
		if errors.Is(err, ErrSchema) {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrFile, n, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("%w: line %d: it is longer than %d bytes", ErrFile, n+1, maxLine)
	case err != nil:
		return nil, fmt.Errorf("%w: line %d: %w", ErrFile, n+1, err)
	case n == 0:
		return nil, fmt.Errorf("%w: line 1: it is empty", ErrFile)
	case n-1 != header.Items:
		return nil, fmt.Errorf("%w: line %d: it ends after %d of %d items", ErrFile, n, n-1, header.Items)
	}
	return t, nil
}

// TransferOf makes a transfer of all the items of another ledger of this account
// and region, such as a journal. It returns ErrFile for an item that it does not
// understand to the last attribute.
func (l *Ledger) TransferOf(items []Item) (*Transfer, error) {
	t := newTransfer()
	for _, item := range items {
		if item.PK() == l.region && item.SK() == lockKey {
			var lock Lock
			if err := decode(item, &lock); err != nil {
				return nil, fmt.Errorf("%w: %w", ErrFile, err)
			}
			t.fence = max(t.fence, lock.Fence)
		}
		if !l.exported(item) {
			continue
		}
		if err := l.add(t, item); err != nil {
			return nil, fmt.Errorf("%w: item %s / %s: %w", ErrFile, item.PK(), item.SK(), err)
		}
	}
	return t, nil
}

func (l *Ledger) readHeader(line []byte) (exportHeader, error) {
	// Version first: what else a header holds is that version's business.
	var version struct {
		Format string `json:"format"`
		Schema int    `json:"schema"`
	}
	var h exportHeader
	if err := json.Unmarshal(line, &version); err != nil || version.Format != exportFormat {
		return h, errors.New("it is no export of a ledger")
	}
	if version.Schema != SchemaVersion {
		return h, fmt.Errorf("%w: the file has version %d, and this binary reads version %d", ErrSchema, version.Schema, SchemaVersion)
	}
	if err := strict(line, &h); err != nil {
		return h, err
	}
	if h.Ledger != l.region {
		return h, fmt.Errorf("it is of ledger %s, and this is %s", h.Ledger, l.region)
	}
	return h, nil
}

func (l *Ledger) readLine(t *Transfer, line []byte, seen map[string]bool) error {
	var item Item
	if err := strict(line, &item); err != nil {
		return err
	}
	key := item.PK() + "\x00" + item.SK()
	if seen[key] {
		return fmt.Errorf("item %s / %s is there twice", item.PK(), item.SK())
	}
	seen[key] = true
	return l.add(t, item)
}

// add sorts an item by what it is.
func (l *Ledger) add(t *Transfer, item Item) error {
	attributes := maps.Clone(item)
	delete(attributes, "pk")
	delete(attributes, "sk")
	run, isRun := strings.CutPrefix(item.PK(), runPrefix)
	switch {
	case isRun && item.SK() == headerKey:
		return t.addRun(run, attributes)
	case isRun && strings.HasPrefix(item.SK(), eventPrefix):
		return t.addEvent(run, item, attributes)
	case item.PK() == l.region && item.SK() == outKey:
		return t.addOut(attributes)
	case IsRecord(item):
		return t.addRecord(item, attributes)
	}
	return fmt.Errorf("item %s / %s is nothing that an export holds", item.PK(), item.SK())
}

func (t *Transfer) addRun(id string, attributes Item) error {
	var r Run
	if err := strict(canonical(attributes), &r); err != nil {
		return err
	}
	if r.ID != id || id == "" {
		return fmt.Errorf("the header of run %q says that it is run %q", id, r.ID)
	}
	t.runs = append(t.runs, r)
	return nil
}

func (t *Transfer) addEvent(run string, item, attributes Item) error {
	var e Event
	if err := strict(canonical(attributes), &e); err != nil {
		return err
	}
	if e.Run != run || run == "" {
		return fmt.Errorf("an event of run %q says that it is of run %q", run, e.Run)
	}
	t.events = append(t.events, item)
	t.over.add(e)
	return nil
}

func (t *Transfer) addOut(attributes Item) error {
	var z zones
	if err := strict(canonical(attributes), &z); err != nil {
		return err
	}
	for id, out := range z.Zones {
		if id == "" || out.Since.IsZero() {
			return fmt.Errorf("the entry of zone %q has no ID or no time", id)
		}
		t.out[id] = out
	}
	return nil
}

func (t *Transfer) addRecord(item, attributes Item) error {
	r := Record{Zone: item.PK(), ARN: item.SK()}
	if err := strict(canonical(attributes), &r); err != nil {
		return err
	}
	if err := check(r); err != nil {
		return err
	}
	for _, s := range states(r) {
		if err := check(s); err != nil {
			return err
		}
		t.fence = max(t.fence, s.Fence)
	}
	t.fence = max(t.fence, r.Fence)
	t.records = append(t.records, r)
	return nil
}

// check says what a record lacks.
func check(r Record) error {
	states := []State{Planned, Started, Applied, Settled, Restoring}
	noField := func(e resource.Edit) bool { return e.Field == "" || strings.HasPrefix(e.Field, "#") }
	switch {
	case slices.Contains([]string{r.Zone, r.ARN, string(r.Kind)}, ""):
		return errors.New("a record without zone, ARN or kind")
	case strings.Contains(r.Zone, "#"):
		return fmt.Errorf("a record of %q, which is no zone", r.Zone)
	case !slices.Contains(states, r.State):
		return fmt.Errorf("the record of %s has state %q, which there is not", r.Name, r.State)
	case min(r.Fence, r.Sequence) < 1, r.CreatedAt.IsZero():
		return fmt.Errorf("the record of %s has no fence, sequence or time", r.Name)
	case slices.ContainsFunc(r.Edits, noField):
		return fmt.Errorf("the record of %s has an edit of no field", r.Name)
	case slices.Contains(r.RemovedSubnets, ""):
		return fmt.Errorf("the record of %s has removed a subnet without ID", r.Name)
	}
	return nil
}

// strict decodes one JSON value, with no attribute that v does not have and
// nothing after it.
func strict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("reading JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("reading JSON: something follows the object")
	}
	return nil
}

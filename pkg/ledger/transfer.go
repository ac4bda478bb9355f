package ledger

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
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
// this account's zones out. A request to stop is for a run that executes; the trail
// has it too.
func (l *Ledger) exported(i Item) bool {
	if strings.HasPrefix(i.PK(), runPrefix) {
		return i.SK() != stopKey
	}
	if IsRecord(i) {
		return true
	}
	return i.PK() == l.region && i.SK() == outKey
}

func compareItems(a, b Item) int {
	return cmp.Or(cmp.Compare(a.PK(), b.PK()), cmp.Compare(a.SK(), b.SK()))
}

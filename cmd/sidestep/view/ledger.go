package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
	"sidestep/pkg/zone"
)

// Records is the answer of ledger list and ledger show.
type Records struct {
	Records []Record `json:"records"`
}

// Record is a record with its keys.
type Record struct {
	Zone string `json:"zone"`
	ARN  string `json:"arn"`
	ledger.Record
}

// NewRecords makes the document, ordered by zone and name.
func NewRecords(records []ledger.Record) Records {
	d := Records{Records: []Record{}}
	for _, r := range records {
		d.Records = append(d.Records, Record{r.Zone, r.ARN, r})
	}
	slices.SortFunc(d.Records, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Zone, b.Zone), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ARN, b.ARN))
	})
	return d
}

// List is one line a record.
func (d Records) List() string {
	if len(d.Records) == 0 {
		return "NO OPEN RECORDS\n"
	}
	var b strings.Builder
	for i := 0; i < len(d.Records); {
		end := i
		for end < len(d.Records) && d.Records[end].Zone == d.Records[i].Zone {
			end++
		}
		group := d.Records[i:end]
		rows := [][]string{{"STATE", "OUTCOME", "NAME", "SUBNETS OUT", "CALLS", "WRITTEN (UTC)"}}
		for _, r := range group {
			rows = append(rows, []string{
				string(r.State), string(r.Outcome), clip(r.Name, maxName), fmt.Sprint(len(r.RemovedSubnets)),
				fmt.Sprint(r.Attempt), r.UpdatedAt.UTC().Format(time.DateTime),
			})
		}
		fmt.Fprintf(&b, "%s: %s\n%s", group[0].Zone, count(len(group), "open record"), table("  ", rows))
		i = end
	}
	return b.String()
}

// Show is each record in full.
func (d Records) Show() string {
	var b strings.Builder
	for _, r := range d.Records {
		rows := [][]string{
			{"zone", r.Zone}, {"kind", string(r.Kind)}, {"name", Clean(r.Name)}, {"arn", Clean(r.ARN)},
			{"state", string(r.State)}, {"outcome", string(r.Outcome)}, {"reason", Clean(r.Reason)},
			{"policy", string(r.Policy)}, {"calls", fmt.Sprint(r.Attempt)}, {"run", r.Run},
			{"fence", fmt.Sprintf("%d, write %d", r.Fence, r.Sequence)},
			{"created", r.CreatedAt.UTC().Format(time.RFC3339)}, {"written", r.UpdatedAt.UTC().Format(time.RFC3339)},
		}
		b.WriteString("RECORD of " + clip(r.Name, maxName) + "\n" + table("  ", rows))
		if len(r.RemovedSubnets) > 0 {
			b.WriteString(wrap("  ", "removed subnets: "+strings.Join(r.RemovedSubnets, ", ")))
		}
		for _, e := range r.Edits {
			b.WriteString(wrap("  ", editText(e)))
		}
	}
	return b.String()
}

// Runs is the answer of ledger list --runs.
type Runs struct {
	Runs []Run `json:"runs"`
}

// NewRuns makes the document.
func NewRuns(p Place, runs []ledger.Run) Runs {
	d := Runs{Runs: []Run{}}
	for _, r := range runs {
		d.Runs = append(d.Runs, newRun(p, r))
	}
	return d
}

// Text is one line a run.
func (d Runs) Text() string {
	if len(d.Runs) == 0 {
		return "NO RUNS\n"
	}
	rows := [][]string{{"BEGAN (UTC)", "STATUS", "RUN", "REASON"}}
	for _, r := range d.Runs {
		rows = append(rows, []string{r.StartedAt.UTC().Format(time.DateTime), string(r.Status), r.ID, clip(r.Reason, 30)})
	}
	return table("", rows)
}

// Import is what an import did, in text.
func Import(r ledger.ImportResult) string {
	zones := strings.Join(r.Zones, ", ")
	if zones == "" {
		zones = "no zone"
	}
	return fmt.Sprintf("IMPORTED %s: %s new, %d merged, %d unchanged; %s and %s of the audit trail new\n",
		zones, count(r.Created, "record"), r.Merged, r.Unchanged, count(r.Runs, "run"), count(r.Events, "event"))
}

// Repairs lists what records would become.
func Repairs(z zone.Zone, repairs []engine.Repair) string {
	if len(repairs) == 0 {
		return fmt.Sprintf("NOTHING TO REPAIR in %s: every record agrees with the live configuration, or the next run settles it\n", z)
	}
	rows := [][]string{{"NAME", "RECORD SAYS", "BECOMES", "BECAUSE"}}
	for _, r := range repairs {
		rows = append(rows, []string{clip(r.Name, maxName), string(r.State), r.Become, r.Finds})
	}
	return fmt.Sprintf("WOULD REPAIR %s of %s\n", count(len(repairs), "record"), z) + table("  ", rows)
}

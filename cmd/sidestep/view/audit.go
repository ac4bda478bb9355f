package view

import (
	"fmt"
	"strings"
	"time"

	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// Audit is the answer of audit: a run's header and its trail, oldest first.
type Audit struct {
	Run    Run                      `json:"run"`
	Counts map[resource.Outcome]int `json:"counts"`
	Events []ledger.Event           `json:"events"`
}

// NewAudit makes the document.
func NewAudit(p Place, run ledger.Run, events []ledger.Event) Audit {
	counts := run.Counts
	if counts == nil {
		counts = map[resource.Outcome]int{}
	}
	return Audit{newRun(p, run), counts, list(events)}
}

// Text is the trail in text.
func (a Audit) Text() string {
	var b strings.Builder
	r := a.Run
	fmt.Fprintf(&b, "RUN %s: %s\n", r.ID, r.Status)
	rows := [][]string{
		{"direction", string(r.Direction)},
		{"zone", r.Zone.String()},
		{"policy", string(r.Policy)},
		{"actor", Clean(r.Actor)},
		{"reason", Clean(r.Reason)},
		{"began", r.StartedAt.Format(time.RFC3339)},
	}
	if !r.EndedAt.IsZero() {
		rows = append(rows, []string{"ended", r.EndedAt.Format(time.RFC3339) + ", after " + Span(r.EndedAt.Sub(r.StartedAt))})
	}
	if r.Cause != "" {
		rows = append(rows, []string{"cause", Clean(r.Cause)})
	}
	if len(a.Counts) > 0 {
		rows = append(rows, []string{"outcomes", numbers(a.Counts)})
	}
	b.WriteString(table("  ", rows))
	fmt.Fprintf(&b, "\nTRAIL (%s, times in UTC)\n", count(len(a.Events), "event"))
	for _, e := range a.Events {
		b.WriteString(eventText(e))
	}
	return b.String()
}

// eventText is one event: what, about which resource, and what it changed.
func eventText(e ledger.Event) string {
	line := e.At.UTC().Format("15:04:05.000") + "  " + e.Type
	if e.Name != "" {
		line += "  " + clip(e.Name, maxName)
	}
	if e.Outcome != "" {
		line += "  " + string(e.Outcome)
	}
	if e.Duration > 0 {
		line += fmt.Sprintf("  %d ms", e.Duration.Milliseconds())
	}
	text := "  " + line + "\n" + wrap("                ", e.Text)
	for _, edit := range e.Edits {
		text += wrap("                ", editText(edit))
	}
	if len(e.Detail) > 0 {
		text += wrap("                ", numbers(e.Detail))
	}
	return text
}

func editText(e resource.Edit) string {
	return fmt.Sprintf("%s: %s -> %s", e.Field, strings.Join(e.From, ","), strings.Join(e.To, ","))
}

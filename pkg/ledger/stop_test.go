package ledger_test

import (
	"strings"
	"testing"
	"time"

	"sidestep/pkg/ledger"
)

// askStop asks a run to stop.
func (b *table) askStop(run, by string) {
	b.t.Helper()
	at := time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC)
	event := ledger.Event{At: at, Type: "run.stop-asked", Run: run, Text: "asked by " + by}
	if err := b.AskStop(noContext(), run, ledger.Stop{At: at, By: by, Why: "wrong zone"}, event); err != nil {
		b.t.Fatal(err)
	}
}

func TestWhoAskedFirstStopped(t *testing.T) {
	b := newTable(t)
	if _, asked, err := b.StopAsked(noContext(), "run-1"); err != nil || asked {
		t.Errorf("a run that nobody asked to stop is to: %v, %v", asked, err)
	}
	b.askStop("run-1", "ann")
	b.askStop("run-1", "bob")
	s, asked, err := b.StopAsked(noContext(), "run-1")
	if err != nil || !asked || s.By != "ann" {
		t.Errorf("the request is %+v, %v, %v", s, asked, err)
	}
}

// TestExportLeavesRequestsOut: an export tells what was changed. It holds the trail,
// which says who asked, and not the request.
func TestExportLeavesRequestsOut(t *testing.T) {
	b := newTable(t)
	b.askStop("run-1", "ann")
	file := b.export()
	if !strings.Contains(file, "asked by ann") || strings.Contains(file, `"sk":"stop"`) {
		t.Errorf("the export is\n%s", file)
	}
	if _, err := newTable(t).importFile(file); err != nil {
		t.Error(err)
	}
}

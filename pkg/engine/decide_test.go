package engine

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// row is one row of the table in docs/ledger.md.
type row struct {
	direction resource.Direction
	state     ledger.State
	live      live
	action    action
}

func documented(t *testing.T) []row {
	t.Helper()
	f, err := os.Open("../../docs/ledger.md")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []row
	for lines := bufio.NewScanner(f); lines.Scan(); {
		cells := strings.Split(lines.Text(), "|")
		if len(cells) < 6 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if d := resource.Direction(cells[1]); d == resource.Evacuate || d == resource.Recover {
			rows = append(rows, row{d, ledger.State(cells[2]), live(cells[3]), action(cells[4])})
		}
	}
	return rows
}

func TestTableInTheDocsIsWhatHappens(t *testing.T) {
	seen := map[row]bool{}
	for _, r := range documented(t) {
		if got := decide(r.direction, r.state, r.live, 1); got != r.action {
			t.Errorf("%s, %s, %s: %s, the docs say %s", r.direction, r.state, r.live, got, r.action)
		}
		r.action = ""
		seen[r] = true
	}
	states := []ledger.State{ledger.Planned, ledger.Started, ledger.Applied, ledger.Settled, ledger.Restoring}
	for _, d := range []resource.Direction{resource.Evacuate, resource.Recover} {
		for _, s := range states {
			for _, l := range []live{pending, reached, settling, left, missing} {
				if !seen[row{direction: d, state: s, live: l}] {
					t.Errorf("the docs say nothing of %s, %s, %s", d, s, l)
				}
			}
		}
	}
}

func TestChangeUndoneTooOftenIsNotSentAgain(t *testing.T) {
	for _, s := range []ledger.State{ledger.Applied, ledger.Settled} {
		if got := decide(resource.Evacuate, s, pending, maxSends); got != contest {
			t.Errorf("%s, sent %d times: %s", s, maxSends, got)
		}
	}
	if got := decide(resource.Evacuate, ledger.Started, pending, maxSends); got != send {
		t.Errorf("a change that never got through: %s", got)
	}
}

func TestBecome(t *testing.T) {
	cases := []struct {
		state                   ledger.State
		seen, changed, original bool
		want                    string
	}{
		{ledger.Planned, true, false, false, "deleted"},
		{ledger.Started, false, false, false, "deleted"},
		{ledger.Started, true, true, false, "applied"},
		{ledger.Started, true, false, true, "deleted"},
		{ledger.Applied, true, true, false, ""},
		{ledger.Settled, true, false, true, "deleted"},
		{ledger.Settled, true, false, false, ""}, // half undone: evacuate again, or recover
		{ledger.Restoring, true, false, true, "deleted"},
		{ledger.Restoring, true, true, false, ""},
	}
	for _, c := range cases {
		got, _ := become(ledger.Record{State: c.state}, c.seen, c.changed, c.original)
		if got != c.want {
			t.Errorf("%s, seen %v, changed %v, original %v: %q, want %q", c.state, c.seen, c.changed, c.original, got, c.want)
		}
	}
}

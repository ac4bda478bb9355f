package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sidestep/pkg/ledger/journal"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

var errSilent = fmt.Errorf("no answer: %w", context.DeadlineExceeded)

// outside is a world with a ledger, a folder to work in, and one for what the
// machine remembers.
func outside(t *testing.T) *world {
	t.Helper()
	t.Chdir(t.TempDir())
	w := ready(t)
	w.env["XDG_STATE_HOME"] = t.TempDir()
	return w
}

// silence has the table answer nobody from a call on, counted for each command
// line by itself.
func (w *world) silence(from int) {
	fault := region.Fault{Service: region.ServiceLedger, Nth: from, Do: region.Fail(errSilent)}
	w.region.Fault(fault)
	w.region.Fault(region.Fault{Service: region.ServiceLedger, Nth: from, Do: region.Foreign(func(r *region.Region) {
		fault.Nth = 0
		r.Fault(fault)
	})})
}

// say types answers.
func (w *world) say(lines ...string) {
	w.terminal, w.typed = true, strings.Join(lines, "\n")+"\n"
}

// journals lists the journals in the folder.
func journals(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("*.journal")
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// tableCalls is how often the last command line asked the table.
func (w *world) tableCalls() int {
	calls := w.region.Process(fmt.Sprintf("process-%d", w.calls)).Calls()
	return len(slices.DeleteFunc(calls, func(c region.Call) bool { return c.Service != region.ServiceLedger }))
}

var evacuateArgs = []string{"evacuate", "--zone", zone, "--reason", "r"}

// TestFR08RunWithoutTheTable: the table does not answer, a person says yes, the run
// finishes, the journal alone is enough to recover by, and the import makes the
// table say so.
func TestFR08RunWithoutTheTable(t *testing.T) {
	for _, from := range []int{1, 3, 12, 40} { // 40 is while the change is watched
		t.Run(fmt.Sprintf("from call %d", from), func(t *testing.T) {
			w := outside(t)
			before := w.region.Snapshot()
			w.silence(from)
			w.say("yes", zone)
			if from > 5 { // the plan was made by then, and its question comes first
				w.say(zone, "yes")
			}
			file := w.evacuateByJournal()
			w.want(exitDone, "verify", "--zone", zone, "--journal", file)
			back := w.document(exitDone, "recover", "--zone", zone, "--reason", "r", "--yes", "--journal", file)
			if back.Counts[resource.Restored] != 8 || len(back.Notes) == 0 || !strings.Contains(back.Notes[len(back.Notes)-1], "ledger import") {
				t.Errorf("the recovery counts %v and notes %v", back.Counts, back.Notes)
			}
			if !reflect.DeepEqual(before, w.region.Snapshot()) {
				t.Error("the configuration is not as before")
			}
			w.region.ClearFaults()
			w.want(exitDone, "ledger", "import", file)
			if got := w.want(exitDone, "status").stdout; !strings.Contains(got, "NO ZONE IS OUT") {
				t.Errorf("status says\n%s", got)
			}
			if got := w.want(exitDone, "audit", back.Run.ID).stdout; !strings.Contains(got, "run ended done") {
				t.Errorf("the trail is\n%s", got)
			}
		})
	}
}

// evacuateByJournal evacuates although the table does not answer, checks what is
// said, and returns the journal's name.
func (w *world) evacuateByJournal() string {
	w.t.Helper()
	a := w.want(exitPartial, evacuateArgs...)
	for _, part := range []string{"THE LEDGER DOES NOT ANSWER: no answer: context deadline exceeded", "another machine may run", "a second zone may go out", "Type yes"} {
		if strings.Count(a.stderr, part) != 1 {
			w.t.Errorf("stderr does not say %q once:\n%s", part, a.stderr)
		}
	}
	files := journals(w.t)
	if len(files) != 1 || !strings.HasPrefix(files[0], "sidestep-111122223333-us-east-1-20261130T02") {
		w.t.Fatalf("the journals are %v", files)
	}
	lines := strings.Split(strings.TrimSpace(a.stdout), "\n")
	if last := lines[len(lines)-1]; !strings.HasSuffix(last, "/"+files[0]) || !strings.HasPrefix(last, "  sidestep ledger import /") {
		w.t.Errorf("the last line is %s", last)
	}
	if !regexp.MustCompile(`sidestep verify --zone use1-az1 --journal \S*/` + files[0]).MatchString(a.stdout) {
		w.t.Errorf("the next steps do not name the journal:\n%s", a.stdout)
	}
	return files[0]
}

func TestImportedEvacuationIsRecoveredByTheTable(t *testing.T) {
	w := outside(t)
	before := w.region.Snapshot()
	w.want(exitPartial, append(evacuateArgs, "--yes", "--journal", "a")...)
	got := read[importDocument](t, w.want(exitDone, "ledger", "import", "a", "--output", "json"))
	if got.Import.Created != 8 || got.Import.Runs != 1 {
		t.Errorf("the import counts %+v", got.Import)
	}
	w.recover(exitDone)
	if !reflect.DeepEqual(before, w.region.Snapshot()) {
		t.Error("the configuration is not as before")
	}
	text, err := os.ReadFile("a")
	if err != nil {
		t.Fatal(err)
	}
	w.typed = string(text) // once more, from stdin: what was closed stays so
	if got := read[importDocument](t, w.want(exitDone, "ledger", "import", "--output", "json")); got.Import.Unchanged != 8 {
		t.Errorf("the second import counts %+v", got.Import)
	}
	w.want(exitDone, "status")
}

// TestJournalInPlaceOfTheTable: no command that is given one asks the table.
func TestJournalInPlaceOfTheTable(t *testing.T) {
	w := outside(t)
	w.silence(1)
	run := w.document(exitPartial, append(evacuateArgs, "--yes", "--journal", "a")...).Run
	for _, args := range [][]string{
		{"plan", "--zone", zone}, {"status"}, {"verify", "--zone", zone}, {"watch", "--once"}, {"audit", run.ID},
		{"ledger", "list"}, {"ledger", "list", "--runs"}, {"ledger", "show", "api"}, {"ledger", "export"},
		{"ledger", "repair", "--zone", zone, "--yes"}, {"recover", "--all-zones", "--reason", "r", "--yes"},
	} {
		a := w.want(exitDone, append(args, "--journal", "a")...)
		if w.tableCalls() > 0 {
			t.Errorf("%v asked the table", args)
		}
		if args[0] == "status" && !strings.Contains(a.stdout, "1 ZONE OUT") {
			t.Errorf("status says\n%s", a.stdout)
		}
	}
}

func TestJournalsThatCannotBeUsed(t *testing.T) {
	w := outside(t)
	other := strings.ReplaceAll(`{"format":"sidestep-journal","schema":1,"ledger":"region#111122223333#us-east-1"}`+"\n", "1111", "4444")
	for name, text := range map[string]string{"other": other, "text": "hello\n", "newer": strings.Replace(other, `"schema":1`, `"schema":9`, 1)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		exit int
		args []string
	}{
		{exitUsage, []string{"status", "--journal", "none"}},
		{exitUsage, []string{"recover", "--zone", zone, "--reason", "r", "--yes", "--journal", "none"}},
		{exitUsage, append(evacuateArgs, "--yes", "--journal", "")},
		{exitUsage, append(evacuateArgs, "--yes", "--journal", "none/a")},
		{exitUsage, append(evacuateArgs, "--yes", "--journal", "other")},
		{exitUsage, append(evacuateArgs, "--yes", "--journal", "text")},
		{exitRefused, append(evacuateArgs, "--yes", "--journal", "newer")},
		{exitUsage, []string{"status", "--journal", "text"}},
		{exitUsage, []string{"ledger", "init", "--journal", "a"}},
		{exitUsage, []string{"ledger", "import", "text", "--journal", "a"}},
		{exitUsage, []string{"ledger", "import", "other"}},
		{exitUsage, []string{"ledger", "import", "text"}},
	} {
		w.unchanged(func() { w.want(c.exit, c.args...).oneLine(t) })
	}
	if files, err := filepath.Glob("*"); err != nil || len(files) != 3 {
		t.Errorf("the folder holds %v, %v", files, err)
	}
}

func TestMissingTableOffersAJournal(t *testing.T) {
	w := newWorld(t)
	t.Chdir(t.TempDir())
	w.store = noTable{w.store}
	w.say("yes", zone)
	a := w.want(exitRefused, evacuateArgs...)
	if !strings.Contains(a.stderr, "--journal FILE") || len(journals(t)) > 0 {
		t.Errorf("it says\n%s", a.stderr)
	}
}

func TestExplainLostJournal(t *testing.T) {
	lost := fmt.Errorf("recording applied: journal a: %w: no space left on device", journal.ErrLost)
	if got := explain(lost); got.exit != exitRefused || !strings.Contains(got.String(), "make room for the journal") {
		t.Errorf("got %d, %s", got.exit, got)
	}
	got := explain(&runError{lost, "go on with `x`"})
	if want := "ended early: recording applied: journal a: the journal cannot be written any more: no space left on device; make room for the journal, then go on with `x`"; got.exit != exitFailed || got.String() != want {
		t.Errorf("got %d, %s", got.exit, got)
	}
}

// TestWatchedRunIsSeen: a run that has the journal open does not keep others from
// looking at it.
func TestWatchedRunIsSeen(t *testing.T) {
	w := outside(t)
	looked := false
	w.region.Fault(region.Fault{Op: "UpdateAutoScalingGroup", Nth: 3, Do: region.Foreign(func(*region.Region) {
		looked = true
		other := *w
		other.calls = 100
		if a := other.want(exitDone, "status", "--journal", "a"); !strings.Contains(a.stdout, "1 ZONE OUT") {
			t.Errorf("status says\n%s", a.stdout)
		}
		other.want(exitRefused, "recover", "--zone", zone, "--reason", "r", "--yes", "--journal", "a")
	})})
	w.want(exitPartial, append(evacuateArgs, "--yes", "--journal", "a")...)
	if !looked {
		t.Error("nobody looked")
	}
}

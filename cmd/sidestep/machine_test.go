package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/journal"
)

func TestSecondZoneByAnotherJournal(t *testing.T) {
	w := outside(t)
	w.want(exitPartial, append(evacuateArgs, "--yes", "--journal", "a")...)
	second := []string{"evacuate", "--zone", "use1-az2", "--reason", "r", "--yes"}
	for _, args := range [][]string{append(second, "--journal", "b"), second} { // by the table neither
		w.unchanged(func() {
			a := w.want(exitRefused, args...)
			a.oneLine(t)
			if !strings.Contains(a.stderr, "zone use1-az1 is out already, by the journal /") {
				t.Errorf("the refusal says\n%s", a.stderr)
			}
		})
	}
	w.want(exitPartial, append(second, "--journal", "b", "--override-second-zone", zone)...)
	for name, zone := range map[string]string{"a": zone, "b": "use1-az2"} {
		w.want(exitDone, "recover", "--zone", zone, "--reason", "r", "--yes", "--journal", name)
	}
	w.want(exitPartial, append(second, "--journal", "c")...)
	w.want(exitDone, "ledger", "import", "c")
	if out, err := journal.Out(filepath.Join(w.env["XDG_STATE_HOME"], "sidestep"), ledger.Name("111122223333", "us-east-1")); err != nil || len(out) > 0 {
		t.Errorf("after the import the machine still remembers %v, %v", out, err)
	}
}

// TestJournalThatWasDeleted: nobody can say whether its zone came back.
func TestJournalThatWasDeleted(t *testing.T) {
	w := outside(t)
	w.want(exitPartial, append(evacuateArgs, "--yes", "--journal", "a")...)
	if err := os.Remove("a"); err != nil {
		t.Fatal(err)
	}
	w.want(exitRefused, "evacuate", "--zone", "use1-az2", "--reason", "r", "--yes", "--journal", "b")
}

func TestOneRunWithAJournalAtATime(t *testing.T) {
	w := outside(t)
	machine, err := journal.Hold(filepath.Join(w.env["XDG_STATE_HOME"], "sidestep"), ledger.Name("111122223333", "us-east-1"))
	if err != nil {
		t.Fatal(err)
	}
	w.unchanged(func() { w.want(exitRefused, append(evacuateArgs, "--yes", "--journal", "a")...).oneLine(t) })
	w.silence(1)
	w.say("yes")
	w.unchanged(func() {
		if a := w.want(exitRefused, evacuateArgs...); !strings.Contains(a.stderr, "another run with a journal is executing") {
			t.Errorf("it says\n%s", a.stderr)
		}
	})
	_ = machine.Close()
	w.want(exitPartial, append(evacuateArgs, "--yes", "--journal", "a")...)
}

func TestMachineThatCannotRemember(t *testing.T) {
	w := outside(t)
	w.env["XDG_STATE_HOME"] = filepath.Join(w.env["XDG_STATE_HOME"], "file")
	if err := os.WriteFile(w.env["XDG_STATE_HOME"], nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{"a": w.env["XDG_STATE_HOME"], "b": ""} {
		w.env["XDG_STATE_HOME"] = file
		a := w.want(exitPartial, append(evacuateArgs, "--yes", "--journal", name)...)
		if !strings.Contains(a.stderr, "not even this machine's runs are kept apart") {
			t.Errorf("stderr says\n%s", a.stderr)
		}
	}
	if files, err := filepath.Glob("*"); err != nil || len(files) != 2 {
		t.Errorf("the folder holds %v, %v", files, err)
	}
}

// TestTwoJournalsOfOneZone: the second would take what the first has done for how
// it always was.
func TestTwoJournalsOfOneZone(t *testing.T) {
	w := outside(t)
	w.want(exitPartial, append(evacuateArgs, "--yes", "--journal", "a")...)
	if a := w.want(exitRefused, append(evacuateArgs, "--yes", "--journal", "b")...); !strings.Contains(a.stderr, "go on with that one: --journal /") {
		t.Errorf("it says\n%s", a.stderr)
	}
	w.want(exitPartial, append(evacuateArgs, "--yes", "--journal", "a")...)
	w.want(exitPartial, append(evacuateArgs, "--yes", "--journal", "b", "--override-second-zone", zone)...)
}

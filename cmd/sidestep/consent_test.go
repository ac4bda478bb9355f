package main

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"sidestep/pkg/ledger"
)

// TestNobodyToAsk: --yes is no yes to this, and the error names a command that is.
func TestNobodyToAsk(t *testing.T) {
	w := outside(t)
	w.silence(1)
	var a answer
	w.unchanged(func() {
		a = w.want(exitRefused, "evacuate", "--zone", zone, "--reason", "it's bad", "--yes")
		a.oneLine(t)
	})
	command := regexp.MustCompile("`sidestep (evacuate .*) --reason 'it'\\\\''s bad' --yes --journal (\\S+)`").FindStringSubmatch(a.stderr)
	if command == nil || !strings.Contains(a.stderr, "nothing was changed") {
		t.Fatalf("stderr says\n%s", a.stderr)
	}
	w.want(exitPartial, append(strings.Fields(command[1]), "--reason", "it's bad", "--yes", "--journal", command[2])...)
	if w.tableCalls() > 0 {
		t.Error("the table was asked")
	}
	if d := w.document(exitRefused, append(evacuateArgs, "--yes")...); d.Error == nil || d.Error.Exit != exitRefused {
		t.Errorf("the document's error is %+v", d.Error)
	}
}

func TestNobodyToAskInTheMiddle(t *testing.T) {
	w := outside(t)
	w.silence(15)
	a := w.want(exitFailed, append(evacuateArgs, "--yes")...)
	a.oneLine(t)
	for _, part := range []string{"ended early: the ledger does not answer", "no terminal", "go on with `sidestep evacuate", ", once it answers; `sidestep evacuate", "--journal sidestep-"} {
		if !strings.Contains(a.stderr, part) {
			t.Errorf("the error does not say %q:\n%s", part, a.stderr)
		}
	}
	if len(journals(t)) > 0 {
		t.Error("a journal was made")
	}
	w.region.ClearFaults()
	w.recover(exitDone)
}

func TestAnswersThatAreNoYes(t *testing.T) {
	for _, answer := range []string{"", "y", "no", zone} {
		w := outside(t)
		w.silence(1)
		w.say(answer)
		w.unchanged(func() {
			a := w.want(exitRefused, evacuateArgs...)
			a.oneLine(t)
			if len(journals(t)) > 0 || !strings.Contains(a.stderr, "is not yes") {
				t.Errorf("after %q: journals %v and\n%s", answer, journals(t), a.stderr)
			}
		})
	}
}

// TestRecoveryNeedsTheRecords: without them there is nothing to put back, and
// saying so would be wrong.
func TestRecoveryNeedsTheRecords(t *testing.T) {
	w := outside(t)
	before := w.region.Snapshot()
	w.evacuate(exitPartial)
	w.silence(1)
	w.say("yes", zone)
	for _, which := range [][]string{{"--zone", zone}, {"--all-zones"}} {
		a := w.want(exitRefused, append([]string{"recover", "--reason", "r"}, which...)...)
		a.oneLine(t)
		if !strings.Contains(a.stderr, "what is to be put back stands there alone") || len(journals(t)) > 0 {
			t.Errorf("it says\n%s", a.stderr)
		}
	}
	w.region.ClearFaults()
	w.silence(6) // once the plan has read them, it goes on
	w.say(zone, "yes")
	w.want(exitDone, "recover", "--zone", zone, "--reason", "r")
	if !reflect.DeepEqual(before, w.region.Snapshot()) {
		t.Error("the configuration is not as before")
	}
	w.region.ClearFaults()
	if a := w.want(exitDone, "ledger", "import", journals(t)[0]); !strings.Contains(a.stdout, "CLOSED 8 of") {
		t.Errorf("the import says\n%s", a.stdout)
	}
	w.want(exitDone, "status")
}

func TestQuestionLeavesOneDocument(t *testing.T) {
	w := outside(t)
	w.silence(20)
	w.say(zone, "yes")
	d := w.document(exitPartial, evacuateArgs...)
	if d.Run.Status != ledger.Partial || !strings.Contains(strings.Join(d.Notes, " "), "sidestep ledger import") {
		t.Errorf("the run is %s and notes %v", d.Run.Status, d.Notes)
	}
}

package view

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

var place = Place{Account: "111122223333", Region: "us-east-1", Flags: " --profile ops"}

// result is a run over items.
func result(d resource.Direction, s ledger.Status, items ...engine.Item) engine.Result {
	return engine.Result{
		Run:  ledger.Run{ID: "run-1", Direction: d, Policy: resource.Hold, Status: s, Zone: "use1-az1", ZoneName: "us-east-1b", Reason: "it's down"},
		Zone: zone.Zone{ID: "use1-az1", Name: "us-east-1b"}, Items: items, Open: 2,
	}
}

func item(name string, o resource.Outcome, reason string, left int) engine.Item {
	i := engine.Item{ID: resource.ID{Kind: resource.AutoScalingGroup, ARN: "arn:" + name, Name: name}, Outcome: o, Reason: reason}
	if left > 0 {
		i.Left = []resource.Place{{Zone: "us-east-1b", State: "in-service", Count: left}}
	}
	return i
}

func TestResult(t *testing.T) {
	for _, c := range []struct {
		name string
		r    engine.Result
		want string
	}{
		{"evacuated in part", result(resource.Evacuate, ledger.Partial,
			item("web", resource.Settled, "", 3), item("api", resource.AlreadyDone, "", 1), item("far", resource.SkippedNotInZone, "", 0),
			item("bad", resource.FailedAccess, "no permission", 2), item("lone", resource.SkippedSingleZone, "no other zone", 1)), `
PARTLY EVACUATED use1-az1 (us-east-1b) in account 111122223333: 2 of 4 groups closed, 2 still exposed

STILL EXPOSED (2 groups)
  skipped-single-zone  lone  1 instance there, in-service
      no other zone
  failed-access        bad  2 instances there, in-service
      no permission

LEFT ON PURPOSE
  hold: 4 instances in 2 groups keep running there on purpose; they move under --policy drain

Counts of groups: already-done: 1, failed-access: 1, settled: 1, skipped-not-in-zone: 1,
skipped-single-zone: 1

NEXT:
  sidestep verify --zone use1-az1 --profile ops
  sidestep recover --zone use1-az1 --reason TEXT --profile ops
  sidestep audit run-1 --profile ops
`},
		{"sent without waiting", result(resource.Evacuate, ledger.Done, item("web", resource.Applied, "", 0)), `
SENT, NOT YET EVACUATED use1-az1 (us-east-1b) in account 111122223333: 1 of 1 group closed, 0 still exposed

Counts of groups: applied: 1

NEXT:
  sidestep verify --zone use1-az1 --profile ops
  sidestep recover --zone use1-az1 --reason TEXT --profile ops
  sidestep audit run-1 --profile ops
`},
		{"recovery stopped", result(resource.Recover, ledger.Stopped, item("web", resource.Restored, "", 0), item("api", resource.Orphaned, "gone", 0)), `
STOPPED, NOT FULLY RECOVERED use1-az1 (us-east-1b) in account 111122223333: 1 of 2 groups back, 2 records open

NOT BACK (1 group)
  orphaned  api
      gone

Counts of groups: orphaned: 1, restored: 1

NEXT:
  sidestep recover --zone use1-az1 --reason 'it'\''s down' --profile ops
  sidestep audit run-1 --profile ops
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := "\n" + Result(place, c.r); got != c.want {
				t.Errorf("got%swant%s", got, c.want)
			}
		})
	}
}

// TestWhatThePolicyLeavesStandsFirst: in sum, and before what needs a person.
func TestWhatThePolicyLeavesStandsFirst(t *testing.T) {
	var items []engine.Item
	for i := range 30 {
		held := item(fmt.Sprintf("shop/service-%d", i), resource.HeldRedeploys, "leaving would redeploy it", 1)
		held.Kind = resource.ECSService
		items = append(items, held)
	}
	items = append(items, item("bad", resource.FailedAccess, "no permission", 0))
	got := "\n" + stillExposed(result(resource.Evacuate, ledger.Partial, items...))
	want := `

STILL EXPOSED (31 resources)
  held-redeploys  30 services  30 tasks there
      leaving would redeploy it
  failed-access  bad
      no permission
`
	if got != want {
		t.Errorf("got%swant%s", got, want)
	}
}

func TestPlan(t *testing.T) {
	web := item("web", resource.Planned, "", 3)
	web.Before = map[string][]string{"subnets": {"a", "b", "c"}, "process/AZRebalance": {"active"}}
	web.After = map[string][]string{"subnets": {"b", "c"}, "process/AZRebalance": {"suspended"}}
	web.Notes = []string{"only zone use1-az2 remains"}
	got := "\n" + Plan(place, result(resource.Evacuate, Planned, web, item("lone", resource.SkippedSingleZone, "no other zone", 0),
		item("far", resource.SkippedNotInZone, "", 0)), true)
	want := `
PLAN to evacuate use1-az1 (us-east-1b) in account 111122223333, region us-east-1, policy hold: 1 of 3 groups to change

WOULD CHANGE
  NAME  SUBNETS  IN THE ZONE  ALSO
  web   3 -> 2   3 instances  suspend AZRebalance

LEFT AS IT IS (1 group)
  skipped-single-zone  lone
      no other zone

Not in the zone: 1 group

NOTES
  only zone use1-az2 remains (web)
`
	if got != want {
		t.Errorf("got%swant%s", got, want)
	}
}

func TestListsAreCut(t *testing.T) {
	var items []engine.Item
	for i := range 230 {
		items = append(items, item(fmt.Sprintf("group-%03d", i), resource.FailedBusy, "busy", 0))
	}
	got := Result(place, result(resource.Evacuate, ledger.Partial, items...))
	if !strings.Contains(got, "  ... and 210 more: --output json\n") || strings.Count(got, "busy\n") != 20 {
		t.Errorf("got\n%s", got)
	}
}

func TestTextFromElsewhereIsTame(t *testing.T) {
	name := strings.Repeat("long-", 60) + "\x1b[31m\nend"
	got := Result(place, result(resource.Evacuate, ledger.Partial, item(name, resource.FailedInvalid, strings.Repeat("word ", 60)+"\x07", 0)))
	if strings.ContainsAny(got, "\x1b\x07") {
		t.Errorf("control characters come through:\n%q", got)
	}
	for line := range strings.Lines(got) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > width+10 {
			t.Errorf("%d columns: %s", utf8.RuneCountInString(line), line)
		}
	}
}

func TestDocumentHasNoNulls(t *testing.T) {
	text := JSON(NewDocument(place, result(resource.Evacuate, ledger.Done, item("web", resource.Settled, "", 0))))
	if strings.Contains(text, "null") {
		t.Errorf("a reader would have to tell null from empty:\n%s", text)
	}
	if !json.Valid([]byte(text)) {
		t.Errorf("no JSON:\n%s", text)
	}
}

func TestStatus(t *testing.T) {
	now := time.Date(2026, 11, 30, 4, 10, 0, 0, time.UTC)
	since := now.Add(-130 * time.Minute)
	s := engine.Status{
		Zones: []engine.ZoneStatus{{
			Zone: zone.Zone{ID: "use1-az1"}, Age: now.Sub(since), Records: map[ledger.State]int{ledger.Settled: 8},
			Concern: map[string]int{"drifted": 2},
			Out:     ledger.ZoneOut{Run: "run-1", Phase: ledger.Out, Since: since, Actor: "ann", Reason: "outage"},
		}},
		Lock: ledger.Lock{Owner: "run-2", Actor: "bob", Heartbeat: now.Add(-5 * time.Minute)}, Dead: true,
	}
	d := NewStatus(place, s, now)
	want := `
1 ZONE OUT in account 111122223333, region us-east-1

use1-az1
  phase     out
  since     2026-11-30T02:00:00Z, 2 h 10 min ago
  run       run-1
  actor     ann
  reason    outage
  records   8 settled
  concerns  2 drifted

RUN run-2 ENDED WITHOUT SAYING SO: last heard of 5 min 00 s ago (bob). What it began is in the
ledger; evacuate or recover again takes over.

NEXT:
  sidestep verify --zone use1-az1 --profile ops
  sidestep recover --zone use1-az1 --reason TEXT --profile ops
`
	if got := "\n" + d.Text(); got != want || !d.NeedsPerson {
		t.Errorf("needs a person: %v; got%swant%s", d.NeedsPerson, got, want)
	}
}

func TestQuote(t *testing.T) {
	for s, want := range map[string]string{"us-east-1": "us-east-1", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'"} {
		if got := Quote(s); got != want {
			t.Errorf("%q becomes %s, want %s", s, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 59 * time.Second: "59 s", 61 * time.Second: "1 min 01 s", 3*time.Hour + time.Minute: "3 h 01 min", 50 * time.Hour: "2 days 2 h",
	} {
		if got := Span(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

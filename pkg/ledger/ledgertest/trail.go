package ledgertest

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

var trailTests = []test{
	{"events in order", eventsInOrder},
	{"events keep all they say", eventsWhole},
	{"events of two processes", eventsOfTwo},
	{"events come with their write or not at all", eventsWithWrite},
	{"runs", runs},
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// event is one of run-1, so many seconds after noon.
func event(second int, text string) ledger.Event {
	return ledger.Event{At: noon.Add(time.Duration(second) * time.Second), Type: "note", Run: "run-1", Actor: "ann", Zone: zoneID, Text: text}
}

func wantEvents(t *testing.T, l *ledger.Ledger, run string, want ...string) {
	t.Helper()
	events, err := l.Events(t.Context(), run)
	must(t, err)
	got := make([]string, len(events))
	for i, e := range events {
		got[i] = e.Text
	}
	if !slices.Equal(got, want) {
		t.Errorf("events of %s are %q, want %q", run, got, want)
	}
}

func eventsInOrder(t *testing.T, s ledger.Store) {
	l := newLedger(s, newClock())
	wantEvents(t, l, "run-1")
	must(t, l.Append(t.Context()))
	must(t, l.Append(t.Context(), event(10, "late")))
	must(t, l.Append(t.Context(), event(2, "early")))
	// More than one write takes, all at one instant.
	var want []string
	var events []ledger.Event
	for i := range 130 {
		want = append(want, fmt.Sprint("same ", i))
		events = append(events, event(5, want[i]))
	}
	must(t, l.Append(t.Context(), events...))
	must(t, l.Append(t.Context(), ledger.Event{At: noon, Run: "run-10", Text: "of another run"}))
	wantEvents(t, l, "run-1", slices.Concat([]string{"early"}, want, []string{"late"})...)
	wantEvents(t, l, "run-10", "of another run")
}

func eventsWhole(t *testing.T, s ledger.Store) {
	l := newLedger(s, newClock())
	want := ledger.Event{
		At: noon.Add(123456789), Type: "changed", Run: "run-1", Actor: "ann", Zone: zoneID,
		Kind: resource.AutoScalingGroup, ARN: "arn:web", Name: "web",
		Edits:   []resource.Edit{{Field: "subnets", From: []string{"b", "a"}, To: []string{"b"}}},
		Outcome: resource.Applied, Text: "Moved.", Duration: 1234567890123, Detail: map[string]int{"instances": 12},
	}
	must(t, l.Append(t.Context(), want))
	got, err := l.Events(t.Context(), "run-1")
	must(t, err)
	if len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("events are %+v, want %+v", got, want)
	}
}

// eventsOfTwo has two processes write for one run at one instant, as one that
// crashed and one that was started in its place, or two shards.
func eventsOfTwo(t *testing.T, s ledger.Store) {
	l := newLedger(s, newClock())
	must(t, l.Append(t.Context(), event(0, "crashing")))
	must(t, newLedger(s, newClock()).Append(t.Context(), event(0, "starting")))
	events, err := l.Events(t.Context(), "run-1")
	must(t, err)
	if len(events) != 2 {
		t.Errorf("%d events are left of 2 written at one instant: %+v", len(events), events)
	}
}

func eventsWithWrite(t *testing.T, s ledger.Store) {
	l, lock := locked(t, s)
	r := create(t, l, lock, planned(zoneID, "web"))
	stale := r
	r.State = ledger.Started
	r, err := l.Update(t.Context(), r, event(1, "started"), event(1, "sent"))
	must(t, err)

	_, err = l.Update(t.Context(), stale, event(2, "from a stale update"))
	wantErr(t, err, ledger.ErrStale)
	wantErr(t, l.Delete(t.Context(), stale, event(3, "from a stale delete")), ledger.ErrStale)
	wantEvents(t, l, "run-1", "started", "sent")

	must(t, l.Delete(t.Context(), r, event(4, "restored"), event(4, "deleted")))
	wantEvents(t, l, "run-1", "started", "sent", "restored", "deleted")
}

func runs(t *testing.T, s ledger.Store) {
	l, lock := locked(t, s)
	_, err := l.Run(t.Context(), "run-1")
	wantErr(t, err, ledger.ErrNoRun)

	first := ledger.Run{
		ID: "run-1", Direction: resource.Evacuate, Zone: zoneID, ZoneName: "us-east-1a", Policy: resource.Drain,
		Scope: resource.Scope{Kinds: []resource.Kind{resource.AutoScalingGroup}, Tags: map[string]string{"team": "web"}},
		Actor: "ann", Reason: "power", Status: ledger.Running, StartedAt: noon.Add(time.Hour),
	}
	older := ledger.Run{ID: "run-0", Direction: resource.Recover, Zone: zoneID, Status: ledger.Failed, Cause: "stop", StartedAt: noon}
	must(t, l.PutRun(t.Context(), first, event(0, "begun")))
	must(t, l.PutRun(t.Context(), older))
	create(t, l, lock, planned(zoneID, "web"))

	first.Status, first.EndedAt = ledger.Done, noon.Add(2*time.Hour)
	first.Counts = map[resource.Outcome]int{resource.Settled: 2, resource.SkippedSingleZone: 1}
	must(t, l.PutRun(t.Context(), first, event(1, "ended")))

	got, err := l.Run(t.Context(), "run-1")
	must(t, err)
	if !reflect.DeepEqual(got, first) {
		t.Errorf("run-1 is %+v, want %+v", got, first)
	}
	all, err := l.Runs(t.Context())
	must(t, err)
	if want := []ledger.Run{older, first}; !reflect.DeepEqual(all, want) {
		t.Errorf("runs are %+v, want %+v", all, want)
	}
	wantEvents(t, l, "run-1", "begun", "ended")
}

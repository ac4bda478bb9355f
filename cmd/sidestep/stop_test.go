package main

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/ledger"
)

// owner is the run that holds the lock.
func (w *world) owner() string {
	w.t.Helper()
	lock, err := ledger.New(w.store, w.clock, "111122223333", "us-east-1", 5*time.Second).Lock(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return lock.Owner
}

// TestStopFromAnotherTerminal stops an evacuation that executes: both command lines
// say so, and recovery restores all.
func TestStopFromAnotherTerminal(t *testing.T) {
	w := ready(t)
	before := w.region.Snapshot()
	var evacuation, stop answer
	w.clock.Each(2, 2, func(i int) {
		if i == 0 {
			evacuation = w.run("evacuate", "--zone", zone, "--reason", "outage", "--yes")
			return
		}
		_ = w.clock.Sleep(t.Context(), 2*time.Minute) // it watches that its changes hold
		stop = w.run("stop", w.owner(), "--reason", "wrong zone", "--output", "json")
	})
	if evacuation.exit != exitStopped || !strings.Contains(evacuation.stderr, "stopped by arn:aws:iam::111122223333:user/ann (ann@laptop) (wrong zone)") {
		t.Errorf("the evacuation exits with %d\n%s", evacuation.exit, evacuation.stderr)
	}
	got := read[view.Stopped](t, stop)
	if stop.exit != exitDone || got.Run.Status != ledger.Stopped || !strings.Contains(got.Next, "recover --zone "+zone) {
		t.Errorf("stop exits with %d: %+v\n%s", stop.exit, got, stop.stderr)
	}
	if trail := w.want(exitDone, "audit", got.Run.ID).stdout; !strings.Contains(trail, "asked it to stop: wrong zone") {
		t.Errorf("the trail does not say who stopped it:\n%s", trail)
	}
	w.recover(exitDone)
	if !reflect.DeepEqual(before, w.region.Snapshot()) {
		t.Error("the configuration is not as before")
	}
}

// TestStopOfWhatDoesNotExecute says so, and what to do.
func TestStopOfWhatDoesNotExecute(t *testing.T) {
	w := ready(t)
	a := w.want(exitRefused, "stop", "evacuate-use1-az9-x", "--reason", "wrong")
	a.oneLine(t)
	run := w.evacuate(exitPartial).Run.ID
	a = w.want(exitRefused, "stop", run, "--reason", "wrong")
	a.oneLine(t)
	if !strings.Contains(a.stderr, "has ended already: it is partial") {
		t.Error(a.stderr)
	}
	w.want(exitUsage, "stop", run).oneLine(t)
}

// TestRecoverStopsTheEvacuation tells who is asked that it does, and waits for it.
func TestRecoverStopsTheEvacuation(t *testing.T) {
	w := ready(t)
	before := w.region.Snapshot()
	var evacuation, recovery answer
	w.clock.Each(2, 2, func(i int) {
		if i == 0 {
			evacuation = w.run("evacuate", "--zone", zone, "--reason", "outage", "--yes")
			return
		}
		_ = w.clock.Sleep(t.Context(), 2*time.Minute)
		recovery = w.run("recover", "--zone", zone, "--reason", "false alarm", "--yes")
	})
	if evacuation.exit != exitStopped || !strings.Contains(evacuation.stderr, "is to recover the zone") {
		t.Errorf("the evacuation exits with %d\n%s", evacuation.exit, evacuation.stderr)
	}
	if recovery.exit != exitDone || !strings.Contains(recovery.stdout, "it is asked to stop first") {
		t.Errorf("the recovery exits with %d\n%s%s", recovery.exit, recovery.stdout, recovery.stderr)
	}
	if !reflect.DeepEqual(before, w.region.Snapshot()) {
		t.Error("the configuration is not as before")
	}
}

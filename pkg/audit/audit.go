// Package audit makes the events of a run's trail: one constructor an event, so
// that wording and fields of each stand in one place.
package audit

import (
	"fmt"
	"time"

	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// Trail stamps the events of one run.
type Trail struct {
	Run   ledger.Run
	Clock func() time.Time
}

func (t Trail) event(kind, text string) ledger.Event {
	return ledger.Event{
		At: t.Clock().UTC(), Type: kind, Run: t.Run.ID, Actor: t.Run.Actor, Zone: t.Run.Zone, Text: text,
	}
}

func (t Trail) about(kind, text string, id resource.ID, outcome resource.Outcome, edits []resource.Edit) ledger.Event {
	e := t.event(kind, text)
	e.Kind, e.ARN, e.Name, e.Outcome, e.Edits = id.Kind, id.ARN, id.Name, outcome, edits
	return e
}

// Started opens the trail.
func (t Trail) Started() ledger.Event {
	policy := ""
	if t.Run.Policy != "" {
		policy = ", policy " + string(t.Run.Policy)
	}
	return t.event("run.started", fmt.Sprintf("%s started a run to %s zone %s (%s)%s: %s",
		t.Run.Actor, t.Run.Direction, t.Run.Zone, t.Run.ZoneName, policy, t.Run.Reason))
}

// TookOver says that the lock's last owner was not heard of any more.
func (t Trail) TookOver(from ledger.Lock) ledger.Event {
	return t.event("lock.taken-over", fmt.Sprintf("took the run lock over from %s, last heard of at %s",
		from.Owner, from.Heartbeat.Format(time.RFC3339)))
}

// Overridden says that another zone was out, and that somebody said to go on.
func (t Trail) Overridden(zone string) ledger.Event {
	return t.event("zone.override", "went on although zone "+zone+" is out, by override")
}

// StopAsked says that somebody asked the run to stop.
func (t Trail) StopAsked(by, why string) ledger.Event {
	e := t.event("run.stop-asked", by+" asked it to stop: "+why)
	e.Actor = by
	return e
}

// Phase says where the zone's evacuation stands now.
func (t Trail) Phase(p ledger.Phase) ledger.Event {
	return t.event("zone."+string(p), fmt.Sprintf("zone %s is %s", t.Run.Zone, p))
}

// Back says that the zone is in service again.
func (t Trail) Back() ledger.Event {
	return t.event(ledger.ZoneBack, "zone "+t.Run.Zone+" has no open record any more and is back in service")
}

// Listed counts what was found, by what is to become of it.
func (t Trail) Listed(counts map[resource.Outcome]int) ledger.Event {
	e := t.event("resources.listed", "listed the resources in scope")
	e.Detail = map[string]int{}
	for code, n := range counts {
		e.Detail[string(code)] = n
	}
	return e
}

// Left says that a resource was left as it is.
func (t Trail) Left(id resource.ID, outcome resource.Outcome, reason string) ledger.Event {
	return t.about("resource.left", "left as it is: "+reason, id, outcome, nil)
}

// Sending precedes a change, or its undoing.
func (t Trail) Sending(id resource.ID, edits []resource.Edit, attempt int) ledger.Event {
	what := "changing"
	if t.Run.Direction == resource.Recover {
		what = "restoring"
	}
	return t.about("change.started", fmt.Sprintf("%s, attempt %d", what, attempt), id, resource.Planned, edits)
}

// Accepted says that AWS took the change.
func (t Trail) Accepted(id resource.ID, edits []resource.Edit, took time.Duration) ledger.Event {
	outcome := resource.Applied
	if t.Run.Direction == resource.Recover {
		outcome = resource.Restoring
	}
	e := t.about("change.accepted", "accepted by AWS", id, outcome, edits)
	e.Duration = took
	return e
}

// Failed says that the change failed, or may have.
func (t Trail) Failed(id resource.ID, outcome resource.Outcome, reason string, took time.Duration) ledger.Event {
	e := t.about("change.failed", reason, id, outcome, nil)
	e.Duration = took
	return e
}

// Observed says what a reading showed after a change.
func (t Trail) Observed(id resource.ID, outcome resource.Outcome, reason string) ledger.Event {
	return t.about("change.observed", reason, id, outcome, nil)
}

// Closed keeps what a record held when it is deleted.
func (t Trail) Closed(r ledger.Record, outcome resource.Outcome, reason string) ledger.Event {
	return t.about("record.closed", reason, r.ID(), outcome, r.Edits)
}

// Ended closes the trail.
func (t Trail) Ended(status ledger.Status, cause string) ledger.Event {
	text := "run ended " + string(status)
	if cause != "" {
		text += ": " + cause
	}
	return t.event("run.ended", text)
}

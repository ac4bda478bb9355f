package ledger

import (
	"time"

	"sidestep/pkg/resource"
)

// State is how far a record's change has come.
type State string

// The states, in the order they are passed.
const (
	// Planned: intended, and nothing sent. The original may still be refreshed.
	Planned State = "planned"
	// Started: a call may be under way or have taken effect.
	Started State = "started"
	// Applied: AWS accepted the change.
	Applied State = "applied"
	// Settled: a reading showed the change, twice.
	Settled State = "settled"
	// Restoring: a call that undoes it may be under way or have taken effect.
	Restoring State = "restoring"
)

// Record is what the ledger holds on one resource in one zone that is out.
type Record struct {
	Zone string        `json:"-"` // pk
	ARN  string        `json:"-"` // sk
	Kind resource.Kind `json:"kind"`
	Name string        `json:"name"`

	resource.Recorded

	State     State            `json:"state"`
	StartedAt time.Time        `json:"startedAt,omitzero"` // of the last call
	Attempt   int              `json:"attempt,omitempty"`  // how often it was made, again after somebody undid it included
	Policy    resource.Policy  `json:"policy"`
	Outcome   resource.Outcome `json:"outcome,omitempty"`
	Reason    string           `json:"reason,omitempty"`
	Run       string           `json:"run"`      // the run that wrote it last
	Fence     int64            `json:"fence"`    // that run's
	Sequence  int64            `json:"sequence"` // of its writes, all runs together
	CreatedAt time.Time        `json:"createdAt"`
	UpdatedAt time.Time        `json:"updatedAt"`

	// Past names what each run that held the record before wrote last.
	Past []Hand `json:"past,omitempty"`
	// Merged is left by an import, for the next one.
	Merged *Merged `json:"merged,omitempty"`
}

// ID names the resource.
func (r Record) ID() resource.ID {
	return resource.ID{Kind: r.Kind, ARN: r.ARN, Name: r.Name}
}

// Sent reports whether a call may have been sent for the record.
func (r Record) Sent() bool { return r.State != Planned }

// Lock is the run lock of one account and region.
type Lock struct {
	Owner     string    `json:"owner"` // run ID, empty when free
	Fence     int64     `json:"fence"` // raised by each taker, never lowered
	Heartbeat time.Time `json:"heartbeat"`
	Actor     string    `json:"actor"`
}

// Phase is where the evacuation of a zone stands.
type Phase string

// The phases.
const (
	Evacuating Phase = "evacuating"
	Out        Phase = "out"
	Recovering Phase = "recovering"
)

// ZoneOut is one zone that is out.
type ZoneOut struct {
	Run      string    `json:"run"`
	Phase    Phase     `json:"phase"`
	Since    time.Time `json:"since"`
	Actor    string    `json:"actor"`
	Reason   string    `json:"reason"`
	Override bool      `json:"override"` // started while another zone was out
}

// ZonesOut maps zone IDs to the zones that are out.
type ZonesOut map[string]ZoneOut

// Status is how a run stands or ended.
type Status string

// The statuses.
const (
	Running Status = "running"
	Done    Status = "done"
	Partial Status = "partial"
	Held    Status = "held"
	Stopped Status = "stopped"
	Refused Status = "refused"
	Failed  Status = "failed"
)

// Run is the header of one run.
type Run struct {
	ID        string                   `json:"id"`
	Direction resource.Direction       `json:"direction"`
	Zone      string                   `json:"zone"`
	ZoneName  string                   `json:"zoneName"`
	Policy    resource.Policy          `json:"policy"`
	Scope     resource.Scope           `json:"scope"`
	Actor     string                   `json:"actor"`
	Reason    string                   `json:"reason"`
	Status    Status                   `json:"status"`
	Cause     string                   `json:"cause,omitempty"` // of an early end
	Counts    map[resource.Outcome]int `json:"counts,omitempty"`
	StartedAt time.Time                `json:"startedAt"`
	EndedAt   time.Time                `json:"endedAt,omitzero"`
}

// Event is one line of a run's audit trail.
type Event struct {
	At       time.Time        `json:"at"`
	Type     string           `json:"type"`
	Run      string           `json:"run"`
	Actor    string           `json:"actor"`
	Zone     string           `json:"zone"`
	Kind     resource.Kind    `json:"resourceKind,omitempty"` // `kind` would put events into the index of records
	ARN      string           `json:"arn,omitempty"`
	Name     string           `json:"name,omitempty"`
	Edits    []resource.Edit  `json:"edits,omitempty"` // what was before, what after
	Outcome  resource.Outcome `json:"outcome,omitempty"`
	Text     string           `json:"text"`
	Duration time.Duration    `json:"durationNs,omitempty"`
	Detail   map[string]int   `json:"detail,omitempty"`
	// Closes names the states of the record that was deleted together with writing
	// the event: none of them may come back from a file.
	Closes []Hand `json:"closes,omitempty"`
}

// Package view is how Sidestep's answers look: JSON documents for programs, plain
// text for a tired person at night. All of it is pure.
package view

import (
	"encoding/json"
	"time"

	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

// Document is the answer of plan, evacuate, recover and verify.
type Document struct {
	Run       Run                      `json:"run"`
	Counts    map[resource.Outcome]int `json:"counts"`
	Resources []Resource               `json:"resources"`
	Notes     []string                 `json:"notes"`
	// OpenRecords is how many records the zone still has in the ledger.
	OpenRecords int    `json:"openRecords"`
	Error       *Error `json:"error,omitempty"`
}

// Run is what a document says of its run. A plan's status is "planned"; a
// verification's is "holds" or "drifted", and its ID that of the run which took
// the zone out.
type Run struct {
	ID        string             `json:"id"`
	Direction resource.Direction `json:"direction"`
	Zone      zone.Zone          `json:"zone"`
	Account   string             `json:"account"`
	Region    string             `json:"region"`
	Policy    resource.Policy    `json:"policy"`
	Status    ledger.Status      `json:"status"`
	Actor     string             `json:"actor"`
	Reason    string             `json:"reason"`
	Cause     string             `json:"cause,omitempty"` // of an early end
	Scope     resource.Scope     `json:"scope"`
	StartedAt time.Time          `json:"startedAt,omitzero"`
	EndedAt   time.Time          `json:"endedAt,omitzero"`
}

// Resource is what a document says of one resource. Lists and maps are there even
// when they are empty.
type Resource struct {
	ARN     string              `json:"arn"`
	Kind    resource.Kind       `json:"kind"`
	Name    string              `json:"name"`
	Outcome resource.Outcome    `json:"outcome"`
	Reason  string              `json:"reason"`
	Before  map[string][]string `json:"before"`
	After   map[string][]string `json:"after"`
	Removed []string            `json:"removedSubnets"`
	// Left is what still runs in the zone.
	Left  []resource.Place `json:"left"`
	Notes []string         `json:"notes"`
}

// Error is why a command ended early. It is the whole document where there is
// nothing else to say.
type Error struct {
	Message string `json:"message"`
	Next    string `json:"next"`
	Exit    int    `json:"exit"`
}

// Statuses that only documents have.
const (
	Planned ledger.Status = "planned"
	Holds   ledger.Status = "holds"
	Drift   ledger.Status = "drifted"
	// Incomplete: as nobody but us left it, and not closed, or not back.
	Incomplete ledger.Status = "incomplete"
)

// Place says where an answer comes from.
type Place struct {
	Account, Region string
	// Flags are appended to the commands that are named as next steps.
	Flags string
}

// NewDocument makes a result's document.
func NewDocument(p Place, r engine.Result) Document {
	d := Document{
		Run:         newRun(p, r.Run),
		Counts:      r.Counts(),
		Resources:   make([]Resource, len(r.Items)),
		Notes:       list(r.Notes),
		OpenRecords: r.Open,
	}
	for i, item := range r.Items {
		d.Resources[i] = Resource{
			ARN: item.ARN, Kind: item.Kind, Name: item.Name, Outcome: item.Outcome, Reason: item.Reason,
			Before: fields(item.Before), After: fields(item.After),
			Removed: list(item.Removed), Left: list(item.Left), Notes: list(item.Notes),
		}
	}
	return d
}

func newRun(p Place, r ledger.Run) Run {
	return Run{
		ID: r.ID, Direction: r.Direction, Zone: zone.Zone{ID: r.Zone, Name: r.ZoneName}, Account: p.Account, Region: p.Region,
		Policy: r.Policy, Status: r.Status, Actor: r.Actor, Reason: r.Reason, Cause: r.Cause, Scope: r.Scope,
		StartedAt: r.StartedAt, EndedAt: r.EndedAt,
	}
}

// JSON is v as one document.
func JSON(v any) string {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic("view: " + err.Error()) // our own plain types always encode
	}
	return string(b) + "\n"
}

// list is never nil, which JSON would call null.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

func fields(m map[string][]string) map[string][]string {
	if m == nil {
		return map[string][]string{}
	}
	return m
}

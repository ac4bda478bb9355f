package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
)

// Status is the answer of status.
type Status struct {
	Account     string    `json:"account"`
	Region      string    `json:"region"`
	Zones       []ZoneOut `json:"zones"`
	Lock        Lock      `json:"lock"`
	NeedsPerson bool      `json:"needsPerson"`

	place Place
}

// ZoneOut is one zone that is out.
type ZoneOut struct {
	Zone       string               `json:"zone"`
	Phase      ledger.Phase         `json:"phase"`
	Since      time.Time            `json:"since"`
	AgeSeconds int                  `json:"ageSeconds"`
	Run        string               `json:"run"`
	Actor      string               `json:"actor"`
	Reason     string               `json:"reason"`
	Override   bool                 `json:"override"`
	Records    map[ledger.State]int `json:"records"`
	Concerns   map[string]int       `json:"concerns"`
}

// Lock is the run lock. Without an owner it is free.
type Lock struct {
	Owner      string    `json:"owner"`
	Actor      string    `json:"actor"`
	Heartbeat  time.Time `json:"heartbeat,omitzero"`
	AgeSeconds int       `json:"ageSeconds"`
	Dead       bool      `json:"ownerDead"`
}

// NewStatus makes the document.
func NewStatus(p Place, s engine.Status, now time.Time) Status {
	d := Status{Account: p.Account, Region: p.Region, Zones: []ZoneOut{}, NeedsPerson: s.NeedsPerson(), place: p}
	if s.Lock.Owner != "" {
		d.Lock = Lock{
			Owner: s.Lock.Owner, Actor: s.Lock.Actor, Heartbeat: s.Lock.Heartbeat, Dead: s.Dead,
			AgeSeconds: int(now.Sub(s.Lock.Heartbeat).Seconds()),
		}
	}
	for _, z := range s.Zones {
		concerns := z.Concern
		if concerns == nil {
			concerns = map[string]int{}
		}
		d.Zones = append(d.Zones, ZoneOut{
			Zone: z.Zone.ID, Phase: z.Out.Phase, Since: z.Out.Since, AgeSeconds: int(z.Age.Seconds()), Run: z.Out.Run,
			Actor: z.Out.Actor, Reason: z.Out.Reason, Override: z.Out.Override, Records: z.Records, Concerns: concerns,
		})
	}
	return d
}

// Text is the status in text.
func (s Status) Text() string {
	var b strings.Builder
	switch len(s.Zones) {
	case 0:
		fmt.Fprintf(&b, "NO ZONE IS OUT in account %s, region %s\n", s.Account, s.Region)
	default:
		fmt.Fprintf(&b, "%s OUT in account %s, region %s\n", strings.ToUpper(count(len(s.Zones), "zone")), s.Account, s.Region)
	}
	for _, z := range s.Zones {
		b.WriteString(z.text())
	}
	b.WriteString("\n" + s.Lock.text())
	if commands := s.next(); len(commands) > 0 {
		b.WriteString(next(s.place, "", commands...))
	}
	return b.String()
}

func (z ZoneOut) text() string {
	rows := [][]string{
		{"phase", string(z.Phase)},
		{"since", z.Since.Format(time.RFC3339) + ", " + Span(time.Duration(z.AgeSeconds)*time.Second) + " ago"},
		{"run", z.Run},
		{"actor", Clean(z.Actor)},
		{"reason", Clean(z.Reason)},
		{"records", numbers(z.Records)},
	}
	if z.Override {
		rows = append(rows, []string{"override", "went out while another zone was out"})
	}
	if len(z.Concerns) > 0 {
		rows = append(rows, []string{"concerns", numbers(z.Concerns)})
	}
	return "\n" + z.Zone + "\n" + table("  ", rows)
}

// numbers lists counts by name.
func numbers[K ~string](counts map[K]int) string {
	if len(counts) == 0 {
		return "none"
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[k], k))
	}
	return strings.Join(parts, ", ")
}

func (l Lock) text() string {
	age := Span(time.Duration(l.AgeSeconds) * time.Second)
	switch {
	case l.Owner == "":
		return "No run is executing.\n"
	case l.Dead:
		return wrap("", fmt.Sprintf("RUN %s ENDED WITHOUT SAYING SO: last heard of %s ago (%s). What it began is in the ledger; "+
			"evacuate or recover again takes over.", l.Owner, age, l.Actor))
	}
	return wrap("", fmt.Sprintf("Run %s is executing: last heard of %s ago (%s).", l.Owner, age, l.Actor))
}

// next is what to do where something does not go on by itself.
func (s Status) next() []string {
	var commands []string
	for _, z := range s.Zones {
		if len(z.Concerns) > 0 {
			commands = append(commands, "verify --zone "+z.Zone)
		}
		if s.Lock.Owner != "" && !s.Lock.Dead {
			continue
		}
		if z.Phase == ledger.Evacuating {
			commands = append(commands, "evacuate --zone "+z.Zone+" --reason TEXT")
		}
		if z.Records[ledger.Restoring] > 0 {
			commands = append(commands, "watch --zone "+z.Zone+" --once")
		}
		commands = append(commands, "recover --zone "+z.Zone+" --reason TEXT")
	}
	return commands
}

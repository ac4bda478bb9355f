package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sidestep/pkg/app"
	"sidestep/pkg/engine"
	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

// Drill is what came of a rehearsal.
type Drill struct {
	Seed                       int64
	Zone                       zone.Zone
	Policy                     resource.Policy
	Plan, Evacuation, Recovery engine.Result
	// Before, Out and After count instances by group, and tasks by service, and zone
	// ID: before the evacuation, while the zone was out, and after the recovery.
	Before, Out, After map[string]map[string]int
	// Paces are those of the evacuation and of the recovery, of a fleet.
	Paces      []app.Pace
	Restored   bool
	Violations []string
}

// DrillDocument is a drill for programs.
type DrillDocument struct {
	Seed       int64            `json:"seed"`
	Zone       zone.Zone        `json:"zone"`
	Policy     resource.Policy  `json:"policy"`
	Restored   bool             `json:"configurationRestored"`
	Violations []string         `json:"violations"`
	Plan       Document         `json:"plan"`
	Evacuation Document         `json:"evacuation"`
	Recovery   Document         `json:"recovery"`
	Instances  []GroupInstances `json:"instances"`
	Paces      []PaceDocument   `json:"paces,omitempty"`
}

// PaceDocument is how fast a run was: the time it took in the region's own time,
// by the least that its changes take at AWS's rates, and AWS calls by changed or
// looked-at resource of the fleet.
type PaceDocument struct {
	Seconds      float64        `json:"seconds"`
	LeastSeconds float64        `json:"leastSeconds"`
	Ratio        float64        `json:"ratio"`
	Calls        map[string]int `json:"calls"`
	Throttled    int            `json:"throttled"`
}

func newPace(p app.Pace) PaceDocument {
	d := PaceDocument{Seconds: p.Took.Seconds(), LeastSeconds: p.Least.Seconds(), Calls: p.Calls, Throttled: p.Throttled}
	if p.Least > 0 {
		d.Ratio = d.Seconds / d.LeastSeconds
	}
	return d
}

// GroupInstances counts a group's instances by zone ID.
type GroupInstances struct {
	Group  string         `json:"group"`
	Before map[string]int `json:"before"`
	Out    map[string]int `json:"whileOut"`
	After  map[string]int `json:"after"`
}

// Document makes the document.
func (d Drill) Document(p Place) DrillDocument {
	doc := DrillDocument{
		Seed: d.Seed, Zone: d.Zone, Policy: d.Policy, Restored: d.Restored, Violations: list(d.Violations),
		Plan: NewDocument(p, d.Plan), Evacuation: NewDocument(p, d.Evacuation), Recovery: NewDocument(p, d.Recovery),
	}
	for _, g := range slices.Sorted(maps.Keys(d.Before)) {
		doc.Instances = append(doc.Instances, GroupInstances{g, d.Before[g], d.Out[g], d.After[g]})
	}
	for _, p := range d.Paces {
		doc.Paces = append(doc.Paces, newPace(p))
	}
	return doc
}

// Text is the drill's result in text; the plan was shown before.
func (d Drill) Text(p Place) string {
	var b strings.Builder
	restored := "yes"
	if !d.Restored {
		restored = "NO"
	}
	fmt.Fprintf(&b, "DRILL of %s, policy %s, seed %d: configuration equal to before: %s\n", d.Zone, d.Policy, d.Seed, restored)
	for _, v := range d.Violations {
		b.WriteString(wrap("  VIOLATION ", v))
	}
	b.WriteString("\n" + headline(p, d.Evacuation) + "\n")
	b.WriteString(stillExposed(d.Evacuation))
	b.WriteString(onPurpose(d.Evacuation, pick(d.Evacuation, isClosed)))
	b.WriteString("\n" + headline(p, d.Recovery) + "\n")
	for i, run := range []string{"evacuation", "recovery"} {
		if i < len(d.Paces) {
			b.WriteString("\n" + pace(run, newPace(d.Paces[i])))
		}
	}
	if len(d.Paces) == 0 {
		b.WriteString("\nINSTANCES AND TASKS before > while the zone was out > after the recovery\n" + d.placement())
	}
	return b.String()
}

// pace says how fast a run was.
func pace(run string, p PaceDocument) string {
	calls := make([]string, 0, len(p.Calls))
	for _, service := range slices.Sorted(maps.Keys(p.Calls)) {
		calls = append(calls, fmt.Sprintf("%s %d", service, p.Calls[service]))
	}
	return wrap("", fmt.Sprintf("PACE of the %s: %.0f s, %.2f times the %.0f s that its changes take at AWS's rates; calls: %s; throttled: %d",
		run, p.Seconds, p.Ratio, p.LeastSeconds, strings.Join(calls, ", "), p.Throttled))
}

// placement is the table of instances by group and zone.
func (d Drill) placement() string {
	zones := map[string]bool{}
	for _, when := range []map[string]map[string]int{d.Before, d.Out, d.After} {
		for _, spread := range when {
			for id := range spread {
				zones[id] = true
			}
		}
	}
	ids := slices.Sorted(maps.Keys(zones))
	rows := [][]string{append([]string{"NAME"}, ids...)}
	for _, g := range slices.Sorted(maps.Keys(d.Before)) {
		row := []string{clip(g, maxName)}
		for _, id := range ids {
			row = append(row, fmt.Sprintf("%d > %d > %d", d.Before[g][id], d.Out[g][id], d.After[g][id]))
		}
		rows = append(rows, row)
	}
	return table("  ", rows)
}

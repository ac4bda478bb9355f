package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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
	// Before, Out and After count instances by group and zone ID: before the
	// evacuation, while the zone was out, and after the recovery.
	Before, Out, After map[string]map[string]int
	Restored           bool
	Violations         []string
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
	b.WriteString("\nINSTANCES before > while the zone was out > after the recovery\n" + d.placement())
	return b.String()
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
	rows := [][]string{append([]string{"GROUP"}, ids...)}
	for _, g := range slices.Sorted(maps.Keys(d.Before)) {
		row := []string{clip(g, maxName)}
		for _, id := range ids {
			row = append(row, fmt.Sprintf("%d > %d > %d", d.Before[g][id], d.Out[g][id], d.After[g][id]))
		}
		rows = append(rows, row)
	}
	return table("  ", rows)
}

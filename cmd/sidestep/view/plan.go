package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sidestep/pkg/engine"
	"sidestep/pkg/resource"
)

const processPrefix = "process/"

// Plan is a plan in text. With brief, long lists are cut.
func Plan(p Place, r engine.Result, brief bool) string {
	limit := 0
	if brief {
		limit = maxListed
	}
	changes := pick(r, func(i engine.Item) bool { return i.Outcome == resource.Planned })
	rest := pick(r, func(i engine.Item) bool {
		return i.Outcome != resource.Planned && i.Outcome != resource.SkippedNotInZone
	})
	verb, policy := "evacuate", ", policy "+string(r.Run.Policy)
	if r.Run.Direction == resource.Recover {
		verb, policy = "recover", ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "PLAN to %s %s in account %s, region %s%s: %s to change\n", verb, r.Zone,
		p.Account, p.Region, policy, of(len(changes), len(r.Items), noun(r.Items)))
	if len(changes) == 0 {
		b.WriteString("There is nothing to do.\n")
	}
	b.WriteString(changeTable(changes, limit))
	if len(rest) > 0 {
		fmt.Fprintf(&b, "\nLEFT AS IT IS (%s)\n%s", count(len(rest), noun(rest)), reasons(rest, limit))
	}
	if n := r.Counts()[resource.SkippedNotInZone]; n > 0 {
		fmt.Fprintf(&b, "\nNot in the zone: %s\n", count(n, noun(r.Items)))
	}
	b.WriteString(notes(r))
	return b.String()
}

// changeTable lists what would change of each resource.
func changeTable(changes []engine.Item, limit int) string {
	if len(changes) == 0 {
		return ""
	}
	shown := changes
	if limit > 0 && len(shown) > limit {
		shown = shown[:limit]
	}
	rows := [][]string{{"NAME", "SUBNETS", "IN THE ZONE", "ALSO"}}
	for _, i := range shown {
		subnets, also := edits(i)
		rows = append(rows, []string{title(i, noun(changes)), subnets, running(i), also})
	}
	text := "\nWOULD CHANGE\n" + table("  ", rows)
	if more := len(changes) - len(shown); more > 0 {
		text += fmt.Sprintf("  ... and %d more: sidestep plan shows all\n", more)
	}
	return text
}

// edits puts what changes of an item into words.
func edits(i engine.Item) (subnets, also string) {
	var parts, suspend, resume []string
	for _, field := range slices.Sorted(maps.Keys(i.After)) {
		from, to := i.Before[field], i.After[field]
		process, isProcess := strings.CutPrefix(field, processPrefix)
		switch {
		case field == resource.SubnetsField:
			subnets = fmt.Sprintf("%d -> %d", len(from), len(to))
		case isProcess && len(to) == 1 && to[0] == "suspended":
			suspend = append(suspend, process)
		case isProcess:
			resume = append(resume, process)
		default:
			parts = append(parts, field+" "+strings.Join(from, ",")+" -> "+strings.Join(to, ","))
		}
	}
	if subnets == "" {
		subnets = "unchanged"
	}
	if len(suspend) > 0 {
		parts = append(parts, "suspend "+strings.Join(suspend, ", "))
	}
	if len(resume) > 0 {
		parts = append(parts, "resume "+strings.Join(resume, ", "))
	}
	return subnets, Clean(strings.Join(parts, ", "))
}

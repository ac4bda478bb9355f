package view

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// maxListed is how many resources a list shows that nobody asked for in full.
const maxListed = 20

// maxName is how much of a name a list shows.
const maxName = 44

// pick returns the items that match, those that weigh most first. What runs in
// one zone alone stands before all: that is where an outage is.
func pick(r engine.Result, match func(engine.Item) bool) []engine.Item {
	rank := func(i engine.Item) int {
		if i.Outcome == resource.SkippedSingleZone {
			return -100
		}
		return -int(i.Outcome.Weight(r.Run.Direction))
	}
	found := slices.DeleteFunc(slices.Clone(r.Items), func(i engine.Item) bool { return !match(i) })
	slices.SortStableFunc(found, func(a, b engine.Item) int {
		return cmp.Or(rank(a)-rank(b), cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Name, b.Name))
	})
	return found
}

// exposed are the items that need a person.
func exposed(r engine.Result) []engine.Item {
	return pick(r, func(i engine.Item) bool {
		return i.Outcome.Weight(r.Run.Direction) >= resource.Exposed || ended(r) && unfinished(i)
	})
}

// ended: nothing goes on with these items by itself. A plan, and a run that ended
// as asked, are not.
func ended(r engine.Result) bool {
	return slices.Contains([]ledger.Status{ledger.Stopped, ledger.Failed, Incomplete, Drift}, r.Run.Status)
}

// unfinished: intended, and neither made nor undone.
func unfinished(i engine.Item) bool {
	return i.Outcome == resource.Planned || i.Outcome == resource.Restoring
}

// leftOnPurpose are the items that still use the zone as the policy asked for.
func leftOnPurpose(r engine.Result) []engine.Item {
	return pick(r, func(i engine.Item) bool { return i.Outcome.Weight(r.Run.Direction) == resource.OnPurpose })
}

// purposes sums those up, a line for each outcome and reason: hundreds of
// services that are left by one rule are one thing to know.
func purposes(items []engine.Item) string {
	var b strings.Builder
	for len(items) > 0 {
		first := items[0]
		same := slices.DeleteFunc(slices.Clone(items), func(i engine.Item) bool { return i.Outcome != first.Outcome || i.Reason != first.Reason })
		items = slices.DeleteFunc(slices.Clone(items), func(i engine.Item) bool { return i.Outcome == first.Outcome && i.Reason == first.Reason })
		there := 0
		var names []string
		for _, i := range same {
			there += resource.Count(i.Left)
			names = append(names, clip(i.Name, maxName))
		}
		what := count(len(same), noun(same))
		if len(same) <= 3 {
			what = strings.Join(names, ", ")
		}
		line := fmt.Sprintf("  %s  %s", first.Outcome, what)
		if there > 0 {
			line += fmt.Sprintf("  %s there", count(there, unit(first.Kind)))
		}
		b.WriteString(line + "\n" + wrap("      ", first.Reason))
	}
	return b.String()
}

// reasons lists items with what became of them and why. A limit of 0 lists all.
func reasons(items []engine.Item, limit int) string {
	shown := items
	if limit > 0 && len(items) > limit {
		shown = items[:limit]
	}
	codes := 0
	for _, i := range shown {
		codes = max(codes, len(i.Outcome))
	}
	var b strings.Builder
	for _, i := range shown {
		line := fmt.Sprintf("  %-*s  %s", codes, i.Outcome, title(i, noun(items)))
		if left := left(i); left != "" {
			line += "  " + left
		}
		b.WriteString(line + "\n")
		b.WriteString(wrap("      ", i.Reason))
	}
	if more := len(items) - len(shown); more > 0 {
		fmt.Fprintf(&b, "  ... and %d more: --output json\n", more)
	}
	return b.String()
}

// left says what still runs of an item in the zone.
func left(i engine.Item) string {
	n := resource.Count(i.Left)
	if n == 0 {
		return ""
	}
	if len(i.Left) == 1 {
		return fmt.Sprintf("%s there, %s", count(n, unit(i.Kind)), i.Left[0].State)
	}
	var parts []string
	for _, p := range i.Left {
		parts = append(parts, fmt.Sprintf("%d %s", p.Count, p.State))
	}
	return fmt.Sprintf("%s there: %s", count(n, unit(i.Kind)), strings.Join(parts, ", "))
}

// words are what a kind's resources are called, and what they consist of.
var words = map[resource.Kind]struct{ noun, unit string }{
	resource.AutoScalingGroup: {"group", "instance"},
	resource.ECSService:       {"service", "task"},
	resource.LambdaFunction:   {"function", ""}, // Lambda does not say where its environments run
}

// unit is what a resource of the kind consists of.
func unit(k resource.Kind) string {
	if w, ok := words[k]; ok {
		return w.unit
	}
	return "unit"
}

// running says how much of an item runs in the zone, where that can be known.
func running(i engine.Item) string {
	if unit(i.Kind) == "" {
		return "-"
	}
	return count(resource.Count(i.Left), unit(i.Kind))
}

// noun is what the items are called together.
func noun(items []engine.Item) string {
	for _, i := range items {
		if i.Kind != items[0].Kind {
			return "resource"
		}
	}
	if len(items) == 0 {
		return "resource"
	}
	if w, ok := words[items[0].Kind]; ok {
		return w.noun
	}
	return "resource"
}

// title is an item's name, with what it is where a list has several kinds.
func title(i engine.Item, noun string) string {
	name := clip(i.Name, maxName)
	if w, ok := words[i.Kind]; ok && noun == "resource" {
		return w.noun + " " + name
	}
	return name
}

// of is "3 of 5 groups".
func of(n, total int, noun string) string {
	return fmt.Sprintf("%d of %s", n, count(total, noun))
}

// tally lists how many items have which outcome.
func tally(r engine.Result) string {
	counts := r.Counts()
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s: %d", code, counts[code]))
	}
	if len(parts) == 0 {
		return ""
	}
	return wrap("", "Counts of "+noun(r.Items)+"s: "+strings.Join(parts, ", "))
}

// notes lists the run's own notes, then the items' notes, each once with the
// items it is about.
func notes(r engine.Result) string {
	about := map[string][]string{}
	var order []string
	for _, i := range r.Items {
		for _, n := range i.Notes {
			if about[n] == nil {
				order = append(order, n)
			}
			about[n] = append(about[n], clip(i.Name, maxName))
		}
	}
	var b strings.Builder
	for _, n := range r.Notes {
		b.WriteString(wrap("  ", n))
	}
	for _, n := range order {
		names := about[n]
		more := ""
		if len(names) > 5 {
			more = fmt.Sprintf(" and %d more", len(names)-5)
			names = names[:5]
		}
		b.WriteString(wrap("  ", n+" ("+strings.Join(names, ", ")+more+")"))
	}
	if b.Len() == 0 {
		return ""
	}
	return "\nNOTES\n" + b.String()
}

package view

import (
	"fmt"
	"slices"
	"strings"

	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// Result is what a run did, in text: the verdict first.
func Result(p Place, r engine.Result) string {
	if r.Run.Direction == resource.Recover {
		return recovered(p, r)
	}
	return evacuated(p, r)
}

// headline is the verdict, on one line however long: people search for it.
func headline(p Place, r engine.Result) string {
	if r.Run.Direction == resource.Recover && len(r.Items)+r.Open == 0 {
		return fmt.Sprintf("NOTHING TO RECOVER of %s in account %s: the zone is not out", r.Zone, p.Account)
	}
	if r.Run.Direction == resource.Recover {
		back := pick(r, func(i engine.Item) bool { return i.Outcome.Weight(resource.Recover) == resource.Good })
		return fmt.Sprintf("%s %s in account %s: %s back, %s open", verdict(r, "RECOVERED"), r.Zone,
			p.Account, of(len(back), len(r.Items), noun(r.Items)), count(r.Open, "record"))
	}
	concerned := pick(r, func(i engine.Item) bool { return i.Outcome != resource.SkippedNotInZone })
	return fmt.Sprintf("%s %s in account %s: %s closed, %d still exposed", verdict(r, "EVACUATED"), r.Zone,
		p.Account, of(len(pick(r, isClosed)), len(concerned), noun(r.Items)), len(exposed(r))+len(leftOnPurpose(r)))
}

// stillExposed lists what still uses the zone: what the policy leaves there first,
// in sum, then what needs a person.
func stillExposed(r engine.Result) string {
	meant, open := leftOnPurpose(r), exposed(r)
	if len(meant)+len(open) == 0 {
		return ""
	}
	all := slices.Concat(meant, open)
	return fmt.Sprintf("\nSTILL EXPOSED (%s)\n", count(len(all), noun(all))) + purposes(meant) + reasons(open, maxListed)
}

func evacuated(p Place, r engine.Result) string {
	var b strings.Builder
	b.WriteString(headline(p, r) + "\n")
	b.WriteString(stillExposed(r))
	b.WriteString(onPurpose(r, pick(r, isClosed)))
	b.WriteString(notes(r))
	b.WriteString("\n" + tally(r))
	commands := []string{"verify --zone " + r.Zone.ID, "recover --zone " + r.Zone.ID + " --reason TEXT", "audit " + r.Run.ID}
	if r.Open == 0 {
		commands = commands[2:]
	}
	return b.String() + next(p, again(p, r), commands...)
}

// again is the command that goes on with a run that ended early, else nothing.
func again(p Place, r engine.Result) string {
	if r.Run.Status == ledger.Stopped || r.Run.Status == ledger.Failed {
		return Again(p, r.Run)
	}
	return ""
}

// isClosed: the resource places nothing new in the zone. One that was to be empty
// there as well, and is not, counts as exposed.
func isClosed(i engine.Item) bool {
	return i.Outcome == resource.Applied || i.Outcome == resource.Settled || i.Outcome == resource.AlreadyDone
}

// onPurpose says what the policy leaves running.
func onPurpose(r engine.Result, closed []engine.Item) string {
	running := slices.DeleteFunc(slices.Clone(closed), func(i engine.Item) bool { return resource.Count(i.Left) == 0 })
	if len(running) == 0 || r.Run.Policy != resource.Hold {
		return ""
	}
	n := 0
	for _, i := range running {
		n += resource.Count(i.Left)
	}
	return fmt.Sprintf("\nLEFT ON PURPOSE\n  hold: %s in %s keep running there on purpose; they move under --policy drain\n",
		count(n, unit(running[0].Kind)), count(len(running), noun(running)))
}

// verdict is a run's ending in a word or two.
func verdict(r engine.Result, done string) string {
	switch r.Run.Status {
	case ledger.Done:
		if r.Heaviest() == resource.Open {
			return "SENT, NOT YET " + done
		}
		return done
	case ledger.Partial:
		return "PARTLY " + done
	}
	return strings.ToUpper(string(r.Run.Status)) + ", NOT FULLY " + done
}

func recovered(p Place, r engine.Result) string {
	open := exposed(r)
	var b strings.Builder
	b.WriteString(headline(p, r) + "\n")
	if len(open) > 0 {
		fmt.Fprintf(&b, "\nNOT BACK (%s)\n%s", count(len(open), noun(open)), reasons(open, maxListed))
	}
	b.WriteString(notes(r))
	if text := tally(r); text != "" {
		b.WriteString("\n" + text)
	}
	var commands []string
	switch {
	case r.Counts()[resource.Restoring] > 0:
		commands = append(commands, "watch --zone "+r.Zone.ID+" --once")
	case r.Counts()[resource.Orphaned] > 0 && again(p, r) == "":
		commands = append(commands, repair(r))
	case r.Open > 0 && again(p, r) == "":
		commands = append(commands, "recover --zone "+r.Zone.ID+" --reason TEXT")
	}
	return b.String() + next(p, again(p, r), append(commands, "audit "+r.Run.ID)...)
}

// repair closes the records of resources that are gone for good.
func repair(r engine.Result) string { return "ledger repair --zone " + r.Zone.ID }

// Verify is a comparison of records and live configuration in text.
func Verify(p Place, r engine.Result) string {
	off := exposed(r)
	word := "HOLDS"
	switch {
	case r.Drifted():
		word = "DRIFT in"
	case r.Incomplete():
		word = "INCOMPLETE in"
	case len(r.Items) == 0:
		word = "NOTHING TO VERIFY in"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s in account %s: %s as recorded\n", word, r.Zone,
		p.Account, of(len(r.Items)-len(off), len(r.Items), noun(r.Items)))
	if len(off) > 0 {
		fmt.Fprintf(&b, "\nNOT AS RECORDED (%s)\n%s", count(len(off), noun(off)), reasons(off, maxListed))
	}
	b.WriteString(notes(r))
	if text := tally(r); text != "" {
		b.WriteString("\n" + text)
	}
	switch {
	case r.Counts()[resource.Orphaned] > 0:
		return b.String() + next(p, "", repair(r), "evacuate --zone "+r.Zone.ID+" --reason TEXT", "recover --zone "+r.Zone.ID+" --reason TEXT")
	case len(off) > 0:
		return b.String() + next(p, "", "evacuate --zone "+r.Zone.ID+" --reason TEXT", "recover --zone "+r.Zone.ID+" --reason TEXT")
	case r.Open > 0:
		return b.String() + next(p, "", "recover --zone "+r.Zone.ID+" --reason TEXT")
	}
	return b.String()
}

// Watch is one line on how a zone stands.
func Watch(r engine.Result) string {
	off := exposed(r)
	line := fmt.Sprintf("%s: %s", r.Zone, of(len(r.Items)-len(off), len(r.Items), "record")+" as they should be")
	if back := r.Counts()[resource.Restored]; back > 0 {
		line = fmt.Sprintf("%s: %s closed, %s open", r.Zone, count(back, "restored record"), count(r.Open, "record"))
	}
	if len(off) > 0 {
		names := make([]string, 0, 3)
		for _, i := range off[:min(3, len(off))] {
			names = append(names, string(i.Outcome)+" "+clip(i.Name, maxName))
		}
		line += "; NOT: " + strings.Join(names, ", ")
	}
	return line
}

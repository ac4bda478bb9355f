package view

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"sidestep/pkg/doctor"
)

const (
	// narrow is how many columns a line of doctor's has at most: it is read beside
	// a policy in an editor, and pasted into tickets.
	narrow = 80
	// maxBarred is how many names a list of what may not be changed shows.
	maxBarred = 10
)

// Doctor is the answer of doctor.
type Doctor struct {
	Verdict doctor.Verdict `json:"verdict"`
	Account string         `json:"account"`
	Caller  string         `json:"caller"`
	Region  string         `json:"region"`
	Checks  []doctor.Check `json:"checks"`
	// MayNotChange is complete; the text shows a part of a long one.
	MayNotChange []doctor.MayNot `json:"mayNotChange"`
}

// NewDoctor makes the document. Without a connection there is neither caller nor
// account.
func NewDoctor(p Place, caller string, r doctor.Report) Doctor {
	return Doctor{
		Verdict: r.Verdict(), Account: p.Account, Caller: caller, Region: p.Region,
		Checks: list(r.Checks), MayNotChange: list(r.MayNotChange),
	}
}

// Text is the verdict, then what is wrong and what to do about it, then the rest.
func (d Doctor) Text() string {
	return d.heading() + trouble("WOULD FAIL", d.with(doctor.Failed)) + barred(d.MayNotChange) +
		trouble("NOT KNOWN", d.with(doctor.Unknown)) + fine(d.with(doctor.OK))
}

func (d Doctor) heading() string {
	where := ""
	if d.Account != "" {
		where = fmt.Sprintf(" in account %s, region %s", d.Account, d.Region)
	}
	switch d.Verdict {
	case doctor.NotReady:
		return fmt.Sprintf("NOT READY%s: %s failed\n", where, count(len(d.with(doctor.Failed)), "check"))
	case doctor.CannotTell:
		return fmt.Sprintf("CANNOT TELL%s:\nnothing is known to fail, and %s could not be made\n", where, count(len(d.with(doctor.Unknown)), "check"))
	}
	return "READY" + where + ", as far as AWS can be asked\n"
}

func (d Doctor) with(s doctor.Status) []doctor.Check {
	var found []doctor.Check
	for _, c := range d.Checks {
		if c.Status == s {
			found = append(found, c)
		}
	}
	return found
}

// trouble lists checks with what to do. Checks that say the same are one entry: of
// a service that does not answer, all say so.
func trouble(title string, checks []doctor.Check) string {
	if len(checks) == 0 {
		return ""
	}
	names := map[doctor.Check][]string{}
	var entries []doctor.Check
	for _, c := range checks {
		same := doctor.Check{Detail: c.Detail, Next: c.Next}
		if names[same] == nil {
			entries = append(entries, same)
		}
		names[same] = append(names[same], c.Name)
	}
	var b strings.Builder
	b.WriteString("\n" + title + "\n")
	for _, e := range entries {
		b.WriteString(hang("  ", strings.Join(names[e], ", ")) + hang("      ", e.Detail))
		if e.Next != "" {
			b.WriteString(hang("   -> ", e.Next))
		}
	}
	return b.String()
}

// barred lists what may not be changed, by kind and action.
func barred(all []doctor.MayNot) string {
	if len(all) == 0 {
		return ""
	}
	var groups []doctor.MayNot
	names := map[doctor.MayNot][]string{}
	for _, m := range all {
		group := doctor.MayNot{Kind: m.Kind, Action: m.Action}
		if names[group] == nil {
			groups = append(groups, group)
		}
		names[group] = append(names[group], clip(m.Name, maxName))
	}
	var b strings.Builder
	b.WriteString("\nMAY NOT CHANGE\n")
	for _, g := range groups {
		shown := names[g][:min(len(names[g]), maxBarred)]
		text := strings.Join(shown, ", ")
		if more := len(names[g]) - len(shown); more > 0 {
			text += fmt.Sprintf(" and %d more (--output json names all)", more)
		}
		b.WriteString(hang("  ", fmt.Sprintf("%s, %s (%d)", g.Kind, g.Action, len(names[g]))) + hang("      ", text))
	}
	return b.String()
}

// fine lists the checks that nothing came of.
func fine(checks []doctor.Check) string {
	if len(checks) == 0 {
		return ""
	}
	widest := 0
	for _, c := range checks {
		widest = max(widest, len(c.Name))
	}
	var b strings.Builder
	b.WriteString("\nCHECKED\n")
	for _, c := range checks {
		b.WriteString(hang(fmt.Sprintf("  %-*s  ", widest, c.Name), c.Detail))
	}
	return b.String()
}

// hang breaks text into narrow lines: the first begins with the lead, the others
// with as many spaces.
func hang(lead, text string) string {
	var b strings.Builder
	line, empty := lead, true
	for _, word := range strings.Fields(Clean(text)) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > narrow {
			b.WriteString(line + "\n")
			line, empty = strings.Repeat(" ", utf8.RuneCountInString(lead)), true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	return b.String() + line + "\n"
}

package asl

import (
	"maps"
	"slices"
)

// graph refuses transitions to states that do not exist, states that nothing leads
// to, and states that lead to no end.
func (l *loader) graph(f *fields, p *program) {
	if _, ok := p.states[p.startAt]; !ok && p.startAt != "" {
		f.refuse("StartAt", "there is no state %q here", p.startAt)
		return
	}
	whole := true
	for _, name := range slices.Sorted(maps.Keys(p.states)) {
		for _, target := range p.states[name].targets() {
			if _, ok := p.states[target]; !ok {
				l.refuse(l.names[name], "it leads to %q, and there is no such state here", target)
				whole = false
			}
		}
	}
	if !whole || p.startAt == "" {
		return
	}
	reached := p.reach([]string{p.startAt}, func(name string) []string { return p.states[name].targets() })
	ending := p.reach(p.ends(), p.sources())
	for _, name := range slices.Sorted(maps.Keys(p.states)) {
		if !reached[name] {
			l.refuse(l.names[name], "nothing leads to it")
		}
		if !ending[name] {
			l.refuse(l.names[name], "no way leads from it to an end")
		}
	}
}

func (p *program) ends() []string {
	var out []string
	for name, s := range p.states {
		if s.ends() {
			out = append(out, name)
		}
	}
	return out
}

// sources is the graph the other way round.
func (p *program) sources() func(string) []string {
	back := map[string][]string{}
	for name, s := range p.states {
		for _, target := range s.targets() {
			back[target] = append(back[target], name)
		}
	}
	return func(name string) []string { return back[name] }
}

func (p *program) reach(from []string, next func(string) []string) map[string]bool {
	reached := map[string]bool{}
	for len(from) > 0 {
		name := from[len(from)-1]
		from = from[:len(from)-1]
		if !reached[name] {
			reached[name] = true
			from = append(from, next(name)...)
		}
	}
	return reached
}

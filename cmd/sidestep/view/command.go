package view

import (
	"maps"
	"slices"
	"strings"

	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// Again is the command that goes on with a run, word for word: with another scope
// it would go on with something else.
func Again(p Place, r ledger.Run) string {
	words := []string{string(r.Direction), "--zone", r.Zone}
	add := func(flag, value string) { words = append(words, flag, Quote(value)) }
	if r.Direction == resource.Evacuate {
		add("--policy", string(r.Policy))
	}
	var kinds []string
	for _, k := range r.Scope.Kinds {
		kinds = append(kinds, string(k))
	}
	if len(kinds) > 0 {
		add("--kinds", strings.Join(kinds, ","))
	}
	for _, k := range slices.Sorted(maps.Keys(r.Scope.Tags)) {
		add("--tag", k+"="+r.Scope.Tags[k])
	}
	for _, k := range slices.Sorted(maps.Keys(r.Scope.Exclude)) {
		add("--exclude-tag", k+"="+r.Scope.Exclude[k])
	}
	if r.Scope.Name != "" {
		add("--name", r.Scope.Name)
	}
	add("--reason", r.Reason)
	return "sidestep " + strings.Join(words, " ") + p.Flags
}

// Quote makes a value one word for a shell.
func Quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@,", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

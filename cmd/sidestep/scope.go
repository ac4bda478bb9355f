package main

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"sidestep/pkg/app"
	"sidestep/pkg/resource"
)

// scopeFlags choose what a run concerns.
type scopeFlags struct {
	kinds         []string
	tags, exclude []string
	name          string
}

func (f *scopeFlags) add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.kinds, "kinds", nil, "only these kinds: "+kindNames())
	flags.StringArrayVar(&f.tags, "tag", nil, "only resources with this tag, key=value; all of several")
	flags.StringArrayVar(&f.exclude, "exclude-tag", nil, "no resources with this tag, key=value; none of several")
	flags.StringVar(&f.name, "name", "", "only resources whose name matches, as web-* does web-1")
}

// scope is the scope that the flags say or, where they say nothing, the
// configuration.
func (f *scopeFlags) scope(config app.ScopeConfig) (resource.Scope, error) {
	if len(f.kinds)+len(f.tags)+len(f.exclude) == 0 && f.name == "" {
		return resource.Scope{Kinds: config.Kinds, Tags: config.Tags, Exclude: config.ExcludeTags, Name: config.Name}, nil
	}
	s := resource.Scope{Name: f.name}
	for _, k := range f.kinds {
		kind := resource.Kind(strings.TrimSpace(k))
		if !slices.Contains(app.Kinds(), kind) {
			return s, &usageError{fmt.Sprintf("--kinds names %q, which is no kind", k), "the kinds are " + kindNames()}
		}
		s.Kinds = append(s.Kinds, kind)
	}
	if _, err := path.Match(f.name, ""); err != nil {
		return s, &usageError{fmt.Sprintf("--name %q is no pattern: %v", f.name, err), "such as 'web-*'; a backslash before [ takes it as it is"}
	}
	var err error
	if s.Tags, err = pairs("--tag", f.tags); err != nil {
		return s, err
	}
	s.Exclude, err = pairs("--exclude-tag", f.exclude)
	return s, err
}

// pairs reads key=value; a value may hold further =.
func pairs(flag string, given []string) (map[string]string, error) {
	if len(given) == 0 {
		return nil, nil
	}
	tags := map[string]string{}
	for _, g := range given {
		key, value, ok := strings.Cut(g, "=")
		if !ok || key == "" {
			return nil, &usageError{fmt.Sprintf("%s %q is not key=value", flag, g), "say " + flag + " team=shop"}
		}
		if _, twice := tags[key]; twice {
			return nil, &usageError{fmt.Sprintf("%s names key %s twice", flag, key), "a tag has one value: say it once"}
		}
		tags[key] = value
	}
	return tags, nil
}

func kindNames() string {
	var names []string
	for _, k := range app.Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

var zonePattern = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

// checkZone refuses what cannot be a zone. Whether there is one of that ID or
// name, the account knows.
func checkZone(flag, z string) error {
	if !zonePattern.MatchString(z) {
		return &usageError{fmt.Sprintf("%s %q is no zone's ID or name", flag, z), "say an ID such as use1-az1, or a name such as us-east-1a"}
	}
	return nil
}

// checkPolicy reads the policy.
func checkPolicy(p string) (resource.Policy, error) {
	switch policy := resource.Policy(p); policy {
	case resource.Hold, resource.Drain:
		return policy, nil
	case resource.Shift:
		return "", &usageError{"--policy shift is not available yet: there are no traffic levers", "use hold or drain"}
	}
	return "", &usageError{fmt.Sprintf("--policy %q is no policy", p), "use hold or drain"}
}

// maxReason bounds what the audit trail keeps of a reason.
const maxReason = 256

func checkReason(reason string) error {
	switch {
	case strings.TrimSpace(reason) == "":
		return &usageError{"--reason is empty", "say why: the audit trail keeps it"}
	case utf8.RuneCountInString(reason) > maxReason:
		return &usageError{fmt.Sprintf("--reason has %d characters", utf8.RuneCountInString(reason)), fmt.Sprintf("use at most %d", maxReason)}
	case !utf8.ValidString(reason) || strings.IndexFunc(reason, unicode.IsControl) >= 0:
		return &usageError{"--reason contains control characters", "use one line of plain text"}
	}
	return nil
}

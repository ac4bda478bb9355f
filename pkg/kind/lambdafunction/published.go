package lambdafunction

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sidestep/pkg/resource"
)

// published lists the published versions, as far as they are known, whose subnets
// are such as asked for.
func published(r resource.Resource, such func(subnets []string) bool) []string {
	var found []string
	for key, list := range r.Traits {
		if version, ok := strings.CutPrefix(key, versionPrefix); ok && such(strings.Split(list, ",")) {
			found = append(found, version)
		}
	}
	slices.SortFunc(found, byNumber)
	return found
}

// byNumber orders version numbers, which have no zeros before them.
func byNumber(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// stays says which versions stay on the zone's subnets, and what to do about it.
// Those that aliases run come first: they are the ones in use.
func stays(r resource.Resource, versions []string) string {
	aliases, named := users(r, versions)
	var who []string
	if len(aliases) > 0 {
		who = append(who, few(aliases))
	}
	if others := resource.Without(versions, named); len(others) > 0 {
		who = append(who, list(others))
	}
	return "still on the zone's subnets: " + strings.Join(who, ", and ") + "; " + advice
}

// advice is for versions that keep the zone's subnets. The function's code may be
// other than what its last version has, so that publishing it is its owner's choice.
const advice = "publish a new version once the function itself is out of the zone, and point aliases at it, " +
	"which Sidestep leaves to you: it may release unpublished code"

// users are the aliases that run any of the versions, as far as they are known, and
// the versions that they run.
func users(r resource.Resource, versions []string) (aliases, named []string) {
	for _, key := range slices.Sorted(maps.Keys(r.Traits)) {
		name, ok := strings.CutPrefix(key, aliasPrefix)
		if !ok {
			continue
		}
		run := slices.DeleteFunc(strings.Split(r.Traits[key], ","), func(v string) bool { return !slices.Contains(versions, v) })
		if len(run) > 0 {
			aliases = append(aliases, "alias "+name+" runs "+list(run))
			named = append(named, run...)
		}
	}
	return aliases, named
}

func list(versions []string) string {
	if len(versions) == 1 {
		return "version " + versions[0]
	}
	return "versions " + few(versions)
}

// handful is how many versions, or aliases, are named.
const handful = 5

// few joins the first handful.
func few(all []string) string {
	if len(all) <= handful {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:handful], ", "), len(all)-handful)
}

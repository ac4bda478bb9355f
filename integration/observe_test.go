package integration

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"testing"
)

// observation is what another client than ours sees in a world.
type observation struct {
	Groups    map[string]observedGroup    `json:"groups"`
	Services  map[string]observedService  `json:"services"` // by cluster/name
	Functions map[string]observedFunction `json:"functions"`
	// Ledger is nil where no table was asked for or there is none.
	Ledger []map[string]any `json:"ledger"`
	Error  string           `json:"error"`
}

type observedGroup struct {
	Subnets   []string          `json:"subnets"` // in AWS's order
	Zones     []string          `json:"zones"`
	Min       int               `json:"min"`
	Max       int               `json:"max"`
	Desired   int               `json:"desired"`
	Suspended []string          `json:"suspended"`
	Tags      map[string]string `json:"tags"`
	Instances []map[string]any  `json:"instances"`
	Rest      map[string]any    `json:"rest"` // whatever else AWS returns, but for its times
}

type observedService struct {
	Subnets     []string          `json:"subnets"`
	Network     map[string]any    `json:"network"`     // what is beside the subnets
	Rebalancing string            `json:"rebalancing"` // empty as long as nobody set it
	Deployment  map[string]any    `json:"deployment"`
	Tags        map[string]string `json:"tags"`
	Rest        map[string]any    `json:"rest"`
}

type observedFunction struct {
	Subnets  []string          `json:"subnets"` // of what is not published
	Network  map[string]any    `json:"network"`
	Versions map[string]any    `json:"versions"`
	Aliases  map[string]string `json:"aliases"`
	Tags     map[string]string `json:"tags"`
	Rest     map[string]any    `json:"rest"`
}

// observe looks at all that the world's services hold, and at the ledger's table if
// one is named.
func observe(t *testing.T, w world, table ...string) observation {
	t.Helper()
	answer, err := ask(w.question(strings.Join(table, "")))
	var seen observation
	if err == nil {
		err = json.Unmarshal(answer, &seen)
	}
	if err != nil || seen.Error != "" {
		t.Fatalf("observing: %v\n%s", err, seen.Error)
	}
	keep(w, seen.Groups)
	keep(w, seen.Services)
	keep(w, seen.Functions)
	return seen
}

// keep drops what is another world's.
func keep[T any](w world, things map[string]T) {
	maps.DeleteFunc(things, func(name string, _ T) bool { return !strings.HasPrefix(name, w.prefix) })
}

// same fails the test for everything that is not as it was before.
func same(t *testing.T, before, after observation) {
	t.Helper()
	sameThings(t, before.Groups, after.Groups)
	sameThings(t, before.Services, after.Services)
	sameThings(t, before.Functions, after.Functions)
}

func sameThings[T any](t *testing.T, before, after map[string]T) {
	t.Helper()
	if len(before) != len(after) {
		t.Errorf("there were %d of %T, now %d", len(before), *new(T), len(after))
	}
	for name, was := range before {
		if is := after[name]; !reflect.DeepEqual(was, is) {
			t.Errorf("%s has changed:\nbefore %s\nafter  %s", name, text(was), text(is))
		}
	}
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

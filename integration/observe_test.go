package integration

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// observation is what another client than ours sees in a world.
type observation struct {
	Groups map[string]observedGroup `json:"groups"`
	// Ledger is nil where no table was asked for or there is none.
	Ledger []map[string]any `json:"ledger"`
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

// observe looks at all groups of the world, and at the ledger's table if one is named.
func observe(t *testing.T, w world, table ...string) observation {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), python(), append([]string{filepath.Join("observer", "observe.py")}, table...)...)
	cmd.Env = w.environ(t)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("observing: %v\n%s", err, stderr.String())
	}
	var seen observation
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatalf("observing: %v\n%s", err, out)
	}
	maps.DeleteFunc(seen.Groups, func(name string, _ observedGroup) bool { return !strings.HasPrefix(name, w.prefix) })
	return seen
}

// same fails the test for every group that is not as it was before.
func same(t *testing.T, before, after observation) {
	t.Helper()
	if len(before.Groups) != len(after.Groups) {
		t.Errorf("there were %d groups, now %d", len(before.Groups), len(after.Groups))
	}
	for name, was := range before.Groups {
		if is := after.Groups[name]; !reflect.DeepEqual(was, is) {
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

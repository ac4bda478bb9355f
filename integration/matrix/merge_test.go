package matrix

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

// Tests here are the field cases of what recovery puts back; see cases_test.go.

func TestFR06RecoveryMerges(t *testing.T) {
	cases := map[string]struct {
		edit    func(r *region.Region)
		want    []string // of group web, whose list was 3b 1a 2a 1b 3a 2b
		outcome resource.Outcome
		open    int
	}{
		"unchanged": {func(*region.Region) {}, []string{"3b", "1a", "2a", "1b", "3a", "2b"}, resource.Restored, 0},
		"extra subnet added": {func(r *region.Region) {
			r.AddSubnet("subnet-2c", "use1-az2", "vpc-main", 9)
			r.SetGroupSubnets("web", "subnet-3b", "subnet-2a", "subnet-3a", "subnet-2b", "subnet-2c")
		}, []string{"3b", "1a", "2a", "1b", "3a", "2b", "2c"}, resource.Restored, 0},
		"another subnet removed": {func(r *region.Region) { r.SetGroupSubnets("web", "subnet-3b", "subnet-2b") }, []string{"3b", "1a", "1b", "2b"}, resource.Restored, 0},
		"subnets put back": {func(r *region.Region) {
			r.SetGroupSubnets("web", "subnet-1b", "subnet-1a", "subnet-3b", "subnet-2a")
			r.SetSuspended("web")
		}, []string{"1b", "1a", "3b", "2a"}, resource.RestoredByOther, 0},
		"group deleted":          {func(r *region.Region) { r.DeleteGroup("web") }, nil, resource.Orphaned, 1},
		"sizes and tags changed": {func(r *region.Region) { r.EditGroup("web", func(c *region.GroupConfig) { c.Max = 99 }) }, []string{"3b", "1a", "2a", "1b", "3a", "2b"}, resource.Restored, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newMemoryWorld(t)
			w.evacuate(t, "out", leaving, resource.Hold)
			c.edit(w.region)
			result := w.recover(t, "back", leaving)
			if got := outcomes(result)["web"]; got != c.outcome {
				t.Errorf("outcome is %s, want %s", got, c.outcome)
			}
			var got []string
			for _, id := range w.region.Snapshot()["web"].Subnets {
				got = append(got, strings.TrimPrefix(id, "subnet-"))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("subnets are %v, want %v", got, c.want)
			}
			if result.Open != c.open {
				t.Errorf("%d records are open, want %d", result.Open, c.open)
			}
		})
	}
}

func TestFR06DeletedSubnetIsNotPutBack(t *testing.T) {
	w := newMemoryWorld(t)
	for name, c := range w.region.Snapshot() { // only web keeps subnet-1b
		if name != "web" {
			w.region.SetGroupSubnets(name, append(resource.Without(c.Subnets, []string{"subnet-1b"}), "subnet-2a")[:max(1, len(c.Subnets)-1)]...)
		}
	}
	w.evacuate(t, "out", leaving, resource.Hold)
	w.region.DeleteSubnet("subnet-1b")
	result := w.recover(t, "back", leaving)
	if got := w.region.Snapshot()["web"].Subnets; slices.Contains(got, "subnet-1b") || !slices.Contains(got, "subnet-1a") {
		t.Errorf("web has %v", got)
	}
	noted := false
	for _, i := range result.Items {
		noted = noted || i.Name == "web" && strings.Contains(strings.Join(i.Notes, " "), "subnet-1b")
	}
	if !noted {
		t.Error("the report does not say that subnet-1b is gone")
	}
	w.wantNothingOpen(t)
}

func TestFR74StackIsNamedAndTheListComesBackEqual(t *testing.T) {
	w := newMemoryWorld(t)
	const name = "shop-ServiceASG-1QXJ4T8K2VBWM"
	before := w.snapshot()["group "+name]
	noted := false
	for _, i := range w.evacuate(t, "out", leaving, resource.Hold).Items {
		noted = noted || i.Name == name && strings.Contains(strings.Join(i.Notes, " "), "CloudFormation stack")
	}
	if !noted {
		t.Error("the report does not name the stack")
	}
	w.recover(t, "back", leaving)
	if got := w.snapshot()["group "+name]; !reflect.DeepEqual(got, before) {
		t.Errorf("it is %+v, and was %+v", got, before)
	}
}

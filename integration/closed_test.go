package integration

import (
	"reflect"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
)

// wantClosed checks what another client sees after an evacuation: whatever the
// policy takes out of the zone has lost its subnets of this one and nothing else,
// and all else is as it was.
func wantClosed(t *testing.T, w world, s seeded, before, after observation, policy string) {
	t.Helper()
	want := observation{Groups: map[string]observedGroup{}, Services: map[string]observedService{}, Functions: map[string]observedFunction{}}
	for name, was := range before.Groups {
		want.Groups[name] = s.closedGroup(was, policy)
	}
	for _, sp := range s.services {
		want.Services[w.name(sp.name)] = s.closedService(before.Services[w.name(sp.name)], sp, policy)
	}
	for _, f := range s.functions {
		want.Functions[w.name(f.name)] = s.closedFunction(before.Functions[w.name(f.name)], f)
	}
	wantThings(t, policy, want.Groups, after.Groups)
	wantThings(t, policy, want.Services, after.Services)
	wantThings(t, policy, want.Functions, after.Functions)
}

func wantThings[T any](t *testing.T, policy string, want, after map[string]T) {
	t.Helper()
	if len(want) != len(after) {
		t.Errorf("there are %d of %T, want %d", len(after), *new(T), len(want))
	}
	for name, w := range want {
		if is := after[name]; !reflect.DeepEqual(is, w) {
			t.Errorf("%s under %s:\nis   %s\nwant %s", name, policy, text(is), text(w))
		}
	}
}

// closedGroup is a group that has another zone without its subnets of this one.
func (s seeded) closedGroup(g observedGroup, policy string) observedGroup {
	left := s.outside(g.Subnets)
	if len(left) == 0 || len(left) == len(g.Subnets) {
		return g
	}
	g.Subnets = left
	g.Zones = slices.DeleteFunc(slices.Clone(g.Zones), func(z string) bool { return z == outName })
	if policy == "hold" {
		g.Suspended = union(g.Suspended, "AZRebalance", "ReplaceUnhealthy")
	}
	return g
}

// closedService is a service as the policy leaves it: held, it keeps its subnets,
// and ECS must not rebalance it.
func (s seeded) closedService(svc observedService, sp serviceSpec, policy string) observedService {
	switch sp.outcome(policy) {
	case "settled":
		svc.Subnets = s.outside(svc.Subnets)
	case "held-redeploys":
		if svc.Rebalancing == string(types.AvailabilityZoneRebalancingEnabled) {
			svc.Rebalancing = string(types.AvailabilityZoneRebalancingDisabled)
		}
	}
	return svc
}

// closedFunction is a function without the zone, but for what it has published.
func (s seeded) closedFunction(f observedFunction, sp functionSpec) observedFunction {
	if isChange(sp.outcome()) {
		f.Subnets = s.outside(f.Subnets)
	}
	return f
}

// outside are those of the subnets that are not in the zone that goes out.
func (s seeded) outside(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return s.inZone(id, 'a') })
}

// inZone says by its label whether a seeded subnet lies in the zone of a letter.
func (s seeded) inZone(id string, letter byte) bool {
	for label, known := range s.subnets {
		if known == id {
			return label[0] == letter
		}
	}
	return false
}

func union(list []string, more ...string) []string {
	all := append(slices.Clone(list), more...)
	slices.Sort(all)
	return slices.Compact(all)
}

// wantOutcomes checks what an evacuation said of each service and function.
func wantOutcomes(t *testing.T, w world, s seeded, d document, policy string) {
	t.Helper()
	told := map[string]string{}
	for _, r := range d.Resources {
		told[r.Kind+" "+r.Name] = r.Outcome
	}
	for _, sp := range s.services {
		if got, want := told["ecs-service "+w.name(sp.name)], sp.outcome(policy); got != want {
			t.Errorf("service %s under %s is %q, want %q", sp.name, policy, got, want)
		}
	}
	for _, f := range s.functions {
		if got, want := told["lambda-function "+w.name(f.name)], f.outcome(); got != want {
			t.Errorf("function %s under %s is %q, want %q", f.name, policy, got, want)
		}
	}
}

// changed are the services and functions that an evacuation changes.
func (s seeded) changed(w world, policy string) []string {
	var names []string
	for _, sp := range s.services {
		held := policy == "hold" && sp.rebalancing != types.AvailabilityZoneRebalancingEnabled
		if isChange(sp.outcome(policy)) && !held {
			names = append(names, w.name(sp.name))
		}
	}
	for _, f := range s.functions {
		if isChange(f.outcome()) {
			names = append(names, w.name(f.name))
		}
	}
	slices.Sort(names)
	return names
}

// wantTouched checks that these services and functions, and no others, were named
// by a call that may change one: moto takes many a change that AWS refuses.
func wantTouched(t *testing.T, calls []call, want []string) {
	t.Helper()
	var touched []string
	for _, c := range calls {
		if !c.Mutating || c.Service != "ecs" && c.Service != "lambda" {
			continue
		}
		name := c.configures()
		if name == "" {
			t.Errorf("%s %s was sent: %s", c.Service, c.Operation, c.Body)
		}
		touched = append(touched, name)
	}
	if got := union(touched); !slices.Equal(got, want) {
		t.Errorf("changes were sent for %v, want them for %v", got, want)
	}
}

// atOnce is the most services that were in a deployment at a time, as far as the
// client could know: from the call that starts it to the next reading.
func atOnce(calls []call) int {
	most := 0
	underway := map[string]bool{}
	for _, c := range calls {
		switch {
		case c.redeploys():
			underway[c.configures()] = true
		case c.Service == "ecs" && c.Operation == "DescribeServices":
			for _, name := range c.services() {
				delete(underway, name)
			}
		}
		most = max(most, len(underway))
	}
	return most
}

package matrix

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"sidestep/pkg/app"
	"sidestep/pkg/clock"
	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

// others is the scope of the kinds that the sample region's groups are not of.
var others = resource.Scope{Kinds: []resource.Kind{resource.ECSService, resource.LambdaFunction}}

// newMixedWorld is the sample region with services and functions in it.
func newMixedWorld(t testing.TB) *memoryWorld {
	t.Helper()
	w := newMemoryWorld(t)
	w.region.AddSampleServices()
	w.region.AddSampleFunctions()
	return w
}

// newServiceWorld is a region with three zones and n services in all of them.
func newServiceWorld(t testing.TB, n int) *memoryWorld {
	t.Helper()
	c := clock.NewVirtual(time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC))
	w := worldOf(c, region.Sample(region.Config{Clock: c, Account: sampleAccount, Name: sampleRegion, Seed: 1}))
	for i := range n {
		w.region.AddService(region.Service{Cluster: "shop", Name: fmt.Sprintf("service-%02d", i), ServiceConfig: region.ServiceConfig{
			Subnets: []string{"subnet-1a", "subnet-2a", "subnet-3a"}, SecurityGroups: []string{"sg-1"}, PublicIP: "DISABLED",
			Desired: 3, Rebalancing: "ENABLED", CircuitBreaker: true,
		}})
	}
	return w
}

// attempt is a run of one kind or some, by a process of its own.
func (w *memoryWorld) attempt(process string, d resource.Direction, p resource.Policy, s resource.Scope, c app.Config, noWait bool) (engine.Result, error) {
	req := w.request(d, leaving, p)
	req.Scope, req.NoWait = s, noWait
	if d == resource.Recover {
		req.Scope = resource.Scope{Kinds: s.Kinds}
		return w.engine(process, c).Recover(context.Background(), req)
	}
	return w.engine(process, c).Evacuate(context.Background(), req)
}

func TestEvacuateAndRecoverServicesAndFunctions(t *testing.T) {
	for _, p := range []resource.Policy{resource.Hold, resource.Drain} {
		t.Run(string(p), func(t *testing.T) {
			w := newMixedWorld(t)
			w.region.Latency(50 * time.Millisecond)
			before := w.snapshot()
			config := app.DefaultConfig()
			config.Run.Deadline = 4 * time.Hour
			out, err := w.attempt("out", resource.Evacuate, p, resource.Scope{}, config, false)
			if err != nil {
				t.Fatal(err)
			}
			w.wantClosed(t, out, p)
			back, err := w.attempt("back", resource.Recover, "", resource.Scope{}, config, false)
			if err != nil || back.Run.Status != ledger.Done {
				t.Fatalf("recovery ended %s, %v: %v", back.Run.Status, err, back.Counts())
			}
			w.wantSnapshot(t, before)
		})
	}
}

// wantClosed checks that what still has a subnet of the zone is said to.
func (w *memoryWorld) wantClosed(t *testing.T, out engine.Result, p resource.Policy) {
	t.Helper()
	check := func(name string, subnets []string, tags map[string]string) {
		o, listed := outcomes(out)[name]
		in := strings.Contains(strings.Join(subnets, " "), "subnet-1")
		switch weight := o.Weight(resource.Evacuate); {
		case tags[resource.ExcludeTag] == "true":
			if listed {
				t.Errorf("%s is excluded, and is %s", name, o)
			}
		case in && weight != resource.Exposed && weight != resource.OnPurpose:
			t.Errorf("%s still has %v and is reported %s", name, subnets, o)
		case in && p == resource.Drain && o == resource.HeldRedeploys:
			t.Errorf("%s is %s under drain", name, o)
		}
	}
	for name, c := range w.region.Services() {
		check(name, c.Subnets, c.Tags)
	}
	for name, c := range w.region.Functions() {
		check(name, c.Subnets, c.Tags)
	}
}

// setting is a world with what its runs are about.
type setting struct {
	open   func(testing.TB) *memoryWorld
	policy resource.Policy
	scope  resource.Scope
	config func() app.Config
}

// settings are one for the kind whose changes are at once, and one for those whose
// changes take time.
var settings = map[string]setting{
	"groups":                 {newMemoryWorld, resource.Hold, groups, quick},
	"services and functions": {newFewWorld, resource.Drain, others, mixedConfig},
}

// mixedSequences are those of the crash matrix that the kinds could tell apart.
var mixedSequences = map[string][]runOf{
	"evacuate!, recover":    {{process: "victim", direction: resource.Evacuate}, {process: "last", direction: resource.Recover}},
	"evacuate, recover!":    {{process: "first", direction: resource.Evacuate}, {process: "victim", direction: resource.Recover}, {process: "last", direction: resource.Recover}},
	"hold, drain!, recover": {{"first", resource.Evacuate, resource.Hold}, {"victim", resource.Evacuate, resource.Drain}, {process: "last", direction: resource.Recover}},
}

// TestCrashMatrixOfServicesAndFunctions is the crash matrix over the kinds whose
// changes take time.
func TestCrashMatrixOfServicesAndFunctions(t *testing.T) {
	runCrashes(t, mixedSequences, 500, func(t *testing.T, n int, c crash, p resource.Policy, sequence []runOf) bool {
		w := newFewWorld(t)
		return w.crashAt(t, n, c, p, sequence, others, mixedConfig())
	})
}

// newFewWorld has one of each sort that a plan treats in its own way, as each is
// more calls to die at.
func newFewWorld(t testing.TB) *memoryWorld {
	t.Helper()
	w := newServiceWorld(t, 2)
	w.region.RolloutTime(90 * time.Second)
	w.region.EditService("shop/service-01", func(c *region.ServiceConfig) {
		c.Subnets, c.Rebalancing = []string{"subnet-3a", "subnet-1b", "subnet-2a", "subnet-1a"}, "DISABLED"
	})
	for name, subnets := range map[string][]string{"thumbnails": {"subnet-2a", "subnet-1a", "subnet-3a"}, "lone": {"subnet-1a"}} {
		w.region.AddFunction(region.Function{Name: name, FunctionConfig: region.FunctionConfig{
			Subnets: subnets, SecurityGroups: []string{"sg-1"},
		}})
	}
	_ = w.clock.Sleep(context.Background(), time.Hour)
	return w
}

// mixedConfig waits for little, and redeploys one service at a time.
func mixedConfig() app.Config {
	c := quick()
	c.Run.Deadline = 20 * time.Minute
	c.ECS.Concurrency = 1
	return c
}

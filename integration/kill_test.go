package integration

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
)

// killCase is a command that is killed at one mutating request, then in a new run
// at a later one, and so on to its last.
type killCase struct {
	victim      string // the command
	policy      string
	after       bool // the request has been carried out
	first, step int  // which requests
	exit        int  // of an evacuation that nobody kills
	services    []string
	spec        spec
}

// TestKilledAtEveryMutation ends the binary with SIGKILL before and after each
// mutating request of an evacuation and of a recovery.
func TestKilledAtEveryMutation(t *testing.T) {
	t.Parallel()
	groups := killCase{policy: "hold", step: 2, exit: 3, services: sidestepNeeds, spec: spec{subnetsPerZone: 2, groups: []groupSpec{
		{name: "web", subnets: []string{"b1", "a1", "c1", "a2"}, max: 6, desired: 2},
		{name: "api", subnets: []string{"a1", "b1"}, max: 6, suspended: []string{"AZRebalance"}},
		{name: "alone", subnets: []string{"a1"}, max: 1},
	}}}
	var cases []killCase
	for _, victim := range []string{"evacuate", "recover"} {
		for _, after := range []bool{false, true} {
			for first := range 2 { // two halves, side by side
				c := groups
				c.victim, c.after, c.first = victim, after, first+1
				cases = append(cases, c)
			}
		}
	}
	wantKills(t, 60, cases)
}

// TestMixedFleetIsKilled does so with all kinds, at every fourth request.
func TestMixedFleetIsKilled(t *testing.T) {
	t.Parallel()
	mixed := spec{
		subnetsPerZone: 2,
		groups:         []groupSpec{{name: "web", subnets: []string{"b1", "a1", "c1", "a2"}, max: 6}},
		services: []serviceSpec{
			{name: "shop/web", subnets: []string{"b1", "a1", "c1", "a2"}, desired: 2, rebalancing: types.AvailabilityZoneRebalancingEnabled},
			{name: "shop/api", subnets: []string{"a1", "b1"}, desired: 2},
		},
		functions: []functionSpec{{name: "resize", subnets: []string{"b1", "a1", "c1"}}},
	}
	wantKills(t, 12, []killCase{
		{victim: "evacuate", policy: "hold", first: 2, step: 4, services: seedNeeds, spec: mixed},
		{victim: "evacuate", policy: "drain", after: true, first: 3, step: 4, services: seedNeeds, spec: mixed},
		{victim: "recover", policy: "drain", first: 4, step: 4, services: seedNeeds, spec: mixed},
		{victim: "recover", policy: "hold", after: true, first: 5, step: 4, services: seedNeeds, spec: mixed},
	})
}

func wantKills(t *testing.T, least int64, cases []killCase) {
	t.Helper()
	var kills atomic.Int64
	t.Run("kill", func(t *testing.T) {
		for _, c := range cases {
			t.Run(fmt.Sprintf("%s/%s/after the request: %v/from %d", c.victim, c.policy, c.after, c.first), func(t *testing.T) {
				t.Parallel()
				kills.Add(killEach(t, c))
			})
		}
	})
	t.Logf("killed at %d points", kills.Load())
	if kills.Load() < least {
		t.Errorf("only %d points were covered", kills.Load())
	}
}

// killEach kills the command at one request after the other, and counts them. After
// each, with and without another evacuation, recovery ends at the snapshot.
func killEach(t *testing.T, c killCase) (kills int64) {
	t.Helper()
	w := newWorld(t, c.services...)
	seed(t, w, c.spec)
	o := newOperator(t, w, crashConfig)
	o.init()
	before := observe(t, w, table)
	for n := c.first; ; n += c.step {
		if c.victim == "recover" {
			o.evacuate(c.exit, "--policy", c.policy)
		}
		struck := c.killAt(o, n)
		if struck && kills%2 == 1 && c.victim == "evacuate" {
			o.evacuate(c.exit, "--policy", c.policy)
		}
		o.recover(0)
		seen := observe(t, w, table)
		same(t, before, seen)
		wantNothingOpen(t, seen)
		if t.Failed() {
			t.Fatalf("after killing %s at mutation %d, after it: %v", c.victim, n, c.after)
		}
		if !struck {
			return kills
		}
		kills++
	}
}

// killAt runs the command and kills it at its nth mutating request. It reports
// false if there was no such request.
func (c killCase) killAt(o operator, n int) bool {
	o.t.Helper()
	p, err := newProxy(o.w.endpoint)
	if err != nil {
		o.t.Fatal(err)
	}
	defer p.close()
	proxied := o
	proxied.w = o.w.through(p)
	args := []string{c.victim, "--zone", outID, "--reason", "to be killed", "--yes"}
	if c.victim == "evacuate" {
		args = slices.Concat(args, []string{"--policy", c.policy})
	}
	victim := prepare(o.t, proxied.w, binary(o.t), proxied.args(args...)...)
	if c.after {
		p.crashAfter(n, victim.kill)
	} else {
		p.crashBefore(n, victim.kill)
	}
	return victim.run().Exit == -1
}

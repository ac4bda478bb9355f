package integration

import (
	"fmt"
	"sync/atomic"
	"testing"
)

// TestKilledAtEveryMutation ends the binary with SIGKILL before and after each
// mutating request of an evacuation and of a recovery.
func TestKilledAtEveryMutation(t *testing.T) {
	t.Parallel()
	var kills atomic.Int64
	t.Run("kill", func(t *testing.T) {
		for _, victim := range []string{"evacuate", "recover"} {
			for _, after := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/after the request: %v", victim, after), func(t *testing.T) {
					t.Parallel()
					kills.Add(killEach(t, victim, after))
				})
			}
		}
	})
	t.Logf("killed at %d points", kills.Load())
	if kills.Load() < 60 {
		t.Errorf("only %d points were covered", kills.Load())
	}
}

// killEach kills the command at its first mutating request, then in a new run at
// its second, and so on to the last. After each, with and without another
// evacuation, recovery ends at the snapshot.
func killEach(t *testing.T, victim string, after bool) int64 {
	t.Helper()
	w := newWorld(t, "autoscaling", "ec2", "dynamodb", "sts")
	seed(t, w, spec{subnetsPerZone: 2, groups: []groupSpec{
		{name: "web", subnets: []string{"b1", "a1", "c1", "a2"}, max: 6, desired: 2},
		{name: "api", subnets: []string{"a1", "b1"}, max: 6, suspended: []string{"AZRebalance"}},
		{name: "alone", subnets: []string{"a1"}, max: 1},
	}})
	o := newOperator(t, w, crashConfig)
	o.init()
	before := observe(t, w, table)
	for n := 1; ; n++ {
		if victim == "recover" {
			o.evacuate(3)
		}
		struck := killed(t, o, victim, n, after)
		if struck && n%2 == 0 && victim == "evacuate" {
			o.evacuate(3)
		}
		o.recover(0)
		seen := observe(t, w, table)
		same(t, before, seen)
		wantNothingOpen(t, seen)
		if t.Failed() {
			t.Fatalf("after killing %s at mutation %d, after it: %v", victim, n, after)
		}
		if !struck {
			return int64(n - 1)
		}
	}
}

// killed runs a command and kills it at its nth mutating request. It reports
// false if there was no such request.
func killed(t *testing.T, o operator, command string, n int, after bool) bool {
	t.Helper()
	p, err := newProxy(o.w.endpoint)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	proxied := o
	proxied.w = o.w.through(p)
	victim := prepare(t, proxied.w, binary(t), proxied.args(command, "--zone", outID, "--reason", "to be killed", "--yes")...)
	if after {
		p.crashAfter(n, victim.kill)
	} else {
		p.crashBefore(n, victim.kill)
	}
	return victim.run().Exit == -1
}

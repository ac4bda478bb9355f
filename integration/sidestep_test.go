package integration

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The zone that goes out, as moto numbers the zones of us-east-1; the seed's
// subnets of it are those with the letter a.
const (
	outID   = "use1-az6"
	outName = "us-east-1a"
	nextID  = "use1-az1" // letter b
)

const table = "sidestep-ledger"

// quickConfig waits no longer than moto needs, which is not at all.
const quickConfig = `
run: {lease: 10s, callDeadline: 3s, skew: 0s, poll: 200ms, settle: 500ms, deadline: 2s}
`

// fleetConfig is for many groups, which moto is slow to describe.
const fleetConfig = `
run: {lease: 30s, callDeadline: 10s, skew: 0s, poll: 500ms, settle: 1s, deadline: 3s}
ledger: {deadline: 30s}
`

// rollouts is how many services are deployed at a time where no file says another
// number.
const rollouts = 5

// crashConfig takes a dead run's lock over quickly.
const crashConfig = `
run: {lease: 1s, callDeadline: 2s, skew: 0s, poll: 100ms, settle: 100ms, deadline: 1s}
ledger: {deadline: 10s}
`

// operator is a person with a configuration file in a world.
type operator struct {
	t      *testing.T
	w      world
	config string
}

func newOperator(t *testing.T, w world, config string) operator {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sidestep.yaml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return operator{t: t, w: w, config: path}
}

// args completes a command line.
func (o operator) args(args ...string) []string {
	all := append(args, "--config", o.config, "--output", "json")
	if o.w.prefix != "" && slices.Contains([]string{"plan", "evacuate"}, args[0]) {
		all = append(all, "--name", o.w.prefix+"*")
	}
	return all
}

// do runs sidestep and wants it to exit with one of the codes.
func (o operator) do(exits []int, args ...string) document {
	o.t.Helper()
	r := run(o.t, o.w, o.args(args...)...)
	if !slices.Contains(exits, r.Exit) {
		o.t.Fatalf("sidestep %s exited with %d, want %v\n%s\n%s", strings.Join(args, " "), r.Exit, exits, r.Stdout, r.Stderr)
	}
	return parse(o.t, r)
}

func (o operator) init() { o.t.Helper(); o.do([]int{0}, "ledger", "init") }
func (o operator) evacuate(exit int, more ...string) document {
	o.t.Helper()
	return o.do([]int{exit}, append([]string{"evacuate", "--zone", outID, "--reason", "wire test", "--yes"}, more...)...)
}
func (o operator) recover(exit int, more ...string) document {
	o.t.Helper()
	return o.do([]int{exit}, append([]string{"recover", "--zone", outID, "--reason", "wire test", "--yes"}, more...)...)
}

// document is what --output json prints of plan, evacuate, recover and verify.
type document struct {
	Run struct {
		ID        string `json:"id"`
		Direction string `json:"direction"`
		Zone      struct{ ID, Name string }
		Policy    string `json:"policy"`
		Status    string `json:"status"`
	} `json:"run"`
	Counts    map[string]int `json:"counts"`
	Resources []struct {
		ARN            string              `json:"arn"`
		Kind           string              `json:"kind"`
		Name           string              `json:"name"`
		Outcome        string              `json:"outcome"`
		Reason         string              `json:"reason"`
		Before         map[string][]string `json:"before"`
		After          map[string][]string `json:"after"`
		RemovedSubnets []string            `json:"removedSubnets"`
	} `json:"resources"`
	Error struct {
		Message string `json:"message"`
		Exit    int    `json:"exit"`
	} `json:"error"`
}

func parse(t *testing.T, r result) document {
	t.Helper()
	var d document
	if err := json.Unmarshal([]byte(r.Stdout), &d); err != nil {
		t.Fatalf("stdout is not one JSON document: %v\n%s\n%s", err, r.Stdout, r.Stderr)
	}
	return d
}

func (d document) outcome(name string) string {
	for _, r := range d.Resources {
		if r.Name == name {
			return r.Outcome
		}
	}
	return ""
}

func TestFleetIsEvacuatedAndRecovered(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"hold", "drain"} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seedNeeds...)
			s := seedAccount(t, w)
			p := between(t, w)
			o := newOperator(t, w.through(p), fleetConfig)
			o.init()
			before := observe(t, w, table)
			if len(before.Groups) != 230 || len(before.Services) != 57 || len(before.Functions) != 240 {
				t.Fatalf("observed %d groups, %d services, %d functions: pages are missing",
					len(before.Groups), len(before.Services), len(before.Functions))
			}
			plan := o.do([]int{0}, "plan", "--zone", outID, "--policy", policy)
			out := o.evacuate(3, "--policy", policy) // single-zone groups are still exposed
			wantClosed(t, w, s, before, observe(t, w, table), policy)
			wantAsPlanned(t, plan, out)
			wantOutcomes(t, w, s, out, policy)
			if out.Counts["skipped-single-zone"] == 0 || out.Run.Status != "partial" {
				t.Errorf("evacuation: %s, %v", out.Run.Status, out.Counts)
			}
			back := o.recover(0)
			after := observe(t, w, table)
			same(t, before, after)
			wantNothingOpen(t, after)
			wantTrail(t, o, out)
			wantTrail(t, o, back)
			wantTouched(t, p.recorded(), s.changed(w, policy))
			wantRollouts(t, p.recorded(), policy)
		})
	}
}

// seedAccount makes an account of a usual size.
func seedAccount(t *testing.T, w world) seeded {
	t.Helper()
	began := time.Now()
	s := seed(t, w, spec{subnetsPerZone: 2, groups: fleet(230), services: serviceFleet(), functions: functionFleet(240)})
	t.Logf("seeded in %v", time.Since(began))
	return s
}

// wantRollouts checks that services are redeployed by a drain alone, a few at a
// time.
func wantRollouts(t *testing.T, calls []call, policy string) {
	t.Helper()
	want := 0
	if policy == "drain" {
		want = rollouts
	}
	if got := atOnce(calls); got != want {
		t.Errorf("up to %d services were in a deployment at once, want %d", got, want)
	}
}

func TestPlanChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sidestepNeeds...)
	seed(t, w, spec{subnetsPerZone: 2, groups: fleet(12)})
	newOperator(t, w, quickConfig).init()
	p := between(t, w)
	o := newOperator(t, w.through(p), quickConfig)
	for _, policy := range []string{"hold", "drain"} {
		plan := o.do([]int{0}, "plan", "--zone", outName, "--policy", policy)
		if plan.Counts["planned"] == 0 {
			t.Errorf("nothing is planned: %v", plan.Counts)
		}
	}
	o.do([]int{0}, "status")
	o.do([]int{0}, "verify", "--zone", outID)
	if m := p.mutations(); len(m) > 0 {
		t.Errorf("mutating calls: %+v", m)
	}
	if len(p.recorded()) == 0 {
		t.Error("no call was recorded")
	}
}

// TestTwoFirstRunsAtOnce: neither has a record to find; one acts, the other is
// refused or finds all done.
func TestTwoFirstRunsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sidestepNeeds...)
	s := seed(t, w, spec{subnetsPerZone: 2, groups: fleet(24)})
	o := newOperator(t, w, quickConfig)
	o.init()
	before := observe(t, w, table)
	var runs [2]*process
	ends := make(chan result, len(runs))
	for i := range runs {
		runs[i] = prepare(t, w, binary(t), o.args("evacuate", "--zone", outID, "--reason", fmt.Sprint("run ", i), "--yes")...)
		go func() { ends <- runs[i].run() }()
	}
	for range runs {
		if r := <-ends; r.Exit != 3 && r.Exit != 5 {
			t.Errorf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
		}
	}
	wantClosed(t, w, s, before, observe(t, w, table), "hold")
	o.recover(0)
	after := observe(t, w, table)
	same(t, before, after)
	wantNothingOpen(t, after)
}

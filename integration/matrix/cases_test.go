package matrix

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/smithy-go"

	"sidestep/pkg/clock"
	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

// Tests here are named after the trouble from the field that they keep out; see
// docs/field-cases.md.

func outcomes(r engine.Result) map[string]resource.Outcome {
	m := map[string]resource.Outcome{}
	for _, i := range r.Items {
		m[i.Name] = i.Outcome
	}
	return m
}

// changes lists the calls of a process that changed groups.
func (w *memoryWorld) changes(process string) []region.Call {
	return slices.DeleteFunc(w.region.Process(process).Calls(), func(c region.Call) bool {
		return !c.Mutating || c.Service == region.ServiceLedger
	})
}

func TestFR02SecondRunKeepsTheOriginal(t *testing.T) {
	w := newMemoryWorld(t)
	before := w.snapshot()
	for _, process := range []string{"one", "two", "three"} {
		w.evacuate(t, process, leaving, resource.Hold)
	}
	if n := len(w.changes("two")) + len(w.changes("three")); n > 0 {
		t.Errorf("runs that found everything done sent %d changes", n)
	}
	w.recover(t, "back", leaving)
	w.wantSnapshot(t, before)
}

func TestFR10SingleZoneIsSkipped(t *testing.T) {
	w := newMemoryWorld(t)
	result := w.evacuate(t, "out", leaving, resource.Drain)
	if got := outcomes(result)["batch-first-zone"]; got != resource.SkippedSingleZone {
		t.Errorf("outcome is %s", got)
	}
	for _, c := range w.changes("out") {
		if c.ID == "batch-first-zone" {
			t.Errorf("it was sent %s", c.Op)
		}
	}
	if result.Run.Status != ledger.Partial {
		t.Errorf("the run ended %s although the group is exposed", result.Run.Status)
	}
}

func TestFR13NameIsThisAccountsOwn(t *testing.T) {
	for _, names := range [][]string{{"us-east-1a", "us-east-1b"}, {"us-east-1b", "us-east-1a"}} {
		c := clock.NewVirtual(time.Now())
		r := region.New(region.Config{Clock: c, Account: sampleAccount, Name: sampleRegion})
		r.AddZone("use1-az1", names[0])
		r.AddZone("use1-az2", names[1])
		r.AddSubnet("subnet-1", "use1-az1", "vpc", 9)
		r.AddSubnet("subnet-2", "use1-az2", "vpc", 9)
		r.AddGroup(region.Group{Name: "web", Subnets: []string{"subnet-1", "subnet-2"}})
		w := worldOf(c, r)
		w.evacuate(t, "by-id", "use1-az1", resource.Hold)
		if got := r.Snapshot()["web"].Subnets; !slices.Equal(got, []string{"subnet-2"}) {
			t.Errorf("zone use1-az1 named %s: web has %v", names[0], got)
		}
		w.recover(t, "back", names[0]) // a name is resolved in this account
		w.evacuate(t, "by-name", names[0], resource.Hold)
		if got := r.Snapshot()["web"].Subnets; !slices.Equal(got, []string{"subnet-2"}) {
			t.Errorf("name %s: web has %v", names[0], got)
		}
	}
}

func TestFR14NothingFalselyEndsDone(t *testing.T) {
	refused := func(t *testing.T, err error) {
		var refusal *engine.Refusal
		if !errors.As(err, &refusal) {
			t.Errorf("the run returned %v, want a refusal", err)
		}
	}
	t.Run("list fails", func(t *testing.T) {
		w := newMemoryWorld(t)
		w.region.Fault(region.Fault{Process: "out", Service: region.ServiceAutoScaling, Op: "DescribeAutoScalingGroups", Nth: 2, Do: region.Fail(&smithy.GenericAPIError{Code: "InternalFailure"})})
		result, err := w.run("out", resource.Evacuate, resource.Hold)
		if err == nil || result.Run.Status != ledger.Failed {
			t.Errorf("a list that failed on its second page ended %s, %v", result.Run.Status, err)
		}
	})
	t.Run("reverted after 4 minutes", func(t *testing.T) {
		w := newMemoryWorld(t)
		original := w.region.Snapshot()["web"].Subnets
		w.clock.Go(func() {
			_ = w.clock.Sleep(context.Background(), 4*time.Minute)
			w.region.SetGroupSubnets("web", original...)
		})
		result := w.evacuate(t, "out", leaving, resource.Hold)
		if got := outcomes(result)["web"]; got != resource.RestoredByOther {
			t.Errorf("web is %s", got)
		}
		if result.Run.Status != ledger.Partial {
			t.Errorf("the run ended %s", result.Run.Status)
		}
	})
	t.Run("empty match", func(t *testing.T) {
		w := newMemoryWorld(t)
		req := w.request(resource.Evacuate, leaving, resource.Hold)
		req.Scope.Name = "nothing-*"
		result, err := w.engine("out", testConfig()).Evacuate(context.Background(), req)
		refused(t, err)
		if result.Run.Status != ledger.Refused {
			t.Errorf("the run ended %s", result.Run.Status)
		}
		w.wantNothingOpen(t)
	})
	t.Run("silent no-op", func(t *testing.T) {
		w := newMemoryWorld(t)
		w.region.Fault(region.Fault{Process: "out", Op: "UpdateAutoScalingGroup", Nth: 1, Do: region.NoOp()})
		if result := w.evacuate(t, "out", leaving, resource.Hold); result.Run.Status != ledger.Partial {
			t.Errorf("the run ended %s", result.Run.Status)
		}
	})
}

func TestFR16VerifyFindsWhatAPipelinePutBack(t *testing.T) {
	w := newMemoryWorld(t)
	original := w.region.Snapshot()
	w.evacuate(t, "out", leaving, resource.Hold)
	w.region.SetGroupSubnets("web", original["web"].Subnets...)
	w.region.SetGroupSubnets("api", "subnet-2a", "subnet-3a", "subnet-1b") // another subnet of the zone
	result, err := w.engine("look", testConfig()).Verify(context.Background(), leaving)
	if err != nil || !result.Drifted() {
		t.Fatalf("verify: %v, drifted %v", err, result.Drifted())
	}
	got := outcomes(result)
	if got["web"] != resource.RestoredByOther || got["api"] != resource.Drifted || got["alarms-off"] != resource.Settled {
		t.Errorf("verify says %v", got)
	}
	if n := len(w.changes("look")); n > 0 {
		t.Errorf("verify sent %d changes", n)
	}
	// Evacuating again closes it again, a few times; then it is told, not fought.
	for i := range 4 {
		w.region.SetGroupSubnets("web", original["web"].Subnets...)
		result = w.evacuate(t, "again-"+string(rune('a'+i)), leaving, resource.Hold)
	}
	if got := outcomes(result)["web"]; got != resource.Contested {
		t.Errorf("after four reverts web is %s", got)
	}
	w.recover(t, "back", leaving)
	w.wantNothingOpen(t)
}

func TestFR18And56And58AreLeftAlone(t *testing.T) {
	for _, policy := range []resource.Policy{resource.Hold, resource.Drain} {
		w := newMemoryWorld(t)
		got := outcomes(w.evacuate(t, "out", leaving, policy))
		want := map[string]resource.Outcome{
			"eks-workers-8ec5b2d1":   resource.SkippedManagedByEKS,
			"zonal-shift":            resource.SkippedZonalShift,
			"nodes.prod.example.com": resource.SkippedClusterNodes,
			"operated":               resource.SkippedOperator,
		}
		for name, outcome := range want {
			if got[name] != outcome {
				t.Errorf("%s: %s is %s, want %s", policy, name, got[name], outcome)
			}
			for _, c := range w.changes("out") {
				if c.ID == name {
					t.Errorf("%s: %s was sent %s", policy, name, c.Op)
				}
			}
		}
	}
}

func TestFR53SecondZoneIsRefused(t *testing.T) {
	w := newMemoryWorld(t)
	before := w.snapshot()
	w.evacuate(t, "first", leaving, resource.Hold)
	req := w.request(resource.Evacuate, "use1-az2", resource.Hold)
	for _, override := range []string{"", "use1-az3", "yes"} {
		req.Override = override
		_, err := w.engine("second", testConfig()).Evacuate(context.Background(), req)
		var refusal *engine.Refusal
		if !errors.As(err, &refusal) || !strings.Contains(refusal.Error(), leaving) {
			t.Errorf("override %q: %v", override, err)
		}
	}
	if n := len(w.changes("second")); n > 0 {
		t.Errorf("the refused run sent %d changes", n)
	}
	w.recover(t, "back", leaving)
	w.wantSnapshot(t, before)
}

func TestFR53SecondZoneByOverride(t *testing.T) {
	w := newMemoryWorld(t)
	before := w.snapshot()
	w.evacuate(t, "first", leaving, resource.Hold)
	req := w.request(resource.Evacuate, "use1-az2", resource.Hold)
	req.Override = leaving
	result, err := w.engine("second", testConfig()).Evacuate(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if got := outcomes(result)["web"]; got != resource.Settled {
		t.Errorf("web is %s", got)
	}
	w.recover(t, "back-first", leaving)
	web := w.region.Snapshot()["web"]
	if slices.ContainsFunc(web.Subnets, func(id string) bool { return strings.HasPrefix(id, "subnet-2") }) {
		t.Errorf("recovering %s filled the other zone: %v", leaving, web.Subnets)
	}
	if !slices.Contains(web.Suspended, "AZRebalance") {
		t.Error("rebalancing was resumed while the other zone is out")
	}
	w.recover(t, "back-second", "use1-az2")
	w.wantSnapshot(t, before)
}

func TestFR55StaleWriterIsFencedOff(t *testing.T) {
	w := newMemoryWorld(t)
	l, ctx := w.ledger(), context.Background()
	lock, err := l.Acquire(ctx, ledger.Lock{}, "old", "test")
	if err != nil {
		t.Fatal(err)
	}
	created, err := l.Create(ctx, lock, []ledger.Record{{Zone: leaving, ARN: "arn:web", Kind: resource.AutoScalingGroup, Name: "web", State: ledger.Planned}})
	if err != nil {
		t.Fatal(err)
	}
	successor, err := l.Acquire(ctx, lock, "new", "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Claim(ctx, successor, created[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Update(ctx, created[0]); !errors.Is(err, ledger.ErrStale) {
		t.Errorf("the old run's update returned %v", err)
	}
	if err := l.Delete(ctx, created[0]); !errors.Is(err, ledger.ErrStale) {
		t.Errorf("the old run's delete returned %v", err)
	}
	if _, err := l.Create(ctx, lock, []ledger.Record{{Zone: leaving, ARN: "arn:api"}}); !errors.Is(err, ledger.ErrStale) {
		t.Errorf("the old run's create returned %v", err)
	}
}

package matrix

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/smithy-go"

	"sidestep/pkg/app"
	"sidestep/pkg/ledger"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

var services = resource.Scope{Kinds: []resource.Kind{resource.ECSService}}

// rolloutConfig redeploys k services at a time, by as many workers as in
// production.
func rolloutConfig(k int) app.Config {
	c := app.DefaultConfig()
	c.ECS.Concurrency = k
	c.Run.Deadline = 6 * time.Hour
	return c
}

func TestFR03NeverMoreThanKServicesInDeployment(t *testing.T) {
	for _, k := range []int{1, 3, 5} {
		for _, noWait := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d at a time, no wait %t", k, noWait), func(t *testing.T) {
				w := newServiceWorld(t, 13)
				w.region.Latency(50 * time.Millisecond)
				before := w.snapshot()
				for _, d := range []resource.Direction{resource.Evacuate, resource.Recover} {
					if _, err := w.attempt(string(d), d, resource.Drain, services, rolloutConfig(k), noWait); err != nil {
						t.Fatal(err)
					}
				}
				if most := w.region.MostRollouts(); most != k {
					t.Errorf("%d services were in deployment at once, want %d", most, k)
				}
				w.wantConfiguration(t, before)
			})
		}
	}
}

// TestFR03ARunThatDiesLeavesItsRolloutsCounted: who takes over must not add K to
// the K that are under way.
func TestFR03ARunThatDiesLeavesItsRolloutsCounted(t *testing.T) {
	for nth := 1; nth <= 9; nth++ {
		w := newServiceWorld(t, 9)
		before := w.snapshot()
		config := rolloutConfig(3)
		config.Run.Lease, config.Run.CallDeadline, config.Run.Poll = 2*time.Second, time.Second, time.Second
		w.region.Fault(region.Fault{Process: "victim", Op: "UpdateService", Nth: nth, Do: region.DieAfter()})
		_, _ = w.attempt("victim", resource.Evacuate, resource.Drain, services, config, true)
		if _, err := w.attempt("next", resource.Evacuate, resource.Drain, services, config, true); err != nil {
			t.Fatal(err)
		}
		if most := w.region.MostRollouts(); most > 3 {
			t.Errorf("dead at update %d: %d services were in deployment at once", nth, most)
		}
		if _, err := w.attempt("back", resource.Recover, "", services, config, false); err != nil {
			t.Fatal(err)
		}
		w.wantSnapshot(t, before)
	}
}

func TestFR03ServicesThatTheZoneDoesNotConcernGetNoCall(t *testing.T) {
	w := newServiceWorld(t, 2)
	w.region.AddService(region.Service{Cluster: "shop", Name: "elsewhere", ServiceConfig: region.ServiceConfig{
		Subnets: []string{"subnet-2a", "subnet-3a"}, SecurityGroups: []string{"sg-1"}, PublicIP: "DISABLED", Desired: 4, Rebalancing: "ENABLED",
	}})
	for _, p := range []resource.Policy{resource.Hold, resource.Drain} {
		process := "out-" + string(p)
		if _, err := w.attempt(process, resource.Evacuate, p, services, rolloutConfig(2), false); err != nil {
			t.Fatal(err)
		}
		for _, c := range w.changes(process) {
			if c.ID == "shop/elsewhere" {
				t.Errorf("%s: it was sent %s", p, c.Op)
			}
		}
	}
}

func TestFR32ARollbackIsFound(t *testing.T) {
	w := newServiceWorld(t, 4)
	before := w.snapshot()
	w.region.FailRollouts("shop/service-01", region.RolloutRollsBack)
	result, err := w.attempt("out", resource.Evacuate, resource.Drain, services, rolloutConfig(2), false)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]resource.Outcome{
		"shop/service-00": resource.Settled, "shop/service-01": resource.RolledBack,
		"shop/service-02": resource.Settled, "shop/service-03": resource.Settled,
	} {
		if got := outcomes(result)[name]; got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if result.Run.Status != ledger.Partial {
		t.Errorf("the run ended %s", result.Run.Status)
	}
	w.region.FailRollouts("shop/service-01", region.RolloutSucceeds)
	if _, err := w.attempt("back", resource.Recover, "", services, rolloutConfig(2), false); err != nil {
		t.Fatal(err)
	}
	w.wantSnapshot(t, before)
}

// TestFR32ARollbackOnTheWayBackKeepsTheRecord: a record that is deleted when AWS
// has accepted the restored subnets is gone when they are rolled back.
func TestFR32ARollbackOnTheWayBackKeepsTheRecord(t *testing.T) {
	w := newServiceWorld(t, 2)
	before := w.snapshot()
	if _, err := w.attempt("out", resource.Evacuate, resource.Drain, services, rolloutConfig(2), false); err != nil {
		t.Fatal(err)
	}
	w.region.FailRollouts("shop/service-01", region.RolloutRollsBack)
	result, err := w.attempt("back", resource.Recover, "", services, rolloutConfig(2), false)
	if err != nil {
		t.Fatal(err)
	}
	if got := outcomes(result)["shop/service-01"]; got != resource.RolledBack || result.Open != 1 {
		t.Errorf("it is %s, with %d records open", got, result.Open)
	}
	w.region.FailRollouts("shop/service-01", region.RolloutSucceeds)
	if _, err := w.attempt("again", resource.Recover, "", services, rolloutConfig(2), false); err != nil {
		t.Fatal(err)
	}
	w.wantSnapshot(t, before)
}

// TestADeploymentThatNeverEndsIsStuckAndTheOthersGoOn, one at a time too.
func TestADeploymentThatNeverEndsIsStuckAndTheOthersGoOn(t *testing.T) {
	for _, k := range []int{1, 2} {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			w := newServiceWorld(t, 5)
			before := w.snapshot()
			w.region.FailRollouts("shop/service-00", region.RolloutNeverEnds)
			begun := w.clock.Now()
			result, err := w.attempt("out", resource.Evacuate, resource.Drain, services, rolloutConfig(k), false)
			if err != nil {
				t.Fatal(err)
			}
			if got := outcomes(result)["shop/service-00"]; got != resource.Stuck {
				t.Errorf("it is %s, want stuck", got)
			}
			if n := result.Counts()[resource.Settled]; n != 4 {
				t.Errorf("%d of the other 4 have settled: %v", n, outcomes(result))
			}
			if took := w.clock.Now().Sub(begun); took > 3*time.Hour {
				t.Errorf("it took %v", took)
			}
			w.region.FailRollouts("shop/service-00", region.RolloutSucceeds)
			if _, err := w.attempt("back", resource.Recover, "", services, rolloutConfig(k), false); err != nil {
				t.Fatal(err)
			}
			w.wantSnapshot(t, before)
		})
	}
}

func TestFR60ARunningDeploymentIsWaitedFor(t *testing.T) {
	w := newServiceWorld(t, 1)
	w.region.RolloutTime(3 * time.Minute)
	w.region.EditService("shop/service-00", func(c *region.ServiceConfig) { c.SecurityGroups = []string{"sg-2"} })
	begun := w.clock.Now()
	result, err := w.attempt("out", resource.Evacuate, resource.Drain, services, rolloutConfig(1), true)
	if err != nil {
		t.Fatal(err)
	}
	sent := w.changes("out")
	if len(sent) != 1 || sent[0].At.Sub(begun) < 3*time.Minute {
		t.Errorf("sent %v, and the deployment had 3 min to go", sent)
	}
	if got := w.region.Services()["shop/service-00"]; got.SecurityGroups[0] != "sg-2" || len(got.Subnets) != 2 {
		t.Errorf("it is %+v (%s)", got, outcomes(result))
	}
}

// TestAHoldWaitsForNoDeployment: the switch it sets meets none.
func TestAHoldWaitsForNoDeployment(t *testing.T) {
	w := newServiceWorld(t, 1)
	w.region.RolloutTime(time.Hour)
	w.region.EditService("shop/service-00", func(c *region.ServiceConfig) { c.SecurityGroups = []string{"sg-2"} })
	begun := w.clock.Now()
	if _, err := w.attempt("out", resource.Evacuate, resource.Hold, services, rolloutConfig(1), true); err != nil {
		t.Fatal(err)
	}
	if sent := w.changes("out"); len(sent) != 1 || sent[0].At.Sub(begun) > time.Second {
		t.Errorf("sent %v, begun at %v", sent, begun)
	}
}

func TestFR60NoRoomForAReplacementIsLeft(t *testing.T) {
	w := newServiceWorld(t, 2)
	w.region.EditService("shop/service-01", func(c *region.ServiceConfig) { c.Desired, c.MinPercent, c.MaxPercent = 1, 100, 100 })
	_ = w.clock.Sleep(context.Background(), time.Hour)
	result, err := w.attempt("out", resource.Evacuate, resource.Drain, services, rolloutConfig(2), false)
	if err != nil {
		t.Fatal(err)
	}
	if got := outcomes(result)["shop/service-01"]; got != resource.SkippedDeploymentConfig {
		t.Errorf("it is %s", got)
	}
	if got := outcomes(result)["shop/service-00"]; got != resource.Settled {
		t.Errorf("the other one is %s", got)
	}
}

// TestARolloutThatEndsAfterItsDeadlineIsNotStuck: it is watched again while others
// are still to come.
func TestARolloutThatEndsAfterItsDeadlineIsNotStuck(t *testing.T) {
	w := newServiceWorld(t, 4)
	w.region.RolloutTime(20 * time.Minute)
	config := rolloutConfig(2)
	config.ECS.Deadline = 10 * time.Minute
	result, err := w.attempt("out", resource.Evacuate, resource.Drain, services, config, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := outcomes(result)["shop/service-00"]; got != resource.Settled {
		t.Errorf("the first one is %s", got)
	}
}

// TestALaneThatCannotReadEnds: what is under way cannot be told, so nothing more
// begins, and that is said.
func TestALaneThatCannotReadEnds(t *testing.T) {
	w := newServiceWorld(t, 5)
	refused := &smithy.GenericAPIError{Code: "AccessDeniedException"}
	w.region.Fault(region.Fault{Process: "out", Op: "UpdateService", Nth: 2, Do: region.Foreign(func(r *region.Region) {
		r.Fault(region.Fault{Process: "out", Op: "DescribeServices", Do: region.Fail(refused)})
	})})
	result, err := w.attempt("out", resource.Evacuate, resource.Drain, services, rolloutConfig(2), true)
	if err != nil {
		t.Fatal(err)
	}
	if n := result.Counts()[resource.FailedAccess]; n != 3 || len(w.changes("out")) != 2 {
		t.Errorf("%d are failed-access, and %d changes were sent: %v", n, len(w.changes("out")), outcomes(result))
	}
}

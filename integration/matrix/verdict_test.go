package matrix

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go"

	"sidestep/pkg/app"
	"sidestep/pkg/engine"
	"sidestep/pkg/kind/ecsservice"
	"sidestep/pkg/kind/lambdafunction"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

// TestRolloutsThatDoNotEndStopTheLane: one after the other would take what capacity
// the zones that are left have.
func TestRolloutsThatDoNotEndStopTheLane(t *testing.T) {
	w := newServiceWorld(t, 9)
	for name := range w.region.Services() {
		w.region.FailRollouts(name, region.RolloutNeverEnds)
	}
	result, err := w.attempt("out", resource.Evacuate, resource.Drain, services, rolloutConfig(2), true)
	if err != nil {
		t.Fatal(err)
	}
	counts := result.Counts()
	if most := w.region.MostRollouts(); most != 3 || counts[resource.Stuck] != 3 || counts[resource.HeldNoCapacity] != 6 {
		t.Errorf("%d services were in deployment at once: %v", most, counts)
	}
}

// TestWhatIsLeftInAZoneThatIsOutIsNotLeft: held services keep their subnets in the
// first zone, and a drain of the second must not move them all there.
func TestWhatIsLeftInAZoneThatIsOutIsNotLeft(t *testing.T) {
	w := newServiceWorld(t, 1)
	w.region.EditService("shop/service-00", func(c *region.ServiceConfig) { c.Subnets = []string{"subnet-1a", "subnet-2a"} })
	_ = w.clock.Sleep(context.Background(), time.Hour)
	if _, err := w.attempt("first", resource.Evacuate, resource.Hold, services, rolloutConfig(1), false); err != nil {
		t.Fatal(err)
	}
	req := w.request(resource.Evacuate, "use1-az2", resource.Drain)
	req.Scope, req.Override = services, leaving
	result, err := w.engine("second", rolloutConfig(1)).Evacuate(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if got := itemOf(t, result, "shop/service-00").Outcome; got != resource.SkippedSingleZone {
		t.Errorf("it is %s, with %v", got, w.region.Services()["shop/service-00"].Subnets)
	}
}

// TestVerifyTellsOfARollback that came after a run with --no-wait.
func TestVerifyTellsOfARollback(t *testing.T) {
	w := newServiceWorld(t, 2)
	w.region.FailRollouts("shop/service-01", region.RolloutRollsBack)
	if _, err := w.attempt("out", resource.Evacuate, resource.Drain, services, rolloutConfig(2), true); err != nil {
		t.Fatal(err)
	}
	_ = w.clock.Sleep(context.Background(), time.Hour)
	result, err := w.engine("verify", rolloutConfig(2)).Verify(context.Background(), leaving)
	if err != nil {
		t.Fatal(err)
	}
	if got := itemOf(t, result, "shop/service-01").Outcome; got != resource.RolledBack || !result.Incomplete() || result.Drifted() {
		t.Errorf("it is %s, incomplete %t, drifted %t", got, result.Incomplete(), result.Drifted())
	}
}

// TestAHoldAfterARolledBackDrainHolds, and blames nobody for the subnets.
func TestAHoldAfterARolledBackDrainHolds(t *testing.T) {
	w := newServiceWorld(t, 1)
	before := w.snapshot()
	w.region.FailRollouts("shop/service-00", region.RolloutRollsBack)
	for _, p := range []resource.Policy{resource.Drain, resource.Hold} {
		result, err := w.attempt("out-"+string(p), resource.Evacuate, p, services, rolloutConfig(1), false)
		if err != nil {
			t.Fatal(err)
		}
		want := map[resource.Policy]resource.Outcome{resource.Drain: resource.RolledBack, resource.Hold: resource.HeldRedeploys}[p]
		if i := itemOf(t, result, "shop/service-00"); i.Outcome != want {
			t.Errorf("%s: it is %s: %s", p, i.Outcome, i.Reason)
		}
	}
	w.region.FailRollouts("shop/service-00", region.RolloutSucceeds)
	if _, err := w.attempt("back", resource.Recover, "", services, rolloutConfig(1), false); err != nil {
		t.Fatal(err)
	}
	w.wantSnapshot(t, before)
}

// TestASecondRunSaysWhatIsUnderWay: sent is not done, whoever sent it.
func TestASecondRunSaysWhatIsUnderWay(t *testing.T) {
	w := newServiceWorld(t, 1)
	w.region.RolloutTime(20 * time.Minute)
	for _, process := range []string{"one", "two"} {
		result, err := w.attempt(process, resource.Evacuate, resource.Drain, services, rolloutConfig(1), true)
		if err != nil {
			t.Fatal(err)
		}
		if i := itemOf(t, result, "shop/service-00"); i.Outcome != resource.Applied {
			t.Errorf("%s: it is %s: %s", process, i.Outcome, i.Reason)
		}
	}
}

// failed is ECS in which the last deployment of every service failed, and was not
// rolled back.
type failed struct{ ecsservice.API }

func (f failed) DescribeServices(ctx context.Context, in *ecs.DescribeServicesInput, opts ...func(*ecs.Options)) (*ecs.DescribeServicesOutput, error) {
	out, err := f.API.DescribeServices(ctx, in, opts...)
	if err == nil {
		for i := range out.Services {
			out.Services[i].Deployments[0].RolloutState = types.DeploymentRolloutStateFailed
		}
	}
	return out, err
}

// TestAFailedDeploymentOnTheWayBackIsNoRecovery, however often it is looked at.
func TestAFailedDeploymentOnTheWayBackIsNoRecovery(t *testing.T) {
	w := newServiceWorld(t, 1)
	if _, err := w.attempt("out", resource.Evacuate, resource.Drain, services, rolloutConfig(1), false); err != nil {
		t.Fatal(err)
	}
	for _, process := range []string{"one", "two", "watch"} {
		e := w.engine(process, rolloutConfig(1))
		w.swap(e, ecsservice.New(failed{w.region.Process(process).ECS()}, w.clock))
		act := e.Recover
		if process == "watch" {
			act = e.Reconcile
		}
		req := w.request(resource.Recover, leaving, "")
		result, err := act(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		if i := itemOf(t, result, "shop/service-00"); i.Outcome != resource.Stuck || result.Open != 1 {
			t.Errorf("%s: it is %s, with %d records open: %s", process, i.Outcome, result.Open, i.Reason)
		}
		if _, err := w.ledger().Run(context.Background(), req.Run); process == "watch" && err == nil {
			t.Error("watch took the lock with nothing to close")
		}
	}
}

// swap gives an engine another driver of a kind.
func (w *memoryWorld) swap(e *engine.Engine, d resource.Driver) {
	for i, old := range e.Drivers {
		if old.Kind() == d.Kind() {
			e.Drivers[i] = d
		}
	}
}

// denied is Lambda to a caller who may not read one function.
type denied struct {
	lambdafunction.API
	name string
}

func (d denied) GetFunction(ctx context.Context, in *lambda.GetFunctionInput, opts ...func(*lambda.Options)) (*lambda.GetFunctionOutput, error) {
	if strings.HasSuffix(*in.FunctionName, ":"+d.name) {
		return nil, &smithy.GenericAPIError{Code: "AccessDeniedException"}
	}
	return d.API.GetFunction(ctx, in, opts...)
}

// TestOneThatMayNotBeReadHidesNoOther, there and back.
func TestOneThatMayNotBeReadHidesNoOther(t *testing.T) {
	w := newMixedWorld(t)
	for _, d := range []resource.Direction{resource.Evacuate, resource.Recover} {
		e := w.engine(string(d), app.DefaultConfig())
		p := w.region.Process(string(d))
		w.swap(e, lambdafunction.New(denied{p.Lambda(), "mail"}, p.Tagging(), w.clock))
		req := w.request(d, leaving, resource.Hold)
		req.Scope = functions
		act := e.Evacuate
		if d == resource.Recover {
			act = e.Recover
		}
		result, err := act(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		want := map[resource.Direction]resource.Outcome{resource.Evacuate: resource.Settled, resource.Recover: resource.Restored}[d]
		if got := itemOf(t, result, "resize").Outcome; got != want {
			t.Errorf("%s: resize is %s", d, got)
		}
		if d == resource.Evacuate && itemOf(t, result, "mail").Outcome != resource.FailedAccess {
			t.Errorf("mail is %s", itemOf(t, result, "mail").Outcome)
		}
	}
}

package matrix

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"sidestep/pkg/kind/ecsservice"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

// TestFR32ARunThatDiesOnTheWayBackLeavesTheRecord: whoever goes on finds the subnets
// back and a deployment under way that is going to be rolled back.
func TestFR32ARunThatDiesOnTheWayBackLeavesTheRecord(t *testing.T) {
	w := newServiceWorld(t, 1)
	before := w.snapshot()
	if _, err := w.attempt("out", resource.Evacuate, resource.Drain, services, rolloutConfig(1), false); err != nil {
		t.Fatal(err)
	}
	w.region.RolloutTime(20 * time.Minute)
	w.region.FailRollouts("shop/service-00", region.RolloutRollsBack)
	w.region.Fault(region.Fault{Process: "victim", Op: "UpdateService", Do: region.DieAfter()})
	_, _ = w.attempt("victim", resource.Recover, "", services, rolloutConfig(1), false)
	result, err := w.attempt("next", resource.Recover, "", services, rolloutConfig(1), false)
	if err != nil {
		t.Fatal(err)
	}
	if got := outcomes(result)["shop/service-00"]; got != resource.RolledBack || result.Open != 1 {
		t.Errorf("it is %s, with %d records open", got, result.Open)
	}
	w.region.FailRollouts("shop/service-00", region.RolloutSucceeds)
	if _, err := w.attempt("last", resource.Recover, "", services, rolloutConfig(1), false); err != nil {
		t.Fatal(err)
	}
	w.wantSnapshot(t, before)
}

// stale is ECS as it may answer for a moment after an update: the new
// configuration, and the deployments from before.
type stale struct {
	ecsservice.API
	w     *memoryWorld
	until time.Time
}

func (s *stale) UpdateService(ctx context.Context, in *ecs.UpdateServiceInput, opts ...func(*ecs.Options)) (*ecs.UpdateServiceOutput, error) {
	s.until = s.w.clock.Now().Add(5 * time.Second)
	return s.API.UpdateService(ctx, in, opts...)
}

func (s *stale) DescribeServices(ctx context.Context, in *ecs.DescribeServicesInput, opts ...func(*ecs.Options)) (*ecs.DescribeServicesOutput, error) {
	out, err := s.API.DescribeServices(ctx, in, opts...)
	if err != nil || s.w.clock.Now().After(s.until) {
		return out, err
	}
	for i := range out.Services {
		d := &out.Services[i].Deployments
		*d = (*d)[:1]
		(*d)[0].RolloutState = types.DeploymentRolloutStateCompleted
	}
	return out, nil
}

// TestFR32AStaleReadingClosesNoRecord: the deployment that does not show yet is
// rolled back later.
func TestFR32AStaleReadingClosesNoRecord(t *testing.T) {
	w := newServiceWorld(t, 1)
	if _, err := w.attempt("out", resource.Evacuate, resource.Drain, services, rolloutConfig(1), false); err != nil {
		t.Fatal(err)
	}
	w.region.FailRollouts("shop/service-00", region.RolloutRollsBack)
	e := w.engine("back", rolloutConfig(1))
	for i, d := range e.Drivers {
		if d.Kind() == resource.ECSService {
			e.Drivers[i] = ecsservice.New(&stale{API: w.region.Process("back").ECS(), w: w}, w.clock)
		}
	}
	req := w.request(resource.Recover, leaving, "")
	req.Scope = services
	result, err := e.Recover(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if got := outcomes(result)["shop/service-00"]; got != resource.RolledBack || result.Open != 1 {
		t.Errorf("it is %s, with %d records open", got, result.Open)
	}
}

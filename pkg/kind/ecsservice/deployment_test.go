package ecsservice_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
	"pgregory.net/rapid"

	"sidestep/pkg/kind/ecsservice"
	"sidestep/pkg/resource"
)

func count(desired int32) func(*types.Service) {
	return func(s *types.Service) { s.DesiredCount = desired }
}

// TestFR60RoomForADeployment: floor(desired x max) must be above ceil(desired x min).
func TestFR60RoomForADeployment(t *testing.T) {
	for _, tt := range []struct{ desired, minimum, maximum, raise int32 }{
		{6, 100, 200, 0}, {6, 50, 100, 0}, {6, 100, 117, 0}, {6, 100, 116, 117}, {6, 100, 100, 117},
		{1, 100, 200, 0}, {1, 0, 100, 0}, {1, 100, 100, 200}, {1, 50, 150, 200}, {1, 100, 199, 200},
		{3, 67, 100, 134}, {3, 66, 100, 0}, {2, 50, 100, 0}, {2, 51, 100, 150}, {0, 100, 100, 0},
		{100, 100, 101, 0}, {99, 100, 101, 102}, {1000, 99, 99, 100},
	} {
		c := plan(t, aService("web", count(tt.desired), percents(tt.minimum, tt.maximum)), drain)
		want := resource.Planned
		if tt.raise > 0 {
			want = resource.SkippedDeploymentConfig
		}
		if c.Outcome != want {
			t.Errorf("%+v: %s (%q)", tt, c.Outcome, c.Reason)
		}
		if says := fmt.Sprintf("raise the maximum percent to %d", tt.raise); tt.raise > 0 && !strings.HasSuffix(c.Reason, says) {
			t.Errorf("%+v: %q, want %q", tt, c.Reason, says)
		}
	}
	c := plan(t, aService("web", count(1), percents(100, 100)), drain)
	if want := "a minimum of 100% and a maximum of 100% of 1 task leave no room to replace one; raise the maximum percent to 200"; c.Reason != want {
		t.Errorf("%q, want %q", c.Reason, want)
	}
}

// TestFR60TheAdviceHelps: what the reason says to raise is enough, and no less is.
func TestFR60TheAdviceHelps(t *testing.T) {
	r := read(t, aService("web"))
	outcome := func(desired, minimum, maximum int) (resource.Outcome, int) {
		r.Traits["desired-tasks"] = fmt.Sprint(desired)
		r.Traits["minimum-healthy-percent"], r.Traits["maximum-percent"] = fmt.Sprint(minimum), fmt.Sprint(maximum)
		c := ecsservice.New(nil, serial{}).Plan(r, aGoal(drain))
		raise, _ := strconv.Atoi(c.Reason[strings.LastIndex(c.Reason, " ")+1:]) // 0 where there is no advice
		return c.Outcome, raise
	}
	rapid.Check(t, func(t *rapid.T) {
		desired, minimum := rapid.IntRange(0, 300).Draw(t, "desired"), rapid.IntRange(0, 200).Draw(t, "minimum")
		got, raise := outcome(desired, minimum, rapid.IntRange(0, 400).Draw(t, "maximum"))
		if got == resource.Planned {
			return
		}
		if got, _ := outcome(desired, minimum, raise); got != resource.Planned {
			t.Fatalf("with the advised maximum of %d: %s", raise, got)
		}
		if got, _ := outcome(desired, minimum, raise-1); got != resource.SkippedDeploymentConfig {
			t.Fatalf("one below the advised maximum of %d: %s", raise, got)
		}
	})
}

// TestFR60OtherStrategiesNeedNoRoom: they run a second set of tasks.
func TestFR60OtherStrategiesNeedNoRoom(t *testing.T) {
	for _, s := range []types.DeploymentStrategy{types.DeploymentStrategyBlueGreen, types.DeploymentStrategyLinear, types.DeploymentStrategyCanary} {
		if c := plan(t, aService("web", percents(100, 100), strategy(s)), drain); c.Outcome != resource.Planned {
			t.Errorf("%s: %s (%q)", s, c.Outcome, c.Reason)
		}
	}
	// One that names no strategy, and has no configuration at all, rolls with room.
	if c := plan(t, aService("web", func(s *types.Service) { s.DeploymentConfiguration = nil }), drain); c.Outcome != resource.Planned {
		t.Errorf("no configuration: %s (%q)", c.Outcome, c.Reason)
	}
	if c := plan(t, aService("web", percents(100, 100), strategy("")), drain); c.Outcome != resource.SkippedDeploymentConfig {
		t.Errorf("no strategy: %s (%q)", c.Outcome, c.Reason)
	}
}

// TestFR03NotesSayWhatADrainCosts goes through the notes, in their order.
func TestFR03NotesSayWhatADrainCosts(t *testing.T) {
	full := "full redeployment: 6 tasks in all zones are replaced"
	unbroken := func(s *types.Service) { s.DeploymentConfiguration.DeploymentCircuitBreaker = nil }
	for name, tt := range map[string]struct {
		service []func(*types.Service)
		want    []string
	}{
		"plain":         {nil, []string{full}},
		"one task":      {[]func(*types.Service){count(1)}, []string{"full redeployment: 1 task in all zones is replaced"}},
		"blue/green":    {[]func(*types.Service){strategy(types.DeploymentStrategyBlueGreen), unbroken}, []string{full, "strategy BLUE_GREEN: its bake time"}},
		"no breaker":    {[]func(*types.Service){unbroken}, []string{full, "never ends by itself"}},
		"alarms":        {[]func(*types.Service){unbroken, func(s *types.Service) { s.DeploymentConfiguration.Alarms = &types.DeploymentAlarms{Enable: true} }}, []string{full}},
		"breaker off":   {[]func(*types.Service){func(s *types.Service) { s.DeploymentConfiguration.DeploymentCircuitBreaker.Enable = false }}, []string{full, "never ends by itself"}},
		"FR74 stack":    {[]func(*types.Service){stack}, []string{full, "CloudFormation stack shop"}},
		"one zone left": {[]func(*types.Service){in("subnet-1a", "subnet-2a")}, []string{full, "only zone use1-az2 remains"}},
		"all":           {[]func(*types.Service){unbroken, stack, in("subnet-1a", "subnet-2a")}, []string{full, "never ends", "stack shop", "only zone"}},
	} {
		c := plan(t, aService("web", tt.service...), drain)
		if len(c.Notes) != len(tt.want) {
			t.Errorf("%s: notes are %q", name, c.Notes)
			continue
		}
		for i, want := range tt.want {
			if !strings.Contains(c.Notes[i], want) {
				t.Errorf("%s: note %q, want %q", name, c.Notes[i], want)
			}
		}
	}
	c := plan(t, aService("web", stack))
	if len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "stack shop") || c.Becomes != resource.HeldRedeploys || !strings.Contains(c.Reason, "would redeploy") {
		t.Errorf("hold: notes are %q, and it becomes %s: %s", c.Notes, c.Becomes, c.Reason)
	}
}

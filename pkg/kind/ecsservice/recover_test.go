package ecsservice_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"sidestep/pkg/resource"
)

// bothRecord is of a service that was held and then drained, with the rebalancing
// still off: the drain was recorded, and its answer lost.
func bothRecord() *resource.Recorded {
	rec := heldRecord().Grow(resource.Change{Edits: []resource.Edit{closed, enabling}, Removed: []string{"subnet-1a"}})
	return &rec
}

// resumedRecord is of a service that was held and then drained, which enabled the
// rebalancing again.
func resumedRecord() *resource.Recorded {
	rec := bothRecord().Done([]resource.Edit{enabling})
	return &rec
}

func TestFR67WhatIsRestored(t *testing.T) {
	const codeDeploy, external = types.DeploymentControllerTypeCodeDeploy, types.DeploymentControllerTypeExternal
	list := func(f ...func(*types.Service)) []func(*types.Service) { return f }
	constraint := func(s *types.Service) {
		s.PlacementConstraints = []types.PlacementConstraint{{Expression: aws.String("attribute:ecs.availability-zone != us-east-1b")}}
	}
	placement := func(kind types.PlacementStrategyType, field string) func(*types.Service) {
		return func(s *types.Service) { s.PlacementStrategy = []types.PlacementStrategy{{Type: kind, Field: &field}} }
	}
	for name, tt := range map[string]struct {
		service []func(*types.Service)
		rec     *resource.Recorded
		others  []resource.Recorded
		want    []resource.Edit
		outcome resource.Outcome
		says    string
	}{
		"no record":              {list(off), nil, nil, nil, resource.AlreadyDone, ""},
		"held":                   {list(off), heldRecord(), nil, []resource.Edit{enabling}, resource.Planned, ""},
		"spread over zones":      {list(off, placement(types.PlacementStrategyTypeSpread, "attribute:ecs.availability-zone")), heldRecord(), nil, []resource.Edit{enabling}, resource.Planned, ""},
		"drained":                {list(in(healthy...)), drainedRecord(), nil, []resource.Edit{reopened}, resource.Planned, "full redeployment: 6 tasks"},
		"drained, theirs is off": {list(in(healthy...), off), drainedRecord(), nil, []resource.Edit{reopened}, resource.Planned, "full redeployment: 6 tasks"},
		"both":                   {list(in(healthy...), off), bothRecord(), nil, []resource.Edit{reopened, enabling}, resource.Planned, "full redeployment: 6 tasks"},
		"theirs is off since":    {list(in(healthy...), off), resumedRecord(), nil, []resource.Edit{reopened}, resource.Planned, "full redeployment: 6 tasks"},
		"another zone is held":   {list(off), heldRecord(), []resource.Recorded{*heldRecord()}, nil, resource.AlreadyDone, ""},
		"another was drained":    {list(off), heldRecord(), []resource.Recorded{*drainedRecord()}, []resource.Edit{enabling}, resource.Planned, ""},
		"somebody enabled it":    {nil, heldRecord(), nil, nil, resource.AlreadyDone, ""},
		"somebody put it back":   {nil, drainedRecord(), nil, nil, resource.AlreadyDone, ""},

		"daemon by now":              {list(off, daemon), heldRecord(), nil, nil, resource.AlreadyDone, "stays off: the service is a daemon"},
		"maximum of 100 by now":      {list(off, percents(50, 100)), heldRecord(), nil, nil, resource.AlreadyDone, "stays off: its maximum percent is 100"},
		"classic balancer by now":    {list(off, classic), heldRecord(), nil, nil, resource.AlreadyDone, "stays off: it is behind a classic"},
		"CodeDeploy by now":          {list(off, sets(codeDeploy)), heldRecord(), nil, nil, resource.AlreadyDone, "stays off: its deployment controller is CODE_DEPLOY"},
		"outside of AWS by now":      {list(off, hostNetwork, anywhere), heldRecord(), nil, nil, resource.AlreadyDone, "stays off: it runs outside"},
		"zone constraint by now":     {list(off, constraint), heldRecord(), nil, nil, resource.AlreadyDone, "stays off: its task placement"},
		"packed by now":              {list(off, placement(types.PlacementStrategyTypeBinpack, "memory")), heldRecord(), nil, nil, resource.AlreadyDone, "stays off: its task placement"},
		"spread over hosts by now":   {list(off, placement(types.PlacementStrategyTypeSpread, "instanceId")), heldRecord(), nil, nil, resource.AlreadyDone, "stays off: its task placement"},
		"both, maximum of 100":       {list(in(healthy...), off, percents(50, 100)), bothRecord(), nil, []resource.Edit{reopened}, resource.Planned, "stays off"},
		"held, hosts' network now":   {list(off, hostNetwork), heldRecord(), nil, []resource.Edit{enabling}, resource.Planned, ""},
		"FR30 hosts' network by now": {list(hostNetwork), drainedRecord(), nil, nil, resource.SkippedHostNetwork, "subnet-1a"},
		"FR17 CodeDeploy by now":     {list(in(healthy...), by(codeDeploy)), drainedRecord(), nil, nil, resource.SkippedCodeDeploy, "AppSpec has subnet-1a again"},
		"FR17 external by now":       {list(in(healthy...), by(external)), drainedRecord(), nil, nil, resource.SkippedExternalController, "task set that has subnet-1a again"},
		"FR17 moved by CodeDeploy":   {list(sets(codeDeploy)), drainedRecord(), nil, nil, resource.AlreadyDone, ""},
		"FR60 no room by now":        {list(in(healthy...), percents(100, 100)), drainedRecord(), nil, []resource.Edit{reopened}, resource.Planned, "cannot move"},
	} {
		c := plan(t, aService("web", tt.service...), back, recorded(tt.rec, tt.others...))
		if !reflect.DeepEqual(c.Edits, tt.want) || c.Outcome != tt.outcome {
			t.Errorf("%s: %s (%q) with %v, want %s with %v", name, c.Outcome, c.Reason, c.Edits, tt.outcome, tt.want)
		}
		says := strings.Join(append([]string{c.Reason}, c.Notes...), "\n")
		if !strings.Contains(says, tt.says) || tt.says == "" && len(c.Notes) > 0 {
			t.Errorf("%s: says %q, want %q", name, says, tt.says)
		}
		if c.Rollout != (len(tt.want) > 0 && tt.want[0].Field == "subnets") {
			t.Errorf("%s: rollout %t", name, c.Rollout)
		}
	}
}

func TestASubnetThatIsGoneIsNamed(t *testing.T) {
	c := plan(t, aService("web", in(healthy...)), back, recorded(drainedRecord()), func(g *resource.Goal) { delete(g.Subnets, "subnet-1a") })
	if len(c.Edits) > 0 || len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "subnet-1a") {
		t.Errorf("edits %v with notes %q", c.Edits, c.Notes)
	}
}

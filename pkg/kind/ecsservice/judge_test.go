package ecsservice_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"sidestep/pkg/kind/ecsservice"
	"sidestep/pkg/resource"
)

// changeOf is a change of one edit.
func changeOf(d resource.Direction, p resource.Policy, e resource.Edit) resource.Change {
	c := resource.Change{Zone: impaired, Direction: d, Policy: p, Edits: []resource.Edit{e}}
	if e.Field == "subnets" && d == resource.Evacuate {
		c.Removed = []string{"subnet-1a"}
	}
	return c
}

func primaryIn(state types.DeploymentRolloutState, reason string) func(*types.Service) {
	return func(s *types.Service) {
		s.Deployments[0].RolloutState = state
		if reason != "" {
			s.Deployments[0].RolloutStateReason = &reason
		}
	}
}

// TestFR32AnOlderRollbackSaysNothing: right after our call ECS may still answer with
// the newest deployment from before it.
func TestFR32AnOlderRollbackSaysNothing(t *testing.T) {
	rolledBack := brief(types.ServiceDeploymentStatusRollbackSuccessful, "", 1)
	r := explain(t, read(t, aService("web")), rolledBack)
	c := changeOf(resource.Evacuate, resource.Drain, closed)
	for later, want := range map[time.Duration]resource.Outcome{
		24 * time.Hour: "", 30 * time.Second: resource.RolledBack, -time.Second: resource.RolledBack,
	} {
		c.SentAt = rolledBack.CreatedAt.Add(later)
		if got := ecsservice.New(nil, serial{}).Judge(r, c).Outcome; got != want {
			t.Errorf("sent %v after it: %q, want %q", later, got, want)
		}
	}
}

func TestFR32JudgeSaysWhatBecameOfADeployment(t *testing.T) {
	const (
		failed, progress = types.DeploymentRolloutStateFailed, types.DeploymentRolloutStateInProgress
		rolledBack       = types.ServiceDeploymentStatusRollbackSuccessful
		out, hold, drain = resource.Evacuate, resource.Hold, resource.Drain
	)
	drained, held := changeOf(out, drain, closed), changeOf(out, hold, disabling)
	restored := changeOf(resource.Recover, drain, reopened)
	list := func(f ...func(*types.Service)) []func(*types.Service) { return f }
	for name, tt := range map[string]struct {
		service []func(*types.Service)
		status  types.ServiceDeploymentStatus
		why     string
		change  resource.Change
		want    resource.Outcome
		reason  string
	}{
		"drained":                   {list(in(healthy...)), "", "", drained, "", ""},
		"drained, explained":        {list(in(healthy...)), types.ServiceDeploymentStatusSuccessful, "", drained, "", ""},
		"not explained":             {nil, "", "", drained, "", ""},
		"rolled back":               {nil, rolledBack, "tasks failed to start", drained, resource.RolledBack, "old subnets are back: ROLLBACK_SUCCESSFUL: tasks failed to start"},
		"rollback failed":           {nil, types.ServiceDeploymentStatusRollbackFailed, "", drained, resource.RolledBack, "ROLLBACK_FAILED"},
		"stopped and undone":        {nil, types.ServiceDeploymentStatusStopped, "", drained, resource.RolledBack, "STOPPED"},
		"rolling back":              {nil, types.ServiceDeploymentStatusRollbackInProgress, "", drained, "", ""},
		"rollback asked for":        {nil, types.ServiceDeploymentStatusRollbackRequested, "", drained, "", ""},
		"stop asked for":            {list(in(healthy...)), types.ServiceDeploymentStatusStopRequested, "", drained, "", ""},
		"pending":                   {nil, types.ServiceDeploymentStatusPending, "", drained, "", ""},
		"somebody undid it":         {nil, types.ServiceDeploymentStatusSuccessful, "", drained, "", ""},
		"reading still in progress": {list(primaryIn(progress, "")), rolledBack, "", drained, "", ""},
		"failed, no rollback":       {list(in(healthy...), primaryIn(failed, "no capacity")), "", "", drained, resource.Stuck, "failed and was not rolled back: no capacity"},
		"failed, no reason":         {list(in(healthy...), primaryIn(failed, "")), "", "", drained, resource.Stuck, "gives no reason"},
		"failed, then rolling back": {list(in(healthy...), primaryIn(failed, "")), types.ServiceDeploymentStatusRollbackInProgress, "", drained, "", ""},
		"stopped halfway":           {list(in(healthy...)), types.ServiceDeploymentStatusStopped, "by a person", drained, resource.Stuck, "STOPPED: by a person"},
		"back":                      {nil, types.ServiceDeploymentStatusSuccessful, "", restored, "", ""},
		"back, rolled back":         {list(in(healthy...)), rolledBack, "", restored, resource.RolledBack, "ROLLBACK_SUCCESSFUL"},
		"back, failed":              {list(primaryIn(failed, "x")), "", "", restored, resource.Stuck, "not rolled back: x"},

		"FR67 held":                     {list(off), "", "", held, resource.HeldRedeploys, "redeploy all 6 tasks"},
		"FR67 held, others deploy":      {list(off, primaryIn(progress, "")), "", "", held, resource.HeldRedeploys, "redeploy all 6 tasks"},
		"FR67 held, others' failed":     {list(off, primaryIn(failed, "")), rolledBack, "", held, resource.HeldRedeploys, "redeploy all 6 tasks"},
		"FR67 undone, others' failed":   {list(primaryIn(failed, "")), rolledBack, "", held, "", ""},
		"FR67 hold ended":               {nil, rolledBack, "", changeOf(resource.Recover, hold, enabling), "", ""},
		"FR67 drained before the hold":  {list(in(healthy...)), "", "", changeOf(out, hold, closed), "", ""},
		"FR67 shift has nothing to say": {nil, "", "", resource.Change{Zone: impaired, Direction: out, Policy: resource.Shift}, "", ""},
	} {
		r := read(t, aService("web", tt.service...))
		if tt.status != "" {
			r = explain(t, r, brief(tt.status, tt.why, 1))
		}
		p := ecsservice.New(nil, serial{}).Judge(r, tt.change)
		if p.Outcome != tt.want || !strings.Contains(p.Reason, tt.reason) || (tt.reason == "") != (p.Reason == "") {
			t.Errorf("%s: %s (%q), want %s (%q)", name, p.Outcome, p.Reason, tt.want, tt.reason)
		}
		bare := p
		bare.Outcome, bare.Reason = "", ""
		if want := resource.Compare(r, tt.change); !reflect.DeepEqual(bare, want) {
			t.Errorf("%s: compared as %+v, want %+v", name, bare, want)
		}
	}
}

// TestFR03AHeldServiceSaysWhatRunsInTheZone: once that was asked for.
func TestFR03AHeldServiceSaysWhatRunsInTheZone(t *testing.T) {
	r := read(t, aService("web", off))
	for _, tt := range []struct {
		places []resource.Place
		want   string
	}{
		{nil, "leaving the zone would redeploy all 6 tasks"},
		{[]resource.Place{}, "0 tasks in the zone; leaving"},
		{[]resource.Place{{Zone: impaired.Name, State: "running", Count: 1}, {Zone: "us-east-1c", State: "running", Count: 5}}, "1 task in the zone; leaving"},
	} {
		r.Places = tt.places
		if p := ecsservice.New(nil, serial{}).Judge(r, changeOf(resource.Evacuate, resource.Hold, disabling)); !strings.HasPrefix(p.Reason, tt.want) {
			t.Errorf("%v: %q, want %q", tt.places, p.Reason, tt.want)
		}
	}
}

func brief(status types.ServiceDeploymentStatus, why string, hour int) types.ServiceDeploymentBrief {
	at := time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC)
	b := types.ServiceDeploymentBrief{Status: status, CreatedAt: &at}
	if why != "" {
		b.StatusReason = &why
	}
	return b
}

func explain(t *testing.T, r resource.Resource, deployments ...types.ServiceDeploymentBrief) resource.Resource {
	t.Helper()
	f := &fake{deployments: deployments}
	explained, err := ecsservice.New(f, serial{}).Explain(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	asked := inputs[*ecs.ListServiceDeploymentsInput](f)
	if len(asked) != 1 || *asked[0].Service != "web" || *asked[0].Cluster != "shop" || aws.ToInt32(asked[0].MaxResults) > 10 {
		t.Errorf("asked %+v", asked)
	}
	return explained
}

// TestFR32ExplainTakesTheNewest: in whatever order they come.
func TestFR32ExplainTakesTheNewest(t *testing.T) {
	const rolledBack, rollingBack = types.ServiceDeploymentStatusRollbackSuccessful, types.ServiceDeploymentStatusRollbackInProgress
	r := read(t, aService("web"))
	traits := len(r.Traits)
	for _, tt := range []struct {
		deployments []types.ServiceDeploymentBrief
		status, why string
		underway    string
	}{
		{nil, "", "", ""},
		{[]types.ServiceDeploymentBrief{brief(rolledBack, "x", 2), brief(rollingBack, "y", 1)}, string(rolledBack), "x", ""},
		{[]types.ServiceDeploymentBrief{brief(rolledBack, "x", 1), brief(rollingBack, "y", 2)}, string(rollingBack), "y", "rollback in progress"},
		{[]types.ServiceDeploymentBrief{brief(types.ServiceDeploymentStatusInProgress, "", 1)}, "IN_PROGRESS", "", "deployment in progress"},
	} {
		got := explain(t, r, tt.deployments...)
		if got.Traits["service-deployment"] != tt.status || got.Traits["service-deployment-reason"] != tt.why || got.Underway != tt.underway {
			t.Errorf("%v explains as %v, %q", tt.deployments, got.Traits, got.Underway)
		}
		if len(r.Traits) != traits || r.Underway != "" {
			t.Fatalf("explaining changed the reading: %v", r)
		}
	}
	r.Underway = "deployment in progress, 3 of 6 tasks running"
	if got := explain(t, r, brief(types.ServiceDeploymentStatusInProgress, "", 1)); got.Underway != r.Underway {
		t.Errorf("underway is %q", got.Underway)
	}
}

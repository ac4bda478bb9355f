package ecsservice_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
)

func TestFields(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*types.Service)
		want   map[string][]string
	}{
		"all": {func(*types.Service) {}, map[string][]string{
			"subnets": everywhere, "security-groups": {"sg-2", "sg-1"}, "public-ip": {"ENABLED"}, "zone-rebalancing": {"ENABLED"},
		}},
		"subnets alone": {func(s *types.Service) {
			s.NetworkConfiguration = &types.NetworkConfiguration{AwsvpcConfiguration: &types.AwsVpcConfiguration{Subnets: healthy, SecurityGroups: []string{}}}
			s.AvailabilityZoneRebalancing = ""
		}, map[string][]string{"subnets": healthy}},
		"FR30 hosts' network": {func(s *types.Service) {
			s.NetworkConfiguration, s.AvailabilityZoneRebalancing = nil, types.AvailabilityZoneRebalancingDisabled
		}, map[string][]string{"zone-rebalancing": {"DISABLED"}}},
		"nothing in it": {func(s *types.Service) {
			s.NetworkConfiguration, s.AvailabilityZoneRebalancing = &types.NetworkConfiguration{}, ""
		}, map[string][]string{}},
		"no subnets in it": {func(s *types.Service) {
			s.NetworkConfiguration, s.AvailabilityZoneRebalancing = awsvpc(), ""
		}, map[string][]string{}},
		"FR17 of the primary task set": {func(s *types.Service) {
			deployedBySets(s, types.DeploymentControllerTypeCodeDeploy)
			s.AvailabilityZoneRebalancing = ""
		}, map[string][]string{"subnets": everywhere, "security-groups": {"sg-2", "sg-1"}, "public-ip": {"ENABLED"}}},
	} {
		if r := read(t, aService("web", tt.change)); !reflect.DeepEqual(r.Fields, tt.want) {
			t.Errorf("%s: %v, want %v", name, r.Fields, tt.want)
		}
	}
}

// deployedBySets makes a service one that a controller other than ECS deploys: it
// has task sets, and no deployments or network of its own.
func deployedBySets(s *types.Service, controller types.DeploymentControllerType) {
	s.DeploymentController = &types.DeploymentController{Type: controller}
	s.NetworkConfiguration, s.Deployments, s.LoadBalancers = nil, nil, nil
	s.TaskSets = []types.TaskSet{
		{Status: aws.String("ACTIVE"), NetworkConfiguration: awsvpc("subnet-2a")},
		{
			Status: aws.String("PRIMARY"), NetworkConfiguration: awsvpc(everywhere...),
			LoadBalancers: []types.LoadBalancer{{TargetGroupArn: aws.String("arn:tg")}},
		},
	}
}

func TestTargetGroups(t *testing.T) {
	r := read(t, aService("web", func(s *types.Service) {
		s.LoadBalancers = []types.LoadBalancer{
			{TargetGroupArn: aws.String("arn:blue"), AdvancedConfiguration: &types.AdvancedConfiguration{AlternateTargetGroupArn: aws.String("arn:green")}},
			{LoadBalancerName: aws.String("classic")},
			{TargetGroupArn: aws.String("arn:blue")},
		}
	}))
	if want := []string{"arn:blue", "arn:green"}; !slices.Equal(r.TargetGroups, want) {
		t.Errorf("target groups are %v, want %v", r.TargetGroups, want)
	}
	r = read(t, aService("web", func(s *types.Service) { deployedBySets(s, types.DeploymentControllerTypeExternal) }))
	if want := []string{"arn:tg"}; !slices.Equal(r.TargetGroups, want) {
		t.Errorf("target groups of task sets are %v, want %v", r.TargetGroups, want)
	}
}

// TestReadingLeavesTheServiceAsItIs: what was described is not written to.
func TestReadingLeavesTheServiceAsItIs(t *testing.T) {
	s := aService("web", func(s *types.Service) {
		s.LoadBalancers = make([]types.LoadBalancer, 0, 4)
		s.TaskSets = []types.TaskSet{{LoadBalancers: []types.LoadBalancer{{TargetGroupArn: aws.String("arn:tg")}}}}
	})
	read(t, s)
	if got := s.LoadBalancers[:1][0]; got.TargetGroupArn != nil {
		t.Errorf("a load balancer was written: %v", got)
	}
}

func TestUnderway(t *testing.T) {
	const completed, inProgress, failed = types.DeploymentRolloutStateCompleted, types.DeploymentRolloutStateInProgress, types.DeploymentRolloutStateFailed
	deployment := func(status string, state types.DeploymentRolloutState, running, desired, pending int32) types.Deployment {
		return types.Deployment{Status: &status, RolloutState: state, RunningCount: running, DesiredCount: desired, PendingCount: pending}
	}
	for name, tt := range map[string]struct {
		deployments []types.Deployment
		want        string
	}{
		"completed":                 {[]types.Deployment{deployment("PRIMARY", completed, 6, 6, 0)}, ""},
		"completed, scaling":        {[]types.Deployment{deployment("PRIMARY", completed, 6, 9, 3)}, ""},
		"FR32 failed":               {[]types.Deployment{deployment("PRIMARY", failed, 0, 6, 0), deployment("ACTIVE", completed, 6, 6, 0)}, ""},
		"in progress":               {[]types.Deployment{deployment("ACTIVE", completed, 4, 6, 0), deployment("PRIMARY", inProgress, 3, 6, 1)}, "deployment in progress, 3 of 6 tasks running"},
		"alone, in progress":        {[]types.Deployment{deployment("PRIMARY", inProgress, 6, 6, 0)}, "deployment in progress, 6 of 6 tasks running"},
		"completed, old ones there": {[]types.Deployment{deployment("PRIMARY", completed, 6, 6, 0), deployment("ACTIVE", completed, 1, 0, 0)}, "deployment in progress, 6 of 6 tasks running"},
		"no state, all running":     {[]types.Deployment{deployment("PRIMARY", "", 6, 6, 0)}, ""},
		"no state, some pending":    {[]types.Deployment{deployment("PRIMARY", "", 6, 6, 1)}, "deployment in progress, 6 of 6 tasks running"},
		"no state, some missing":    {[]types.Deployment{deployment("PRIMARY", "", 5, 6, 0)}, "deployment in progress, 5 of 6 tasks running"},
		"no deployment":             {nil, ""},
	} {
		if r := read(t, aService("web", func(s *types.Service) { s.Deployments = tt.deployments })); r.Underway != tt.want {
			t.Errorf("%s: %q, want %q", name, r.Underway, tt.want)
		}
	}
	r := read(t, aService("web", func(s *types.Service) { deployedBySets(s, types.DeploymentControllerTypeExternal) }))
	if want := "deployment in progress, 6 of 6 tasks running"; r.Underway != want {
		t.Errorf("two task sets: %q, want %q", r.Underway, want)
	}
	r = read(t, aService("web", func(s *types.Service) {
		deployedBySets(s, types.DeploymentControllerTypeExternal)
		s.TaskSets = s.TaskSets[1:]
	}))
	if r.Underway != "" {
		t.Errorf("one task set: %q", r.Underway)
	}
}

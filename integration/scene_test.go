package integration

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	ecstypes "github.com/aws/aws-sdk-go-v2/service/ecs/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// scene is a small world that an operator acts in and others edit.
type scene struct {
	operator
	seeded
	asg    *autoscaling.Client
	ecs    *ecs.Client
	lambda *lambda.Client
	before observation
}

// newScene has one group of every sort that the scenarios need.
func newScene(t *testing.T) scene {
	t.Helper()
	return sceneOf(t, sidestepNeeds, spec{subnetsPerZone: 2, groups: []groupSpec{
		{name: "web", subnets: []string{"b1", "a1", "c1", "a2"}, max: 6, desired: 2},
		{name: "api", subnets: []string{"a1", "b1"}, max: 6, desired: 1, suspended: []string{"AZRebalance"}},
		{name: "elsewhere", subnets: []string{"b1", "c1"}, max: 2},
	}})
}

func sceneOf(t *testing.T, services []string, sp spec) scene {
	t.Helper()
	t.Parallel()
	w := newWorld(t, services...)
	s := seed(t, w, sp)
	o := newOperator(t, w, quickConfig)
	o.init()
	return scene{
		operator: o, seeded: s, before: observe(t, w, table),
		asg: autoscaling.NewFromConfig(w.cfg), ecs: ecs.NewFromConfig(w.cfg), lambda: lambda.NewFromConfig(w.cfg),
	}
}

func (s scene) name(thing string) string { return s.w.name(thing) }

// look is a group as another client sees it.
func (s scene) look(group string) observedGroup { return observe(s.t, s.w).Groups[s.name(group)] }

// set is somebody else's edit of a group's subnets.
func (s scene) set(group string, ids ...string) {
	s.t.Helper()
	if _, err := s.asg.UpdateAutoScalingGroup(s.t.Context(), &autoscaling.UpdateAutoScalingGroupInput{
		AutoScalingGroupName: aws.String(s.name(group)), VPCZoneIdentifier: aws.String(strings.Join(ids, ",")),
	}); err != nil {
		s.t.Fatalf("editing %s: %v", group, err)
	}
}

// setService is somebody else's edit of a service's network.
func (s scene) setService(name string, network *ecstypes.NetworkConfiguration) {
	s.t.Helper()
	cluster, service := s.w.service(name)
	if _, err := s.ecs.UpdateService(s.t.Context(), &ecs.UpdateServiceInput{
		Cluster: &cluster, Service: &service, NetworkConfiguration: network,
	}); err != nil {
		s.t.Fatalf("editing %s: %v", name, err)
	}
}

// setFunction is somebody else's edit of a function's subnets and memory.
func (s scene) setFunction(name string, memory int32, labels ...string) {
	s.t.Helper()
	if _, err := s.lambda.UpdateFunctionConfiguration(s.t.Context(), &lambda.UpdateFunctionConfigurationInput{
		FunctionName: aws.String(s.name(name)), VpcConfig: s.attachment(labels), MemorySize: &memory,
	}); err != nil {
		s.t.Fatalf("editing %s: %v", name, err)
	}
}

// addSubnet makes one more subnet in a zone.
func (s scene) addSubnet(zone, cidr string) string {
	return seedSubnet(s.t, s.w, ec2.NewFromConfig(s.w.cfg), s.vpc, zone, cidr)
}

// watched is the same scene with a proxy between the operator and AWS.
func (s scene) watched() (scene, *proxy) {
	p := between(s.t, s.w)
	s.operator = newOperator(s.t, s.w.through(p), quickConfig)
	return s, p
}

func (s scene) wantAsBefore() {
	s.t.Helper()
	after := observe(s.t, s.w, table)
	same(s.t, s.before, after)
	wantNothingOpen(s.t, after)
}

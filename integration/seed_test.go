package integration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	astypes "github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// seedZones are the zones that are seeded, by the letter of their names.
const seedZones = "abc"

// spec is what a test wants to find in its world.
type spec struct {
	subnetsPerZone int // at least 1
	groups         []groupSpec
	services       []serviceSpec
	functions      []functionSpec
}

// groupSpec is one group. moto starts all its instances in the zone of the first
// subnet.
type groupSpec struct {
	name      string
	subnets   []string // labels in order: zone letter and number, "a1"
	min, max  int32    // max is at least desired
	desired   int32
	tags      map[string]string
	suspended []string
}

// seeded is what seed made.
type seeded struct {
	spec
	vpc     string
	subnets map[string]string // by label
	guards  []string          // two security groups, in an order that is not theirs
}

// ids turns labels into subnet IDs.
func (s seeded) ids(labels ...string) []string {
	out := make([]string, len(labels))
	for i, label := range labels {
		out[i] = s.subnets[label]
	}
	return out
}

// seed makes a VPC with its subnets, and what the spec names with what that needs.
func seed(t *testing.T, w world, sp spec) seeded {
	t.Helper()
	api := ec2.NewFromConfig(w.cfg)
	s := seeded{spec: sp, vpc: seedVPC(t, w, api), subnets: map[string]string{}}
	for n := range max(sp.subnetsPerZone, 1) {
		for z, letter := range seedZones {
			label := fmt.Sprintf("%c%d", letter, n+1)
			cidr := fmt.Sprintf("10.0.%d.0/24", n*len(seedZones)+z)
			s.subnets[label] = seedSubnet(t, w, api, s.vpc, testRegion+string(letter), cidr)
		}
	}
	template := seedTemplate(t, w, api)
	seedGroups(t, w, s, template, sp.groups)
	if len(sp.services)+len(sp.functions) > 0 {
		s.guards = []string{seedGuard(t, w, api, s.vpc, "one"), seedGuard(t, w, api, s.vpc, "two")}
		slices.SortFunc(s.guards, func(a, b string) int { return strings.Compare(b, a) })
	}
	seedServices(t, w, s)
	seedFunctions(t, w, s)
	return s
}

// seedAll seeds many of one sort, several at a time.
func seedAll[T any](t *testing.T, all []T, one func(T) error) {
	t.Helper()
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	slots := make(chan struct{}, 8) // the server has one interpreter lock: more only queue
	for i, spec := range all {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[i] = one(spec)
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatalf("seeding %T: %v", all, err)
	}
}

func seedVPC(t *testing.T, w world, api *ec2.Client) string {
	t.Helper()
	got, err := api.CreateVpc(t.Context(), &ec2.CreateVpcInput{CidrBlock: aws.String("10.0.0.0/16")})
	if err != nil {
		t.Fatalf("seeding a VPC: %v", err)
	}
	w.cleanup(t, func(ctx context.Context) error {
		_, err := api.DeleteVpc(ctx, &ec2.DeleteVpcInput{VpcId: got.Vpc.VpcId})
		return err
	})
	return *got.Vpc.VpcId
}

func seedSubnet(t *testing.T, w world, api *ec2.Client, vpc, zone, cidr string) string {
	t.Helper()
	got, err := api.CreateSubnet(t.Context(), &ec2.CreateSubnetInput{
		VpcId: &vpc, AvailabilityZone: &zone, CidrBlock: &cidr,
	})
	if err != nil {
		t.Fatalf("seeding a subnet in %s: %v", zone, err)
	}
	w.cleanup(t, func(ctx context.Context) error {
		_, err := api.DeleteSubnet(ctx, &ec2.DeleteSubnetInput{SubnetId: got.Subnet.SubnetId})
		return err
	})
	return *got.Subnet.SubnetId
}

func seedGuard(t *testing.T, w world, api *ec2.Client, vpc, name string) string {
	t.Helper()
	got, err := api.CreateSecurityGroup(t.Context(), &ec2.CreateSecurityGroupInput{
		VpcId: &vpc, GroupName: aws.String(w.prefix + name), Description: &name,
	})
	if err != nil {
		t.Fatalf("seeding a security group: %v", err)
	}
	w.cleanup(t, func(ctx context.Context) error {
		_, err := api.DeleteSecurityGroup(ctx, &ec2.DeleteSecurityGroupInput{GroupId: got.GroupId})
		return err
	})
	return *got.GroupId
}

func seedTemplate(t *testing.T, w world, api *ec2.Client) string {
	t.Helper()
	name := w.prefix + "template"
	_, err := api.CreateLaunchTemplate(t.Context(), &ec2.CreateLaunchTemplateInput{
		LaunchTemplateName: &name,
		LaunchTemplateData: &types.RequestLaunchTemplateData{
			ImageId:      aws.String("ami-12c6146b"), // moto knows it
			InstanceType: types.InstanceTypeT3Micro,
		},
	})
	if err != nil {
		t.Fatalf("seeding a launch template: %v", err)
	}
	w.cleanup(t, func(ctx context.Context) error {
		_, err := api.DeleteLaunchTemplate(ctx, &ec2.DeleteLaunchTemplateInput{LaunchTemplateName: &name})
		return err
	})
	return name
}

func seedGroups(t *testing.T, w world, s seeded, template string, groups []groupSpec) {
	t.Helper()
	api := autoscaling.NewFromConfig(w.cfg)
	seedAll(t, groups, func(g groupSpec) error {
		return seedGroup(t.Context(), api, w.prefix+g.name, s, template, g)
	})
	for _, g := range groups {
		w.cleanup(t, func(ctx context.Context) error {
			_, err := api.DeleteAutoScalingGroup(ctx, &autoscaling.DeleteAutoScalingGroupInput{
				AutoScalingGroupName: aws.String(w.prefix + g.name), ForceDelete: aws.Bool(true),
			})
			return err
		})
	}
}

func seedGroup(ctx context.Context, api *autoscaling.Client, name string, s seeded, template string, g groupSpec) error {
	var tags []astypes.Tag
	for k, v := range g.tags {
		tags = append(tags, astypes.Tag{Key: aws.String(k), Value: aws.String(v), PropagateAtLaunch: aws.Bool(false)})
	}
	_, err := api.CreateAutoScalingGroup(ctx, &autoscaling.CreateAutoScalingGroupInput{
		AutoScalingGroupName: &name,
		LaunchTemplate:       &astypes.LaunchTemplateSpecification{LaunchTemplateName: &template, Version: aws.String("$Latest")},
		MinSize:              &g.min,
		MaxSize:              aws.Int32(max(g.max, g.desired)),
		DesiredCapacity:      &g.desired,
		VPCZoneIdentifier:    aws.String(strings.Join(s.ids(g.subnets...), ",")),
		Tags:                 tags,
	})
	if err != nil || len(g.suspended) == 0 {
		return err
	}
	_, err = api.SuspendProcesses(ctx, &autoscaling.SuspendProcessesInput{
		AutoScalingGroupName: &name, ScalingProcesses: g.suspended,
	})
	return err
}

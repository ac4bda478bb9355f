package region_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"sidestep/pkg/region"
)

func TestUpdate(t *testing.T) {
	web := new("web")
	for name, test := range map[string]struct {
		in         autoscaling.UpdateAutoScalingGroupInput
		code       string
		subnets    []string
		min        int
		desired    int
		violations int
	}{
		"subnets":         {in: autoscaling.UpdateAutoScalingGroupInput{AutoScalingGroupName: web, VPCZoneIdentifier: new("b, a")}, subnets: []string{"b", "a"}},
		"minimum":         {in: autoscaling.UpdateAutoScalingGroupInput{AutoScalingGroupName: web, MinSize: new(int32(5))}, min: 5},
		"minimum raises":  {in: autoscaling.UpdateAutoScalingGroupInput{AutoScalingGroupName: web, MinSize: new(int32(8))}, min: 8, desired: 8},
		"minimum too big": {in: autoscaling.UpdateAutoScalingGroupInput{AutoScalingGroupName: web, MinSize: new(int32(10))}, code: "ValidationError"},
		"unknown subnet":  {in: autoscaling.UpdateAutoScalingGroupInput{AutoScalingGroupName: web, VPCZoneIdentifier: new("a,z")}, code: "ValidationError"},
		"no subnets":      {in: autoscaling.UpdateAutoScalingGroupInput{AutoScalingGroupName: web, VPCZoneIdentifier: new("")}, code: "ValidationError", violations: 1},
		"only a comma":    {in: autoscaling.UpdateAutoScalingGroupInput{AutoScalingGroupName: web, VPCZoneIdentifier: new(" ,")}, code: "ValidationError", violations: 1},
		"unknown group":   {in: autoscaling.UpdateAutoScalingGroupInput{AutoScalingGroupName: new("none"), VPCZoneIdentifier: new("a")}, code: "ValidationError"},
		"operated group":  {in: autoscaling.UpdateAutoScalingGroupInput{AutoScalingGroupName: new("operated"), VPCZoneIdentifier: new("a")}, code: "AccessDenied"},
		"another field":   {in: autoscaling.UpdateAutoScalingGroupInput{AutoScalingGroupName: web, DesiredCapacity: new(int32(0))}, code: "NotModelled", violations: 1},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := small()
			r.AddGroup(region.Group{Name: "operated", Subnets: []string{"a", "b"}, Operator: "ecs.amazonaws.com"})
			want := r.Snapshot()
			web := want["web"]
			if test.subnets != nil {
				web.Subnets = test.subnets
			}
			web.Min, web.Desired = max(web.Min, test.min), max(web.Desired, test.desired)
			want["web"] = web

			p := r.Process("p")
			_, err := p.AutoScaling().UpdateAutoScalingGroup(ctx, &test.in)
			expect(t, "error", code(err), test.code)
			expect(t, "region", r.Snapshot(), want)
			expect(t, "violations of the process", len(p.Violations()), test.violations)
			expect(t, "violations of the region", len(r.Violations()), test.violations)
		})
	}
}

func TestSuspendAndResume(t *testing.T) {
	for name, test := range map[string]struct {
		group           string
		suspend, resume []string
		code            string
		want            []string
		violations      int
	}{
		"suspend adds":         {group: "web", suspend: []string{"Launch", "AZRebalance"}, want: []string{"AZRebalance", "AlarmNotification", "Launch"}},
		"resume takes its own": {group: "web", suspend: []string{"AZRebalance"}, resume: []string{"AZRebalance"}, want: []string{"AlarmNotification"}},
		"resume of all":        {group: "web", resume: []string{}, violations: 1},
		"unknown process":      {group: "web", suspend: []string{"Rebalance"}, code: "ValidationError", want: []string{"AlarmNotification"}},
		"unknown group":        {group: "none", suspend: []string{"Launch"}, code: "ValidationError", want: []string{"AlarmNotification"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := small()
			r.SetSuspended("web", "AlarmNotification")
			p := r.Process("p")
			var err error
			if test.suspend != nil {
				_, err = p.AutoScaling().SuspendProcesses(ctx, &autoscaling.SuspendProcessesInput{AutoScalingGroupName: &test.group, ScalingProcesses: test.suspend})
			}
			if test.resume != nil {
				_, err = p.AutoScaling().ResumeProcesses(ctx, &autoscaling.ResumeProcessesInput{AutoScalingGroupName: &test.group, ScalingProcesses: test.resume})
			}
			expect(t, "error", code(err), test.code)
			expect(t, "suspended", r.Snapshot()["web"].Suspended, test.want)
			expect(t, "violations", len(r.Violations()), test.violations)
		})
	}
}

func TestSuspendingAllIsAViolation(t *testing.T) {
	r, _ := small()
	_, err := r.Process("p").AutoScaling().SuspendProcesses(ctx, &autoscaling.SuspendProcessesInput{AutoScalingGroupName: new("web")})
	expect(t, "error", err, nil)
	expect(t, "suspended", len(r.Snapshot()["web"].Suspended), 9)
	expect(t, "violations", len(r.Violations()), 1)
}

func TestDescribeShowsTheWholeGroup(t *testing.T) {
	r, _ := small()
	r.AddGroup(region.Group{
		Name: "full", Subnets: []string{"b", "a"}, Min: 1, Max: 5, Desired: 2, Tags: map[string]string{"k": "v", "a": "b"},
		Suspended: []string{"HealthCheck"}, Operator: "ecs.amazonaws.com", ZonalShift: true,
		TargetGroups: []string{"tg"}, LoadBalancers: []string{"classic"}, Protected: 1, Standby: 1,
	})
	g := read(t, r.Process("p"), "full")
	expect(t, "ARN", *g.AutoScalingGroupARN, r.ARN("full"))
	expect(t, "subnets", *g.VPCZoneIdentifier, "b,a")
	expect(t, "zones", g.AvailabilityZones, []string{"us-east-1a", "us-east-1b"})
	expect(t, "zone IDs", g.AvailabilityZoneIds, []string{"az-a", "az-b"})
	expect(t, "sizes", []int32{*g.MinSize, *g.MaxSize, *g.DesiredCapacity}, []int32{1, 5, 2})
	expect(t, "tags", []string{*g.Tags[0].Key, *g.Tags[1].Key, *g.Tags[1].Value}, []string{"a", "k", "v"})
	expect(t, "suspended", *g.SuspendedProcesses[0].ProcessName, "HealthCheck")
	expect(t, "operator", *g.Operator.Principal, "ecs.amazonaws.com")
	expect(t, "zonal shift", *g.AvailabilityZoneImpairmentPolicy.ZonalShiftEnabled, true)
	expect(t, "traffic sources", []string{*g.TrafficSources[0].Identifier, *g.TrafficSources[1].Identifier}, []string{"tg", "classic"})

	var seen []string
	for _, i := range g.Instances {
		seen = append(seen, fmt.Sprintf("%s %s %s %v", *i.AvailabilityZoneId, *i.AvailabilityZone, i.LifecycleState, *i.ProtectedFromScaleIn))
	}
	expect(t, "instances", seen, []string{
		"az-b us-east-1b InService true", "az-a us-east-1a InService false", "az-b us-east-1b Standby false",
	})
}

func TestDescribeGroupsPages(t *testing.T) {
	r, _ := small()
	for i := range 12 {
		r.AddGroup(region.Group{Name: fmt.Sprintf("g%02d", i), Subnets: []string{"a"}})
	}
	for name, test := range map[string]struct {
		in    autoscaling.DescribeAutoScalingGroupsInput
		size  int
		pages []int
		code  string
	}{
		"all, short pages":   {pages: []int{5, 5, 3}},
		"fewer asked for":    {in: autoscaling.DescribeAutoScalingGroupsInput{MaxRecords: new(int32(4))}, pages: []int{4, 4, 4, 1}},
		"the API's pages":    {size: 100, in: autoscaling.DescribeAutoScalingGroupsInput{MaxRecords: new(int32(100))}, pages: []int{13}},
		"names, one unknown": {in: autoscaling.DescribeAutoScalingGroupsInput{AutoScalingGroupNames: []string{"g03", "none", "g01"}}, pages: []int{2}},
		"only unknown":       {in: autoscaling.DescribeAutoScalingGroupsInput{AutoScalingGroupNames: []string{"none"}}, pages: []int{0}},
		"too many asked for": {in: autoscaling.DescribeAutoScalingGroupsInput{MaxRecords: new(int32(101))}, code: "ValidationError"},
		"too many names":     {in: autoscaling.DescribeAutoScalingGroupsInput{AutoScalingGroupNames: make([]string, 51)}, code: "ValidationError"},
		"a made-up token":    {in: autoscaling.DescribeAutoScalingGroupsInput{NextToken: new("?")}, code: "InvalidNextToken"},
		"filters":            {in: autoscaling.DescribeAutoScalingGroupsInput{Filters: make([]types.Filter, 1)}, code: "NotModelled"},
	} {
		t.Run(name, func(t *testing.T) {
			r.SetPageSize(max(test.size, 5))
			var sizes []int
			var names []string
			for {
				out, err := r.Process("p").AutoScaling().DescribeAutoScalingGroups(ctx, &test.in)
				if expect(t, "error", code(err), test.code); err != nil {
					return
				}
				sizes = append(sizes, len(out.AutoScalingGroups))
				for _, g := range out.AutoScalingGroups {
					names = append(names, *g.AutoScalingGroupName)
				}
				if test.in.NextToken = out.NextToken; out.NextToken == nil {
					break
				}
			}
			expect(t, "pages", sizes, test.pages)
			expect(t, "in order, each once", slices.Compact(slices.Sorted(slices.Values(names))), names)
		})
	}
}

func TestDescribeLeavesOutWhatIsNotWanted(t *testing.T) {
	r, _ := small()
	r.AddGroup(region.Group{Name: "operated", Subnets: []string{"a"}, Operator: "ecs.amazonaws.com"})
	out, err := r.Process("p").AutoScaling().DescribeAutoScalingGroups(ctx, &autoscaling.DescribeAutoScalingGroupsInput{
		IncludeInstances: new(false), IncludeManagedResources: new(false),
	})
	expect(t, "error", err, nil)
	expect(t, "groups", len(out.AutoScalingGroups), 1)
	expect(t, "instances", len(out.AutoScalingGroups[0].Instances), 0)
}

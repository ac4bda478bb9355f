package region_test

import (
	"fmt"
	"testing"

	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"

	"sidestep/pkg/region"
)

func balanced() region.ELBAPI {
	r, _ := small()
	r.AddLoadBalancer("lb/net/kept/1", "network", "true")
	r.AddTargetGroup("targetgroup/kept/1", "lb/net/kept/1", "network", "false")
	r.AddTargetGroup("targetgroup/made/1", "lb/app/made/1", "application", "use_load_balancer_configuration")
	r.AddTargetGroup("targetgroup/other/1", "lb/net/other/1", "network", "")
	r.AddTargetGroup("targetgroup/lone/1", "", "network", "true")
	return r.Process("p").ELB()
}

func TestCrossZoneAttributes(t *testing.T) {
	api := balanced()
	for arn, want := range map[string]string{
		"lb/net/kept/1": "true", "lb/app/made/1": "true", "lb/net/other/1": "false", "none": "LoadBalancerNotFound",
	} {
		out, err := api.DescribeLoadBalancerAttributes(ctx, &elb.DescribeLoadBalancerAttributesInput{LoadBalancerArn: &arn})
		got := code(err)
		if err == nil {
			got = *out.Attributes[1].Value
		}
		expect(t, arn, got, want)
	}
	for arn, want := range map[string]string{
		"targetgroup/kept/1": "false", "targetgroup/made/1": "use_load_balancer_configuration", "none": "TargetGroupNotFound",
	} {
		out, err := api.DescribeTargetGroupAttributes(ctx, &elb.DescribeTargetGroupAttributesInput{TargetGroupArn: &arn})
		got := code(err)
		if err == nil {
			got = *out.Attributes[1].Value
		}
		expect(t, arn, got, want)
	}
	out, err := api.DescribeTargetGroupAttributes(ctx, &elb.DescribeTargetGroupAttributesInput{TargetGroupArn: new("targetgroup/other/1")})
	expect(t, "error", err, nil)
	expect(t, "attributes without cross-zone", len(out.Attributes), 1)
}

func TestDescribeTargetGroups(t *testing.T) {
	api := balanced()
	for name, test := range map[string]struct {
		in   elb.DescribeTargetGroupsInput
		want []string
		code string
	}{
		"all":              {want: []string{"kept", "lone", "made", "other"}},
		"by ARN":           {in: elb.DescribeTargetGroupsInput{TargetGroupArns: []string{"targetgroup/made/1"}}, want: []string{"made"}},
		"by load balancer": {in: elb.DescribeTargetGroupsInput{LoadBalancerArn: new("lb/net/kept/1")}, want: []string{"kept"}},
		"unknown":          {in: elb.DescribeTargetGroupsInput{TargetGroupArns: []string{"targetgroup/made/1", "none"}}, code: "TargetGroupNotFound"},
		"names":            {in: elb.DescribeTargetGroupsInput{Names: []string{"made"}}, code: "NotModelled"},
		"a made-up marker": {in: elb.DescribeTargetGroupsInput{Marker: new("?")}, code: "InvalidNextToken"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := api.DescribeTargetGroups(ctx, &test.in)
			if expect(t, "error", code(err), test.code); err != nil {
				return
			}
			var got []string
			for _, g := range out.TargetGroups {
				got = append(got, *g.TargetGroupName)
			}
			expect(t, "names", got, test.want)
		})
	}
	out, err := api.DescribeTargetGroups(ctx, &elb.DescribeTargetGroupsInput{TargetGroupArns: []string{"targetgroup/made/1"}})
	expect(t, "error", err, nil)
	g := out.TargetGroups[0]
	expect(t, "target group", fmt.Sprintf("%s %s %v", *g.TargetGroupName, g.Protocol, g.LoadBalancerArns), "made HTTP [lb/app/made/1]")
}

func TestDescribeLoadBalancers(t *testing.T) {
	api := balanced()
	out, err := api.DescribeLoadBalancers(ctx, &elb.DescribeLoadBalancersInput{PageSize: new(int32(2))})
	expect(t, "error", err, nil)
	expect(t, "first page", len(out.LoadBalancers), 2)
	expect(t, "first", fmt.Sprint(*out.LoadBalancers[0].LoadBalancerName, " ", out.LoadBalancers[0].Type), "made application")
	out, err = api.DescribeLoadBalancers(ctx, &elb.DescribeLoadBalancersInput{Marker: out.NextMarker})
	expect(t, "error", err, nil)
	expect(t, "last page", []any{len(out.LoadBalancers), out.NextMarker == nil}, []any{1, true})

	for want, in := range map[string]*elb.DescribeLoadBalancersInput{
		"LoadBalancerNotFound": {LoadBalancerArns: []string{"none"}},
		"ValidationError":      {LoadBalancerArns: make([]string, 21)},
		"NotModelled":          {Names: []string{"made"}},
	} {
		_, err := api.DescribeLoadBalancers(ctx, in)
		expect(t, "error", code(err), want)
	}
}

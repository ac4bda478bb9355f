package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"sidestep/pkg/awserr"
)

// lookAtTraffic makes the calls by which drain finds out whose traffic stays in a
// zone. There they stop nothing: what cannot be read is held, which on the day is
// late to learn.
func (d Doctor) lookAtTraffic(ctx context.Context, kinds []*kind) []Check {
	var arns []string
	for _, k := range kinds {
		for _, r := range k.found {
			arns = append(arns, r.TargetGroups...)
		}
	}
	if d.ELB == nil || len(arns) == 0 {
		return nil
	}
	slices.Sort(arns)
	arns = slices.Compact(arns)
	c := d.check(ctx, trafficName, callTime, func(ctx context.Context) (string, error) {
		for _, arn := range arns[:min(len(arns), few)] {
			if err := d.readTargetGroup(ctx, arn); err != nil {
				return "", err
			}
		}
		return fmt.Sprintf("target groups can be read, %d in scope", len(arns)), nil
	})
	if c.Status != OK {
		c.Detail = "for --policy drain only: " + c.Detail
	}
	return []Check{c}
}

// readTargetGroup reads a target group and its balancers. One that is gone is
// fine: a group may name one.
func (d Doctor) readTargetGroup(ctx context.Context, arn string) error {
	out, err := d.ELB.DescribeTargetGroups(ctx, &elb.DescribeTargetGroupsInput{TargetGroupArns: []string{arn}})
	if awserr.Classify(err) == awserr.NotFound {
		return nil
	}
	if err != nil {
		return fmt.Errorf("describing target group %s: %w", arn, err)
	}
	if _, err := d.ELB.DescribeTargetGroupAttributes(ctx, &elb.DescribeTargetGroupAttributesInput{TargetGroupArn: &arn}); err != nil {
		return fmt.Errorf("describing the attributes of target group %s: %w", arn, err)
	}
	for _, balancer := range balancers(out.TargetGroups) {
		if _, err := d.ELB.DescribeLoadBalancers(ctx, &elb.DescribeLoadBalancersInput{LoadBalancerArns: []string{balancer}}); err != nil {
			return fmt.Errorf("describing load balancer %s: %w", balancer, err)
		}
		if _, err := d.ELB.DescribeLoadBalancerAttributes(ctx, &elb.DescribeLoadBalancerAttributesInput{LoadBalancerArn: aws.String(balancer)}); err != nil {
			return fmt.Errorf("describing the attributes of load balancer %s: %w", balancer, err)
		}
	}
	return nil
}

func balancers(groups []types.TargetGroup) []string {
	var arns []string
	for _, g := range groups {
		arns = append(arns, g.LoadBalancerArns...)
	}
	return arns
}

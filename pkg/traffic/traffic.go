// Package traffic tells which target groups go on sending a zone its share when
// capacity leaves it.
package traffic

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"sidestep/pkg/awserr"
)

// API is what this package asks of Elastic Load Balancing.
type API interface {
	DescribeTargetGroups(context.Context, *elb.DescribeTargetGroupsInput, ...func(*elb.Options)) (*elb.DescribeTargetGroupsOutput, error)
	DescribeTargetGroupAttributes(context.Context, *elb.DescribeTargetGroupAttributesInput, ...func(*elb.Options)) (*elb.DescribeTargetGroupAttributesOutput, error)
	DescribeLoadBalancers(context.Context, *elb.DescribeLoadBalancersInput, ...func(*elb.Options)) (*elb.DescribeLoadBalancersOutput, error)
	DescribeLoadBalancerAttributes(context.Context, *elb.DescribeLoadBalancerAttributesInput, ...func(*elb.Options)) (*elb.DescribeLoadBalancerAttributesOutput, error)
}

const (
	crossZoneKey = "load_balancing.cross_zone.enabled"
	inherit      = "use_load_balancer_configuration"
	// describeBatch is how many ARNs a describe call takes.
	describeBatch = 20
)

// Reader reads how load balancers spread traffic over zones.
type Reader struct{ api API }

// New returns a reader.
func New(api API) *Reader { return &Reader{api: api} }

// Unmoved returns, of the target groups, those whose balancer goes on giving
// every zone an even share however few targets it has left there (cross-zone
// balancing effectively off), each with the reason. One whose setting cannot be
// read is among them: taking capacity away beneath it could overload the rest.
func (r *Reader) Unmoved(ctx context.Context, targetGroups []string) (map[string]string, error) {
	unmoved := map[string]string{}
	balancers := map[string]balancer{}
	for batch := range slices.Chunk(targetGroups, describeBatch) {
		err := r.batch(ctx, batch, balancers, unmoved)
		single := awserr.Classify(err) == awserr.NotFound
		for _, arn := range batch {
			// One that is not there fails the call for all: it must not hold the rest.
			if single {
				err = r.batch(ctx, []string{arn}, balancers, unmoved)
			}
			if err != nil {
				unmoved[arn] = fmt.Sprintf("target group %s cannot be described: %s", arn, awserr.Brief(err))
			}
		}
	}
	return unmoved, ctx.Err()
}

// batch examines those target groups, and adds those that are unmoved.
func (r *Reader) batch(ctx context.Context, arns []string, balancers map[string]balancer, unmoved map[string]string) error {
	pages := elb.NewDescribeTargetGroupsPaginator(r.api, &elb.DescribeTargetGroupsInput{TargetGroupArns: arns})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, tg := range page.TargetGroups {
			if why := r.examine(ctx, tg, balancers); why != "" {
				unmoved[aws.ToString(tg.TargetGroupArn)] = why
			}
		}
	}
	return nil
}

// examine returns why a target group's traffic stays in the zone, or nothing.
func (r *Reader) examine(ctx context.Context, tg types.TargetGroup, known map[string]balancer) string {
	name := aws.ToString(tg.TargetGroupName)
	if len(tg.LoadBalancerArns) == 0 {
		return "" // no traffic comes through it
	}
	out, err := r.api.DescribeTargetGroupAttributes(ctx, &elb.DescribeTargetGroupAttributesInput{TargetGroupArn: tg.TargetGroupArn})
	if err != nil {
		return fmt.Sprintf("target group %s: cross-zone balancing cannot be read: %s", name, awserr.Brief(err))
	}
	own := inherit
	for _, a := range out.Attributes {
		if aws.ToString(a.Key) == crossZoneKey {
			own = aws.ToString(a.Value)
		}
	}
	for _, arn := range tg.LoadBalancerArns {
		lb, err := r.balancer(ctx, arn, own, known)
		if err != nil {
			return fmt.Sprintf("target group %s: load balancer %s cannot be read: %s", name, arn, awserr.Brief(err))
		}
		if !Effective(own, lb.kind, lb.crossZone) {
			return fmt.Sprintf("target group %s has cross-zone balancing off: its zone keeps an even share of the traffic however few targets are left; move the traffic first", name)
		}
	}
	return ""
}

// balancer is what matters of a load balancer.
type balancer struct {
	kind      types.LoadBalancerTypeEnum
	crossZone bool
}

func (r *Reader) balancer(ctx context.Context, arn, own string, known map[string]balancer) (balancer, error) {
	if lb, ok := known[arn]; ok || own != inherit {
		return lb, nil
	}
	described, err := r.api.DescribeLoadBalancers(ctx, &elb.DescribeLoadBalancersInput{LoadBalancerArns: []string{arn}})
	if err != nil {
		return balancer{}, err
	}
	attributes, err := r.api.DescribeLoadBalancerAttributes(ctx, &elb.DescribeLoadBalancerAttributesInput{LoadBalancerArn: &arn})
	if err != nil {
		return balancer{}, err
	}
	var lb balancer
	for _, d := range described.LoadBalancers {
		lb.kind = d.Type
	}
	for _, a := range attributes.Attributes {
		if aws.ToString(a.Key) == crossZoneKey {
			lb.crossZone = aws.ToString(a.Value) == "true"
		}
	}
	known[arn] = lb
	return lb, nil
}

// Effective says whether cross-zone balancing is on for a target group: its own
// setting if it has one, else its balancer's, which an Application Load Balancer
// has always on.
// https://docs.aws.amazon.com/elasticloadbalancing/latest/application/edit-target-group-attributes.html
func Effective(own string, kind types.LoadBalancerTypeEnum, balancerOn bool) bool {
	switch own {
	case "true":
		return true
	case "false":
		return false
	}
	return kind == types.LoadBalancerTypeEnumApplication || balancerOn
}

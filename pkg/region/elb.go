package region

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
)

// crossZoneKey is the attribute, the same on load balancers and target groups.
const crossZoneKey = "load_balancing.cross_zone.enabled"

// albType is the type of load balancer that balances across zones by itself.
const albType = "application"

// Limits of the describe calls of load balancers.
const (
	elbPage  = 400
	elbByARN = 20
)

// balancer is one load balancer.
type balancer struct{ arn, kind, crossZone string }

// targetGroup is one target group.
type targetGroup struct{ arn, balancer, kind, crossZone string }

// AddLoadBalancer adds a load balancer of type application or network with its
// own cross-zone attribute, "true" or "false"; empty leaves the attribute out of
// what is described.
func (r *Region) AddLoadBalancer(arn, lbType, crossZone string) {
	r.touch(func() { r.balancers[arn] = balancer{arn, lbType, crossZone} })
}

// AddTargetGroup adds a target group with its cross-zone attribute: "true",
// "false" or "use_load_balancer_configuration". A load balancer that is not there
// yet is added with its type's default; an empty ARN is none.
func (r *Region) AddTargetGroup(arn, lbARN, lbType, crossZone string) {
	r.touch(func() {
		r.targetGroups[arn] = targetGroup{arn, lbARN, lbType, crossZone}
		if _, ok := r.balancers[lbARN]; !ok && lbARN != "" {
			byDefault := map[bool]string{true: "true", false: "false"}[lbType == albType]
			r.balancers[lbARN] = balancer{lbARN, lbType, byDefault}
		}
	})
}

// ELBAPI is a process's way to Elastic Load Balancing.
type ELBAPI struct{ p *Process }

// ELB is the process's way to Elastic Load Balancing.
func (p *Process) ELB() ELBAPI { return ELBAPI{p} }

// DescribeTargetGroups answers with those asked for by ARN or load balancer, or
// all, in pages. One ARN that is not there fails the whole call.
func (a ELBAPI) DescribeTargetGroups(ctx context.Context, in *elb.DescribeTargetGroupsInput, _ ...func(*elb.Options)) (*elb.DescribeTargetGroupsOutput, error) {
	asked := given(in)
	arns := slices.Clone(asked.TargetGroupArns)
	q := request{service: ServiceELB, op: "DescribeTargetGroups", id: strings.Join(arns, ", ")}
	return do(ctx, a.p, q, func() (*elb.DescribeTargetGroupsOutput, error) {
		r := a.p.region
		if len(asked.Names) > 0 {
			return nil, notModelled("names of target groups")
		}
		for _, arn := range arns {
			if _, ok := r.targetGroups[arn]; !ok {
				return nil, noTargetGroup()
			}
		}
		var found []targetGroup
		for _, t := range sortedBy(r.targetGroups, func(t targetGroup) string { return t.arn }) {
			if chosen(arns, t.arn) && matches(value(asked.LoadBalancerArn), t.balancer) {
				found = append(found, t)
			}
		}
		cut, next, err := page(found, func(t targetGroup) string { return t.arn }, asked.Marker, r.pageSize(asked.PageSize, elbPage))
		out := &elb.DescribeTargetGroupsOutput{NextMarker: next}
		for _, t := range cut {
			out.TargetGroups = append(out.TargetGroups, t.describe())
		}
		return out, err
	})
}

func (t targetGroup) describe() types.TargetGroup {
	described := types.TargetGroup{
		TargetGroupArn: new(t.arn), TargetGroupName: new(nameIn(t.arn)),
		TargetType: types.TargetTypeEnumInstance, Protocol: types.ProtocolEnumTcp,
	}
	if t.kind == albType {
		described.Protocol = types.ProtocolEnumHttp
	}
	if t.balancer != "" {
		described.LoadBalancerArns = []string{t.balancer}
	}
	return described
}

// DescribeTargetGroupAttributes answers with one target group's attributes.
func (a ELBAPI) DescribeTargetGroupAttributes(ctx context.Context, in *elb.DescribeTargetGroupAttributesInput, _ ...func(*elb.Options)) (*elb.DescribeTargetGroupAttributesOutput, error) {
	arn := value(given(in).TargetGroupArn)
	q := request{service: ServiceELB, op: "DescribeTargetGroupAttributes", id: arn}
	return do(ctx, a.p, q, func() (*elb.DescribeTargetGroupAttributesOutput, error) {
		t, ok := a.p.region.targetGroups[arn]
		if !ok {
			return nil, noTargetGroup()
		}
		out := &elb.DescribeTargetGroupAttributesOutput{Attributes: []types.TargetGroupAttribute{
			{Key: new("deregistration_delay.timeout_seconds"), Value: new("300")},
		}}
		if t.crossZone != "" {
			out.Attributes = append(out.Attributes, types.TargetGroupAttribute{Key: new(crossZoneKey), Value: new(t.crossZone)})
		}
		return out, nil
	})
}

// DescribeLoadBalancers answers with those asked for by ARN, or all, in pages.
func (a ELBAPI) DescribeLoadBalancers(ctx context.Context, in *elb.DescribeLoadBalancersInput, _ ...func(*elb.Options)) (*elb.DescribeLoadBalancersOutput, error) {
	asked := given(in)
	arns := slices.Clone(asked.LoadBalancerArns)
	q := request{service: ServiceELB, op: "DescribeLoadBalancers", id: strings.Join(arns, ", ")}
	return do(ctx, a.p, q, func() (*elb.DescribeLoadBalancersOutput, error) {
		r := a.p.region
		if len(asked.Names) > 0 {
			return nil, notModelled("names of load balancers")
		}
		if len(arns) > elbByARN {
			return nil, apiError("ValidationError", "At most %d load balancers can be described by ARN", elbByARN)
		}
		var found []balancer
		for _, b := range sortedBy(r.balancers, func(b balancer) string { return b.arn }) {
			if chosen(arns, b.arn) {
				found = append(found, b)
			}
		}
		if len(arns) > len(found) {
			return nil, noLoadBalancer()
		}
		cut, next, err := page(found, func(b balancer) string { return b.arn }, asked.Marker, r.pageSize(asked.PageSize, elbPage))
		out := &elb.DescribeLoadBalancersOutput{NextMarker: next}
		for _, b := range cut {
			out.LoadBalancers = append(out.LoadBalancers, types.LoadBalancer{
				LoadBalancerArn: new(b.arn), LoadBalancerName: new(nameIn(b.arn)), Type: types.LoadBalancerTypeEnum(b.kind),
			})
		}
		return out, err
	})
}

// DescribeLoadBalancerAttributes answers with one load balancer's attributes.
func (a ELBAPI) DescribeLoadBalancerAttributes(ctx context.Context, in *elb.DescribeLoadBalancerAttributesInput, _ ...func(*elb.Options)) (*elb.DescribeLoadBalancerAttributesOutput, error) {
	arn := value(given(in).LoadBalancerArn)
	q := request{service: ServiceELB, op: "DescribeLoadBalancerAttributes", id: arn}
	return do(ctx, a.p, q, func() (*elb.DescribeLoadBalancerAttributesOutput, error) {
		b, ok := a.p.region.balancers[arn]
		if !ok {
			return nil, noLoadBalancer()
		}
		out := &elb.DescribeLoadBalancerAttributesOutput{Attributes: []types.LoadBalancerAttribute{
			{Key: new("deletion_protection.enabled"), Value: new("false")},
		}}
		if b.crossZone != "" {
			out.Attributes = append(out.Attributes, types.LoadBalancerAttribute{Key: new(crossZoneKey), Value: new(b.crossZone)})
		}
		return out, nil
	})
}

func noTargetGroup() error {
	return &types.TargetGroupNotFoundException{Message: new("One or more target groups not found")}
}

func noLoadBalancer() error {
	return &types.LoadBalancerNotFoundException{Message: new("One or more load balancers not found")}
}

// nameIn finds the name in an ARN of Elastic Load Balancing: the part before the
// last.
func nameIn(arn string) string {
	parts := strings.Split(arn, "/")
	return parts[max(len(parts)-2, 0)]
}

// chosen reports whether a request for wanted, all if empty, includes got.
func chosen(wanted []string, got string) bool {
	return len(wanted) == 0 || slices.Contains(wanted, got)
}

func sortedBy[T any](items map[string]T, key func(T) string) []T {
	return slices.SortedFunc(maps.Values(items), func(a, b T) int { return cmp.Compare(key(a), key(b)) })
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

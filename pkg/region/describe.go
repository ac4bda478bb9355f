package region

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
)

// Limits of DescribeAutoScalingGroups.
const (
	groupPage    = 50
	groupPageMax = 100
)

// DescribeAutoScalingGroups answers with a page of the groups asked for by name,
// those that are not there left out, or of all. Groups stand in the order of
// their names.
func (a AutoScalingAPI) DescribeAutoScalingGroups(ctx context.Context, in *autoscaling.DescribeAutoScalingGroupsInput, _ ...func(*autoscaling.Options)) (*autoscaling.DescribeAutoScalingGroupsOutput, error) {
	asked := given(in)
	names := slices.Clone(asked.AutoScalingGroupNames)
	q := request{service: ServiceAutoScaling, op: "DescribeAutoScalingGroups", id: strings.Join(names, ", ")}
	return do(ctx, a.p, q, func() (*autoscaling.DescribeAutoScalingGroupsOutput, error) {
		if err := describable(asked); err != nil {
			return nil, err
		}
		r := a.p.region
		var found []*group
		for _, name := range slices.Sorted(maps.Keys(r.groups)) {
			if g := r.groups[name]; chosen(names, name) && (g.config.Operator == "" || wants(asked.IncludeManagedResources)) {
				found = append(found, g)
			}
		}
		cut, next, err := page(found, func(g *group) string { return g.name }, asked.NextToken, r.pageSize(asked.MaxRecords, groupPage))
		out := &autoscaling.DescribeAutoScalingGroupsOutput{NextToken: next}
		for _, g := range cut {
			out.AutoScalingGroups = append(out.AutoScalingGroups, r.describe(g, wants(asked.IncludeInstances)))
		}
		return out, err
	})
}

// describable says what is wrong with a request to describe groups.
func describable(asked autoscaling.DescribeAutoScalingGroupsInput) error {
	limit := int32(groupPage)
	if asked.MaxRecords != nil {
		limit = *asked.MaxRecords
	}
	switch {
	case limit < 1 || limit > groupPageMax:
		return apiError("ValidationError", "MaxRecords must be between 1 and %d", groupPageMax)
	case len(asked.AutoScalingGroupNames) > int(limit):
		return apiError("ValidationError", "%d group names, more than the %d of a page", len(asked.AutoScalingGroupNames), limit)
	case len(asked.Filters) > 0:
		return notModelled("filters of groups")
	}
	return nil
}

// wants reads a switch that is on unless turned off.
func wants(b *bool) bool { return b == nil || *b }

// describe is the group as AWS describes it, sharing no memory with it. The
// region is locked.
func (r *Region) describe(g *group, withInstances bool) types.AutoScalingGroup {
	c := r.seen(g).clone()
	described := types.AutoScalingGroup{
		AutoScalingGroupName: new(g.name),
		AutoScalingGroupARN:  new(g.arn),
		CreatedTime:          new(g.created),
		MinSize:              new(int32(c.Min)),
		MaxSize:              new(int32(c.Max)),
		DesiredCapacity:      new(int32(c.Desired)),
		HealthCheckType:      new("EC2"),
		TargetGroupARNs:      c.TargetGroups,
		LoadBalancerNames:    c.LoadBalancers,
		TrafficSources:       trafficSources(c),
		Tags:                 tagsOf(g.name, c.Tags),
		AvailabilityZoneImpairmentPolicy: &types.AvailabilityZoneImpairmentPolicy{
			ZonalShiftEnabled:               new(c.ZonalShift),
			ImpairedZoneHealthCheckBehavior: types.ImpairedZoneHealthCheckBehaviorReplaceUnhealthy,
		},
	}
	if len(c.Subnets) > 0 {
		described.VPCZoneIdentifier = new(strings.Join(c.Subnets, ","))
	}
	if c.Operator != "" {
		described.Operator = &types.Operator{Principal: new(c.Operator)}
	}
	for _, id := range slices.Sorted(slices.Values(r.zonesIn(c))) {
		described.AvailabilityZoneIds = append(described.AvailabilityZoneIds, id)
		described.AvailabilityZones = append(described.AvailabilityZones, r.zoneBy(id).name)
	}
	for _, process := range c.Suspended {
		described.SuspendedProcesses = append(described.SuspendedProcesses,
			types.SuspendedProcess{ProcessName: new(process), SuspensionReason: new("User suspended")})
	}
	if withInstances {
		described.Instances = r.describeInstances(g)
	}
	return described
}

func (r *Region) describeInstances(g *group) []types.Instance {
	var described []types.Instance
	for _, i := range g.instances {
		described = append(described, types.Instance{
			InstanceId:           new(i.id),
			AvailabilityZone:     new(r.zoneBy(i.zone).name),
			AvailabilityZoneId:   new(i.zone),
			LifecycleState:       i.state,
			HealthStatus:         new("Healthy"),
			ProtectedFromScaleIn: new(i.protected),
		})
	}
	return described
}

// trafficSources repeats target groups and classic load balancers in the newer
// form.
func trafficSources(c GroupConfig) []types.TrafficSourceIdentifier {
	var sources []types.TrafficSourceIdentifier
	for _, arn := range c.TargetGroups {
		sources = append(sources, types.TrafficSourceIdentifier{Identifier: new(arn), Type: new("elbv2")})
	}
	for _, name := range c.LoadBalancers {
		sources = append(sources, types.TrafficSourceIdentifier{Identifier: new(name), Type: new("elb")})
	}
	return sources
}

func tagsOf(group string, tags map[string]string) []types.TagDescription {
	var described []types.TagDescription
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		described = append(described, types.TagDescription{
			Key: new(key), Value: new(tags[key]), PropagateAtLaunch: new(true),
			ResourceId: new(group), ResourceType: new("auto-scaling-group"),
		})
	}
	return described
}

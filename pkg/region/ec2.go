package region

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// zone is an Availability Zone or a Local Zone.
type zone struct {
	id, name string
	parent   *zone // of a Local Zone
}

// subnet is one subnet.
type subnet struct {
	id, zone, vpc string
	free          int
}

// AddZone adds an Availability Zone.
func (r *Region) AddZone(id, name string) {
	r.touch(func() { r.zones = append(r.zones, zone{id: id, name: name}) })
}

// AddLocalZone adds a Local Zone that was opted in to, a child of the first zone.
func (r *Region) AddLocalZone(id, name string) {
	r.touch(func() {
		parent := zone{}
		if len(r.zones) > 0 {
			parent = r.zones[0]
		}
		r.zones = append(r.zones, zone{id: id, name: name, parent: &parent})
	})
}

// AddSubnet adds a subnet with so many free addresses.
func (r *Region) AddSubnet(id, zoneID, vpc string, free int) {
	r.touch(func() {
		r.subnets[id] = subnet{id, zoneID, vpc, free}
		r.balanceAll()
	})
}

// DeleteSubnet deletes a subnet. Groups that name it go on naming it, as they do
// on AWS.
func (r *Region) DeleteSubnet(id string) {
	r.touch(func() {
		delete(r.subnets, id)
		r.balanceAll()
	})
}

// zoneBy finds a zone by ID or name; one that is not there has that name for
// both. The region is locked.
func (r *Region) zoneBy(idOrName string) zone {
	for _, z := range r.zones {
		if z.id == idOrName || z.name == idOrName {
			return z
		}
	}
	return zone{id: idOrName, name: idOrName}
}

// EC2API is a process's way to EC2.
type EC2API struct{ p *Process }

// EC2 is the process's way to EC2.
func (p *Process) EC2() EC2API { return EC2API{p} }

// DescribeAvailabilityZones answers with every zone that may be used, or those
// asked for by ID or name.
func (a EC2API) DescribeAvailabilityZones(ctx context.Context, in *ec2.DescribeAvailabilityZonesInput, _ ...func(*ec2.Options)) (*ec2.DescribeAvailabilityZonesOutput, error) {
	asked := given(in)
	wanted := append(slices.Clone(asked.ZoneIds), asked.ZoneNames...)
	q := request{service: ServiceEC2, op: "DescribeAvailabilityZones", id: strings.Join(wanted, ", ")}
	return do(ctx, a.p, q, func() (*ec2.DescribeAvailabilityZonesOutput, error) {
		if len(asked.Filters) > 0 {
			return nil, notModelled("filters of zones")
		}
		out := &ec2.DescribeAvailabilityZonesOutput{}
		for _, z := range a.p.region.zones {
			if len(wanted) == 0 || slices.Contains(wanted, z.id) || slices.Contains(wanted, z.name) {
				out.AvailabilityZones = append(out.AvailabilityZones, z.describe(a.p.region.name))
			}
		}
		return out, nil
	})
}

func (z zone) describe(region string) types.AvailabilityZone {
	described := types.AvailabilityZone{
		ZoneId: new(z.id), ZoneName: new(z.name), RegionName: new(region),
		State:       types.AvailabilityZoneStateAvailable,
		OptInStatus: types.AvailabilityZoneOptInStatusOptInNotRequired,
		ZoneType:    new("availability-zone"),
	}
	if z.parent != nil {
		described.ZoneType = new("local-zone")
		described.OptInStatus = types.AvailabilityZoneOptInStatusOptedIn
		described.ParentZoneId, described.ParentZoneName = new(z.parent.id), new(z.parent.name)
	}
	return described
}

// DescribeSubnets answers with a page of all subnets, or with those asked for by
// ID on one page.
func (a EC2API) DescribeSubnets(ctx context.Context, in *ec2.DescribeSubnetsInput, _ ...func(*ec2.Options)) (*ec2.DescribeSubnetsOutput, error) {
	asked := given(in)
	ids := slices.Clone(asked.SubnetIds)
	q := request{service: ServiceEC2, op: "DescribeSubnets", id: strings.Join(ids, ", ")}
	return do(ctx, a.p, q, func() (*ec2.DescribeSubnetsOutput, error) {
		if len(asked.Filters) > 0 {
			return nil, notModelled("filters of subnets")
		}
		if m := asked.MaxResults; m != nil && (*m < 5 || *m > 1000) {
			return nil, apiError("InvalidParameterValue", "Value ( %d ) for parameter maxResults is invalid. Expecting a value between 5 and 1000.", *m)
		}
		if len(ids) > 0 {
			return a.p.region.subnetsByID(ids)
		}
		return a.p.region.subnetPage(asked)
	})
}

func (r *Region) subnetsByID(ids []string) (*ec2.DescribeSubnetsOutput, error) {
	out := &ec2.DescribeSubnetsOutput{}
	for _, id := range ids {
		s, ok := r.subnets[id]
		if !ok {
			return nil, apiError("InvalidSubnetID.NotFound", "The subnet ID '%s' does not exist", id)
		}
		out.Subnets = append(out.Subnets, r.describeSubnet(s))
	}
	return out, nil
}

func (r *Region) subnetPage(asked ec2.DescribeSubnetsInput) (*ec2.DescribeSubnetsOutput, error) {
	all := make([]subnet, 0, len(r.subnets))
	for _, s := range r.subnets {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b subnet) int { return cmp.Compare(a.id, b.id) })
	cut, next, err := page(all, func(s subnet) string { return s.id }, asked.NextToken, r.pageSize(asked.MaxResults, 1000))
	if err != nil {
		return nil, err
	}
	out := &ec2.DescribeSubnetsOutput{NextToken: next}
	for _, s := range cut {
		out.Subnets = append(out.Subnets, r.describeSubnet(s))
	}
	return out, nil
}

func (r *Region) describeSubnet(s subnet) types.Subnet {
	return types.Subnet{
		SubnetId: new(s.id), VpcId: new(s.vpc), State: types.SubnetStateAvailable,
		SubnetArn:               new(fmt.Sprintf("arn:aws:ec2:%s:%s:subnet/%s", r.name, r.account, s.id)),
		OwnerId:                 new(r.account),
		AvailabilityZoneId:      new(s.zone),
		AvailabilityZone:        new(r.zoneBy(s.zone).name),
		AvailableIpAddressCount: new(int32(s.free)),
	}
}

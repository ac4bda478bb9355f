// Package zone knows which Availability Zones an account has in a region, and
// which subnet lies in which.
package zone

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// API is what this package asks of EC2.
type API interface {
	DescribeAvailabilityZones(context.Context, *ec2.DescribeAvailabilityZonesInput, ...func(*ec2.Options)) (*ec2.DescribeAvailabilityZonesOutput, error)
	DescribeSubnets(context.Context, *ec2.DescribeSubnetsInput, ...func(*ec2.Options)) (*ec2.DescribeSubnetsOutput, error)
}

// Zone is one Availability Zone. The ID means the same place in every account;
// the name is this account's own label for it.
type Zone struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// String gives both, as people compare notices (IDs) with consoles (names).
func (z Zone) String() string { return z.ID + " (" + z.Name + ")" }

// ErrUnknown is returned by Find for what is no Availability Zone of the region.
var ErrUnknown = errors.New("no such zone")

// Zones are the Availability Zones of one region as one account sees them. Local
// and Wavelength Zones are not among them: they cannot stand in for one.
type Zones struct {
	Region string
	All    []Zone // sorted by ID
}

// ReadZones asks for the region's zones, those not opted in to left out.
func ReadZones(ctx context.Context, api API, region string) (Zones, error) {
	out, err := api.DescribeAvailabilityZones(ctx, &ec2.DescribeAvailabilityZonesInput{})
	if err != nil {
		return Zones{}, fmt.Errorf("describing the Availability Zones of %s: %w", region, err)
	}
	zones := Zones{Region: region}
	for _, z := range out.AvailabilityZones {
		// Endpoints that emulate EC2 leave the type out; AWS always sends it.
		if kind := deref(z.ZoneType); kind != "" && kind != "availability-zone" {
			continue
		}
		if z.OptInStatus == types.AvailabilityZoneOptInStatusNotOptedIn {
			continue
		}
		zones.All = append(zones.All, Zone{ID: deref(z.ZoneId), Name: deref(z.ZoneName)})
	}
	slices.SortFunc(zones.All, func(a, b Zone) int { return strings.Compare(a.ID, b.ID) })
	return zones, nil
}

// Find resolves a zone ID or this account's name for one. It returns ErrUnknown,
// with the zones there are, for anything else.
func (z Zones) Find(idOrName string) (Zone, error) {
	known := make([]string, 0, len(z.All))
	for _, zone := range z.All {
		if zone.ID == idOrName || zone.Name == idOrName {
			return zone, nil
		}
		known = append(known, zone.String())
	}
	return Zone{}, fmt.Errorf("%w: %q is not an Availability Zone of %s; there are %s",
		ErrUnknown, idOrName, z.Region, strings.Join(known, ", "))
}

// ByName returns the zone of that name, or one with the name alone.
func (z Zones) ByName(name string) Zone {
	for _, zone := range z.All {
		if zone.Name == name {
			return zone
		}
	}
	return Zone{Name: name}
}

// Subnet is where one subnet lies.
type Subnet struct {
	ID   string
	Zone string // zone ID
	VPC  string
	Free int // addresses left
}

// Subnets is a snapshot of every subnet the caller may see, by ID. It is taken
// once a step and shared by all kinds.
type Subnets map[string]Subnet

// ReadSubnets pages to the end through the region's subnets.
func ReadSubnets(ctx context.Context, api API) (Subnets, error) {
	subnets := Subnets{}
	pages := ec2.NewDescribeSubnetsPaginator(api, &ec2.DescribeSubnetsInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("describing subnets: %w", err)
		}
		for _, s := range page.Subnets {
			subnet := translate(s)
			subnets[subnet.ID] = subnet
		}
	}
	return subnets, nil
}

// ReadSubnet reads one subnet by its ID. One that does not exist is AWS's error
// InvalidSubnetID.NotFound.
func ReadSubnet(ctx context.Context, api API, id string) (Subnet, error) {
	found, err := api.DescribeSubnets(ctx, &ec2.DescribeSubnetsInput{SubnetIds: []string{id}})
	if err != nil {
		return Subnet{}, fmt.Errorf("describing subnet %s: %w", id, err)
	}
	for _, s := range found.Subnets {
		if deref(s.SubnetId) == id {
			return translate(s), nil
		}
	}
	return Subnet{}, fmt.Errorf("describing subnet %s: the answer does not hold it", id)
}

func translate(s types.Subnet) Subnet {
	subnet := Subnet{ID: deref(s.SubnetId), Zone: deref(s.AvailabilityZoneId), VPC: deref(s.VpcId)}
	if s.AvailableIpAddressCount != nil {
		subnet.Free = int(*s.AvailableIpAddressCount)
	}
	return subnet
}

// Split sorts ids into those in the zone, those elsewhere and those that the
// snapshot does not know, each in the order given.
func (s Subnets) Split(ids []string, zoneID string) (in, out, unknown []string) {
	for _, id := range ids {
		switch subnet, ok := s[id]; {
		case !ok || subnet.Zone == "":
			unknown = append(unknown, id)
		case subnet.Zone == zoneID:
			in = append(in, id)
		default:
			out = append(out, id)
		}
	}
	return in, out, unknown
}

// Zones lists the zone IDs that ids lie in, sorted, without the unknown.
func (s Subnets) Zones(ids []string) []string {
	var zones []string
	for _, id := range ids {
		if subnet, ok := s[id]; ok && subnet.Zone != "" && !slices.Contains(zones, subnet.Zone) {
			zones = append(zones, subnet.Zone)
		}
	}
	slices.Sort(zones)
	return zones
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

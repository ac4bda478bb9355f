package zone_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"sidestep/pkg/clock"
	"sidestep/pkg/region"
	"sidestep/pkg/zone"
)

func newRegion() *region.Region {
	return region.Sample(region.Config{Clock: clock.NewVirtual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), Name: "us-east-1"})
}

// zonesAPI answers with these zones.
type zonesAPI struct {
	zone.API
	zones []types.AvailabilityZone
}

func (a zonesAPI) DescribeAvailabilityZones(context.Context, *ec2.DescribeAvailabilityZonesInput, ...func(*ec2.Options)) (*ec2.DescribeAvailabilityZonesOutput, error) {
	return &ec2.DescribeAvailabilityZonesOutput{AvailabilityZones: a.zones}, nil
}

func described(id, name, kind string, status types.AvailabilityZoneOptInStatus) types.AvailabilityZone {
	z := types.AvailabilityZone{ZoneId: aws.String(id), ZoneName: aws.String(name), OptInStatus: status}
	if kind != "" {
		z.ZoneType = aws.String(kind)
	}
	return z
}

func TestReadZones(t *testing.T) {
	got, err := zone.ReadZones(t.Context(), zonesAPI{zones: []types.AvailabilityZone{
		described("use1-az2", "us-east-1a", "availability-zone", types.AvailabilityZoneOptInStatusOptInNotRequired),
		described("use1-az1", "us-east-1b", "availability-zone", types.AvailabilityZoneOptInStatusOptedIn),
		described("use1-az3", "us-east-1c", "availability-zone", types.AvailabilityZoneOptInStatusNotOptedIn),
		described("use1-az4", "us-east-1d", "", ""), // as emulators do
		described("use1-bos1-az1", "us-east-1-bos-1a", "local-zone", types.AvailabilityZoneOptInStatusOptedIn),
		described("use1-wl1-bos-wlz1", "us-east-1-wl1-bos-wlz-1", "wavelength-zone", types.AvailabilityZoneOptInStatusOptedIn),
	}}, "us-east-1")
	want := zone.Zones{Region: "us-east-1", All: []zone.Zone{
		{ID: "use1-az1", Name: "us-east-1b"}, {ID: "use1-az2", Name: "us-east-1a"}, {ID: "use1-az4", Name: "us-east-1d"},
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("zones are %v and %v, want %v", got, err, want)
	}
}

func TestReadZonesFails(t *testing.T) {
	r := newRegion()
	r.Fault(region.Fault{Do: region.Fail(errors.New("scripted"))})
	got, err := zone.ReadZones(t.Context(), r.Process("p").EC2(), "us-east-1")
	if err == nil || len(got.All) > 0 || !strings.Contains(err.Error(), "us-east-1") {
		t.Errorf("zones are %v and %v", got, err)
	}
}

// FR13: an ID is the same place in every account, a name is this account's own.
func TestFindFR13(t *testing.T) {
	zones, err := zone.ReadZones(t.Context(), newRegion().Process("p").EC2(), "us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]zone.Zone{
		"use1-az1":   {ID: "use1-az1", Name: "us-east-1b"},
		"us-east-1b": {ID: "use1-az1", Name: "us-east-1b"},
		"us-east-1a": {ID: "use1-az3", Name: "us-east-1a"},
	} {
		if got, err := zones.Find(in); err != nil || got != want {
			t.Errorf("%s is %v and %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "use1-az9", "use2-az1", "us-east-1", "USE1-AZ1", "use1-bos1-az1", "us-east-1-bos-1a"} {
		got, err := zones.Find(in)
		if !errors.Is(err, zone.ErrUnknown) || got != (zone.Zone{}) {
			t.Errorf("%q is %v and %v", in, got, err)
		} else if !strings.Contains(err.Error(), "use1-az3 (us-east-1a)") {
			t.Errorf("%q: %v does not say which zones there are", in, err)
		}
	}
	if got, want := zones.ByName("us-east-1c"), (zone.Zone{ID: "use1-az2", Name: "us-east-1c"}); got != want {
		t.Errorf("by name: %v, want %v", got, want)
	}
	if got, want := zones.ByName("us-east-1z"), (zone.Zone{Name: "us-east-1z"}); got != want {
		t.Errorf("by an unknown name: %v, want %v", got, want)
	}
}

func TestReadSubnetsPages(t *testing.T) {
	r := newRegion()
	for i := range 23 {
		r.AddSubnet(fmt.Sprintf("subnet-more-%02d", i), "use1-az2", "vpc-more", i)
	}
	p := r.Process("p")
	subnets, err := zone.ReadSubnets(t.Context(), p.EC2())
	if err != nil || len(subnets) != 29 || len(p.Calls()) != 6 {
		t.Fatalf("read %d subnets and %v with %d calls, want 29 with 6", len(subnets), err, len(p.Calls()))
	}
	for id, want := range map[string]zone.Subnet{
		"subnet-1b":      {ID: "subnet-1b", Zone: "use1-az1", VPC: "vpc-main", Free: 200},
		"subnet-more-22": {ID: "subnet-more-22", Zone: "use1-az2", VPC: "vpc-more", Free: 22},
	} {
		if subnets[id] != want {
			t.Errorf("%s is %+v, want %+v", id, subnets[id], want)
		}
	}
	r.Fault(region.Fault{Nth: 4, Do: region.Fail(errors.New("scripted"))})
	if got, err := zone.ReadSubnets(t.Context(), p.EC2()); err == nil || got != nil {
		t.Errorf("a page fails, and %d subnets and %v are read", len(got), err)
	}
}

func TestSplitAndZones(t *testing.T) {
	s := zone.Subnets{
		"1a": {ID: "1a", Zone: "az1"}, "1b": {ID: "1b", Zone: "az1"}, "2a": {ID: "2a", Zone: "az2"},
		"3a": {ID: "3a", Zone: "az3"}, "odd": {ID: "odd"},
	}
	list := []string{"3a", "1b", "none", "2a", "odd", "1a"}
	in, out, unknown := s.Split(list, "az1")
	if got, want := [][]string{in, out, unknown}, [][]string{{"1b", "1a"}, {"3a", "2a"}, {"none", "odd"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("split is %v, want %v", got, want)
	}
	if in, _, unknown := s.Split(list, ""); in != nil || len(unknown) != 2 {
		t.Errorf("in no zone are %v, unknown %v", in, unknown)
	}
	if got, want := s.Zones(list), []string{"az1", "az2", "az3"}; !reflect.DeepEqual(got, want) {
		t.Errorf("zones are %v, want %v", got, want)
	}
	if got := s.Zones(nil); got != nil {
		t.Errorf("zones of nothing are %v", got)
	}
}

package region_test

import (
	"testing"
	"time"

	"sidestep/pkg/clock"
	"sidestep/pkg/region"
	"sidestep/pkg/zone"
)

func TestSampleIsAtRest(t *testing.T) {
	c := clock.NewVirtual(start)
	r := region.Sample(region.Config{Clock: c, Account: "111122223333", Name: "us-east-1", Seed: 1})
	before, placed := r.Snapshot(), r.Placement()
	sleep(c, 24*time.Hour)
	expect(t, "configuration a day later", r.Snapshot(), before)
	expect(t, "placement a day later", r.Placement(), placed)
	expect(t, "violations", len(r.Violations()), 0)
	expect(t, "groups", len(before), 17)
	for name, zones := range placed {
		if len(zones) == 0 {
			t.Errorf("group %s has no instances", name)
		}
	}
}

func TestSampleHasZonesAndSubnets(t *testing.T) {
	for name, prefix := range map[string]string{
		"us-east-1": "use1", "eu-central-1": "euc1", "ap-northeast-2": "apne2", "us-gov-west-1": "usgw1", "ap-south-1": "aps1",
	} {
		r := region.Sample(region.Config{Clock: clock.NewVirtual(start), Name: name})
		api := r.Process("p").EC2()
		zones, err := zone.ReadZones(ctx, api, name)
		expect(t, "error", err, nil)
		expect(t, "zones", zones.All, []zone.Zone{
			{ID: prefix + "-az1", Name: name + "b"}, {ID: prefix + "-az2", Name: name + "c"}, {ID: prefix + "-az3", Name: name + "a"},
		})
		subnets, err := zone.ReadSubnets(ctx, api)
		expect(t, "error", err, nil)
		expect(t, "subnets", len(subnets), 6)
	}
}

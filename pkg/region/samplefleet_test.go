package region_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ecs"

	"sidestep/pkg/clock"
	"sidestep/pkg/region"
)

func sampleFleet(seed int64) (*region.Region, *clock.Virtual) {
	c := clock.NewVirtual(start)
	r := region.Sample(region.Config{Clock: c, Account: "111122223333", Name: "us-east-1", Seed: seed})
	r.AddSampleServices()
	r.AddSampleFunctions()
	return r, c
}

func TestTheSampleFleetIsAtRest(t *testing.T) {
	r, c := sampleFleet(1)
	services, functions, placed := r.Services(), r.Functions(), r.ServicePlacement()
	sleep(c, 24*time.Hour)
	expect(t, "services a day later", r.Services(), services)
	expect(t, "functions a day later", r.Functions(), functions)
	expect(t, "placement a day later", r.ServicePlacement(), placed)
	expect(t, "violations", len(r.Violations()), 0)
	expect(t, "services", len(services), 11)
	expect(t, "functions", len(functions), 10)
	for name, zones := range placed {
		if len(zones) == 0 {
			t.Errorf("service %s runs no task", name)
		}
	}
}

// TestTheSampleFleetLiesOnSubnetsThatAreThere also holds it to what AWS demands:
// security groups with subnets, and none without.
func TestTheSampleFleetLiesOnSubnetsThatAreThere(t *testing.T) {
	r, _ := sampleFleet(1)
	p := r.Process("p")
	check := func(name string, subnets, groups []string) {
		expect(t, "security groups of "+name, len(groups) > 0, len(subnets) > 0)
		for _, id := range subnets {
			expect(t, "error for "+id+" of "+name, failed(p.EC2().DescribeSubnets(ctx, &ec2.DescribeSubnetsInput{SubnetIds: []string{id}})), "")
		}
	}
	for name, c := range r.Services() {
		check(name, c.Subnets, c.SecurityGroups)
	}
	for name, c := range r.Functions() {
		check(name, c.Subnets, c.SecurityGroups)
	}
}

// deployment is the ID of the first one of prod/web.
func deployment(t *testing.T, r *region.Region) string {
	t.Helper()
	out, err := r.Process("p").ECS().DescribeServices(ctx, &ecs.DescribeServicesInput{Cluster: new("prod"), Services: []string{"web"}})
	if err != nil {
		t.Fatal(err)
	}
	return *out.Services[0].Deployments[0].Id
}

func TestTheSameSeedMakesTheSameFleet(t *testing.T) {
	first, _ := sampleFleet(1)
	second, _ := sampleFleet(1)
	expect(t, "deployment", deployment(t, first), deployment(t, second))
	expect(t, "revision", *readFunction(t, first.Process("p"), "mail").RevisionId, *readFunction(t, second.Process("p"), "mail").RevisionId)
	names := slices.Sorted(maps.Keys(first.Services()))
	expect(t, "clusters", []string{names[0], names[len(names)-1]}, []string{"prod/code-deploy", "tools/shop"})
}

package integration

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
)

// fleet is n groups as an account grows them: subnets in every order, some in one
// zone alone, some with processes suspended by somebody else, 0 to 3 instances.
func fleet(n int) []groupSpec {
	orders := [][]string{
		{"a1", "b1", "c1"}, {"b1", "a1", "c1"}, {"c1", "b1", "a1"}, {"a1", "a2", "b1", "b2", "c1", "c2"},
		{"b2", "c1", "a2", "a1"}, {"b1", "c1"}, {"a1"}, {"c2", "a1"},
	}
	groups := make([]groupSpec, n)
	for i := range groups {
		groups[i] = groupSpec{
			name:    fmt.Sprintf("group-%03d", i),
			subnets: orders[i%len(orders)],
			max:     6,
			desired: int32(i % 4),
			tags:    map[string]string{"team": fmt.Sprintf("team-%d", i%5)},
		}
		if i%10 == 3 {
			groups[i].suspended = []string{"AZRebalance"}
		}
	}
	return groups
}

// serviceFleet is 57 services in three clusters, of every sort in each.
func serviceFleet() []serviceSpec {
	const on, off = types.AvailabilityZoneRebalancingEnabled, types.AvailabilityZoneRebalancingDisabled
	sorts := []serviceSpec{
		{name: "web", subnets: []string{"a1", "b1", "c1"}, desired: 6, rebalancing: on},
		{name: "api", subnets: []string{"b1", "a1", "c1"}, desired: 4, rebalancing: on},
		{name: "shop", subnets: []string{"c2", "b2", "a2", "a1"}, desired: 3, rebalancing: on},
		{name: "cart", subnets: []string{"a1", "b1"}, desired: 2, rebalancing: on},
		{name: "mail", subnets: []string{"c1", "a1"}, desired: 2, rebalancing: on},
		{name: "jobs", subnets: []string{"a2", "c1", "a1", "b1"}, desired: 5, rebalancing: on},
		{name: "auth", subnets: []string{"b2", "c2", "a2"}, desired: 3, rebalancing: on},
		{name: "feed", subnets: []string{"a1", "c1", "b1"}, desired: 2, rebalancing: on},
		{name: "docs", subnets: []string{"b1", "b2", "a1"}, desired: 2, rebalancing: on},
		{name: "idle", subnets: []string{"a1", "b1", "c1"}, rebalancing: on},
		{name: "fixed", subnets: []string{"a1", "b1"}, desired: 2, rebalancing: off},
		{name: "older", subnets: []string{"b1", "a1"}, desired: 2},
		{name: "alone", subnets: []string{"a1", "a2"}, desired: 1, rebalancing: on},
		{name: "elsewhere", subnets: []string{"b1", "c1"}, desired: 2, rebalancing: on},
		{name: "blue-green", subnets: []string{"a1", "b1"}, desired: 2, controller: types.DeploymentControllerTypeCodeDeploy},
		{name: "external", subnets: []string{"a1", "b1"}, desired: 2, controller: types.DeploymentControllerTypeExternal},
		{name: "bridge", desired: 2},
		{name: "agent", subnets: []string{"a1", "b1"}, daemon: true},
		{name: "single", subnets: []string{"c1", "b1", "a1"}, desired: 1, rebalancing: on},
	}
	var services []serviceSpec
	for _, cluster := range []string{"red", "green", "blue"} {
		for i, sp := range sorts {
			sp.name = cluster + "/" + sp.name
			sp.tags = map[string]string{"team": fmt.Sprintf("team-%d", i%5)}
			services = append(services, sp)
		}
	}
	return services
}

// functionFleet is n functions as an account grows them.
func functionFleet(n int) []functionSpec {
	sorts := []functionSpec{
		{subnets: []string{"a1", "b1", "c1"}}, {subnets: []string{"b1", "a1"}}, {subnets: []string{"c2", "a2", "b2", "a1"}}, {},
		{subnets: []string{"b2", "c2", "a1"}}, {subnets: []string{"c1", "a1"}}, {subnets: []string{"a1", "c1"}}, {},
		{subnets: []string{"b1", "c1"}}, {subnets: []string{"a2"}}, {},
		{subnets: []string{"b1", "a1", "c1"}, published: []string{"a1", "b1"}},
	}
	functions := make([]functionSpec, n)
	for i := range functions {
		f := sorts[i%len(sorts)]
		f.name = fmt.Sprintf("function-%03d", i)
		f.tags = map[string]string{"team": fmt.Sprintf("team-%d", i%5)}
		functions[i] = f
	}
	return functions
}

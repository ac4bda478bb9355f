package region

import (
	"fmt"
	"strings"
)

const (
	sampleVPC  = "vpc-main"
	sampleFree = 200 // addresses a subnet
)

// Sample returns a region as found in the wild: three zones and a Local Zone, two
// subnets a zone in one VPC, and groups of every sort that a plan treats in its
// own way. Zone names do not follow zone IDs, as in most accounts. Subnets are
// called subnet-1a, subnet-1b, subnet-2a and so on, after their zone's ID.
func Sample(c Config) *Region {
	r := New(c)
	prefix := zonePrefix(c.Name)
	for i, letter := range []string{"b", "c", "a"} {
		id := fmt.Sprintf("%s-az%d", prefix, i+1)
		r.AddZone(id, c.Name+letter)
		for _, suffix := range []string{"a", "b"} {
			r.AddSubnet(fmt.Sprintf("subnet-%d%s", i+1, suffix), id, sampleVPC, sampleFree)
		}
	}
	r.AddLocalZone(prefix+"-bos1-az1", c.Name+"-bos-1a")

	lone := r.sampleTargetGroup("checkout", "network", "false")
	shared := r.sampleTargetGroup("api", "application", "use_load_balancer_configuration")
	for _, g := range sampleGroups(c.Name, lone, shared) {
		r.AddGroup(g)
	}
	return r
}

// sampleTargetGroup adds a target group with a load balancer and returns its ARN.
func (r *Region) sampleTargetGroup(name, lbType, crossZone string) string {
	path := map[string]string{"application": "app", "network": "net"}[lbType]
	base := fmt.Sprintf("arn:aws:elasticloadbalancing:%s:%s:", r.name, r.account)
	arn := base + "targetgroup/" + name + "/0123456789abcdef"
	r.AddTargetGroup(arn, base+"loadbalancer/"+path+"/"+name+"/0123456789abcdef", lbType, crossZone)
	return arn
}

// sampleGroups are the sample's groups, in the region of that name: one a sort,
// named after it. lone is a target group with cross-zone balancing off, shared
// one with it on.
func sampleGroups(region, lone, shared string) []Group {
	everywhere := []string{"subnet-1a", "subnet-2a", "subnet-3a"}
	return []Group{
		{Name: "web", Subnets: []string{"subnet-3b", "subnet-1a", "subnet-2a", "subnet-1b", "subnet-3a", "subnet-2b"}, Min: 6, Max: 18, Desired: 9},
		{Name: "api", Subnets: []string{"subnet-2a", "subnet-1a", "subnet-3a"}, Min: 3, Max: 12, Desired: 6, TargetGroups: []string{shared}},
		{Name: "checkout", Subnets: everywhere, Min: 3, Max: 9, Desired: 6, TargetGroups: []string{lone}},
		{Name: "batch-first-zone", Subnets: []string{"subnet-1b", "subnet-1a"}, Max: 4, Desired: 2},
		{Name: "reports-third-zone", Subnets: []string{"subnet-3a"}, Min: 1, Max: 2, Desired: 1},
		{Name: "healthy-zones", Subnets: []string{"subnet-2a", "subnet-3b"}, Min: 2, Max: 6, Desired: 4},
		{Name: "alarms-off", Subnets: everywhere, Min: 3, Max: 6, Desired: 3, Suspended: []string{"AlarmNotification"}},
		{Name: "rebalance-off", Subnets: everywhere, Min: 3, Max: 6, Desired: 3, Suspended: []string{"AZRebalance"}},
		{Name: "protected", Subnets: everywhere, Min: 3, Max: 9, Desired: 6, Protected: 2, Standby: 1},
		{Name: "eks-workers-8ec5b2d1", Subnets: everywhere, Min: 3, Max: 9, Desired: 3, Tags: map[string]string{
			"eks:cluster-name": "prod", "eks:nodegroup-name": "workers", "kubernetes.io/cluster/prod": "owned"}},
		{Name: "nodes.prod.example.com", Subnets: everywhere, Min: 3, Max: 9, Desired: 3, Tags: map[string]string{
			"kubernetes.io/cluster/prod": "owned"}},
		{Name: "zonal-shift", Subnets: everywhere, Min: 3, Max: 9, Desired: 3, ZonalShift: true},
		{Name: "operated", Subnets: everywhere, Min: 3, Max: 9, Desired: 3, Operator: "ecs.amazonaws.com"},
		{Name: "shop-ServiceASG-1QXJ4T8K2VBWM", Subnets: everywhere, Min: 3, Max: 9, Desired: 3, Tags: map[string]string{
			"aws:cloudformation:stack-name": "shop", "aws:cloudformation:logical-id": "ServiceASG"}},
		{Name: "team/app_(v1.2)+[blue]@50%;x='y'", Subnets: everywhere, Min: 3, Max: 9, Desired: 3},
		{Name: "excluded", Subnets: everywhere, Min: 3, Max: 9, Desired: 3, Tags: map[string]string{"sidestep:exclude": "true"}},
		{Name: "no-subnets", Zones: []string{region + "a", region + "b"}, Min: 2, Max: 4, Desired: 2, LoadBalancers: []string{"classic"}},
	}
}

// zonePrefix is how zone IDs abbreviate a region's name: use1 for us-east-1, apne2
// for ap-northeast-2.
func zonePrefix(region string) string {
	var prefix strings.Builder
	for i, part := range strings.Split(region, "-") {
		switch {
		case i == 0 || len(part) == 1:
			prefix.WriteString(part)
		case strings.HasPrefix(part, "north") && len(part) > 5, strings.HasPrefix(part, "south") && len(part) > 5:
			prefix.WriteString(part[:1] + part[5:6])
		default:
			prefix.WriteString(part[:1])
		}
	}
	return prefix.String()
}

package region

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
)

// Group describes an Auto Scaling group to add, with the instances it has.
type Group struct {
	Name string
	// Subnets, in this order. Zones are zone names, for a group without subnets.
	Subnets, Zones []string
	// Max is at least Desired.
	Min, Max, Desired int
	Tags              map[string]string
	// Suspended are the processes somebody suspended before.
	Suspended []string
	// Operator is the service principal that alone may change the group.
	Operator   string
	ZonalShift bool
	// TargetGroups are ARNs, LoadBalancers names of classic load balancers.
	TargetGroups, LoadBalancers []string
	// Protected of the Desired instances are protected from scale-in, spread over
	// the zones like all. Standby instances come on top of Desired.
	Protected, Standby int
}

// GroupConfig is everything about a group that can be configured. Lists without
// elements are nil, so that equal configurations are deeply equal.
type GroupConfig struct {
	Subnets, Zones              []string // in order
	Min, Max, Desired           int
	Tags                        map[string]string
	Suspended                   []string // sorted
	Operator                    string
	ZonalShift                  bool
	TargetGroups, LoadBalancers []string // in order
}

// clone copies the configuration and brings it into its one form.
func (c GroupConfig) clone() GroupConfig {
	for _, list := range []*[]string{&c.Subnets, &c.Zones, &c.Suspended, &c.TargetGroups, &c.LoadBalancers} {
		*list = append([]string(nil), *list...)
	}
	slices.Sort(c.Suspended)
	c.Suspended = slices.Compact(c.Suspended)
	c.Tags = maps.Clone(c.Tags)
	return c
}

func (c GroupConfig) suspends(process string) bool { return slices.Contains(c.Suspended, process) }

// group is one Auto Scaling group.
type group struct {
	name, arn string
	created   time.Time
	config    GroupConfig
	past      []past // oldest first
	instances []*instance
}

// past is a configuration that was replaced, and when.
type past struct {
	until  time.Time
	config GroupConfig
}

// AddGroup adds a group, or replaces the one of that name, with its instances in
// service.
func (r *Region) AddGroup(g Group) {
	r.touch(func() {
		added := &group{
			name: g.Name, created: r.now,
			arn: fmt.Sprintf("arn:aws:autoscaling:%s:%s:autoScalingGroup:%s:autoScalingGroupName/%s", r.name, r.account, r.uuid(), g.Name),
			config: GroupConfig{
				Subnets: g.Subnets, Zones: g.Zones, Min: g.Min, Max: max(g.Max, g.Desired), Desired: g.Desired,
				Tags: g.Tags, Suspended: g.Suspended, Operator: g.Operator, ZonalShift: g.ZonalShift,
				TargetGroups: g.TargetGroups, LoadBalancers: g.LoadBalancers,
			}.clone(),
		}
		r.groups[g.Name] = added
		zones := r.zonesOf(added)
		for i := 0; i < g.Desired+g.Standby && len(zones) > 0; i++ {
			state := types.LifecycleStateInService
			if i >= g.Desired {
				state = types.LifecycleStateStandby
			}
			made := r.instance(zones[i%len(zones)], state)
			made.protected = i < g.Protected
			added.instances = append(added.instances, made)
		}
		r.balance(added)
	})
}

// DeleteGroup deletes a group with its instances.
func (r *Region) DeleteGroup(name string) {
	r.touch(func() {
		if _, ok := r.groups[name]; !ok {
			r.violate("deleting group %s, which is not there", name)
		}
		delete(r.groups, name)
	})
}

// EditGroup is somebody else's edit of a group's configuration. The function must
// not call the Region.
func (r *Region) EditGroup(name string, edit func(*GroupConfig)) {
	r.touch(func() {
		g, ok := r.groups[name]
		if !ok {
			r.violate("editing group %s, which is not there", name)
			return
		}
		next := g.config.clone()
		edit(&next)
		r.configure(g, next)
	})
}

// SetGroupSubnets is somebody else's choice of subnets.
func (r *Region) SetGroupSubnets(name string, ids ...string) {
	r.EditGroup(name, func(c *GroupConfig) { c.Subnets = ids })
}

// SetSuspended is somebody else suspending these processes and resuming all
// others.
func (r *Region) SetSuspended(name string, processes ...string) {
	r.EditGroup(name, func(c *GroupConfig) { c.Suspended = processes })
}

// ARN is a group's ARN, empty if there is no such group.
func (r *Region) ARN(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if g, ok := r.groups[name]; ok {
		return g.arn
	}
	return ""
}

// Snapshot gives every group's configuration by name. Two snapshots are deeply
// equal when nothing that can be configured differs.
func (r *Region) Snapshot() map[string]GroupConfig {
	snapshot := map[string]GroupConfig{}
	r.touch(func() {
		for name, g := range r.groups {
			snapshot[name] = g.config.clone()
		}
	})
	return snapshot
}

// Placement counts every group's instances, whatever their state, by zone ID.
func (r *Region) Placement() map[string]map[string]int {
	placement := map[string]map[string]int{}
	r.touch(func() {
		for name, g := range r.groups {
			placement[name] = map[string]int{}
			for _, i := range g.instances {
				placement[name][i.zone]++
			}
		}
	})
	return placement
}

// configure gives a group another configuration, which describing it shows once
// the lag has passed. The region is locked.
func (r *Region) configure(g *group, next GroupConfig) {
	next = next.clone()
	if !reflect.DeepEqual(g.config, next) {
		g.past = slices.DeleteFunc(g.past, func(p past) bool { return !p.until.Add(r.lag).After(r.now) })
		g.past = append(g.past, past{r.now, g.config})
		g.config = next
	}
	r.balance(g)
}

// seen is the configuration that a describe shows now. The region is locked.
func (r *Region) seen(g *group) GroupConfig {
	for _, p := range g.past {
		if p.until.Add(r.lag).After(r.now) {
			return p.config
		}
	}
	return g.config
}

// zonesOf lists the IDs of the zones a group may launch in, in the order its
// configuration meets them. The region is locked.
func (r *Region) zonesOf(g *group) []string { return r.zonesIn(g.config) }

func (r *Region) zonesIn(c GroupConfig) []string {
	var zones []string
	add := func(id string) {
		if !slices.Contains(zones, id) {
			zones = append(zones, id)
		}
	}
	for _, id := range c.Subnets {
		if s, ok := r.subnets[id]; ok {
			add(s.zone)
		}
	}
	if len(c.Subnets) == 0 {
		for _, name := range c.Zones {
			add(r.zoneBy(name).id)
		}
	}
	return zones
}

func (r *Region) uuid() string {
	a, b := r.random.Uint64(), r.random.Uint64()
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", a>>32, a>>16&0xffff, a&0xffff, b>>48, b&0xffffffffffff)
}

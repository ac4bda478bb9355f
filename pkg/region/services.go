package region

import (
	"maps"
	"reflect"
	"slices"
	"time"
)

// Service describes an ECS service to add, with its tasks running.
type Service struct {
	Cluster, Name string
	ServiceConfig
}

// ServiceConfig is everything about an ECS service that can be configured. Lists
// and maps without elements are nil, so that equal configurations are deeply
// equal.
type ServiceConfig struct {
	// Subnets and SecurityGroups are in order. Without subnets the service has no
	// network configuration: its tasks use the network of their hosts.
	Subnets, SecurityGroups []string
	// PublicIP is ENABLED or DISABLED, with subnets by default the latter.
	PublicIP string
	// MinPercent and MaxPercent are by default 100 and 200, if both are zero.
	Desired, MinPercent, MaxPercent int
	// Rebalancing is ENABLED, DISABLED or, if nobody ever set it, empty.
	Rebalancing string
	// Controller is by default ECS, else CODE_DEPLOY or EXTERNAL.
	Controller string
	// Strategy is by default ROLLING.
	Strategy string
	// Scheduling is by default REPLICA, else DAEMON.
	Scheduling string
	// LaunchType is by default EC2, unless there are CapacityProviders.
	LaunchType        string
	CapacityProviders []string
	// ManagedBy is by default CUSTOMER, or ECS for an Express Mode service.
	ManagedBy string
	// TargetGroups are ARNs, LoadBalancers names of classic load balancers.
	TargetGroups, LoadBalancers []string
	// CircuitBreaker ends a deployment whose tasks fail, and rolls it back.
	CircuitBreaker bool
	Tags           map[string]string
}

// Values of a ServiceConfig that decide what happens.
const (
	controllerECS      = "ECS"
	controllerExternal = "EXTERNAL"
	strategyRolling    = "ROLLING"
	schedulingDaemon   = "DAEMON"
	publicIPDisabled   = "DISABLED"
)

// clone copies the configuration and brings it into its one form.
func (c ServiceConfig) clone() ServiceConfig {
	for _, list := range []*[]string{&c.Subnets, &c.SecurityGroups, &c.CapacityProviders, &c.TargetGroups, &c.LoadBalancers} {
		*list = append([]string(nil), *list...)
	}
	c.Tags = maps.Clone(c.Tags)
	if len(c.Tags) == 0 {
		c.Tags = nil
	}
	if c.MinPercent == 0 && c.MaxPercent == 0 {
		c.MinPercent, c.MaxPercent = 100, 200
	}
	fill(&c.Controller, controllerECS)
	fill(&c.Scheduling, "REPLICA")
	fill(&c.ManagedBy, "CUSTOMER")
	if c.Controller == controllerECS {
		fill(&c.Strategy, strategyRolling)
	}
	if len(c.Subnets) > 0 {
		fill(&c.PublicIP, publicIPDisabled)
	}
	if len(c.CapacityProviders) == 0 {
		fill(&c.LaunchType, "EC2")
	}
	return c
}

// fill gives a field its default.
func fill(field *string, byDefault string) {
	if *field == "" {
		*field = byDefault
	}
}

// network is a service's network configuration: what ECS takes and replaces as a
// whole, and what every change of makes it deploy the service anew.
type network struct {
	subnets, groups []string
	publicIP        string
}

func (c ServiceConfig) network() network {
	return network{slices.Clone(c.Subnets), slices.Clone(c.SecurityGroups), c.PublicIP}
}

func (c *ServiceConfig) setNetwork(n network) {
	c.Subnets, c.SecurityGroups, c.PublicIP = n.subnets, n.groups, n.publicIP
}

// service is one ECS service.
type service struct {
	cluster, name string
	created       time.Time
	config        ServiceConfig
	// deployments have the one that the service goes by first and last the one
	// that completed, whose tasks run until another completes.
	deployments []*deployment
	rollouts    []*rollout // oldest first; there is always one
	fate        RolloutFate
}

func (s *service) key() string { return s.cluster + "/" + s.name }

// AddService adds a service, or replaces the one of that name, with its tasks
// running and its cluster, if that is not there.
func (r *Region) AddService(s Service) {
	r.touch(func() {
		added := &service{cluster: s.Cluster, name: s.Name, created: r.now, config: s.clone()}
		r.clusters[s.Cluster] = true
		r.services[added.key()] = added
		r.create(added)
	})
}

// DeleteService deletes a service with its tasks and deployments. Its cluster
// stays. Services are named "cluster/service" here and in all that follows.
func (r *Region) DeleteService(name string) {
	r.touch(func() {
		if _, ok := r.services[name]; !ok {
			r.violate("deleting service %s, which is not there", name)
		}
		delete(r.services, name)
	})
}

// EditService is somebody else's edit of a service's configuration. Another
// network configuration starts a deployment, as it would if we had set it. The
// function must not call the Region.
func (r *Region) EditService(name string, edit func(*ServiceConfig)) {
	r.touch(func() {
		s, ok := r.services[name]
		if !ok {
			r.violate("editing service %s, which is not there", name)
			return
		}
		next := s.config.clone()
		edit(&next)
		r.reconfigure(s, next, false)
	})
}

// ServiceARN is a service's ARN in its long form, empty if there is no such
// service.
func (r *Region) ServiceARN(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.services[name]; ok {
		return r.ecsARN("service", s.key())
	}
	return ""
}

// Services gives every service's configuration by name. Two snapshots are deeply
// equal when nothing that can be configured differs.
func (r *Region) Services() map[string]ServiceConfig {
	snapshot := map[string]ServiceConfig{}
	r.touch(func() {
		for name, s := range r.services {
			snapshot[name] = s.config.clone()
		}
	})
	return snapshot
}

// ServicePlacement counts every service's running tasks by zone ID.
func (r *Region) ServicePlacement() map[string]map[string]int {
	placement := map[string]map[string]int{}
	r.touch(func() {
		for name, s := range r.services {
			placement[name] = map[string]int{}
			for _, t := range s.running().tasks {
				placement[name][t.zone]++
			}
		}
	})
	return placement
}

// reconfigure gives a service another configuration, at the request of a process
// of ours or not. Tasks follow their desired count at once; for another network
// they are replaced by a deployment. The region is locked.
func (r *Region) reconfigure(s *service, next ServiceConfig, ours bool) {
	next = next.clone()
	deploys := !reflect.DeepEqual(s.config.network(), next.network())
	s.config = next
	r.scale(s.running(), next.Desired)
	if deploys {
		r.deploy(s, ours)
	}
}

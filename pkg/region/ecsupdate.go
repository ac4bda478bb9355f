package region

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
)

// UpdateService sets the network configuration, the zone rebalancing or both. Any
// other field is none of our processes' business: it is a violation and refused.
func (a ECSAPI) UpdateService(ctx context.Context, in *ecs.UpdateServiceInput, _ ...func(*ecs.Options)) (*ecs.UpdateServiceOutput, error) {
	u := serviceUpdateOf(given(in))
	q := request{service: ServiceECS, op: "UpdateService", id: serviceName(u.cluster, u.service), mutating: true, wrong: u.wrong()}
	return do(ctx, a.p, q, func() (*ecs.UpdateServiceOutput, error) {
		s, err := a.p.region.updateService(a.p, u)
		return &ecs.UpdateServiceOutput{Service: s}, err
	})
}

// serviceUpdate is what an UpdateService asks for.
type serviceUpdate struct {
	cluster, service string
	network          *network // nil to leave it
	rebalancing      string   // empty to leave it
	beyond           bool     // asks for more than the region models
}

func serviceUpdateOf(in ecs.UpdateServiceInput) serviceUpdate {
	u := serviceUpdate{
		cluster: clusterName(in.Cluster), service: value(in.Service),
		rebalancing: string(in.AvailabilityZoneRebalancing),
	}
	if in.NetworkConfiguration != nil {
		u.network = new(networkOf(given(in.NetworkConfiguration.AwsvpcConfiguration)))
	}
	in.Cluster, in.Service, in.NetworkConfiguration, in.AvailabilityZoneRebalancing = nil, nil, nil, ""
	u.beyond = !reflect.DeepEqual(in, ecs.UpdateServiceInput{})
	return u
}

// networkOf reads a network configuration. What it leaves out is not left as it
// is: a public IP becomes none.
// https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_AwsVpcConfiguration.html
func networkOf(c types.AwsVpcConfiguration) network {
	return network{
		subnets: slices.Clone(c.Subnets), groups: slices.Clone(c.SecurityGroups),
		publicIP: cmp.Or(string(c.AssignPublicIp), publicIPDisabled),
	}
}

// wrong says why nobody may send the update, empty if it is fine.
func (u serviceUpdate) wrong() string {
	switch {
	case u.network != nil && len(u.network.subnets) == 0:
		return "carries an empty list of subnets"
	case u.beyond:
		return "sets a field other than the network configuration and the zone rebalancing"
	}
	return ""
}

// updateService carries one out for a process. The region is locked.
func (r *Region) updateService(p *Process, u serviceUpdate) (*types.Service, error) {
	s, err := r.serviceIn(u.cluster, u.service)
	if err != nil {
		return nil, err
	}
	if u.beyond {
		return nil, notModelled("this field of UpdateService")
	}
	next := s.config.clone()
	if u.network != nil {
		if err := r.networkFor(p, s, *u.network); err != nil {
			return nil, err
		}
		next.setNetwork(*u.network)
	}
	if u.rebalancing != "" {
		if err := rebalancingFor(s.config, u.rebalancing); err != nil {
			return nil, err
		}
		next.Rebalancing = u.rebalancing
	}
	r.reconfigure(s, next, true)
	return new(r.describeService(s, false)), nil
}

// networkFor says why a service cannot have this network configuration, and notes
// what a process of ours should not have asked for. A service loses what the
// request leaves out: ours must carry all that there is.
func (r *Region) networkFor(p *Process, s *service, n network) error {
	c := s.config
	wrong := func(format string, args ...any) {
		p.violate("UpdateService of " + s.key() + " " + fmt.Sprintf(format, args...))
	}
	switch {
	case c.Controller != controllerECS:
		wrong("sends a network configuration to a service that %s deploys", c.Controller)
		return invalidECS("Unable to update network parameters on services with a %s deployment controller.", c.Controller)
	case len(c.Subnets) == 0:
		wrong("sends a network configuration to a service that has none")
		return invalidECS("Network Configuration is not valid for the given networkMode of this task definition.")
	case len(n.subnets) == 0:
		return invalidECS("subnets can not be empty.")
	}
	for _, id := range n.subnets {
		if _, ok := r.subnets[id]; !ok {
			return invalidECS("Error retrieving subnet information for [%s]: The subnet ID '%s' does not exist", id, id)
		}
	}
	if !slices.Equal(n.groups, c.SecurityGroups) {
		wrong("changes the security groups from %v to %v", c.SecurityGroups, n.groups)
	}
	if n.publicIP != c.PublicIP {
		wrong("changes the public IP from %s to %s", c.PublicIP, n.publicIP)
	}
	return nil
}

// rebalancingFor says why a service cannot have its zone rebalancing like this.
// https://docs.aws.amazon.com/AmazonECS/latest/developerguide/service-rebalancing.html
func rebalancingFor(c ServiceConfig, setting string) error {
	enabled := setting == string(types.AvailabilityZoneRebalancingEnabled)
	switch {
	case !enabled && setting != string(types.AvailabilityZoneRebalancingDisabled):
		return invalidECS("%s is no setting of availabilityZoneRebalancing", setting)
	case !enabled:
		return nil
	case c.Scheduling == schedulingDaemon:
		return invalidECS("Availability Zone rebalancing does not support the DAEMON scheduling strategy.")
	case c.Controller != controllerECS:
		return invalidECS("Availability Zone rebalancing does not support the %s deployment controller.", c.Controller)
	case c.MaxPercent <= 100:
		return invalidECS("Availability Zone rebalancing does not support a maximumPercent of %d.", c.MaxPercent)
	case len(c.LoadBalancers) > 0:
		return invalidECS("Availability Zone rebalancing does not support Classic Load Balancers.")
	}
	return nil
}

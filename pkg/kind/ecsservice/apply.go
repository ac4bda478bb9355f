package ecsservice

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"sidestep/pkg/resource"
)

// Apply sends what is missing in one call, so that a service is deployed once.
func (d *Driver) Apply(ctx context.Context, live resource.Resource, c resource.Change) (resource.Receipt, error) {
	missing, err := c.Missing(live)
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	cluster, service, _ := strings.Cut(c.Name, "/")
	in, err := update(live, missing)
	if err == nil {
		in.Cluster, in.Service = &cluster, &service
		_, err = d.api.UpdateService(ctx, in)
	}
	if err != nil {
		return nil, fmt.Errorf("updating service %s of cluster %s: %w", service, cluster, err)
	}
	return nil, nil
}

// update is the request that makes the edits and nothing else: what it leaves out
// stays as it is.
func update(live resource.Resource, edits []resource.Edit) (*ecs.UpdateServiceInput, error) {
	in := &ecs.UpdateServiceInput{}
	for _, e := range edits {
		switch {
		case e.Field == resource.SubnetsField:
			n, err := whole(e.To, live)
			if err != nil {
				return nil, err
			}
			in.NetworkConfiguration = n
		case e.Field == rebalancingField && len(e.To) == 1:
			in.AvailabilityZoneRebalancing = types.AvailabilityZoneRebalancing(e.To[0])
		default:
			return nil, fmt.Errorf("%s to %v: %w", e.Field, e.To, resource.ErrUnplanned)
		}
	}
	return in, nil
}

// whole is the network configuration with these subnets and all else as it is
// live. ECS replaces the configuration as a whole: security groups left out become
// those of the VPC, and a public IP left out becomes none. No other function makes
// one, and this one makes none without subnets.
// https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_AwsVpcConfiguration.html
func whole(subnets []string, live resource.Resource) (*types.NetworkConfiguration, error) {
	if len(subnets) == 0 {
		return nil, fmt.Errorf("subnets: %w", resource.ErrEmpty)
	}
	n := &types.AwsVpcConfiguration{Subnets: subnets, SecurityGroups: live.Fields[groupsField]}
	if ip := live.Fields[publicIPField]; len(ip) == 1 {
		n.AssignPublicIp = types.AssignPublicIp(ip[0])
	}
	return &types.NetworkConfiguration{AwsvpcConfiguration: n}, nil
}

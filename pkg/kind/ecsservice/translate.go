package ecsservice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"sidestep/pkg/resource"
)

// Fields that this kind reads. Of these only the subnets and the rebalancing are
// ever edited; the others go back to ECS with the subnets.
const (
	groupsField      = "security-groups"
	publicIPField    = "public-ip"
	rebalancingField = "zone-rebalancing"
)

var (
	enabled  = []string{string(types.AvailabilityZoneRebalancingEnabled)}
	disabled = []string{string(types.AvailabilityZoneRebalancingDisabled)}
)

func translate(f found, managed map[string]bool) resource.Resource {
	return resource.Resource{
		ID: resource.ID{
			Kind: resource.ECSService,
			ARN:  aws.ToString(f.ServiceArn),
			Name: f.name(),
		},
		Fields:       fields(f.Service),
		Traits:       traits(f.Service, managed),
		Underway:     underway(f.Service),
		TargetGroups: targetGroups(balancers(f.Service)),
	}
}

func fields(s types.Service) map[string][]string {
	all := map[string][]string{}
	if n := network(s); n != nil {
		all[resource.SubnetsField] = n.Subnets
		if len(n.SecurityGroups) > 0 {
			all[groupsField] = n.SecurityGroups
		}
		if n.AssignPublicIp != "" {
			all[publicIPField] = []string{string(n.AssignPublicIp)}
		}
	}
	if s.AvailabilityZoneRebalancing != "" {
		all[rebalancingField] = []string{string(s.AvailabilityZoneRebalancing)}
	}
	return all
}

// network is where a service's tasks get their network interfaces, nil where they
// use their host's. A service that is deployed by task sets may have it there
// alone.
func network(s types.Service) *types.AwsVpcConfiguration {
	configs := []*types.NetworkConfiguration{s.NetworkConfiguration}
	for _, t := range s.TaskSets {
		if aws.ToString(t.Status) == primary {
			configs = append(configs, t.NetworkConfiguration)
		}
	}
	for _, c := range configs {
		if c != nil && c.AwsvpcConfiguration != nil && len(c.AwsvpcConfiguration.Subnets) > 0 {
			return c.AwsvpcConfiguration
		}
	}
	return nil
}

// primary is the status of the deployment, or task set, that the service goes by.
const primary = "PRIMARY"

// balancers are the service's and its task sets'.
func balancers(s types.Service) []types.LoadBalancer {
	all := slices.Clone(s.LoadBalancers)
	for _, t := range s.TaskSets {
		all = append(all, t.LoadBalancers...)
	}
	return all
}

// targetGroups are those that tasks are, or after a blue/green deployment may be,
// registered with.
func targetGroups(balancers []types.LoadBalancer) []string {
	var arns []string
	add := func(arn *string) {
		if a := aws.ToString(arn); a != "" && !slices.Contains(arns, a) {
			arns = append(arns, a)
		}
	}
	for _, b := range balancers {
		add(b.TargetGroupArn)
		if b.AdvancedConfiguration != nil {
			add(b.AdvancedConfiguration.AlternateTargetGroupArn)
		}
	}
	return arns
}

// classics are the names of the classic load balancers in front of the service.
func classics(s types.Service) string {
	var names []string
	for _, b := range balancers(s) {
		if name := aws.ToString(b.LoadBalancerName); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

func tags(s types.Service) map[string]string {
	all := map[string]string{}
	for _, t := range s.Tags {
		all[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return all
}

// underway says that a deployment is not over. A rollout state is only there for
// rolling deployments that are not behind a classic load balancer; without one,
// running what is desired is all there is to go by. A rollout that failed is over.
// https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_Deployment.html
func underway(s types.Service) string {
	running, desired, pending := s.RunningCount, s.DesiredCount, s.PendingCount
	var state types.DeploymentRolloutState
	if p, ok := primaryDeployment(s); ok {
		running, desired, pending, state = p.RunningCount, p.DesiredCount, p.PendingCount, p.RolloutState
	}
	single := len(s.Deployments) <= 1 && len(s.TaskSets) <= 1
	switch {
	case state == types.DeploymentRolloutStateFailed,
		single && state == types.DeploymentRolloutStateCompleted,
		single && state == "" && running == desired && pending == 0:
		return ""
	}
	return fmt.Sprintf("deployment in progress, %d of %d tasks running", running, desired)
}

func primaryDeployment(s types.Service) (types.Deployment, bool) {
	i := slices.IndexFunc(s.Deployments, func(d types.Deployment) bool { return aws.ToString(d.Status) == primary })
	if i < 0 {
		return types.Deployment{}, false
	}
	return s.Deployments[i], true
}

package region

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
)

// describeService is the service as ECS describes it, sharing no memory with it.
// Where ECS does not deploy it itself, task sets stand in for its deployments, and
// an external controller keeps the network in them alone. The region is locked.
func (r *Region) describeService(s *service, withTags bool) types.Service {
	c := s.config.clone()
	described := types.Service{
		ServiceArn:                  new(r.ecsARN("service", s.key())),
		ServiceName:                 new(s.name),
		ClusterArn:                  new(r.ecsARN("cluster", s.cluster)),
		Status:                      new("ACTIVE"),
		CreatedAt:                   new(s.created),
		TaskDefinition:              r.taskDefinition(s),
		DesiredCount:                int32(c.Desired),
		RunningCount:                int32(len(s.running().tasks)),
		LaunchType:                  types.LaunchType(c.LaunchType),
		CapacityProviderStrategy:    providerStrategy(c),
		SchedulingStrategy:          types.SchedulingStrategy(c.Scheduling),
		ResourceManagementType:      types.ResourceManagementType(c.ManagedBy),
		AvailabilityZoneRebalancing: types.AvailabilityZoneRebalancing(c.Rebalancing),
		LoadBalancers:               balancersOf(c),
		DeploymentController:        &types.DeploymentController{Type: types.DeploymentControllerType(c.Controller)},
		DeploymentConfiguration:     c.deployment(),
	}
	if c.Controller != controllerExternal {
		described.NetworkConfiguration = c.network().describe()
	}
	if withTags {
		described.Tags = serviceTags(c.Tags)
	}
	for i, d := range s.deployments {
		if c.Controller == controllerECS {
			described.Deployments = append(described.Deployments, r.describeDeployment(s, d, i == 0))
		} else {
			described.TaskSets = append(described.TaskSets, r.describeTaskSet(s, d, i == 0))
		}
	}
	if o := s.rollout(); o.underway() && c.Controller == controllerECS {
		described.CurrentServiceDeployment = new(r.ecsARN("service-deployment", s.key()+"/"+o.id))
	}
	return described
}

func (c ServiceConfig) deployment() *types.DeploymentConfiguration {
	return &types.DeploymentConfiguration{
		Strategy:              types.DeploymentStrategy(c.Strategy),
		MinimumHealthyPercent: new(int32(c.MinPercent)), MaximumPercent: new(int32(c.MaxPercent)),
		DeploymentCircuitBreaker: &types.DeploymentCircuitBreaker{Enable: c.CircuitBreaker, Rollback: c.CircuitBreaker},
	}
}

func (r *Region) taskDefinition(s *service) *string {
	return new(r.ecsARN("task-definition", s.name+":1"))
}

func (n network) describe() *types.NetworkConfiguration {
	if len(n.subnets) == 0 {
		return nil
	}
	return &types.NetworkConfiguration{AwsvpcConfiguration: &types.AwsVpcConfiguration{
		Subnets: slices.Clone(n.subnets), SecurityGroups: slices.Clone(n.groups), AssignPublicIp: types.AssignPublicIp(n.publicIP),
	}}
}

// standing is a deployment's status: one that the service goes by, or one that is
// being replaced.
func standing(primary bool) *string {
	if primary {
		return new("PRIMARY")
	}
	return new("ACTIVE")
}

// describeDeployment leaves the rollout state out behind a classic load balancer,
// as ECS does.
func (r *Region) describeDeployment(s *service, d *deployment, primary bool) types.Deployment {
	described := types.Deployment{
		Id: new(d.id), Status: standing(primary), CreatedAt: new(d.created), UpdatedAt: new(d.updated),
		DesiredCount: int32(s.config.Desired), RunningCount: int32(len(d.tasks)),
		NetworkConfiguration: d.network.describe(), TaskDefinition: r.taskDefinition(s),
		LaunchType: types.LaunchType(s.config.LaunchType), CapacityProviderStrategy: providerStrategy(s.config),
	}
	if len(s.config.LoadBalancers) == 0 {
		described.RolloutState, described.RolloutStateReason = d.state, new(d.reason)
	}
	return described
}

func (r *Region) describeTaskSet(s *service, d *deployment, primary bool) types.TaskSet {
	return types.TaskSet{
		Id: new(d.id), TaskSetArn: new(r.ecsARN("task-set", s.key()+"/"+d.id)), Status: standing(primary),
		ServiceArn: new(r.ecsARN("service", s.key())), ClusterArn: new(r.ecsARN("cluster", s.cluster)),
		CreatedAt: new(d.created), UpdatedAt: new(d.updated),
		ComputedDesiredCount: int32(s.config.Desired), RunningCount: int32(len(d.tasks)),
		NetworkConfiguration: d.network.describe(), TaskDefinition: r.taskDefinition(s),
		LaunchType: types.LaunchType(s.config.LaunchType), CapacityProviderStrategy: providerStrategy(s.config),
	}
}

func providerStrategy(c ServiceConfig) []types.CapacityProviderStrategyItem {
	var strategy []types.CapacityProviderStrategyItem
	for _, name := range c.CapacityProviders {
		strategy = append(strategy, types.CapacityProviderStrategyItem{CapacityProvider: new(name), Weight: 1})
	}
	return strategy
}

func balancersOf(c ServiceConfig) []types.LoadBalancer {
	var described []types.LoadBalancer
	add := func(b types.LoadBalancer) {
		b.ContainerName, b.ContainerPort = new("main"), new(int32(8080))
		described = append(described, b)
	}
	for _, arn := range c.TargetGroups {
		add(types.LoadBalancer{TargetGroupArn: new(arn)})
	}
	for _, name := range c.LoadBalancers {
		add(types.LoadBalancer{LoadBalancerName: new(name)})
	}
	return described
}

func serviceTags(tags map[string]string) []types.Tag {
	var described []types.Tag
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		described = append(described, types.Tag{Key: new(key), Value: new(tags[key])})
	}
	return described
}

package integration

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
)

// serviceSpec is one ECS service, of awsvpc tasks where it has subnets and else of
// tasks on their hosts' network. moto runs no task of it.
type serviceSpec struct {
	name        string   // cluster/name; no cluster's name may end with another's
	subnets     []string // labels in order
	desired     int32
	rebalancing types.AvailabilityZoneRebalancing // none: nobody ever set it
	controller  types.DeploymentControllerType    // none: ECS
	daemon      bool
	tags        map[string]string
}

// Families of the task definitions that services are seeded with.
const (
	ownNetwork  = "own-network"
	hostNetwork = "host-network"
)

// seedServices makes the services with their clusters.
func seedServices(t *testing.T, w world, s seeded) {
	t.Helper()
	if len(s.services) == 0 {
		return
	}
	api := ecs.NewFromConfig(w.cfg)
	seedTaskDefinition(t, w, api, ownNetwork, types.NetworkModeAwsvpc)
	seedTaskDefinition(t, w, api, hostNetwork, types.NetworkModeBridge)
	var clusters []string
	for _, sp := range s.services {
		if cluster, _, _ := strings.Cut(sp.name, "/"); !slices.Contains(clusters, cluster) {
			clusters = append(clusters, cluster)
		}
	}
	for _, cluster := range clusters {
		seedCluster(t, w, api, cluster)
	}
	seedAll(t, s.services, func(sp serviceSpec) error { return seedService(t.Context(), api, w, s, sp) })
	for _, sp := range s.services {
		w.cleanup(t, func(ctx context.Context) error {
			cluster, name := w.service(sp.name)
			_, err := api.DeleteService(ctx, &ecs.DeleteServiceInput{Cluster: &cluster, Service: &name, Force: aws.Bool(true)})
			return err
		})
	}
}

func seedTaskDefinition(t *testing.T, w world, api *ecs.Client, family string, mode types.NetworkMode) {
	t.Helper()
	got, err := api.RegisterTaskDefinition(t.Context(), &ecs.RegisterTaskDefinitionInput{
		Family: aws.String(w.prefix + family), NetworkMode: mode,
		ContainerDefinitions: []types.ContainerDefinition{{Name: aws.String("main"), Image: aws.String("none"), Memory: aws.Int32(64)}},
	})
	if err != nil {
		t.Fatalf("seeding a task definition: %v", err)
	}
	w.cleanup(t, func(ctx context.Context) error {
		_, err := api.DeregisterTaskDefinition(ctx, &ecs.DeregisterTaskDefinitionInput{TaskDefinition: got.TaskDefinition.TaskDefinitionArn})
		return err
	})
}

func seedCluster(t *testing.T, w world, api *ecs.Client, cluster string) {
	t.Helper()
	name := w.prefix + cluster
	if _, err := api.CreateCluster(t.Context(), &ecs.CreateClusterInput{ClusterName: &name}); err != nil {
		t.Fatalf("seeding cluster %s: %v", cluster, err)
	}
	w.cleanup(t, func(ctx context.Context) error {
		_, err := api.DeleteCluster(ctx, &ecs.DeleteClusterInput{Cluster: &name})
		return err
	})
}

// network is the service's, with all that a change of subnets must not lose.
func (s seeded) network(labels []string) *types.NetworkConfiguration {
	if len(labels) == 0 {
		return nil
	}
	return &types.NetworkConfiguration{AwsvpcConfiguration: &types.AwsVpcConfiguration{
		Subnets: s.ids(labels...), SecurityGroups: s.guards, AssignPublicIp: types.AssignPublicIpEnabled,
	}}
}

// seedService makes a service without tasks, and scales it then: a service that
// moto starts with tasks never gets them running. What the first request says of
// rebalancing or percentages moto forgets.
func seedService(ctx context.Context, api *ecs.Client, w world, s seeded, sp serviceSpec) error {
	if sp.controller == types.DeploymentControllerTypeExternal {
		return seedExternal(ctx, api, w, s, sp)
	}
	cluster, name := w.service(sp.name)
	in := &ecs.CreateServiceInput{
		Cluster: &cluster, ServiceName: &name, TaskDefinition: aws.String(w.prefix + hostNetwork),
		NetworkConfiguration: s.network(sp.subnets), DesiredCount: aws.Int32(0), LaunchType: types.LaunchTypeEc2,
		Tags: serviceTags(sp),
	}
	if len(sp.subnets) > 0 {
		in.TaskDefinition = aws.String(w.prefix + ownNetwork)
	}
	if sp.controller != "" {
		in.DeploymentController = &types.DeploymentController{Type: sp.controller}
	}
	if sp.daemon {
		in.SchedulingStrategy, in.DesiredCount = types.SchedulingStrategyDaemon, nil
		_, err := api.CreateService(ctx, in)
		return err
	}
	if _, err := api.CreateService(ctx, in); err != nil {
		return err
	}
	_, err := api.UpdateService(ctx, &ecs.UpdateServiceInput{
		Cluster: &cluster, Service: &name, DesiredCount: &sp.desired, AvailabilityZoneRebalancing: sp.rebalancing,
		DeploymentConfiguration: &types.DeploymentConfiguration{MinimumHealthyPercent: aws.Int32(50), MaximumPercent: aws.Int32(150)},
	})
	return err
}

// seedExternal makes a service whose subnets are its primary task set's.
func seedExternal(ctx context.Context, api *ecs.Client, w world, s seeded, sp serviceSpec) error {
	cluster, name := w.service(sp.name)
	_, err := api.CreateService(ctx, &ecs.CreateServiceInput{
		Cluster: &cluster, ServiceName: &name, DesiredCount: &sp.desired, Tags: serviceTags(sp),
		DeploymentController: &types.DeploymentController{Type: sp.controller},
	})
	if err != nil {
		return err
	}
	set, err := api.CreateTaskSet(ctx, &ecs.CreateTaskSetInput{
		Cluster: &cluster, Service: &name, TaskDefinition: aws.String(w.prefix + ownNetwork), NetworkConfiguration: s.network(sp.subnets),
	})
	if err != nil {
		return err
	}
	_, err = api.UpdateServicePrimaryTaskSet(ctx, &ecs.UpdateServicePrimaryTaskSetInput{
		Cluster: &cluster, Service: &name, PrimaryTaskSet: set.TaskSet.TaskSetArn,
	})
	return err
}

func serviceTags(sp serviceSpec) []types.Tag {
	var tags []types.Tag
	for k, v := range sp.tags {
		tags = append(tags, types.Tag{Key: aws.String(k), Value: aws.String(v)})
	}
	return tags
}

// outcome is what an evacuation says of the service.
func (sp serviceSpec) outcome(policy string) string {
	switch {
	case len(sp.subnets) == 0:
		return "skipped-host-network"
	case !slices.ContainsFunc(sp.subnets, inOut):
		return "skipped-not-in-zone"
	case !slices.ContainsFunc(sp.subnets, notOut):
		return "skipped-single-zone"
	case sp.controller == types.DeploymentControllerTypeCodeDeploy:
		return "skipped-code-deploy"
	case sp.controller == types.DeploymentControllerTypeExternal:
		return "skipped-external-controller"
	case sp.daemon:
		return "skipped-daemon"
	case policy == "hold":
		return "held-redeploys"
	case sp.desired == 1: // at 50 to 150 %, one task can be neither stopped nor joined
		return "skipped-deployment-config"
	}
	return "settled"
}

// inOut says of a label whether it is one of the zone that goes out.
func inOut(label string) bool  { return label[0] == 'a' }
func notOut(label string) bool { return !inOut(label) }

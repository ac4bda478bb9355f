package ecsservice_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"sidestep/pkg/clock"
	"sidestep/pkg/kind/ecsservice"
	"sidestep/pkg/resource"
)

// fake is an ECS that answers what the region in memory never does. Calls it was
// not made for panic.
type fake struct {
	ecsservice.API
	clusters    []string
	services    map[string][]types.Service // by cluster
	tasks       map[string][]types.Task    // by cluster
	providers   []types.CapacityProvider
	deployments []types.ServiceDeploymentBrief
	failures    []types.Failure
	gone        string // a cluster that was deleted
	fail        error  // for every call
	calls       []any  // the inputs
}

// serial is a clock by which one thing is done after the other: the order of calls
// is then the same each time.
type serial struct{ clock.Real }

func (serial) Each(n, _ int, f func(i int)) {
	for i := range n {
		f(i)
	}
}

var errFake = errors.New("scripted")

func (f *fake) took(in any, cluster *string) error {
	f.calls = append(f.calls, in)
	if f.gone != "" && aws.ToString(cluster) == f.gone {
		return fmt.Errorf("operation error ECS: %w", &types.ClusterNotFoundException{})
	}
	return f.fail
}

// inputs are the calls of one sort.
func inputs[T any](f *fake) []T {
	var all []T
	for _, c := range f.calls {
		if in, ok := c.(T); ok {
			all = append(all, in)
		}
	}
	return all
}

// page cuts a page out of a list. The token is where it starts.
func page[T any](list []T, token *string, size int) ([]T, *string) {
	start, _ := strconv.Atoi(aws.ToString(token))
	end := min(start+size, len(list))
	if end == len(list) {
		return list[start:], nil
	}
	return list[start:end], aws.String(strconv.Itoa(end))
}

func (f *fake) ListClusters(_ context.Context, in *ecs.ListClustersInput, _ ...func(*ecs.Options)) (*ecs.ListClustersOutput, error) {
	var arns []string
	for _, c := range f.clusters {
		arns = append(arns, "arn:aws:ecs:us-east-1:111122223333:cluster/"+c)
	}
	out := &ecs.ListClustersOutput{}
	out.ClusterArns, out.NextToken = page(arns, in.NextToken, int(aws.ToInt32(in.MaxResults)))
	return out, f.took(in, nil)
}

func (f *fake) ListServices(_ context.Context, in *ecs.ListServicesInput, _ ...func(*ecs.Options)) (*ecs.ListServicesOutput, error) {
	var arns []string
	for _, s := range f.services[*in.Cluster] {
		arns = append(arns, *s.ServiceArn)
	}
	out := &ecs.ListServicesOutput{}
	out.ServiceArns, out.NextToken = page(arns, in.NextToken, int(aws.ToInt32(in.MaxResults)))
	return out, f.took(in, in.Cluster)
}

func (f *fake) DescribeServices(_ context.Context, in *ecs.DescribeServicesInput, _ ...func(*ecs.Options)) (*ecs.DescribeServicesOutput, error) {
	out := &ecs.DescribeServicesOutput{Failures: f.failures}
	for _, s := range f.services[*in.Cluster] {
		if slices.Contains(in.Services, *s.ServiceArn) {
			out.Services = append(out.Services, s)
		}
	}
	return out, f.took(in, in.Cluster)
}

func (f *fake) DescribeCapacityProviders(_ context.Context, in *ecs.DescribeCapacityProvidersInput, _ ...func(*ecs.Options)) (*ecs.DescribeCapacityProvidersOutput, error) {
	var named []types.CapacityProvider
	for _, p := range f.providers {
		// Those of Managed Instances are told of to who names the cluster alone.
		if slices.Contains(in.CapacityProviders, *p.Name) && (p.ManagedInstancesProvider == nil || in.Cluster != nil) {
			named = append(named, p)
		}
	}
	out := &ecs.DescribeCapacityProvidersOutput{Failures: f.failures}
	out.CapacityProviders, out.NextToken = page(named, in.NextToken, 10)
	return out, f.took(in, nil)
}

func (f *fake) ListTasks(_ context.Context, in *ecs.ListTasksInput, _ ...func(*ecs.Options)) (*ecs.ListTasksOutput, error) {
	var arns []string
	for _, t := range f.tasks[*in.Cluster] {
		if in.ServiceName == nil || aws.ToString(t.Group) == "service:"+*in.ServiceName {
			arns = append(arns, *t.TaskArn)
		}
	}
	out := &ecs.ListTasksOutput{}
	out.TaskArns, out.NextToken = page(arns, in.NextToken, int(aws.ToInt32(in.MaxResults)))
	return out, f.took(in, in.Cluster)
}

func (f *fake) DescribeTasks(_ context.Context, in *ecs.DescribeTasksInput, _ ...func(*ecs.Options)) (*ecs.DescribeTasksOutput, error) {
	out := &ecs.DescribeTasksOutput{Failures: f.failures}
	for _, t := range f.tasks[*in.Cluster] {
		if slices.Contains(in.Tasks, *t.TaskArn) {
			out.Tasks = append(out.Tasks, t)
		}
	}
	return out, f.took(in, in.Cluster)
}

func (f *fake) ListServiceDeployments(_ context.Context, in *ecs.ListServiceDeploymentsInput, _ ...func(*ecs.Options)) (*ecs.ListServiceDeploymentsOutput, error) {
	return &ecs.ListServiceDeploymentsOutput{ServiceDeployments: f.deployments}, f.took(in, in.Cluster)
}

func (f *fake) UpdateService(_ context.Context, in *ecs.UpdateServiceInput, _ ...func(*ecs.Options)) (*ecs.UpdateServiceOutput, error) {
	return &ecs.UpdateServiceOutput{}, f.took(in, in.Cluster)
}

// add adds services to a cluster.
func (f *fake) add(cluster string, services ...types.Service) {
	if f.services == nil {
		f.services = map[string][]types.Service{}
	}
	if !slices.Contains(f.clusters, cluster) {
		f.clusters = append(f.clusters, cluster)
	}
	for _, s := range services {
		if s.ServiceArn == nil {
			s.ServiceArn = aws.String(arn(cluster + "/" + *s.ServiceName))
		}
		f.services[cluster] = append(f.services[cluster], s)
	}
}

func arn(name string) string { return "arn:aws:ecs:us-east-1:111122223333:service/" + name }

// ids are the IDs of the services of these names.
func ids(names ...string) []resource.ID {
	var all []resource.ID
	for _, name := range names {
		all = append(all, resource.ID{Kind: resource.ECSService, ARN: arn(name), Name: name})
	}
	return all
}

// Subnets are named after their zone: subnet-1a lies in use1-az1, which is
// us-east-1b.
var (
	everywhere = []string{"subnet-3a", "subnet-1a", "subnet-2a"}
	healthy    = []string{"subnet-3a", "subnet-2a"}
)

func awsvpc(subnets ...string) *types.NetworkConfiguration {
	return &types.NetworkConfiguration{AwsvpcConfiguration: &types.AwsVpcConfiguration{
		Subnets: subnets, SecurityGroups: []string{"sg-2", "sg-1"}, AssignPublicIp: types.AssignPublicIpEnabled,
	}}
}

// aService is one that nothing keeps from being drained or held, but for changes.
func aService(name string, changes ...func(*types.Service)) types.Service {
	s := types.Service{
		ServiceName: &name, Status: aws.String("ACTIVE"), DesiredCount: 6, RunningCount: 6,
		NetworkConfiguration:        awsvpc(everywhere...),
		AvailabilityZoneRebalancing: types.AvailabilityZoneRebalancingEnabled,
		DeploymentConfiguration: &types.DeploymentConfiguration{
			MinimumHealthyPercent: aws.Int32(100), MaximumPercent: aws.Int32(200), Strategy: types.DeploymentStrategyRolling,
			DeploymentCircuitBreaker: &types.DeploymentCircuitBreaker{Enable: true, Rollback: true},
		},
		Deployments: []types.Deployment{{
			Status: aws.String("PRIMARY"), RolloutState: types.DeploymentRolloutStateCompleted, DesiredCount: 6, RunningCount: 6,
		}},
	}
	for _, change := range changes {
		change(&s)
	}
	return s
}

// read has the driver read one service that is described like this, with the
// capacity provider "managed" being of Managed Instances.
func read(t *testing.T, s types.Service) resource.Resource {
	t.Helper()
	f := &fake{providers: []types.CapacityProvider{
		{Name: aws.String("hosts"), AutoScalingGroupProvider: &types.AutoScalingGroupProvider{}},
		{Name: aws.String("managed"), ManagedInstancesProvider: &types.ManagedInstancesProvider{}},
	}}
	f.add("shop", s)
	found, err := ecsservice.New(f, serial{}).Read(t.Context(), ids("shop/"+*s.ServiceName)...)
	if err != nil || len(found) != 1 {
		t.Fatalf("read %v and %v", found, err)
	}
	return found[0]
}

// names are those of resources, in their order.
func names(all []resource.Resource) string {
	var list []string
	for _, r := range all {
		list = append(list, r.Name)
	}
	return strings.Join(list, " ")
}

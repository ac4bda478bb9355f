package ecsservice

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
)

// Traits that plans and judgements depend on. One that is absent is as ECS has it
// by default.
const (
	traitController    = "deployment-controller" // what deploys it, where ECS does not
	traitStrategy      = "deployment-strategy"   // how ECS deploys it, where not in rolling fashion
	traitDaemon        = "daemon"                // one task on every host
	traitExpress       = "express"               // ECS manages it
	traitManaged       = "managed-instances"     // the capacity provider it runs on
	traitAnywhere      = "ecs-anywhere"          // runs on hosts outside of AWS
	traitClassic       = "classic-load-balancer"
	traitStack         = "cloudformation-stack" // the stack that declares it
	traitDesired       = "desired-tasks"
	traitMinimum       = "minimum-healthy-percent"
	traitMaximum       = "maximum-percent"
	traitEndless       = "no-failure-detection" // a deployment that fails goes on
	traitUnbalanceable = "rebalancing-unavailable"
	traitFailed        = "rollout-failed"            // why the present deployment failed
	traitDeployment    = "service-deployment"        // the status of the newest, from Explain
	traitWhy           = "service-deployment-reason" // what AWS says on it
	traitSince         = "service-deployment-since"  // when it was created, RFC 3339
)

// Percentages that a service without its own has.
// https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_DeploymentConfiguration.html
const (
	defaultMinimum = 100
	defaultMaximum = 200
)

func traits(s types.Service, managed map[string]bool) map[string]string {
	t := map[string]string{}
	set := func(key, value string) {
		if value != "" {
			t[key] = value
		}
	}
	set(traitController, controller(s))
	set(traitManaged, managedInstances(s, managed))
	set(traitClassic, classics(s))
	set(traitStack, tags(s)["aws:cloudformation:stack-name"])
	set(traitUnbalanceable, unbalanceable(s))
	if s.SchedulingStrategy == types.SchedulingStrategyDaemon {
		set(traitDaemon, "yes")
	}
	if s.ResourceManagementType == types.ResourceManagementTypeEcs {
		set(traitExpress, "yes")
	}
	if s.LaunchType == types.LaunchTypeExternal {
		set(traitAnywhere, "yes")
	}
	deploymentTraits(s, set)
	return t
}

func deploymentTraits(s types.Service, set func(key, value string)) {
	c := configuration(s)
	set(traitDesired, strconv.Itoa(int(s.DesiredCount)))
	set(traitMinimum, strconv.Itoa(int(*c.MinimumHealthyPercent)))
	set(traitMaximum, strconv.Itoa(int(*c.MaximumPercent)))
	if c.Strategy != types.DeploymentStrategyRolling {
		set(traitStrategy, string(c.Strategy))
	}
	breaks := c.DeploymentCircuitBreaker != nil && c.DeploymentCircuitBreaker.Enable
	alarmed := c.Alarms != nil && c.Alarms.Enable
	if !breaks && !alarmed {
		set(traitEndless, "yes")
	}
	if p, ok := primaryDeployment(s); ok && p.RolloutState == types.DeploymentRolloutStateFailed {
		why := aws.ToString(p.RolloutStateReason)
		if why == "" {
			why = "ECS gives no reason"
		}
		set(traitFailed, why)
	}
}

// configuration is the service's deployment configuration, with its defaults
// filled in.
func configuration(s types.Service) types.DeploymentConfiguration {
	var c types.DeploymentConfiguration
	if s.DeploymentConfiguration != nil {
		c = *s.DeploymentConfiguration
	}
	if c.MinimumHealthyPercent == nil {
		c.MinimumHealthyPercent = aws.Int32(defaultMinimum)
	}
	if c.MaximumPercent == nil {
		c.MaximumPercent = aws.Int32(defaultMaximum)
	}
	return c
}

// controller is what deploys the service, nothing where ECS itself does.
func controller(s types.Service) string {
	if s.DeploymentController == nil || s.DeploymentController.Type == types.DeploymentControllerTypeEcs {
		return ""
	}
	return string(s.DeploymentController.Type)
}

// managedInstances is the capacity provider of Managed Instances that the service
// runs on, or nothing.
func managedInstances(s types.Service, managed map[string]bool) string {
	for _, item := range s.CapacityProviderStrategy {
		if name := aws.ToString(item.CapacityProvider); managed[name] {
			return name
		}
	}
	if s.LaunchType == types.LaunchTypeManagedInstances {
		return "of its cluster"
	}
	return ""
}

const zoneAttribute = "ecs.availability-zone"

// unbalanceable says why ECS refuses zone rebalancing for the service, or nothing.
// https://docs.aws.amazon.com/AmazonECS/latest/developerguide/service-rebalancing.html
func unbalanceable(s types.Service) string {
	maximum := *configuration(s).MaximumPercent
	switch who := controller(s); {
	case s.SchedulingStrategy == types.SchedulingStrategyDaemon:
		return "the service is a daemon now"
	case who != "":
		return "its deployment controller is " + who + " now"
	case s.LaunchType == types.LaunchTypeExternal:
		return "it runs outside of AWS now"
	case maximum <= 100:
		return fmt.Sprintf("its maximum percent is %d now", maximum)
	case classics(s) != "":
		return "it is behind a classic load balancer now"
	case pinnedToZones(s):
		return "its task placement decides on the zone now"
	}
	return ""
}

// pinnedToZones reports whether task placement is by zone in a way that leaves
// nothing to balance: a constraint on it, or a strategy that spreads over anything
// else first.
func pinnedToZones(s types.Service) bool {
	for _, c := range s.PlacementConstraints {
		if strings.Contains(aws.ToString(c.Expression), zoneAttribute) {
			return true
		}
	}
	if len(s.PlacementStrategy) == 0 {
		return false
	}
	first := s.PlacementStrategy[0]
	return first.Type != types.PlacementStrategyTypeSpread || !strings.HasSuffix(aws.ToString(first.Field), zoneAttribute)
}

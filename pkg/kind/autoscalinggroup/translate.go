package autoscalinggroup

import (
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"sidestep/pkg/resource"
)

// Fields that this kind owns. A process has the field `process/<name>`, with the
// value active or suspended.
const (
	processPrefix = "process/"
	active        = "active"
	suspended     = "suspended"
)

// Traits that plans depend on.
const (
	traitOperator  = "operator"             // the service principal that alone may change the group
	traitNodegroup = "eks-nodegroup"        // the EKS managed node group that owns it
	traitCluster   = "kubernetes-cluster"   // the tag that makes its instances cluster nodes
	traitShift     = "zonal-shift"          // registered with ARC
	traitStack     = "cloudformation-stack" // the stack that declares it
	traitClassic   = "classic-load-balancer"
	traitShrinks   = "minimum-below-desired"
)

// processes are those the field list is made of.
// https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-suspend-resume-processes.html
var processes = []string{
	"Launch", "Terminate", "AddToLoadBalancer", "AlarmNotification", azRebalance,
	"HealthCheck", "InstanceRefresh", replaceUnhealthy, "ScheduledActions",
}

const (
	azRebalance      = "AZRebalance"
	replaceUnhealthy = "ReplaceUnhealthy"
)

// process returns the name of the process a field is about.
func process(field string) (string, bool) { return strings.CutPrefix(field, processPrefix) }

func identify(g types.AutoScalingGroup) resource.ID {
	return resource.ID{
		Kind: resource.AutoScalingGroup,
		ARN:  aws.ToString(g.AutoScalingGroupARN),
		Name: aws.ToString(g.AutoScalingGroupName),
	}
}

// translate turns a described group into a resource.
func translate(g types.AutoScalingGroup) resource.Resource {
	return resource.Resource{
		ID:           identify(g),
		Fields:       fields(g),
		Traits:       traits(g),
		Zones:        slices.Concat(g.AvailabilityZoneIds, g.AvailabilityZones),
		Places:       places(g.Instances),
		TargetGroups: g.TargetGroupARNs,
	}
}

func fields(g types.AutoScalingGroup) map[string][]string {
	f := map[string][]string{resource.SubnetsField: subnets(aws.ToString(g.VPCZoneIdentifier))}
	for _, p := range processes {
		f[processPrefix+p] = []string{active}
	}
	for _, p := range g.SuspendedProcesses {
		f[processPrefix+aws.ToString(p.ProcessName)] = []string{suspended}
	}
	return f
}

// subnets reads the comma-separated list, in which older tools left spaces.
func subnets(list string) []string {
	var ids []string
	for id := range strings.SplitSeq(list, ",") {
		if id = strings.TrimSpace(id); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

func tags(g types.AutoScalingGroup) map[string]string {
	t := map[string]string{}
	for _, tag := range g.Tags {
		t[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
	}
	return t
}

func traits(g types.AutoScalingGroup) map[string]string {
	t := map[string]string{}
	tags := tags(g)
	// In the order of their keys: of several tags that say the same, the plan names
	// the same one each time.
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		value := tags[key]
		switch {
		case key == "eks:nodegroup-name":
			t[traitNodegroup] = value
		case strings.HasPrefix(key, "kubernetes.io/cluster/"),
			strings.HasPrefix(key, "k8s.io/cluster/"),
			key == "aws:eks:cluster-name",
			key == "k8s.io/cluster-autoscaler/enabled":
			t[traitCluster] = key
		case key == "aws:cloudformation:stack-name":
			t[traitStack] = value
		}
	}
	if g.Operator != nil {
		t[traitOperator] = aws.ToString(g.Operator.Principal)
	}
	if p := g.AvailabilityZoneImpairmentPolicy; p != nil && aws.ToBool(p.ZonalShiftEnabled) {
		t[traitShift] = "enabled"
	}
	if len(g.LoadBalancerNames) > 0 {
		t[traitClassic] = strings.Join(g.LoadBalancerNames, ", ")
	}
	if aws.ToInt32(g.MinSize) < aws.ToInt32(g.DesiredCapacity) {
		t[traitShrinks] = "yes"
	}
	return t
}

// places counts the instances by zone and by why they may stay. The zone is the
// ID where the answer has it, else the name.
func places(instances []types.Instance) []resource.Place {
	var counted []resource.Place
	for _, i := range instances {
		zone := aws.ToString(i.AvailabilityZoneId)
		if zone == "" {
			zone = aws.ToString(i.AvailabilityZone)
		}
		state := cause(i)
		at := -1
		for j, p := range counted {
			if p.Zone == zone && p.State == state {
				at = j
			}
		}
		if at < 0 {
			counted = append(counted, resource.Place{Zone: zone, State: state})
			at = len(counted) - 1
		}
		counted[at].Count++
	}
	return counted
}

// cause says why an instance may still be where it is.
func cause(i types.Instance) string {
	switch s := string(i.LifecycleState); {
	case strings.HasPrefix(s, "Terminating"):
		return "terminating"
	case strings.HasPrefix(s, "Warmed"):
		return "warm-pool"
	case strings.HasPrefix(s, "Pending"):
		return "pending"
	case s == "Standby" || s == "EnteringStandby":
		return "standby"
	case aws.ToBool(i.ProtectedFromScaleIn):
		return "protected"
	}
	return "in-service"
}

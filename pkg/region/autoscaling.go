package region

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
)

// processes are what can be suspended.
var processes = []string{
	"Launch", "Terminate", "AddToLoadBalancer", "AlarmNotification", "AZRebalance",
	"HealthCheck", "InstanceRefresh", "ReplaceUnhealthy", "ScheduledActions",
}

// AutoScalingAPI is a process's way to Auto Scaling.
type AutoScalingAPI struct{ p *Process }

// AutoScaling is the process's way to Auto Scaling.
func (p *Process) AutoScaling() AutoScalingAPI { return AutoScalingAPI{p} }

// UpdateAutoScalingGroup sets the subnets, the minimum or both. Any other field
// is none of our processes' business: it is a violation and refused.
func (a AutoScalingAPI) UpdateAutoScalingGroup(ctx context.Context, in *autoscaling.UpdateAutoScalingGroupInput, _ ...func(*autoscaling.Options)) (*autoscaling.UpdateAutoScalingGroupOutput, error) {
	u := updateOf(given(in))
	q := request{service: ServiceAutoScaling, op: "UpdateAutoScalingGroup", id: u.group, mutating: true, wrong: u.wrong()}
	return do(ctx, a.p, q, func() (*autoscaling.UpdateAutoScalingGroupOutput, error) {
		return &autoscaling.UpdateAutoScalingGroupOutput{}, a.p.region.update(u)
	})
}

// update is what an UpdateAutoScalingGroup asks for.
type update struct {
	group   string
	subnets []string // nil to leave them
	min     *int32   // nil to leave it
	beyond  bool     // asks for more than the region models
}

func updateOf(in autoscaling.UpdateAutoScalingGroupInput) update {
	u := update{group: value(in.AutoScalingGroupName)}
	if in.MinSize != nil {
		u.min = new(*in.MinSize)
	}
	if in.VPCZoneIdentifier != nil {
		u.subnets = []string{}
		for id := range strings.SplitSeq(*in.VPCZoneIdentifier, ",") {
			if id = strings.TrimSpace(id); id != "" {
				u.subnets = append(u.subnets, id)
			}
		}
	}
	in.AutoScalingGroupName, in.MinSize, in.VPCZoneIdentifier = nil, nil, nil
	u.beyond = !reflect.DeepEqual(in, autoscaling.UpdateAutoScalingGroupInput{})
	return u
}

// wrong says why nobody may send the update, empty if it is fine.
func (u update) wrong() string {
	switch {
	case u.subnets != nil && len(u.subnets) == 0:
		return "carries an empty list of subnets"
	case u.beyond:
		return "sets a field other than the subnets and the minimum"
	}
	return ""
}

// update carries one out. The region is locked.
func (r *Region) update(u update) error {
	g, err := r.changeable(u.group)
	if err != nil {
		return err
	}
	if u.beyond {
		return notModelled("this field of UpdateAutoScalingGroup")
	}
	next := g.config.clone()
	if u.subnets != nil {
		if err := r.usable(u.subnets); err != nil {
			return err
		}
		next.Subnets, next.Zones = u.subnets, nil
	}
	if u.min != nil {
		next.Min = int(*u.min)
		if next.Min < 0 || next.Min > next.Max {
			return apiError("ValidationError", "Max bound, %d, must be greater than or equal to min bound, %d", next.Max, next.Min)
		}
		next.Desired = max(next.Desired, next.Min)
	}
	r.configure(g, next)
	return nil
}

// changeable finds a group that a process of ours may change. The region is
// locked.
func (r *Region) changeable(name string) (*group, error) {
	g, ok := r.groups[name]
	if !ok {
		return nil, apiError("ValidationError", "AutoScalingGroup name not found - AutoScalingGroup '%s' not found", name)
	}
	if g.config.Operator != "" {
		// AWS documents the refusal, not its code.
		return nil, apiError("AccessDenied", "AutoScalingGroup '%s' is managed by %s", name, g.config.Operator)
	}
	return g, nil
}

// usable says why a group cannot have these subnets. The region is locked.
func (r *Region) usable(ids []string) error {
	if len(ids) == 0 {
		return apiError("ValidationError", "At least one Availability Zone or VPC Subnet is required.")
	}
	for _, id := range ids {
		if _, ok := r.subnets[id]; !ok {
			return apiError("ValidationError", "The subnet ID '%s' does not exist", id)
		}
	}
	return nil
}

// SuspendProcesses suspends the processes named. A request that names none means
// all of them: a violation.
func (a AutoScalingAPI) SuspendProcesses(ctx context.Context, in *autoscaling.SuspendProcessesInput, _ ...func(*autoscaling.Options)) (*autoscaling.SuspendProcessesOutput, error) {
	asked := given(in)
	names := slices.Clone(asked.ScalingProcesses)
	q := switching("SuspendProcesses", asked.AutoScalingGroupName, names)
	return do(ctx, a.p, q, func() (*autoscaling.SuspendProcessesOutput, error) {
		return &autoscaling.SuspendProcessesOutput{}, a.p.region.switchProcesses(q.id, names, true)
	})
}

// ResumeProcesses resumes the processes named. A request that names none means
// all of them, whoever suspended them: a violation.
func (a AutoScalingAPI) ResumeProcesses(ctx context.Context, in *autoscaling.ResumeProcessesInput, _ ...func(*autoscaling.Options)) (*autoscaling.ResumeProcessesOutput, error) {
	asked := given(in)
	names := slices.Clone(asked.ScalingProcesses)
	q := switching("ResumeProcesses", asked.AutoScalingGroupName, names)
	return do(ctx, a.p, q, func() (*autoscaling.ResumeProcessesOutput, error) {
		return &autoscaling.ResumeProcessesOutput{}, a.p.region.switchProcesses(q.id, names, false)
	})
}

// switching is the request that suspends or resumes.
func switching(op string, group *string, names []string) request {
	q := request{service: ServiceAutoScaling, op: op, id: value(group), mutating: true}
	if len(names) == 0 {
		q.wrong = "names no process, which means all of them"
	}
	return q
}

// switchProcesses suspends or resumes processes of a group. The region is locked.
func (r *Region) switchProcesses(name string, names []string, suspend bool) error {
	g, err := r.changeable(name)
	if err != nil {
		return err
	}
	for _, n := range names {
		if !slices.Contains(processes, n) {
			return apiError("ValidationError", "The process type '%s' is not valid", n)
		}
	}
	if len(names) == 0 {
		names = processes
	}
	next := g.config.clone()
	next.Suspended = slices.DeleteFunc(next.Suspended, func(s string) bool { return slices.Contains(names, s) })
	if suspend {
		next.Suspended = append(next.Suspended, names...)
	}
	r.configure(g, next)
	return nil
}

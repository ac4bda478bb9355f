package region

import (
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
)

// RolloutFate is what becomes of a service's deployments.
type RolloutFate int

// The fates.
const (
	// RolloutSucceeds: a deployment comes to its end. So do all that are told
	// nothing else.
	RolloutSucceeds RolloutFate = iota
	// RolloutRollsBack: its tasks fail, and after half the time the circuit
	// breaker notices and deploys the configuration before, in the other half.
	// Without a circuit breaker nobody notices, and the deployment never ends.
	RolloutRollsBack
	// RolloutNeverEnds: its tasks never come to run. Another deployment may take
	// its place.
	RolloutNeverEnds
)

// rolloutTime is how long a deployment takes by default.
const rolloutTime = 4 * time.Minute

// task is one running task of a service.
type task struct {
	id, zone string // zone ID
	started  time.Time
}

// deployment is what ECS makes of one network configuration of a service.
type deployment struct {
	id               string
	network          network
	state            types.DeploymentRolloutState
	reason           string
	created, updated time.Time
	tasks            []*task
}

// rollout is the story of a change of a service, as a service deployment tells it:
// with its way back, if it fails.
type rollout struct {
	number            int // of the service's, from 0
	id, revision      string
	ours              bool // a process of ours asked for it
	status            types.ServiceDeploymentStatus
	reason            string
	started, finished time.Time
}

func (o *rollout) underway() bool { return o.finished.IsZero() }

func (o *rollout) finish(status types.ServiceDeploymentStatus, now time.Time) {
	o.status, o.finished = status, now
}

// primary is the deployment that the service goes by.
func (s *service) primary() *deployment { return s.deployments[0] }

// running is the deployment that completed last: all tasks that run are its.
func (s *service) running() *deployment { return s.deployments[len(s.deployments)-1] }

// rollout is the latest.
func (s *service) rollout() *rollout { return s.rollouts[len(s.rollouts)-1] }

// RolloutTime sets how long deployments that start from now on take. It is 4
// minutes by default.
func (r *Region) RolloutTime(d time.Duration) {
	r.touch(func() { r.rolloutTime = d })
}

// FailRollouts decides on the deployments of a service that start from now on.
func (r *Region) FailRollouts(name string, how RolloutFate) {
	r.touch(func() {
		s, ok := r.services[name]
		if !ok {
			r.violate("failing rollouts of service %s, which is not there", name)
			return
		}
		s.fate = how
	})
}

// MostRollouts is the largest number of services that, at any one moment so far,
// were in a deployment that a process of ours had started.
func (r *Region) MostRollouts() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mostRollouts
}

// create gives a new service its first deployment, completed. The region is
// locked.
func (r *Region) create(s *service) {
	r.begin(s, false)
	s.deployments = []*deployment{r.deployment(s)}
	r.complete(s, s.primary(), types.ServiceDeploymentStatusSuccessful)
}

// begin opens another story of the service.
func (r *Region) begin(s *service, ours bool) {
	s.rollouts = append(s.rollouts, &rollout{
		number: len(s.rollouts),
		id:     fmt.Sprintf("%016x", r.random.Uint64()), revision: fmt.Sprintf("%019d", r.random.Int64()),
		ours: ours, status: types.ServiceDeploymentStatusInProgress, started: r.now,
	})
}

// deployment makes one of what the service's network is now.
func (r *Region) deployment(s *service) *deployment {
	id := fmt.Sprintf("ecs-svc/%019d", r.random.Int64())
	return &deployment{
		id: id, network: s.config.network(), created: r.now, updated: r.now,
		state: types.DeploymentRolloutStateInProgress, reason: "ECS deployment " + id + " in progress.",
	}
}

// deploy replaces the tasks of a service by ones in its network as it is now. A
// deployment that is under way gives way and leaves nothing. The region is locked.
func (r *Region) deploy(s *service, ours bool) {
	if last := s.rollout(); last.underway() {
		last.reason = "replaced by a later service deployment"
		last.finish(types.ServiceDeploymentStatusStopped, r.now)
	}
	r.begin(s, ours)
	d := r.deployment(s)
	s.deployments = []*deployment{d, s.running()}
	r.mostRollouts = max(r.mostRollouts, r.ourRollouts())
	switch s.destiny() {
	case RolloutSucceeds:
		r.after(r.rolloutTime, func() { r.complete(s, d, types.ServiceDeploymentStatusSuccessful) })
	case RolloutRollsBack:
		r.after(r.rolloutTime/2, func() { r.rollBack(s, d) })
	}
}

// destiny is what will become of a deployment that starts now.
func (s *service) destiny() RolloutFate {
	if s.cramped() || s.fate == RolloutRollsBack && !s.config.CircuitBreaker {
		return RolloutNeverEnds
	}
	return s.fate
}

// cramped: with this minimum and this maximum ECS can neither start a task nor
// stop one, and goes on trying. It rounds the minimum up and the maximum down.
// https://docs.aws.amazon.com/AmazonECS/latest/developerguide/deployment-type-ecs.html
func (s *service) cramped() bool {
	c := s.config
	if c.Desired == 0 || c.Strategy != strategyRolling || c.Scheduling == schedulingDaemon {
		return false
	}
	const percent = 100
	least := (c.Desired*c.MinPercent + percent - 1) / percent
	return c.Desired*c.MaxPercent/percent <= least
}

// complete ends a deployment, unless another took its place. Its tasks take over
// from all others at once, so that the minimum always runs. Where there is no zone
// to run in it does not end.
func (r *Region) complete(s *service, d *deployment, status types.ServiceDeploymentStatus) {
	if r.services[s.key()] != s || s.primary() != d || s.config.Desired > 0 && len(r.taskZones(d)) == 0 {
		return
	}
	r.scale(d, s.config.Desired)
	d.state, d.reason, d.updated = types.DeploymentRolloutStateCompleted, "ECS deployment "+d.id+" completed.", r.now
	s.deployments = []*deployment{d}
	s.rollout().finish(status, r.now)
}

// rollBack ends a deployment whose tasks fail and brings back the network
// configuration of those that run, by a deployment of its own. It is another
// chapter of the same story.
func (r *Region) rollBack(s *service, failed *deployment) {
	if r.services[s.key()] != s || s.primary() != failed {
		return
	}
	failed.state, failed.reason, failed.updated = types.DeploymentRolloutStateFailed, "ECS deployment circuit breaker: tasks failed to start.", r.now
	s.config.setNetwork(s.running().network)
	s.config = s.config.clone()
	back := r.deployment(s)
	back.reason = "ECS deployment circuit breaker: rolling back to deploymentId " + s.running().id + "."
	s.deployments = []*deployment{back, failed, s.running()}
	s.rollout().status = types.ServiceDeploymentStatusRollbackInProgress
	s.rollout().reason = "Service deployment rolled back because the circuit breaker threshold was exceeded."
	r.after(r.rolloutTime/2, func() { r.complete(s, back, types.ServiceDeploymentStatusRollbackSuccessful) })
}

// ourRollouts counts the services that are in a deployment of ours.
func (r *Region) ourRollouts() int {
	n := 0
	for _, s := range r.services {
		if s.rollout().ours && s.rollout().underway() {
			n++
		}
	}
	return n
}

// scale starts or stops tasks of a deployment until it has so many, spread evenly
// over its zones: each next one in the next zone.
func (r *Region) scale(d *deployment, desired int) {
	d.tasks = d.tasks[:min(len(d.tasks), desired)]
	zones := r.taskZones(d)
	for len(d.tasks) < desired && len(zones) > 0 {
		id := fmt.Sprintf("%016x%016x", r.random.Uint64(), r.random.Uint64())
		d.tasks = append(d.tasks, &task{id: id, zone: zones[len(d.tasks)%len(zones)], started: r.now})
	}
}

// taskZones lists the IDs of the zones that a deployment's tasks may run in: those
// of its subnets, in their order, or without subnets those of its hosts, of which
// every Availability Zone has some.
func (r *Region) taskZones(d *deployment) []string {
	if len(d.network.subnets) > 0 {
		return r.zonesIn(GroupConfig{Subnets: d.network.subnets})
	}
	var zones []string
	for _, z := range r.zones {
		if z.parent == nil {
			zones = append(zones, z.id)
		}
	}
	return zones
}

package region

import (
	"context"
	"errors"
	"slices"
	"time"
)

// The services, as Call, Fault and Throttle name them: by the prefixes of their
// permissions.
const (
	ServiceAutoScaling = "autoscaling"
	ServiceEC2         = "ec2"
	ServiceELB         = "elasticloadbalancing"
	ServiceECS         = "ecs"
	ServiceLambda      = "lambda"
	ServiceTagging     = "tag"
	ServiceSTS         = "sts"
	ServiceLedger      = "dynamodb"
)

// ErrDead is what a process that has died gets from every call. No real caller
// ever sees it: it stands for the code after the call not running at all.
var ErrDead = errors.New("the process is dead")

// Process is one client process of ours.
type Process struct {
	region *Region
	name   string

	// The region's mutex guards these.
	dead       bool
	frozen     time.Time // until when it is stopped
	pace       Pace
	calls      []Call
	violations []string
}

// Call is one call as it reached the region.
type Call struct {
	Service, Op string
	// ID names what the call is about: group names, ARNs or items' keys, joined
	// by ", "; empty where it is about everything.
	ID       string
	Mutating bool
	// At is when the call arrived, Done when it was answered; zero until then.
	At, Done time.Time
	Err      error
}

// Process returns the process of that name, a new one the first time. One that
// was restarted after its death needs another name.
func (r *Region) Process(name string) *Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, ok := r.processes[name]
	if !ok {
		p = &Process{region: r, name: name}
		r.processes[name] = p
	}
	return p
}

// Pace sends a call as often and as fast as a client would, where in reality a
// middleware of the SDK does that. Services are named as here.
type Pace func(ctx context.Context, service, op string, send func(context.Context) error) error

// SetPace has the process's calls go through pace.
func (p *Process) SetPace(pace Pace) {
	p.region.mu.Lock()
	defer p.region.mu.Unlock()
	p.pace = pace
}

// Name is the process's name.
func (p *Process) Name() string { return p.name }

// Kill ends the process: from now on every call of it returns ErrDead and has no
// effect, one that is waiting included.
func (p *Process) Kill() {
	p.region.mu.Lock()
	defer p.region.mu.Unlock()
	p.dead = true
}

// Dead reports whether the process has died.
func (p *Process) Dead() bool {
	p.region.mu.Lock()
	defer p.region.mu.Unlock()
	return p.dead
}

// Calls lists the process's calls in the order they arrived: the nth of them is
// the one that a Fault on any call with that Nth strikes. Calls that never
// reached the region, with a context that was over or after death, are not among
// them.
func (p *Process) Calls() []Call {
	p.region.mu.Lock()
	defer p.region.mu.Unlock()
	return slices.Clone(p.calls)
}

// Violations lists what the process should never have asked for.
func (p *Process) Violations() []string {
	p.region.mu.Lock()
	defer p.region.mu.Unlock()
	return slices.Clone(p.violations)
}

// violate notes what the process should not have asked for. The region is
// locked.
func (p *Process) violate(text string) {
	p.violations = append(p.violations, text)
	p.region.violate("%s: %s", p.name, text)
}

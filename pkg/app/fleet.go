package app

import (
	"context"
	"fmt"
	"time"

	"sidestep/pkg/awsclient"
	"sidestep/pkg/clock"
	"sidestep/pkg/region"
)

// serviceIDs are the services that a fleet's changes go to, as the region names
// them and as the SDK does.
var serviceIDs = map[string]string{
	region.ServiceAutoScaling: awsclient.AutoScaling,
	region.ServiceECS:         awsclient.ECS,
	region.ServiceLambda:      awsclient.Lambda,
	region.ServiceTagging:     awsclient.Tagging,
}

// addFleet adds n groups, services and functions in three zones.
func addFleet(r *region.Region, n int) {
	subnets := [][]string{
		{"subnet-1a", "subnet-2a", "subnet-3a"},
		{"subnet-3a", "subnet-1b", "subnet-2a", "subnet-1a"},
		{"subnet-2b", "subnet-3b", "subnet-1a"},
	}
	for i := range n {
		list := subnets[i%len(subnets)]
		r.AddGroup(region.Group{Name: fmt.Sprintf("fleet-%04d", i), Subnets: list})
		r.AddService(region.Service{
			Cluster: fmt.Sprintf("fleet-%d", i%10), Name: fmt.Sprintf("service-%04d", i),
			ServiceConfig: region.ServiceConfig{
				Subnets: list, SecurityGroups: []string{"sg-fleet"}, PublicIP: "DISABLED", Desired: 3, Rebalancing: "ENABLED",
			},
		})
		r.AddFunction(region.Function{
			Name:           fmt.Sprintf("fleet-%04d", i),
			FunctionConfig: region.FunctionConfig{Subnets: list, SecurityGroups: []string{"sg-fleet"}},
		})
	}
}

// throttle has the region answer as AWS does by its published rates, and the
// process call at our own pace.
func throttle(r *region.Region, p *region.Process, clk clock.Clock) {
	for service, id := range serviceIDs {
		for _, l := range awsclient.Limits {
			if l.Service == id && !l.PerOp {
				r.ThrottleOps(service, l.Ops, l.Burst, l.PerSecond)
			}
		}
	}
	pacer := awsclient.NewPacer(clk, awsclient.CallTimeout, awsclient.Limits)
	p.SetPace(func(ctx context.Context, service, op string, send func(context.Context) error) error {
		id, paced := serviceIDs[service]
		if !paced {
			return send(ctx)
		}
		return pacer.Do(ctx, id, op, send)
	})
}

// Pace is how fast a run of a drill was.
type Pace struct {
	Took time.Duration
	// Least is the least time that the run's changes take by AWS's rates.
	Least time.Duration
	// Calls counts what AWS was asked, by service, and Throttled how many of those
	// it turned away.
	Calls     map[string]int
	Throttled int
}

// Pace measures the calls of the drill's process from the nth on, of a run that
// took so long.
func (d Drill) Pace(from int, took time.Duration) Pace {
	p := Pace{Took: took, Calls: map[string]int{}}
	var changes []awsclient.Sent
	for _, c := range d.Calls()[from:] {
		id, counted := serviceIDs[c.Service]
		if !counted {
			continue
		}
		p.Calls[c.Service]++
		switch {
		case c.Err != nil:
			p.Throttled++
		case c.Mutating:
			changes = append(changes, awsclient.Sent{Service: id, Op: c.Op})
		}
	}
	p.Least = awsclient.Least(awsclient.Limits, changes)
	return p
}

// Calls are all that the drill's process has asked so far.
func (d Drill) Calls() []region.Call { return d.Region.Process(drillProcess).Calls() }

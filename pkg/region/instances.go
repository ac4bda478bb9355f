package region

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
)

// How long an instance takes to come into service and to go.
const (
	launchTime    = 60 * time.Second
	terminateTime = 30 * time.Second
)

// instance is one instance of a group.
type instance struct {
	id, zone  string // zone ID
	state     types.LifecycleState
	protected bool
	// leaving: another instance is being launched to replace this one.
	leaving bool
}

// instance makes one up. The region is locked.
func (r *Region) instance(zoneID string, state types.LifecycleState) *instance {
	return &instance{id: fmt.Sprintf("i-0%016x", r.random.Uint64()), zone: zoneID, state: state}
}

// movable: Auto Scaling may terminate it of its own accord.
func (i *instance) movable() bool {
	return i.state == types.LifecycleStateInService && !i.protected
}

// count counts the group's instances that are in one of the states.
func (g *group) count(states ...types.LifecycleState) int {
	n := 0
	for _, i := range g.instances {
		if slices.Contains(states, i.state) {
			n++
		}
	}
	return n
}

// spread counts by zone the instances that are there to stay.
func (g *group) spread() map[string]int {
	spread := map[string]int{}
	for _, i := range g.instances {
		there := i.state == types.LifecycleStateInService || i.state == types.LifecycleStatePending
		if there && !i.leaving {
			spread[i.zone]++
		}
	}
	return spread
}

// balanceAll balances every group, in a fixed order so that the same seed gives
// the same instances. The region is locked.
func (r *Region) balanceAll() {
	for _, name := range slices.Sorted(maps.Keys(r.groups)) {
		r.balance(r.groups[name])
	}
}

// balance starts what Auto Scaling would start now: instances missing from the
// desired capacity, the end of those beyond it, and moves towards an even spread
// over the group's zones. It is called whenever one of these may have changed.
// The region is locked.
func (r *Region) balance(g *group) {
	if r.groups[g.name] != g {
		return // deleted while something of it was under way
	}
	r.scaleOut(g)
	r.scaleIn(g)
	r.rebalance(g)
}

func (r *Region) scaleOut(g *group) {
	for !g.config.suspends("Launch") && g.count(types.LifecycleStateInService, types.LifecycleStatePending) < g.config.Desired {
		zoneID, ok := r.emptiest(g)
		if !ok {
			return
		}
		r.launch(g, zoneID, nil)
	}
}

func (r *Region) scaleIn(g *group) {
	for !g.config.suspends("Terminate") && g.count(types.LifecycleStateInService) > g.config.Desired {
		victim := r.surplus(g)
		if victim == nil {
			return
		}
		r.terminate(g, victim)
	}
}

// rebalance moves instances, launching first and terminating after, at most a
// tenth of the group or one at a time: the margin that Auto Scaling allows itself
// beyond a group's size.
func (r *Region) rebalance(g *group) {
	for _, process := range []string{"AZRebalance", "Launch", "Terminate"} {
		if g.config.suspends(process) {
			return
		}
	}
	moving := g.count(types.LifecycleStatePending, types.LifecycleStateTerminating)
	for ; moving < max(1, g.config.Desired/10); moving++ {
		zoneID, ok := r.emptiest(g)
		if !ok {
			return
		}
		victim := r.misplaced(g, zoneID)
		if victim == nil {
			return
		}
		r.launch(g, zoneID, victim)
	}
}

// launch starts an instance, in place of another one or not.
func (r *Region) launch(g *group, zoneID string, replaces *instance) {
	launched := r.instance(zoneID, types.LifecycleStatePending)
	g.instances = append(g.instances, launched)
	if replaces != nil {
		replaces.leaving = true
	}
	r.after(launchTime, func() {
		launched.state = types.LifecycleStateInService
		if r.noCapacity[zoneID] {
			g.drop(launched)
			if replaces != nil {
				replaces.leaving = false
			}
		}
		r.balance(g)
	})
}

func (r *Region) terminate(g *group, victim *instance) {
	victim.state = types.LifecycleStateTerminating
	r.after(terminateTime, func() {
		g.drop(victim)
		r.balance(g)
	})
}

func (g *group) drop(gone *instance) {
	g.instances = slices.DeleteFunc(g.instances, func(i *instance) bool { return i == gone })
}

// emptiest is the zone of the group's with the fewest instances, of those that
// have capacity; false if there is none.
func (r *Region) emptiest(g *group) (string, bool) {
	spread := g.spread()
	best, ok := "", false
	for _, id := range r.zonesOf(g) {
		if !r.noCapacity[id] && (!ok || spread[id] < spread[best]) {
			best, ok = id, true
		}
	}
	return best, ok
}

// misplaced is an instance that would be better off in the zone given: one outside
// the group's zones, or in a zone with at least two more. Nil if there is none.
func (r *Region) misplaced(g *group, better string) *instance {
	zones, spread := r.zonesOf(g), g.spread()
	var found *instance
	for _, i := range g.instances {
		if !i.movable() || i.leaving {
			continue
		}
		if !slices.Contains(zones, i.zone) {
			return i
		}
		if spread[i.zone] >= spread[better]+2 && (found == nil || spread[i.zone] > spread[found.zone]) {
			found = i
		}
	}
	return found
}

// surplus is the instance that a scale-in takes: one whose replacement has come,
// else one outside the group's zones, else one from the fullest zone. Nil if none
// may be taken.
func (r *Region) surplus(g *group) *instance {
	zones, spread := r.zonesOf(g), g.spread()
	rank := func(i *instance) int {
		switch {
		case i.leaving:
			return 1 << 31
		case !slices.Contains(zones, i.zone):
			return 1 << 30
		}
		return spread[i.zone]
	}
	var found *instance
	for _, i := range g.instances {
		if i.movable() && (found == nil || rank(i) > rank(found)) {
			found = i
		}
	}
	return found
}

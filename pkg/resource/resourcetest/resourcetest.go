// Package resourcetest is what every kind must pass: the contract of
// resource.Driver, held against a world in memory. Adding a kind means writing a
// Harness until Run is content.
package resourcetest

import (
	"testing"

	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

// Harness is one kind in a world of its own.
type Harness struct {
	Driver resource.Driver
	// Zone is the one to evacuate, Other one that goes out beside it. Zones are
	// all there are.
	Zone, Other zone.Zone
	Zones       zone.Zones
	// Policies are those under which the kind changes anything.
	Policies []resource.Policy
	Samples  Samples
	World    World
	Someone  Someone
}

// Samples names some of the world's resources.
type Samples struct {
	// Evacuable lie in Zone, in Other and in a third zone, of which they leave a
	// subnet of their VPC unused. One at least lists two subnets of Zone that do
	// not stand together, and they are not all in alphabetical order: else a
	// recovery that loses the order passes.
	Evacuable []string
	// Alone lies in Zone and nowhere else.
	Alone string
	// Tagged is the only one with the tag TagKey=TagValue.
	Tagged, TagKey, TagValue string
	// Excluded has the tag resource.ExcludeTag.
	Excluded string
}

// World is the kind's resources and the API they are reached by. It holds more
// than one page of them.
type World interface {
	// Snapshot gives everything about each resource that can be configured, by
	// ARN. Two snapshots are deeply equal when nothing differs.
	Snapshot() map[string]any
	// Subnets is a fresh snapshot of the subnets there are.
	Subnets() zone.Subnets
	// Calls counts the driver's calls so far, and those of them that change
	// something, whatever came of them.
	Calls() (all, writes int)
	// Settle lets what is under way come to its end.
	Settle()
	// Fail makes the nth call from now on fail, once: instead of taking effect, or
	// after it took effect.
	Fail(nth int, after bool)
}

// Someone is somebody else who changes the world meanwhile. These are no calls
// of the driver's.
type Someone interface {
	// SetSubnets gives a resource these subnets, in this order.
	SetSubnets(name string, ids []string)
	// Disturb changes something of a resource that the kind does not own.
	Disturb(name string)
	// Delete deletes a resource.
	Delete(name string)
	// DeleteSubnet deletes a subnet. Resources may go on naming it.
	DeleteSubnet(id string)
}

// Run holds the kind to its contract. open returns the same world each time, in
// the same state and sharing nothing.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	for _, c := range cases(open(t)) {
		t.Run(c.name(), func(t *testing.T) {
			if err := c.try(func() Harness { return open(t) }); err != nil {
				t.Error(err)
			}
		})
	}
}

// check is one demand of the contract. It returns what is wrong.
type check struct {
	name string
	run  func(*trial) error
}

// onceChecks are about the kind as a whole, changeChecks about one change: they
// run for every evacuable sample under every policy.
var (
	onceChecks   = concat(worldChecks, readChecks, planChecks)
	changeChecks = concat(applyChecks, recoverChecks, meanwhileChecks, zonesChecks)
)

func concat(tables ...[]check) []check {
	var all []check
	for _, t := range tables {
		all = append(all, t...)
	}
	return all
}

// testCase is a check with what it runs on.
type testCase struct {
	check
	sample string
	policy resource.Policy
}

func cases(h Harness) []testCase {
	var all []testCase
	for _, c := range onceChecks {
		all = append(all, testCase{check: c})
	}
	for _, c := range changeChecks {
		for _, p := range h.Policies {
			for _, name := range h.Samples.Evacuable {
				all = append(all, testCase{c, name, p})
			}
		}
	}
	return all
}

func (c testCase) name() string {
	if c.sample == "" {
		return c.check.name
	}
	return c.check.name + "/" + string(c.policy) + "/" + c.sample
}

// try runs the check in a new world.
func (c testCase) try(open func() Harness) error {
	t, err := newTrial(open, c.sample, c.policy)
	if err != nil {
		return err
	}
	return c.run(t)
}

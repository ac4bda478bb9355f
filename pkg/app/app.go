// Package app wires Sidestep together from its dependencies. It is the only
// package that knows every kind.
package app

import (

	"sidestep/pkg/clock"
	"sidestep/pkg/engine"
	"sidestep/pkg/kind/autoscalinggroup"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
	"sidestep/pkg/traffic"
	"sidestep/pkg/zone"
)

// Deps is all that Sidestep needs of the world. Every field is required but
// Progress.
type Deps struct {
	AutoScaling autoscalinggroup.API
	EC2         zone.API
	ELB         traffic.API
	Store       ledger.Store
	Clock       clock.Clock
	Account     string
	Region      string
	Config      Config
	Progress    func(step string, done, total int)
}

// Engine builds the engine.
func Engine(d Deps) *engine.Engine {
	return &engine.Engine{
		Ledger:   ledger.New(d.Store, d.Clock, d.Account, d.Region, d.Config.Ledger.Deadline),
		Drivers:  drivers(d),
		Zones:    d.EC2,
		Traffic:  traffic.New(d.ELB),
		Clock:    d.Clock,
		Timing:   d.Config.Timing(),
		Region:   d.Region,
		Progress: d.Progress,
	}
}

// drivers lists the kinds in the order they act.
func drivers(d Deps) []resource.Driver {
	return []resource.Driver{
		autoscalinggroup.New(d.AutoScaling, autoscalinggroup.Options{KeepReplacing: d.Config.Groups.KeepReplacing}),
	}
}

// Kinds are the names of the kinds there are.
func Kinds() []resource.Kind {
	var kinds []resource.Kind
	for _, d := range drivers(Deps{}) {
		kinds = append(kinds, d.Kind())
	}
	return kinds
}

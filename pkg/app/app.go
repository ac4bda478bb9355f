// Package app wires Sidestep together from its dependencies. It is the only
// package that knows every kind.
package app

import (
	"context"
	"fmt"

	"sidestep/pkg/clock"
	"sidestep/pkg/doctor"
	"sidestep/pkg/engine"
	"sidestep/pkg/kind/autoscalinggroup"
	"sidestep/pkg/kind/ecsservice"
	"sidestep/pkg/kind/lambdafunction"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
	"sidestep/pkg/traffic"
	"sidestep/pkg/zone"
)

// Deps is all that Sidestep needs of the world. Every field is required but
// IAM, CreateTable and Progress.
type Deps struct {
	AutoScaling autoscalinggroup.API
	ECS         ecsservice.API
	Lambda      lambdafunction.API
	Tagging     lambdafunction.TagsAPI
	EC2         zone.API
	ELB         traffic.API
	// IAM is asked by doctor alone; nil where there is nobody to ask.
	IAM   doctor.IAM
	Store ledger.Store
	// CreateTable makes what Store writes to; nil where that is there already.
	CreateTable func(context.Context) error
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

// InitLedger makes the ledger ready for use. It is for `ledger init` alone: a run
// never makes a ledger, since one that is not there may only be elsewhere.
func InitLedger(ctx context.Context, d Deps) error {
	if d.CreateTable != nil {
		if err := d.CreateTable(ctx); err != nil {
			return fmt.Errorf("making the ledger's table: %w", err)
		}
	}
	if err := Engine(d).Ledger.Init(ctx); err != nil {
		return fmt.Errorf("writing the ledger's schema: %w", err)
	}
	return nil
}

// drivers lists the kinds in the order they act.
func drivers(d Deps) []resource.Driver {
	return []resource.Driver{
		autoscalinggroup.New(d.AutoScaling, autoscalinggroup.Options{KeepReplacing: d.Config.Groups.KeepReplacing}),
		ecsservice.New(d.ECS, d.Clock),
		lambdafunction.New(d.Lambda, d.Tagging, d.Clock),
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

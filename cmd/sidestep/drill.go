package main

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/app"
	"sidestep/pkg/engine"
	"sidestep/pkg/resource"
)

// Times of a drill, in its own time.
const (
	drillOut   = time.Hour // how long the zone stays out
	drillAfter = time.Hour // what Auto Scaling gets to balance instances again
)

func (c *cli) drillCommand() *cobra.Command {
	var zone, policy string
	var seed int64
	cmd := &cobra.Command{
		Use:   "drill",
		Short: "Rehearse: evacuate and recover a region in memory; needs no AWS account",
		Long: "Evacuate and recover a sample region in memory, in its own time. It needs no AWS account, and\n" +
			"says the same for the same seed. Exit code 1 means that the configuration did not come back.",
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&zone, "zone", app.DrillZone, "the zone to evacuate, by ID or name")
	cmd.Flags().StringVar(&policy, "policy", string(resource.Hold), "hold or drain, as for evacuate")
	cmd.Flags().Int64Var(&seed, "seed", 1, "makes up the region's identifiers")
	cmd.RunE = c.do(func(cmd *cobra.Command, _ []string) error {
		if err := checkZone("--zone", zone); err != nil {
			return err
		}
		p, err := checkPolicy(policy)
		if err != nil {
			return err
		}
		d, err := c.newDrill(cmd.Context(), seed)
		if err != nil {
			return err
		}
		return d.play(cmd.Context(), engine.Request{Zone: zone, Policy: p, Actor: d.actor, Reason: "drill"})
	})
	return cmd
}

// drill is a rehearsal under way. Its session has the drill's clock and engine.
type drill struct {
	session
	world app.Drill
	seed  int64
}

func (c *cli) newDrill(ctx context.Context, seed int64) (*drill, error) {
	progress := &progress{w: c.err, stamp: true}
	world, err := app.NewDrill(ctx, seed, progress.show)
	if err != nil {
		return nil, err
	}
	progress.clock = world.Clock
	inside := *c
	inside.clock = world.Clock
	inside.random = func() string { return "s" + strconv.FormatInt(seed, 10) }
	return &drill{
		session: session{
			cli: &inside, deps: world.Deps, engine: app.Engine(world.Deps), actor: "drill", progress: progress,
			place: view.Place{Account: world.Deps.Account, Region: world.Deps.Region},
		},
		world: world,
		seed:  seed,
	}, nil
}

// play evacuates, lets time pass, recovers, lets time pass, and compares.
func (d *drill) play(ctx context.Context, req engine.Request) error {
	before := d.world.Region.Snapshot()
	report := view.Drill{Seed: d.seed, Policy: req.Policy, Before: d.world.Region.Placement()}
	var err error
	req.Direction = resource.Evacuate
	if report.Plan, err = d.engine.Plan(ctx, req); err != nil {
		return err
	}
	report.Plan.Run.Status = view.Planned
	report.Zone = report.Plan.Zone
	if !d.json() {
		fmt.Fprint(d.out, view.Plan(d.place, report.Plan, true)+"\n")
	}
	req.Run = d.runID("evacuate", report.Zone.ID)
	if report.Evacuation, err = d.engine.Evacuate(ctx, req); err != nil {
		return err
	}
	if err := d.clock.Sleep(ctx, drillOut); err != nil {
		return err
	}
	report.Out = d.world.Region.Placement()
	req.Direction, req.Run = resource.Recover, d.runID("recover", report.Zone.ID)
	if report.Recovery, err = d.engine.Recover(ctx, req); err != nil {
		return err
	}
	if err := d.clock.Sleep(ctx, drillAfter); err != nil {
		return err
	}
	report.After = d.world.Region.Placement()
	report.Restored = reflect.DeepEqual(before, d.world.Region.Snapshot())
	report.Violations = d.world.Region.Violations()
	d.print(report.Document(d.place), "\n"+report.Text(d.place))
	if !report.Restored || len(report.Violations) > 0 {
		return exitCode(exitFailed)
	}
	return nil
}

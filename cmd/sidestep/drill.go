package main

import (
	"context"
	"fmt"
	"maps"
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
	var fleet int
	var noWait bool
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
	cmd.Flags().IntVar(&fleet, "fleet", 0, "so many groups, services and functions more, at AWS's published rates: shows how fast it is")
	cmd.Flags().BoolVar(&noWait, "no-wait", false, "as for evacuate and recover")
	cmd.RunE = c.do(func(cmd *cobra.Command, _ []string) error {
		if err := checkZone("--zone", zone); err != nil {
			return err
		}
		p, err := checkPolicy(policy)
		if err != nil {
			return err
		}
		if fleet < 0 || fleet > maxFleet {
			return &usageError{fmt.Sprintf("--fleet is %d", fleet), fmt.Sprintf("use 0 to %d", maxFleet)}
		}
		d, err := c.newDrill(cmd.Context(), seed, fleet)
		if err != nil {
			return err
		}
		return d.play(cmd.Context(), engine.Request{Zone: zone, Policy: p, Actor: d.actor, Reason: "drill", NoWait: noWait})
	})
	return cmd
}

// maxFleet is about what an account can have of each in a region.
const maxFleet = 5000

// drill is a rehearsal under way. Its session has the drill's clock and engine.
type drill struct {
	session
	world app.Drill
	seed  int64
	fleet int
}

func (c *cli) newDrill(ctx context.Context, seed int64, fleet int) (*drill, error) {
	config, err := c.config()
	if err != nil {
		return nil, err
	}
	progress := &progress{w: c.err, stamp: true}
	world, err := app.NewDrill(ctx, app.DrillOptions{Seed: seed, Fleet: fleet, Config: config, Progress: progress.show})
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
		fleet: fleet,
	}, nil
}

// play evacuates, lets time pass, recovers, lets time pass, and compares.
func (d *drill) play(ctx context.Context, req engine.Request) error {
	before := d.world.Region.Configuration()
	report := view.Drill{Seed: d.seed, Policy: req.Policy, Before: d.placement()}
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
	if report.Evacuation, err = d.run(ctx, &report, req); err != nil {
		return err
	}
	if err := d.clock.Sleep(ctx, drillOut); err != nil {
		return err
	}
	report.Out = d.placement()
	req.Direction = resource.Recover
	if report.Recovery, err = d.run(ctx, &report, req); err != nil {
		return err
	}
	if err := d.clock.Sleep(ctx, drillAfter); err != nil {
		return err
	}
	report.After = d.placement()
	report.Restored = reflect.DeepEqual(before, d.world.Region.Configuration())
	report.Violations = d.world.Region.Violations()
	d.print(report.Document(d.place), "\n"+report.Text(d.place))
	if !report.Restored || len(report.Violations) > 0 {
		return exitCode(exitFailed)
	}
	return nil
}

// run is one run of the drill. Of a fleet's, the pace is measured.
func (d *drill) run(ctx context.Context, report *view.Drill, req engine.Request) (engine.Result, error) {
	req.Run = d.runID(string(req.Direction), report.Zone.ID)
	if d.fleet > 0 { // the buckets that the plan drew on are full again
		if err := d.clock.Sleep(ctx, time.Minute); err != nil {
			return engine.Result{}, err
		}
	}
	from, begun := len(d.world.Calls()), d.clock.Now()
	act := d.engine.Evacuate
	if req.Direction == resource.Recover {
		act = d.engine.Recover
	}
	result, err := act(ctx, req)
	if d.fleet > 0 && err == nil {
		report.Paces = append(report.Paces, d.world.Pace(from, d.clock.Now().Sub(begun)))
	}
	return result, err
}

// placement counts what runs where: instances by group, and tasks by service.
func (d *drill) placement() map[string]map[string]int {
	all := d.world.Region.Placement()
	maps.Copy(all, d.world.Region.ServicePlacement())
	return all
}

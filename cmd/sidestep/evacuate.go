package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/engine"
	"sidestep/pkg/resource"
)

// runFlags are those of runs that change something.
type runFlags struct {
	reason      string
	yes, noWait bool
}

func (f *runFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.reason, "reason", "", "why, for the audit trail")
	flags.BoolVar(&f.yes, "yes", false, "do not ask")
	flags.BoolVar(&f.noWait, "no-wait", false, "return when AWS has accepted every change; verify and watch see it settle")
	required(cmd, "reason")
}

// check is what can be said without asking AWS.
func (f *runFlags) check(c *cli) error {
	if err := checkReason(f.reason); err != nil {
		return err
	}
	return c.canAsk(f.yes)
}

func (c *cli) evacuateCommand() *cobra.Command {
	var f zoneFlags
	var r runFlags
	var override string
	cmd := &cobra.Command{
		Use:   "evacuate --zone ZONE --reason TEXT",
		Short: "Take a zone out of service",
		Args:  cobra.NoArgs,
	}
	f.add(cmd)
	r.add(cmd)
	cmd.Flags().StringVar(&override, "override-second-zone", "", "go on although this zone, by ID, is out already")
	cmd.RunE = c.do(func(cmd *cobra.Command, _ []string) error {
		req, err := f.request(c)
		if err != nil {
			return err
		}
		if err := r.check(c); err != nil {
			return err
		}
		s, err := c.openRun(cmd.Context(), resource.Evacuate)
		if err != nil {
			return err
		}
		req.Reason, req.NoWait, req.Override, req.Actor = r.reason, r.noWait, override, s.actor
		return s.evacuate(cmd.Context(), req, r.yes)
	})
	return cmd
}

// evacuate plans, shows, asks and runs.
func (s *session) evacuate(ctx context.Context, req engine.Request, yes bool) error {
	plan, err := s.plan(ctx, req, yes)
	if err != nil {
		return err
	}
	z := plan.Zone
	if err := s.alone(ctx, z.ID, req.Override); err != nil {
		return err
	}
	echo := fmt.Sprintf("Evacuating zone %s, which this account calls %s: account %s, region %s, policy %s.",
		z.ID, z.Name, s.place.Account, s.place.Region, req.Policy)
	if err := s.ask(ctx, yes, echo, "zone ID", z.ID); err != nil {
		return err
	}
	req.Run = s.runID("evacuate", z.ID)
	result, err := s.engine.Evacuate(ctx, req)
	return s.conclude(result, err)
}

// plan makes and shows the plan of a run, once it is clear that the run has a
// ledger to write to.
func (s *session) plan(ctx context.Context, req engine.Request, yes bool) (engine.Result, error) {
	plan, err := s.engine.Plan(ctx, req)
	s.progress.done()
	if err != nil {
		return plan, err
	}
	s.known = true
	if err := s.engine.Ledger.Check(ctx); err != nil {
		return plan, err
	}
	s.show(view.Plan(s.place, plan, true), yes)
	return plan, nil
}

// show puts what is about to happen before whoever is asked, or reads along.
func (s *session) show(text string, yes bool) {
	switch {
	case !s.json():
		fmt.Fprint(s.out, text)
	case !yes:
		fmt.Fprint(s.err, text)
	}
}

// conclude tells how a run ended.
func (s *session) conclude(result engine.Result, err error) error {
	s.progress.done()
	if err != nil && !begun(result) {
		return err
	}
	note, journal := s.kept()
	document, text := view.NewDocument(s.place, result), "\n"+view.Result(s.place, result)+journal
	if note != "" {
		document.Notes = append(document.Notes, note)
	}
	if err == nil {
		s.print(document, text)
		return ending(result.Run.Status)
	}
	early := s.early(result, err)
	told := explain(early).document()
	document.Error = &told
	if _, refused := asRefusal(err); refused {
		text = "" // nothing was done, and the error says why
	}
	s.print(document, text)
	return early
}

// begun reports whether a run held the lock, and so may have changed something.
func begun(result engine.Result) bool { return !result.Run.EndedAt.IsZero() }

// early says of a run that ended early how to go on.
func (s *session) early(result engine.Result, err error) error {
	if _, refused := asRefusal(err); refused || !begun(result) {
		return err
	}
	next := "go on with `" + view.Again(s.place, result.Run) + "`"
	if result.Run.Direction == resource.Evacuate {
		next += ", or undo it with `sidestep recover --zone " + result.Zone.ID + " --reason TEXT" + s.place.Flags + "`"
	}
	return &runError{err, next}
}

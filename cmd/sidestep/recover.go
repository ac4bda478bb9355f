package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/app"
	"sidestep/pkg/engine"
	"sidestep/pkg/resource"
)

func (c *cli) recoverCommand() *cobra.Command {
	var zone string
	var all bool
	var kinds scopeFlags
	var r runFlags
	cmd := &cobra.Command{
		Use:   "recover (--zone ZONE | --all-zones) --reason TEXT",
		Short: "Bring a zone back: undo what its evacuation did, and nothing else",
		Args:  cobra.NoArgs,
	}
	cmd.Flags().StringVar(&zone, "zone", "", "the zone, by ID or by this account's name for it")
	cmd.Flags().BoolVar(&all, "all-zones", false, "every zone that is out, one after the other")
	cmd.Flags().StringSliceVar(&kinds.kinds, "kinds", nil, "only these kinds: "+kindNames())
	cmd.MarkFlagsOneRequired("zone", "all-zones")
	cmd.MarkFlagsMutuallyExclusive("zone", "all-zones")
	r.add(cmd)
	cmd.RunE = c.do(func(cmd *cobra.Command, _ []string) error {
		req, err := recoverRequest(zone, all, kinds)
		if err != nil {
			return err
		}
		if err := r.check(c); err != nil {
			return err
		}
		s, err := c.openRun(cmd.Context(), resource.Recover)
		if err != nil {
			return err
		}
		req.Reason, req.NoWait, req.Actor = r.reason, r.noWait, s.actor
		if all {
			return s.recoverAll(cmd.Context(), req, r.yes)
		}
		return s.recover(cmd.Context(), req, r.yes)
	})
	return cmd
}

func recoverRequest(zone string, all bool, kinds scopeFlags) (engine.Request, error) {
	req := engine.Request{Direction: resource.Recover, Zone: zone}
	if !all {
		if err := checkZone("--zone", zone); err != nil {
			return req, err
		}
	}
	scope, err := kinds.scope(app.ScopeConfig{})
	req.Scope = scope
	return req, err
}

// recover plans, shows, asks and runs.
func (s *session) recover(ctx context.Context, req engine.Request, yes bool) error {
	plan, err := s.plan(ctx, req, yes)
	if err != nil {
		return err
	}
	if err := s.ask(ctx, yes, s.echoRecovery(plan), "zone ID", plan.Zone.ID); err != nil {
		return err
	}
	req.Run = s.runID("recover", plan.Zone.ID)
	result, err := s.engine.Recover(ctx, req)
	return s.conclude(result, err)
}

func (s *session) echoRecovery(plan engine.Result) string {
	return fmt.Sprintf("Bringing zone %s back, which this account calls %s: account %s, region %s.",
		plan.Zone.ID, plan.Zone.Name, s.place.Account, s.place.Region)
}

// runs is the document of several runs.
type runs struct {
	Runs []view.Document `json:"runs"`
}

// recoverAll brings back every zone that is out, and asks once for all.
func (s *session) recoverAll(ctx context.Context, req engine.Request, yes bool) error {
	out, err := s.zonesOut(ctx)
	if err != nil {
		return err
	}
	if len(out) == 0 {
		s.print(runs{[]view.Document{}}, "No zone is out: there is nothing to recover.\n")
		return nil
	}
	for _, id := range out {
		req.Zone = id
		plan, err := s.plan(ctx, req, yes)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.err, "\n%s\n", s.echoRecovery(plan))
	}
	echo := fmt.Sprintf("%d zones come back, one after the other.", len(out))
	if err := s.ask(ctx, yes, echo, "zone IDs, with commas", strings.Join(out, ",")); err != nil {
		return err
	}
	return s.recoverEach(ctx, req, out)
}

// zonesOut lists the IDs of the zones that are out.
func (s *session) zonesOut(ctx context.Context) ([]string, error) {
	if err := s.engine.Ledger.Check(ctx); err != nil {
		return nil, err
	}
	status, err := s.engine.Status(ctx, "")
	var ids []string
	for _, z := range status.Zones {
		ids = append(ids, z.Zone.ID)
	}
	s.known = err == nil
	return ids, err
}

// recoverEach stops for nothing but a stop: one zone's trouble must not keep
// another one out.
func (s *session) recoverEach(ctx context.Context, req engine.Request, zones []string) error {
	document := runs{Runs: []view.Document{}}
	var text strings.Builder
	var worst error
	for _, id := range zones {
		req.Zone, req.Run = id, s.runID("recover", id)
		result, err := s.engine.Recover(ctx, req)
		s.progress.done()
		d := view.NewDocument(s.place, result)
		if begun(result) {
			text.WriteString("\n" + view.Result(s.place, result))
		}
		if err != nil {
			worst = s.early(result, err)
			told := explain(worst).document()
			d.Error = &told
			fmt.Fprintf(&text, "\n%s: %s\n", id, explain(worst))
		} else if code := ending(result.Run.Status); worst == nil {
			worst = code
		}
		document.Runs = append(document.Runs, d)
		if ctx.Err() != nil {
			break
		}
	}
	note, journal := s.kept()
	for i := range document.Runs {
		if note != "" {
			document.Runs[i].Notes = append(document.Runs[i].Notes, note)
		}
	}
	s.print(document, text.String()+journal)
	return worst
}

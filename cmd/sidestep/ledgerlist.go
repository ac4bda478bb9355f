package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/app"
	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
)

func (c *cli) ledgerListCommand() *cobra.Command {
	var zone string
	var runs bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the open records by zone, or the runs",
		Args:  cobra.NoArgs,
	}
	cmd.Flags().StringVar(&zone, "zone", "", "only this zone, by ID or by this account's name for it")
	cmd.Flags().BoolVar(&runs, "runs", false, "list the runs, oldest first, instead of records")
	cmd.RunE = c.do(func(cmd *cobra.Command, _ []string) error {
		if zone != "" {
			if err := checkZone("--zone", zone); err != nil {
				return err
			}
		}
		s, err := c.openLedger(cmd.Context())
		if err != nil {
			return err
		}
		if zone, err = s.zoneID(cmd.Context(), zone); err != nil {
			return err
		}
		if runs {
			return s.listRuns(cmd.Context(), zone)
		}
		found, err := s.records(cmd.Context(), func(r ledger.Record) bool { return zone == "" || r.Zone == zone })
		if err != nil {
			return err
		}
		document := view.NewRecords(found)
		s.print(document, document.List())
		return nil
	})
	return cmd
}

// openLedger connects for a command that reads the ledger alone.
func (c *cli) openLedger(ctx context.Context) (*session, error) {
	s, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	return s, s.engine.Ledger.Check(ctx)
}

// zoneID resolves the zone that limits a view, none for all. What reads the ledger
// alone must answer when nothing else does: then the zone is taken as it was given.
func (s *session) zoneID(ctx context.Context, zone string) (string, error) {
	if zone == "" {
		return "", nil
	}
	z, _, err := s.engine.Resolve(ctx, zone)
	if _, unknown := asRefusal(err); unknown {
		return "", err
	}
	if err != nil {
		return zone, nil
	}
	return z.ID, nil
}

func (s *session) listRuns(ctx context.Context, zone string) error {
	runs, err := s.engine.Ledger.Runs(ctx)
	if err != nil {
		return err
	}
	runs = slices.DeleteFunc(runs, func(r ledger.Run) bool { return zone != "" && r.Zone != zone })
	document := view.NewRuns(s.place, runs)
	s.print(document, document.Text())
	return nil
}

// records returns the open records of all zones that match.
func (s *session) records(ctx context.Context, match func(ledger.Record) bool) ([]ledger.Record, error) {
	var found []ledger.Record
	for _, k := range app.Kinds() {
		records, err := s.engine.Ledger.RecordsOfKind(ctx, k)
		if err != nil {
			return nil, err
		}
		found = append(found, slices.DeleteFunc(records, func(r ledger.Record) bool { return !match(r) })...)
	}
	return found, nil
}

func (c *cli) ledgerShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show ARN",
		Short: "Show the records of one resource, by ARN or name, in full",
		Args:  cobra.ExactArgs(1),
		RunE: c.do(func(cmd *cobra.Command, args []string) error {
			s, err := c.openLedger(cmd.Context())
			if err != nil {
				return err
			}
			found, err := s.records(cmd.Context(), func(r ledger.Record) bool { return r.ARN == args[0] || r.Name == args[0] })
			if err != nil {
				return err
			}
			if len(found) == 0 {
				return &engine.Refusal{
					Why:  fmt.Sprintf("the ledger has no open record of %s", view.Clean(args[0])),
					Next: "`sidestep ledger list` shows what it has",
				}
			}
			document := view.NewRecords(found)
			s.print(document, document.Show())
			return nil
		}),
	}
}

package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/engine"
)

// repairDocument is the answer of ledger repair. Without a run, nothing was
// changed.
type repairDocument struct {
	Repairs []engine.Repair `json:"repairs"`
	Run     *view.Document  `json:"run,omitempty"`
}

func (c *cli) ledgerRepairCommand() *cobra.Command {
	var zone, reason string
	var yes bool
	cmd := &cobra.Command{
		Use:   "repair --zone ZONE",
		Short: "Bring records that disagree with the live configuration in line with it",
		Long: "Bring records that disagree with the live configuration in line with it: list what each would\n" +
			"become, ask, and write it. No resource is touched.",
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&zone, "zone", "", "the zone, by ID or by this account's name for it")
	cmd.Flags().StringVar(&reason, "reason", "repair of the ledger", "why, for the audit trail")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	required(cmd, "zone")
	cmd.RunE = c.do(func(cmd *cobra.Command, _ []string) error {
		if err := checkZone("--zone", zone); err != nil {
			return err
		}
		if err := checkReason(reason); err != nil {
			return err
		}
		s, err := c.openLedger(cmd.Context())
		if err != nil {
			return err
		}
		return s.repair(cmd.Context(), engine.Request{Zone: zone, Actor: s.actor, Reason: reason}, yes)
	})
	return cmd
}

// repair lists, asks and applies.
func (s *session) repair(ctx context.Context, req engine.Request, yes bool) error {
	z, _, err := s.engine.Resolve(ctx, req.Zone)
	if err != nil {
		return err
	}
	repairs, err := s.engine.Repairs(ctx, req.Zone)
	if err != nil {
		return err
	}
	text := view.Repairs(z, repairs)
	if len(repairs) == 0 {
		s.print(repairDocument{Repairs: []engine.Repair{}}, text)
		return nil
	}
	if err := s.canAsk(yes); err != nil {
		s.print(repairDocument{Repairs: repairs}, text)
		return err
	}
	s.show(text, yes)
	if err := s.ask(ctx, yes, fmt.Sprintf("Repairing the records of zone %s in account %s.", z, s.place.Account), "zone ID", z.ID); err != nil {
		return err
	}
	req.Run = s.runID("repair", z.ID)
	result, err := s.engine.ApplyRepairs(ctx, req, repairs)
	s.progress.done()
	if err != nil {
		return err
	}
	document := view.NewDocument(s.place, result)
	s.print(repairDocument{repairs, &document}, fmt.Sprintf("\nREPAIRED: %d of %d records; trail: sidestep audit %s%s\n",
		len(result.Items), len(repairs), req.Run, s.place.Flags))
	return nil
}

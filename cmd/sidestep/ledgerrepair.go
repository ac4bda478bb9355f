package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
)

// repairDocument is the answer of ledger repair. Where its run has no ID nothing
// was changed.
type repairDocument struct {
	view.Document
	Repairs []engine.Repair `json:"repairs"`
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
		s, err := c.openWrite(cmd.Context())
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
	found := repairDocument{view.NewDocument(s.place, engine.Result{Run: ledger.Run{Zone: z.ID, ZoneName: z.Name}}), repairs}
	if len(repairs) == 0 {
		found.Repairs = []engine.Repair{}
		s.print(found, text)
		return nil
	}
	if err := s.canAsk(yes); err != nil {
		told := explain(err).document()
		found.Error = &told
		s.print(found, text)
		return err
	}
	s.show(text, yes)
	if err := s.ask(ctx, yes, fmt.Sprintf("Repairing the records of zone %s in account %s.", z, s.place.Account), "zone ID", z.ID); err != nil {
		return err
	}
	req.Run = s.runID("repair", z.ID)
	result, err := s.engine.ApplyRepairs(ctx, req, repairs)
	s.progress.done()
	if err != nil && begun(result) {
		return &runError{err, "run the repair again"}
	}
	if err != nil {
		return err
	}
	s.print(repairDocument{view.NewDocument(s.place, result), repairs}, fmt.Sprintf("\nREPAIRED: %d of %d records; trail: sidestep audit %s%s\n",
		len(result.Items), len(repairs), req.Run, s.place.Flags))
	return nil
}

package main

import (
	"github.com/spf13/cobra"

	"sidestep/cmd/sidestep/view"
)

func (c *cli) verifyCommand() *cobra.Command {
	var zone string
	cmd := &cobra.Command{
		Use:   "verify --zone ZONE",
		Short: "Compare the live configuration with the zone's records; changes nothing",
		Long: "Compare the live configuration with the zone's records. It changes nothing.\n" +
			"Exit code 6 means that somebody changed what the evacuation had changed.",
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&zone, "zone", "", "the zone, by ID or by this account's name for it")
	required(cmd, "zone")
	cmd.RunE = c.do(func(cmd *cobra.Command, _ []string) error {
		if err := checkZone("--zone", zone); err != nil {
			return err
		}
		s, err := c.open(cmd.Context())
		if err != nil {
			return err
		}
		if err := s.engine.Ledger.Check(cmd.Context()); err != nil {
			return err
		}
		result, err := s.engine.Verify(cmd.Context(), zone)
		if err != nil {
			return err
		}
		result.Run.Status = view.Holds
		if result.Drifted() {
			result.Run.Status = view.Drift
		}
		s.print(view.NewDocument(s.place, result), view.Verify(s.place, result))
		if result.Drifted() {
			return exitCode(exitDrift)
		}
		return nil
	})
	return cmd
}

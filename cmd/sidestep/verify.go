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
			"Exit code 6 means that somebody changed what the evacuation had changed, 3 that a run\n" +
			"did not get through: something is not closed yet, or not back.",
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&zone, "zone", "", "the zone, by ID or by this account's name for it")
	required(cmd, "zone")
	cmd.RunE = c.do(func(cmd *cobra.Command, _ []string) error {
		if err := checkZone("--zone", zone); err != nil {
			return err
		}
		s, err := c.openLedger(cmd.Context())
		if err != nil {
			return err
		}
		result, err := s.engine.Verify(cmd.Context(), zone)
		if err != nil {
			return err
		}
		exit := exitDone
		result.Run.Status = view.Holds
		switch {
		case result.Drifted():
			result.Run.Status, exit = view.Drift, exitDrift
		case result.Incomplete():
			result.Run.Status, exit = view.Incomplete, exitPartial
		}
		s.print(view.NewDocument(s.place, result), view.Verify(s.place, result))
		if exit != exitDone {
			return exitCode(exit)
		}
		return nil
	})
	return cmd
}

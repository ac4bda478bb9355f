package main

import (
	"github.com/spf13/cobra"

	"sidestep/cmd/sidestep/view"
)

func (c *cli) statusCommand() *cobra.Command {
	var zone string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show which zones are out, what is under way and what waits for a person",
		Long: "Show which zones are out, what is under way and what waits for a person.\n" +
			"Exit code 3 means that something will not go on by itself.",
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&zone, "zone", "", "only this zone, by ID or by this account's name for it")
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
		status, err := s.engine.Status(cmd.Context(), zone)
		if err != nil {
			return err
		}
		document := view.NewStatus(s.place, status, c.clock.Now())
		s.print(document, document.Text())
		if document.NeedsPerson {
			return exitCode(exitPartial)
		}
		return nil
	})
	return cmd
}

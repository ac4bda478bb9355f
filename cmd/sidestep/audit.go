package main

import (
	"github.com/spf13/cobra"

	"sidestep/cmd/sidestep/view"
)

func (c *cli) auditCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "audit RUN",
		Short: "Show what a run did, step by step, and who asked for it and why",
		Args:  cobra.ExactArgs(1),
		RunE: c.do(func(cmd *cobra.Command, args []string) error {
			if len(args[0]) > maxRunID {
				return &usageError{"that is no run's ID", "`sidestep ledger list --runs` shows the runs"}
			}
			s, err := c.open(cmd.Context())
			if err != nil {
				return err
			}
			if err := s.engine.Ledger.Check(cmd.Context()); err != nil {
				return err
			}
			run, err := s.engine.Ledger.Run(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			events, err := s.engine.Ledger.Events(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			document := view.NewAudit(s.place, run, events)
			s.print(document, document.Text())
			return nil
		}),
	}
}

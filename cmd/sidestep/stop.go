package main

import (
	"context"

	"github.com/spf13/cobra"

	"sidestep/cmd/sidestep/view"
)

func (c *cli) stopCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "stop RUN --reason TEXT",
		Short: "Have a run begin nothing more, wherever it executes, and wait until it has let go",
		Long: "Have a run begin nothing more, wherever it executes. It finds out with its next\n" +
			"heartbeat, finishes and records what is under way, and lets the run lock go; the ledger\n" +
			"stays complete. The zone is left as it is: it may still be bad.",
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the audit trail")
	required(cmd, "reason")
	cmd.RunE = c.do(func(cmd *cobra.Command, args []string) error {
		if len(args[0]) > maxRunID {
			return &usageError{"that is no run's ID", "`sidestep status` shows the run that executes"}
		}
		if err := checkReason(reason); err != nil {
			return err
		}
		s, err := c.openWrite(cmd.Context())
		if err != nil {
			return err
		}
		return s.stop(cmd.Context(), args[0], reason)
	})
	return cmd
}

func (s *session) stop(ctx context.Context, run, reason string) error {
	if err := s.engine.Ledger.Check(ctx); err != nil {
		return err
	}
	header, err := s.engine.Stop(ctx, run, s.actor, reason)
	s.progress.done()
	if err != nil {
		return err
	}
	document := view.NewStopped(s.place, header)
	s.print(document, document.Text())
	return nil
}

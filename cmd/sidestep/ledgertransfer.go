package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
)

func (c *cli) ledgerExportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write the ledger as lines of JSON, to the file or to stdout",
		Args:  cobra.MaximumNArgs(1),
		RunE: c.do(func(cmd *cobra.Command, args []string) error {
			s, err := c.openLedger(cmd.Context())
			if err != nil {
				return err
			}
			if len(args) == 0 || args[0] == "-" {
				s.said = true // the lines are the answer, whatever --output says
				return s.engine.Ledger.Export(cmd.Context(), s.out)
			}
			if err := s.exportTo(cmd.Context(), args[0]); err != nil {
				return err
			}
			s.print(map[string]string{"file": args[0]}, fmt.Sprintf("EXPORTED to %s\n", view.Clean(args[0])))
			return nil
		}),
	}
}

// exportTo writes a file whole or not at all. It names accounts and resources, so
// it is for its owner alone.
func (s *session) exportTo(ctx context.Context, path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".sidestep-export-*")
	if err != nil {
		return &usageError{"the file cannot be written: " + err.Error(), "name another file"}
	}
	defer func() { _ = os.Remove(f.Name()) }() // there no more once it was renamed
	err = s.engine.Ledger.Export(ctx, f)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return &usageError{"the file cannot be written: " + err.Error(), "name another file"}
	}
	return nil
}

// importDocument is the answer of ledger import.
type importDocument struct {
	view.Document
	Import ledger.ImportResult `json:"import"`
}

func (c *cli) ledgerImportCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "import [FILE]",
		Short: "Join an export into the ledger, from the file or from stdin",
		Long: "Join an export into the ledger, from the file or from stdin. Of two records on one resource the\n" +
			"older original stays, removed subnets are joined, and the later state counts. Importing a file\n" +
			"again changes nothing. No resource is touched.",
		Args: cobra.MaximumNArgs(1),
	}
	cmd.Flags().StringVar(&reason, "reason", "import of a ledger", "why, for the audit trail")
	cmd.RunE = c.do(func(cmd *cobra.Command, args []string) error {
		if err := checkReason(reason); err != nil {
			return err
		}
		s, err := c.openLedger(cmd.Context())
		if err != nil {
			return err
		}
		transfer, err := s.readTransfer(args)
		if err != nil {
			return err
		}
		req := engine.Request{Run: s.runID("import", "ledger"), Actor: s.actor, Reason: reason}
		result, imported, err := s.engine.Import(cmd.Context(), req, transfer)
		s.progress.done()
		if _, refused := asRefusal(err); err != nil && begun(result) && !refused {
			return &runError{err, "import it again: what is there already stays as it is"}
		}
		if err != nil {
			return err
		}
		s.print(importDocument{view.NewDocument(s.place, result), imported}, view.Import(imported))
		return nil
	})
	return cmd
}

func (s *session) readTransfer(args []string) (*ledger.Transfer, error) {
	if len(args) == 0 || args[0] == "-" {
		return s.engine.Ledger.ReadTransfer(s.in)
	}
	f, err := os.Open(args[0])
	if err != nil {
		return nil, &usageError{"the file cannot be read: " + err.Error(), "name a file that `sidestep ledger export` wrote"}
	}
	defer f.Close()
	return s.engine.Ledger.ReadTransfer(f)
}

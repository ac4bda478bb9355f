package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/journal"
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
		Short: "Join an export or a journal into the ledger, from the file or from stdin",
		Long: "Join an export or a journal into the ledger, from the file or from stdin. What a run made of a\n" +
			"record takes its place, and what a run closed stays closed. Where two runs wrote of one resource\n" +
			"and neither knew of the other, the older original stays, removed subnets are joined, and the later\n" +
			"state counts. Importing a file again changes nothing. No resource is touched.",
		Args: cobra.MaximumNArgs(1),
	}
	cmd.Flags().StringVar(&reason, "reason", "import of a ledger", "why, for the audit trail")
	cmd.RunE = c.do(func(cmd *cobra.Command, args []string) error {
		if err := errors.Join(checkReason(reason), c.onlyTable()); err != nil {
			return err
		}
		s, err := c.openLedger(cmd.Context())
		if err != nil {
			return err
		}
		return s.importFile(cmd.Context(), args, reason)
	})
	return cmd
}

func (s *session) importFile(ctx context.Context, args []string, reason string) error {
	transfer, err := s.readTransfer(ctx, args)
	if err != nil {
		return err
	}
	req := engine.Request{Run: s.runID("import", "ledger"), Actor: s.actor, Reason: reason}
	result, imported, err := s.engine.Import(ctx, req, transfer)
	s.progress.done()
	if _, refused := asRefusal(err); err != nil && begun(result) && !refused {
		return &runError{err, "import it again: what is there already stays as it is"}
	}
	if err != nil {
		return err
	}
	text := view.Import(imported)
	if imported.Closed > 0 {
		text += fmt.Sprintf("CLOSED %d of the ledger's records, which a run that is in the file had closed\n", imported.Closed)
	}
	if len(args) > 0 && args[0] != "-" {
		if err := s.imported(args[0]); err != nil {
			fmt.Fprintf(s.err, "This machine still takes the journal's zones for out: %s\n", view.Clean(err.Error()))
		}
	}
	s.print(importDocument{view.NewDocument(s.place, result), imported}, text)
	return nil
}

func (s *session) readTransfer(ctx context.Context, args []string) (*ledger.Transfer, error) {
	if len(args) == 0 || args[0] == "-" {
		return s.readFrom(ctx, s.in)
	}
	f, err := os.Open(args[0])
	if err != nil {
		return nil, &usageError{"the file cannot be read: " + err.Error(), "name a file that `sidestep ledger export` or a run with a journal wrote"}
	}
	defer f.Close()
	return s.readFrom(ctx, f)
}

// readFrom tells an export and a journal apart by how they begin.
func (s *session) readFrom(ctx context.Context, r io.Reader) (*ledger.Transfer, error) {
	in := bufio.NewReader(r)
	if !journal.Is(in) {
		return s.engine.Ledger.ReadTransfer(in)
	}
	items, err := journal.Items(ctx, in, ledger.Name(s.place.Account, s.place.Region))
	if errors.Is(err, journal.ErrFormat) {
		return nil, fmt.Errorf("%w: %w", ledger.ErrFile, err)
	}
	if err != nil {
		return nil, err
	}
	return s.engine.Ledger.TransferOf(items)
}

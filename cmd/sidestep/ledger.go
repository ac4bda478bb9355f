package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"sidestep/pkg/app"
)

func (c *cli) ledgerCommand() *cobra.Command {
	cmd := group("ledger", "Make, look at, move and repair the ledger")
	cmd.AddCommand(c.ledgerInitCommand(), c.ledgerListCommand(), c.ledgerShowCommand(),
		c.ledgerExportCommand(), c.ledgerImportCommand(), c.ledgerRepairCommand())
	return cmd
}

func (c *cli) ledgerInitCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Make the ledger's table, once an account and region",
		Args:  cobra.NoArgs,
		RunE: c.do(func(cmd *cobra.Command, _ []string) error {
			if err := c.onlyTable(); err != nil {
				return err
			}
			s, err := c.open(cmd.Context())
			if err != nil {
				return err
			}
			if err := app.InitLedger(cmd.Context(), s.deps); err != nil {
				return err
			}
			table := s.deps.Config.Ledger.Table
			s.print(map[string]string{"table": table, "account": s.place.Account, "region": s.place.Region},
				fmt.Sprintf("READY: table %s in account %s, region %s\n", table, s.place.Account, s.place.Region))
			return nil
		}),
	}
}

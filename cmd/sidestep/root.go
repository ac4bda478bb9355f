package main

import (
	"fmt"
	"regexp"

	"github.com/spf13/cobra"
)

// newRoot builds the whole command line.
func (c *cli) newRoot() *cobra.Command {
	root := group("sidestep", "Take an Availability Zone out of service on AWS, and bring it back")
	root.SilenceErrors, root.SilenceUsage = true, true
	flags := root.PersistentFlags()
	flags.StringVar(&c.flags.region, "region", "", "AWS region (default: as every AWS tool finds it)")
	flags.StringVar(&c.flags.profile, "profile", "", "AWS profile (default: as every AWS tool finds it)")
	flags.StringVar(&c.flags.table, "table", "", "DynamoDB table of the ledger (default: as configured, else sidestep-ledger)")
	flags.StringVar(&c.flags.journal, "journal", "", "file that is the ledger instead of the table, for when DynamoDB does not answer")
	flags.StringVar(&c.flags.config, "config", "", "configuration file (default: $SIDESTEP_CONFIG)")
	flags.StringVar(&c.flags.output, "output", "text", "text or json: one document on stdout")
	root.AddCommand(
		c.planCommand(), c.evacuateCommand(), c.recoverCommand(), c.stopCommand(),
		c.statusCommand(), c.verifyCommand(), c.watchCommand(),
		c.ledgerCommand(), c.auditCommand(), c.drillCommand(), c.doctorCommand(), c.versionCommand(),
	)
	return root
}

// group is a command that only has others below it.
func group(use, short string) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.ArbitraryArgs, // or cobra shows its help for a command that there is not
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
		},
	}
}

var tableName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{3,255}$`)

// do is a command's body. From here on an error is not about usage unless it says
// so.
func (c *cli) do(body func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c.ran = true
		if c.flags.output != "text" && c.flags.output != "json" {
			return &usageError{fmt.Sprintf("--output %q is neither text nor json", c.flags.output), "say --output json, or leave it out"}
		}
		if c.flags.table != "" && !tableName.MatchString(c.flags.table) {
			return &usageError{fmt.Sprintf("--table %q is no name of a DynamoDB table", c.flags.table), "3 to 255 of a-z, A-Z, 0-9, _, . and -"}
		}
		if c.root.PersistentFlags().Changed("journal") && c.flags.journal == "" {
			return &usageError{"--journal names no file", "say --journal FILE, or leave it out"}
		}
		return body(cmd, args)
	}
}

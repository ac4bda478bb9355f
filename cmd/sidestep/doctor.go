package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/app"
	"sidestep/pkg/doctor"
	"sidestep/pkg/resource"
)

func (c *cli) doctorCommand() *cobra.Command {
	var flags scopeFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what would fail on the day: reach, ledger, permissions; changes nothing",
		Long: "Say what would fail on the day: whether AWS answers, whether the ledger may be written, what in\n" +
			"scope the caller may not change. It changes nothing. Exit code 3 means that something is known\n" +
			"to fail; what cannot be told is listed, and exits with 0.",
		Args: cobra.NoArgs,
	}
	flags.add(cmd.Flags())
	cmd.RunE = c.do(func(cmd *cobra.Command, _ []string) error {
		config, err := c.config()
		if err != nil {
			return err
		}
		scope, err := flags.scope(config.Scope)
		if err != nil {
			return err
		}
		return c.examine(cmd.Context(), scope)
	})
	return cmd
}

// examine connects and looks. That there is no connection is a finding, not an
// end: it is the first of what would fail on the day.
func (c *cli) examine(ctx context.Context, scope resource.Scope) error {
	s, who, err := c.openAs(ctx)
	if broken, ok := errors.AsType[*app.ConnectError](err); ok {
		return c.diagnose(view.Place{Region: c.flags.region}, "", doctor.Unconnected(broken.Why, broken.Next))
	}
	if err != nil {
		return err
	}
	report, err := s.doctor(who).Examine(ctx, scope)
	s.progress.done()
	if err != nil {
		return err
	}
	return c.diagnose(s.place, who.ARN, report)
}

// openAs is open, and says who AWS says we are.
func (c *cli) openAs(ctx context.Context) (*session, app.Identity, error) {
	var who app.Identity
	inside := *c
	inside.connect = func(ctx context.Context, o app.ConnectOptions) (app.Deps, app.Identity, error) {
		deps, identity, err := c.connect(ctx, o)
		who = identity
		return deps, identity, err
	}
	s, err := inside.open(ctx)
	return s, who, err
}

// doctor is what examines where the session is connected to.
func (s *session) doctor(who app.Identity) doctor.Doctor {
	return doctor.Doctor{
		Account: who.Account, Region: s.deps.Region, Caller: who.ARN,
		Zones: s.engine.Zones, Ledger: s.engine.Ledger, Drivers: s.engine.Drivers, ELB: s.deps.ELB, IAM: s.deps.IAM,
		Clock: s.clock, Progress: s.deps.Progress,
	}
}

// diagnose prints the report, and exits by what it says.
func (c *cli) diagnose(p view.Place, caller string, r doctor.Report) error {
	document := view.NewDoctor(p, caller, r)
	c.print(document, document.Text())
	if document.Verdict == doctor.NotReady {
		return exitCode(exitPartial)
	}
	return nil
}

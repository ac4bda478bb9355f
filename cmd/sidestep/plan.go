package main

import (
	"github.com/spf13/cobra"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/engine"
	"sidestep/pkg/resource"
)

// zoneFlags are those of plan and evacuate.
type zoneFlags struct {
	zone, policy string
	scope        scopeFlags
}

func (f *zoneFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.zone, "zone", "", "the zone, by ID (use1-az1) or by this account's name for it (us-east-1a)")
	flags.StringVar(&f.policy, "policy", string(resource.Hold), "hold: close the zone, move nothing; drain: also move what runs there")
	f.scope.add(flags)
	required(cmd, "zone")
}

// required marks flags that must be given.
func required(cmd *cobra.Command, names ...string) {
	for _, n := range names {
		if err := cmd.MarkFlagRequired(n); err != nil {
			panic(err) // there is no such flag: a mistake in this package
		}
	}
}

// request is what the flags ask of the engine.
func (f *zoneFlags) request(c *cli) (engine.Request, error) {
	req := engine.Request{Direction: resource.Evacuate, Zone: f.zone}
	if err := checkZone("--zone", f.zone); err != nil {
		return req, err
	}
	config, err := c.config()
	if err != nil {
		return req, err
	}
	if req.Policy, err = checkPolicy(f.policy); err != nil {
		return req, err
	}
	req.Scope, err = f.scope.scope(config.Scope)
	return req, err
}

func (c *cli) planCommand() *cobra.Command {
	var f zoneFlags
	cmd := &cobra.Command{
		Use:   "plan --zone ZONE",
		Short: "Show what an evacuation would change, and what it would leave; changes nothing",
		Args:  cobra.NoArgs,
	}
	f.add(cmd)
	cmd.RunE = c.do(func(cmd *cobra.Command, _ []string) error {
		req, err := f.request(c)
		if err != nil {
			return err
		}
		s, err := c.open(cmd.Context())
		if err != nil {
			return err
		}
		result, err := s.engine.Plan(cmd.Context(), req)
		s.progress.done()
		if err != nil {
			return err
		}
		result.Run.Status = view.Planned
		c.print(view.NewDocument(s.place, result), view.Plan(s.place, result, false))
		return nil
	})
	return cmd
}

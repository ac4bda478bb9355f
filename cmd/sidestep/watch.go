package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/engine"
	"sidestep/pkg/resource"
)

// watchEvery is the pause between two looks.
const watchEvery = time.Minute

func (c *cli) watchCommand() *cobra.Command {
	var zone string
	var once bool
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Close recoveries that have settled, and report drift, every minute",
		Long: "Close recoveries that have settled, and report drift, every minute until Ctrl-C. With --once, look\n" +
			"once: exit code 6 means drift, 3 that something else needs a person.",
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&zone, "zone", "", "only this zone, by ID or name (default: every zone that is out)")
	cmd.Flags().BoolVar(&once, "once", false, "look once")
	cmd.RunE = c.do(func(cmd *cobra.Command, _ []string) error {
		if zone != "" {
			if err := checkZone("--zone", zone); err != nil {
				return err
			}
		}
		if c.json() && !once {
			return &usageError{"watch has no one document to print", "say --once with --output json"}
		}
		s, err := c.openWrite(cmd.Context())
		if err != nil {
			return err
		}
		if once {
			return s.watchOnce(cmd.Context(), zone)
		}
		return s.watch(cmd.Context(), zone)
	})
	return cmd
}

// look is what one look found.
type look struct {
	Zones       []view.Document `json:"zones"`
	NeedsPerson bool            `json:"needsPerson"`
	lines       []string
	drift       bool
}

// look reconciles the zone, or every zone that is out.
func (s *session) look(ctx context.Context, zone string) (look, error) {
	l := look{Zones: []view.Document{}}
	zones := []string{zone}
	if zone == "" {
		var err error
		if zones, err = s.zonesOut(ctx); err != nil {
			return l, err
		}
	}
	var failed error
	exposed := false
	for _, z := range zones {
		result, err := s.engine.Reconcile(ctx, engine.Request{
			Run: s.runID("watch", z), Direction: resource.Recover, Zone: z, Actor: s.actor, Reason: "watch",
		})
		s.progress.done()
		if err != nil { // the other zones are looked at all the same
			failed = cmp.Or(failed, fmt.Errorf("zone %s: %w", z, err))
			continue
		}
		if result.Run.Status == "" && result.Incomplete() {
			result.Run.Status = view.Incomplete // it was looked at, and no run was needed
		}
		l.drift = l.drift || result.Drifted()
		exposed = exposed || result.Heaviest() >= resource.Exposed
		l.Zones = append(l.Zones, view.NewDocument(s.place, result))
		l.lines = append(l.lines, view.Watch(result))
	}
	status, err := s.engine.Status(ctx, "")
	l.NeedsPerson = exposed || status.NeedsPerson()
	if len(zones) == 0 {
		l.lines = []string{"no zone is out"}
	}
	return l, cmp.Or(failed, err)
}

func (s *session) watchOnce(ctx context.Context, zone string) error {
	l, err := s.look(ctx, zone)
	if err != nil && (s.json() || len(l.lines) == 0) {
		return err
	}
	text := ""
	for _, line := range l.lines {
		text += line + "\n"
	}
	s.print(l, text)
	switch {
	case err != nil:
		return err
	case l.drift:
		return exitCode(exitDrift)
	case l.NeedsPerson:
		return exitCode(exitPartial)
	}
	return nil
}

// watch looks until it is told to stop. What goes wrong in one look may be right
// in the next, and somebody relies on there being one.
func (s *session) watch(ctx context.Context, zone string) error {
	var last []string
	for {
		l, err := s.look(ctx, zone)
		if ctx.Err() != nil {
			return nil
		}
		lines := l.lines
		if err != nil {
			lines = append(lines, explain(err).String())
		}
		if !slices.Equal(lines, last) {
			for _, line := range lines {
				fmt.Fprintf(s.out, "%s  %s\n", s.clock.Now().UTC().Format(time.DateTime), line)
			}
			last = lines
		}
		if err := s.clock.Sleep(ctx, watchEvery); errors.Is(err, context.Canceled) {
			return nil
		}
	}
}

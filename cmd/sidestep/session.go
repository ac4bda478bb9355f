package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/app"
	"sidestep/pkg/engine"
)

// session is a command that is connected to an account and region.
type session struct {
	*cli
	deps     app.Deps
	engine   *engine.Engine
	actor    string
	place    view.Place
	progress *progress

	journal *journalFile // that the ledger is in; nil while it is in the table
	known   bool         // the records of what is to be recovered were read
}

// open connects for a command that changes neither resources nor the ledger, or
// the table alone.
func (c *cli) open(ctx context.Context) (*session, error) {
	s, err := c.start(ctx)
	if err != nil {
		return nil, err
	}
	if c.flags.journal != "" {
		if err := s.lookAtJournal(c.flags.journal); err != nil {
			return nil, err
		}
	}
	s.engine = app.Engine(s.deps)
	return s, nil
}

// start reads the configuration and connects.
func (c *cli) start(ctx context.Context) (*session, error) {
	config, err := c.config()
	if err != nil {
		return nil, err
	}
	s := &session{cli: c, progress: newProgress(c.err, c.clock, c.bar)}
	deps, who, err := c.connect(ctx, app.ConnectOptions{
		Region: c.flags.region, Profile: c.flags.profile, Config: config, Clock: c.clock, Progress: s.progress.show,
	})
	if err != nil {
		return nil, err
	}
	s.deps = deps
	s.actor = actor(who.ARN, c.user())
	s.place = view.Place{Account: deps.Account, Region: deps.Region, Flags: c.given()}
	return s, nil
}

// config is the configuration file under the flags.
func (c *cli) config() (app.Config, error) {
	path := c.flags.config
	if path == "" {
		path = c.getenv("SIDESTEP_CONFIG")
	}
	config := app.DefaultConfig()
	if path != "" {
		var err error
		if config, err = app.LoadConfig(path); err != nil {
			return config, err
		}
	}
	if c.flags.table != "" {
		config.Ledger.Table = c.flags.table
	}
	return config, nil
}

// given repeats the global flags as they were given, but for some, for the commands
// that are named as next steps.
func (c *cli) given(but ...string) string {
	var b strings.Builder
	c.root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Name != "output" && !slices.Contains(but, f.Name) {
			fmt.Fprintf(&b, " --%s %s", f.Name, view.Quote(f.Value.String()))
		}
	})
	return b.String()
}

// maxRunID bounds what can be the ID of a run.
const maxRunID = 200

// maxActor bounds what the ledger keeps of a name.
const maxActor = 256

// actor names who is acting, to AWS and at the keyboard.
func actor(arn, user string) string {
	a := view.Clean(fmt.Sprintf("%s (%s)", arn, user))
	if utf8.RuneCountInString(a) > maxActor {
		return string([]rune(a)[:maxActor])
	}
	return a
}

// runID names a run: what it does, to which zone, when, and a word that keeps two
// of one second apart.
func (s *session) runID(what, zoneID string) string {
	at := strings.ToLower(s.clock.Now().UTC().Format("20060102T150405Z"))
	return strings.Join([]string{what, zoneID, at, s.random()}, "-")
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/app"
	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/failover"
	"sidestep/pkg/ledger/journal"
	"sidestep/pkg/resource"
)

// journalFile is the journal that a session's ledger is in.
type journalFile struct {
	path    string           // from the root, so that it is found from anywhere
	machine *journal.Machine // nil where it cannot be used
}

// openRun connects for a run. Where the table does not answer, somebody is asked
// whether to go on with a journal.
func (c *cli) openRun(ctx context.Context, d resource.Direction) (*session, error) {
	if c.flags.journal != "" {
		s, warning, err := c.openJournal(ctx, d == resource.Evacuate)
		if err == nil {
			fmt.Fprintf(c.err, "Without the ledger table:\n%s", unprotected(warning))
		}
		return s, err
	}
	s, err := c.start(ctx)
	if err != nil {
		return nil, err
	}
	s.deps.Store = failover.New(s.deps.Store, func(cause error) (ledger.Store, error) { return s.consent(ctx, d, cause) })
	s.engine = app.Engine(s.deps)
	return s, nil
}

// openWrite connects for what writes the ledger and is no run that must go on.
func (c *cli) openWrite(ctx context.Context) (*session, error) {
	if c.flags.journal != "" {
		s, _, err := c.openJournal(ctx, false)
		return s, err
	}
	return c.openLedger(ctx)
}

// openJournal connects with the journal that --journal names, which may be new
// where there is something to begin.
func (c *cli) openJournal(ctx context.Context, mayBeNew bool) (*session, string, error) {
	path := c.flags.journal
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && !mayBeNew {
		return nil, "", noJournal(path)
	}
	s, err := c.start(ctx)
	if err != nil {
		return nil, "", err
	}
	store, warning, err := s.useJournal(ctx, path)
	if err != nil {
		return nil, "", explainJournal(path, err)
	}
	s.deps.Store, s.deps.CreateTable = store, nil
	s.engine = app.Engine(s.deps)
	return s, warning, nil
}

// lookAtJournal takes a journal for the ledger, to read it.
func (s *session) lookAtJournal(path string) error {
	store, err := app.ReadJournal(s.deps, path)
	if errors.Is(err, fs.ErrNotExist) {
		return noJournal(path)
	}
	if err != nil {
		return explainJournal(path, err)
	}
	s.deps.Store, s.deps.CreateTable = store, nil
	return nil
}

// useJournal opens a journal to write to, for the rest of the command. The warning
// says why this machine's runs are not kept apart, if they are not.
func (s *session) useJournal(ctx context.Context, path string) (ledger.Store, string, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, "", err
	}
	name := ledger.Name(s.place.Account, s.place.Region)
	machine, err := journal.Hold(s.stateFolder(), name)
	if errors.Is(err, ledger.ErrBusy) {
		return nil, "", err
	}
	warning := ""
	if err != nil {
		warning = err.Error()
	} else {
		s.after = append(s.after, func() { _ = machine.Close() })
	}
	file, err := app.OpenJournal(ctx, s.deps, path)
	if err != nil {
		return nil, "", err
	}
	s.after = append(s.after, func() { _ = file.Close() })
	s.journal = &journalFile{path: whole, machine: machine}
	if machine == nil {
		return file, warning, nil
	}
	store, err := machine.Watch(ctx, file, whole, name)
	return store, "", err
}

// stateFolder is where this machine keeps what it knows of runs without the table,
// empty where there is no such place.
func (c *cli) stateFolder() string {
	if state := c.getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "sidestep")
	}
	if home := c.getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "sidestep")
	}
	return ""
}

// unprotected says what rests on the table.
func unprotected(warning string) string {
	text := "  - another machine may run at the same time, and the two may undo each other's changes\n" +
		"  - a second zone may go out: this run knows only of zones that are out by journals on this machine\n" +
		"  - `sidestep status` elsewhere does not show this run\n"
	if warning != "" {
		text += notApart(warning)
	}
	return text
}

func notApart(warning string) string {
	return "  - not even this machine's runs are kept apart: " + view.Clean(warning) + "\n"
}

func noJournal(path string) error {
	return &usageError{"there is no journal " + view.Clean(path), "name the file that the evacuation said it keeps its ledger in"}
}

// explainJournal says why a journal that was named cannot be used.
func explainJournal(path string, err error) error {
	switch {
	case errors.Is(err, ledger.ErrBusy):
		return &engine.Refusal{
			Why:  "another run with a journal is executing on this machine, or one has " + view.Clean(path) + " open",
			Next: "wait for it to end, then try again",
		}
	case errors.Is(err, ledger.ErrSchema), errors.Is(err, journal.ErrLost):
		return err
	}
	return &usageError{err.Error(), "name a journal of this account and region, or a new file to evacuate with"}
}

// onlyTable refuses --journal for commands that are about the table itself.
func (c *cli) onlyTable() error {
	if c.flags.journal == "" {
		return nil
	}
	return &usageError{"this command is about the ledger's table, and --journal names a file", "leave --journal out"}
}

// alone refuses to take a zone out while another one is out by a journal on this
// machine that the ledger in use knows nothing of, and to begin a second journal of
// one zone.
func (s *session) alone(ctx context.Context, zone, override string) error {
	out, allowed := s.zonesByJournal(), strings.Split(override, ",")
	for _, id := range slices.Sorted(maps.Keys(out)) {
		path := out[id]
		if slices.Contains(allowed, id) || s.journal != nil && s.journal.path == path {
			continue
		}
		has, err := app.JournalHas(ctx, s.deps, path, id)
		switch {
		case err == nil && !has:
			// It came back, and nobody could say so here.
		case id != zone:
			return &engine.Refusal{
				Why: fmt.Sprintf("zone %s is out already, by the journal %s, and one zone goes out at a time", id, view.Clean(path)),
				Next: fmt.Sprintf("recover it first (`sidestep recover --zone %s --reason TEXT --journal %s`), or `sidestep ledger import` the journal, or say --override-second-zone %s",
					id, view.Quote(path), id),
			}
		case err == nil && s.journal != nil:
			return &engine.Refusal{
				Why:  fmt.Sprintf("zone %s is out by the journal %s, and a second one would know nothing of it", id, view.Clean(path)),
				Next: "go on with that one: --journal " + view.Quote(path),
			}
		}
	}
	return nil
}

// zonesByJournal is which zones journals on this machine have out. A folder that
// cannot be read was warned of where it matters.
func (s *session) zonesByJournal() map[string]string {
	if s.journal != nil && s.journal.machine != nil {
		return s.journal.machine.Out()
	}
	out, _ := journal.Out(s.stateFolder(), ledger.Name(s.place.Account, s.place.Region))
	return out
}

// imported takes a journal's zones off what this machine remembers: the table
// knows of them now.
func (s *session) imported(path string) error {
	whole, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	has := false
	for _, journal := range s.zonesByJournal() {
		has = has || journal == whole
	}
	if !has {
		return nil
	}
	machine, err := journal.Hold(s.stateFolder(), ledger.Name(s.place.Account, s.place.Region))
	if err != nil {
		return err
	}
	return errors.Join(machine.Forget(whole), machine.Close())
}

// kept says where the ledger of this session is, if not in the table: for the
// document, and as the last lines of the text.
func (s *session) kept() (note, text string) {
	if s.journal == nil {
		return "", ""
	}
	path := s.journal.path
	next := "sidestep ledger import " + view.Quote(path) + s.given("journal")
	note = fmt.Sprintf("the ledger of this run is the journal %s: keep it, and once the table answers, `%s`", path, next)
	text = fmt.Sprintf("\nJOURNAL %s\n  the table does not have all of this run: keep the file. Once the table answers:\n  %s\n", view.Clean(path), next)
	if machine := s.journal.machine; machine != nil && machine.Err() != nil {
		text += "  runs on this machine may not know which zones are out: " + view.Clean(machine.Err().Error()) + "\n"
	}
	return note, text
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/awserr"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// outage is the error of a run whose ledger does not answer, and which does not go
// on with a journal.
type outage struct {
	cause error // what came instead of an answer
	why   string
	next  string
	// command goes on with a journal, where one that is new is enough.
	command string
}

func (e *outage) Error() string {
	return "the ledger does not answer (" + awserr.Brief(e.cause) + "), and " + e.why
}

// consent asks whether to go on with a journal, since the table does not answer.
// --yes is no answer to that: a script that says it on two machines would take two
// zones out. It may be called by any goroutine of a run.
func (s *session) consent(ctx context.Context, d resource.Direction, cause error) (ledger.Store, error) {
	if d == resource.Recover && !s.known {
		return nil, &outage{cause: cause, why: "what is to be put back stands there alone",
			next: "say --journal FILE if the evacuation has used one; else try again until it answers"}
	}
	path := fmt.Sprintf("sidestep-%s-%s-%s.journal", s.place.Account, s.place.Region, s.clock.Now().UTC().Format("20060102T150405Z"))
	no := &outage{cause: cause, next: "try again once it answers"}
	if d == resource.Evacuate {
		no.command = s.again(path)
		no.next = "`" + no.command + "` goes on without it"
	}
	if !s.terminal {
		no.why = "there is no terminal to ask on whether to go on without it"
		return nil, no
	}
	answer, err := s.askForJournal(ctx, cause, path)
	if err != nil {
		return nil, err
	}
	if answer != "yes" {
		no.why = fmt.Sprintf("%q is not yes", view.Clean(answer))
		return nil, no
	}
	store, err := s.turnToJournal(ctx, path)
	if err != nil {
		told := explain(explainJournal(path, err))
		return nil, &outage{cause: cause, why: "the journal cannot be used: " + told.what, next: told.next}
	}
	return store, nil
}

func (s *session) askForJournal(ctx context.Context, cause error, path string) (answer string, err error) {
	s.progress.during(func() {
		fmt.Fprintf(s.err, "\nTHE LEDGER DOES NOT ANSWER: %s\nThe run can go on with a journal in this folder, %s. Until that is imported:\n%s",
			view.Clean(awserr.Brief(cause)), path, unprotected(""))
		fmt.Fprint(s.err, "Type yes to go on with the journal: ")
		answer, err = s.readLine(ctx)
	})
	return answer, err
}

// turnToJournal makes the journal that was agreed to.
func (s *session) turnToJournal(ctx context.Context, path string) (ledger.Store, error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("there is a file of that name already")
	}
	store, warning, err := s.useJournal(ctx, path)
	if err != nil {
		return nil, err
	}
	if warning != "" {
		fmt.Fprint(s.err, notApart(warning))
	}
	s.place.Flags += " --journal " + view.Quote(s.journal.path)
	return store, nil
}

// again is the command line that was given, with a journal.
func (c *cli) again(path string) string {
	words := make([]string, len(c.args))
	for i, a := range c.args {
		words[i] = view.Quote(a)
	}
	return "sidestep " + strings.Join(words, " ") + " --journal " + view.Quote(path)
}

// during runs f with the progress off the terminal.
func (p *progress) during(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	f()
}

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/app"
	"sidestep/pkg/awserr"
	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/journal"
)

// The exit codes, which scripts hold on to.
const (
	exitDone    = 0
	exitFailed  = 1
	exitUsage   = 2
	exitPartial = 3 // something is still exposed, or needs a person
	exitHeld    = 4
	exitRefused = 5 // nothing was changed
	exitDrift   = 6
	exitStopped = 7
)

// exitCode is the error of a command that has said all there is to say.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// usageError is what the command line alone shows to be wrong.
type usageError struct{ why, next string }

func (e *usageError) Error() string { return e.why + "; " + e.next }

// runError is the error of a run that had begun: whatever it is, something may
// have been changed, and next says how to go on.
type runError struct {
	err  error
	next string
}

func (e *runError) Error() string { return e.err.Error() }
func (e *runError) Unwrap() error { return e.err }

// failure is an error as it is told.
type failure struct {
	what, next string
	exit       int
}

// String is one line.
func (f failure) String() string { return view.Clean(f.what + "; " + f.next) }

func (f failure) document() view.Error {
	return view.Error{Message: f.what, Next: f.next, Exit: f.exit}
}

const nothingChanged = "nothing was changed: "

// causes is the table of what errors mean. The first that fits counts.
var causes = []struct {
	is   func(error) bool
	exit int
	what string // precedes the error's own words, or replaces them if it ends a sentence
	next string
}{
	{is(context.Canceled), exitStopped, "stopped, and nothing was changed.", "run the same command again to go on"},
	{is(ledger.ErrStale), exitStopped, "", "`sidestep status` shows what is going on"},
	{is(app.ErrConfig), exitUsage, "", "correct the file, or leave --config and SIDESTEP_CONFIG out"},
	{is(ledger.ErrFile), exitUsage, "", "name a file that `sidestep ledger export` or a run with a journal wrote, unchanged"},
	{is(journal.ErrLost), exitRefused, nothingChanged, "make room for the journal, then run it again"},
	{is(ledger.ErrNoTable), exitRefused, nothingChanged + "the ledger table does not exist.", "`sidestep ledger init` makes it; check --table, --region and --profile first. `--journal FILE` does without it"},
	{is(ledger.ErrSchema), exitRefused, nothingChanged, "use the version of sidestep that wrote it, or `sidestep ledger init` if it is new"},
	{is(ledger.ErrNoRun), exitRefused, "", "`sidestep ledger list --runs` shows the runs"},
	{class(awserr.Access), exitRefused, nothingChanged, "get the permission, or check --profile"},
	{class(awserr.Unreachable), exitRefused, nothingChanged, "check the network and AWS_ENDPOINT_URL, then try again"},
	{class(awserr.AtFault), exitRefused, nothingChanged, "try again; if it stays so, see the AWS Health Dashboard"},
	{class(awserr.Throttled), exitRefused, nothingChanged, "wait a little, then try again"},
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func class(c awserr.Class) func(error) bool {
	return func(err error) bool { return awserr.Classify(err) == c }
}

// explain says what an error means, what to do and which code to exit with.
func explain(err error) failure {
	if usage, ok := errors.AsType[*usageError](err); ok {
		return failure{usage.why, usage.next, exitUsage}
	}
	if refusal, ok := errors.AsType[*engine.Refusal](err); ok {
		return failure{refusal.Why, refusal.Next, exitRefused}
	}
	if connect, ok := errors.AsType[*app.ConnectError](err); ok {
		return failure{connect.Why, connect.Next, exitRefused}
	}
	if begun, ok := errors.AsType[*runError](err); ok {
		return explainRun(begun)
	}
	if silent, ok := errors.AsType[*outage](err); ok {
		return failure{nothingChanged + silent.Error(), silent.next, exitRefused}
	}
	for _, c := range causes {
		if !c.is(err) {
			continue
		}
		if what, whole := strings.CutSuffix(c.what, "."); whole {
			return failure{what, c.next, c.exit}
		}
		return failure{c.what + said(err), c.next, c.exit}
	}
	return failure{said(err), "`sidestep status` shows how things stand", exitFailed}
}

// said is an error in its own words, on one line.
func said(err error) string { return awserr.Brief(err) }

// explainRun says why a run ended early.
func explainRun(e *runError) failure {
	switch {
	case errors.Is(e.err, context.Canceled):
		return failure{"stopped: nothing further was changed, and what was is in the ledger", e.next, exitStopped}
	case errors.Is(e.err, engine.ErrStopped):
		return failure{said(e.err) + ": nothing further was changed, and what was is in the ledger", e.next, exitStopped}
	case errors.Is(e.err, ledger.ErrStale):
		return failure{"stopped: " + said(e.err) + ", nothing further was changed", e.next, exitStopped}
	}
	if silent, ok := errors.AsType[*outage](e.err); ok {
		next := e.next + ", once it answers"
		if silent.command != "" {
			next += "; `" + silent.command + "` goes on without it"
		}
		return failure{"ended early: " + silent.Error(), next, exitFailed}
	}
	if errors.Is(e.err, journal.ErrLost) {
		return failure{"ended early: " + said(e.err), "make room for the journal, then " + e.next, exitFailed}
	}
	return failure{"ended early: " + said(e.err), e.next, exitFailed}
}

// ending is the exit code of a run that came to its end, as an error.
func ending(status ledger.Status) error {
	code, known := map[ledger.Status]exitCode{
		ledger.Done: exitDone, ledger.Partial: exitPartial, ledger.Held: exitHeld, ledger.Refused: exitRefused,
		ledger.Stopped: exitStopped,
	}[status]
	switch {
	case !known:
		return exitCode(exitFailed)
	case code == exitDone:
		return nil
	}
	return code
}

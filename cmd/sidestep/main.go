// Command sidestep takes an impaired Availability Zone out of service on AWS, and
// brings it back.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"sidestep/pkg/app"
	"sidestep/pkg/clock"
)

// killed is what a shell reports for a process that Ctrl-C ended.
const killed = 130

// softMemory is from where on the collector works harder rather than let the
// process grow: it may run on a small jump host, beside what else is needed that
// night. GOMEMLIMIT sets another.
const softMemory = 96 << 20

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softMemory)
	}
	ctx, stop := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		fmt.Fprintln(os.Stderr, "\nsidestep: stopping: what has begun is finished and recorded; once more to leave at once")
		stop()
		<-signals
		fmt.Fprintln(os.Stderr, "\nsidestep: left at once; the ledger knows what was begun: `sidestep status` shows it, `sidestep recover` undoes it")
		os.Exit(killed)
	}()
	os.Exit(run(ctx, os.Args[1:], system{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		terminal: isTerminal(os.Stdin) && isTerminal(os.Stderr),
		bar:      isTerminal(os.Stderr),
		connect:  app.Connect,
		clock:    clock.Real{},
		user:     localUser,
		random:   randomWord,
		getenv:   os.Getenv,
	}))
}

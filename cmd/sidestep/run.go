package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/app"
	"sidestep/pkg/clock"
)

// system is what the command line needs of the machine it runs on.
type system struct {
	in       io.Reader
	out, err io.Writer
	terminal bool // a person can be asked
	bar      bool // err shows a progress bar
	connect  func(context.Context, app.ConnectOptions) (app.Deps, app.Identity, error)
	clock    clock.Clock
	user     func() string
	random   func() string // four characters
	getenv   func(string) string
}

// cli is one execution of the command line.
type cli struct {
	system
	flags globalFlags
	root  *cobra.Command
	args  []string
	ran   bool          // a command began: errors before that are about usage
	said  bool          // the document is on stdout
	input *bufio.Reader // in, shared by all questions
	after []func()      // what is to be done when the command has ended
}

// globalFlags are the flags that every command takes.
type globalFlags struct {
	region, profile, table, journal, config, output string
}

// run executes one command line and returns the exit code.
func run(ctx context.Context, args []string, s system) int {
	c := &cli{system: s, args: args, input: bufio.NewReader(s.in)}
	defer c.close()
	c.root = c.newRoot()
	c.root.SetArgs(args)
	c.root.SetIn(s.in)
	c.root.SetOut(s.out)
	c.root.SetErr(s.err)
	cmd, err := c.root.ExecuteContextC(ctx)
	if err == nil {
		return exitDone
	}
	if code, ok := errors.AsType[exitCode](err); ok {
		return int(code)
	}
	if !c.ran {
		err = &usageError{err.Error(), "see `" + cmd.CommandPath() + " --help`"}
	}
	f := explain(err)
	fmt.Fprintf(s.err, "sidestep: %s\n", f)
	if !c.said && (c.flags.output == "json" || asksJSON(args)) {
		fmt.Fprint(s.out, view.JSON(struct {
			Error view.Error `json:"error"`
		}{f.document()}))
	}
	return f.exit
}

func (c *cli) close() {
	for _, f := range slices.Backward(c.after) {
		f()
	}
}

// asksJSON reads the one flag that matters for how to answer where the flags
// could not be read.
func asksJSON(args []string) bool {
	i := slices.Index(args, "--output")
	return slices.Contains(args, "--output=json") || i >= 0 && i+1 < len(args) && args[i+1] == "json"
}

func (c *cli) json() bool { return c.flags.output == "json" }

// print writes the answer: the document, or else the text.
func (c *cli) print(document any, text string) {
	if !c.json() {
		fmt.Fprint(c.out, text)
		return
	}
	c.said = true
	fmt.Fprint(c.out, view.JSON(document))
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// localUser is who sits at the keyboard, as the machine tells.
func localUser() string {
	name, host := "unknown", "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if h, err := os.Hostname(); err == nil {
		host = h
	}
	return name + "@" + host
}

func randomWord() string { return strings.ToLower(rand.Text()[:4]) }

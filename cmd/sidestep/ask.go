package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sidestep/pkg/engine"
)

// canAsk refuses to go on where nobody could say no.
func (c *cli) canAsk(yes bool) error {
	if yes || c.terminal {
		return nil
	}
	return &usageError{"there is no terminal to ask on, and nothing was changed", "say --yes to go on without being asked"}
}

// ask shows what is about to happen and has it confirmed by typing a word.
func (c *cli) ask(ctx context.Context, yes bool, echo, what, word string) error {
	fmt.Fprintf(c.err, "\n%s\n", echo)
	if yes {
		return nil
	}
	fmt.Fprintf(c.err, "Type the %s to go on: ", what)
	answer, err := c.readLine(ctx)
	if err != nil {
		return err
	}
	if answer != word {
		return &engine.Refusal{
			Why:  fmt.Sprintf("%q is not the %s %s, and nothing was changed", answer, what, word),
			Next: "run it again to be asked again",
		}
	}
	return nil
}

// readLine reads what is typed, or ends when it is told to stop.
func (c *cli) readLine(ctx context.Context) (string, error) {
	type reply struct {
		text string
		err  error
	}
	replies := make(chan reply, 1)
	go func() {
		text, err := c.input.ReadString('\n')
		replies <- reply{text, err}
	}()
	var text string
	select {
	case <-ctx.Done():
	case r := <-replies: // an end of input is an empty answer
		text = strings.TrimSpace(r.text)
	}
	// Of a stop and an answer at one moment the stop counts.
	if ctx.Err() != nil {
		return "", fmt.Errorf("waiting for an answer: %w", context.Cause(ctx))
	}
	return text, nil
}

func asRefusal(err error) (*engine.Refusal, bool) {
	return errors.AsType[*engine.Refusal](err)
}

package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// stopKey is the sort key of what asks a run to stop.
const stopKey = "stop"

// Stop asks a run to begin nothing more. The run finds it with its next heartbeat.
type Stop struct {
	At time.Time `json:"at"`
	By string    `json:"by"` // who asked
	// Why is their reason, or the run that waits for this one.
	Why string `json:"why"`
}

// AskStop leaves a request for a run to stop, together with events of its trail. One
// that was left before stays as it is.
func (l *Ledger) AskStop(ctx context.Context, run string, s Stop, events ...Event) error {
	ops := append(l.eventOps(events), Op{Put: encode(runPrefix+run, stopKey, s), If: Condition{Absent: true}})
	if err := l.write(ctx, ops...); err != nil && !errors.Is(err, ErrCondition) {
		return fmt.Errorf("asking run %s to stop: %w", run, err)
	}
	return nil
}

// StopAsked reads the request for a run to stop, if there is one.
func (l *Ledger) StopAsked(ctx context.Context, run string) (Stop, bool, error) {
	var s Stop
	item, err := l.get(ctx, runPrefix+run, stopKey, &s)
	if err != nil {
		return Stop{}, false, fmt.Errorf("reading whether run %s is to stop: %w", run, err)
	}
	return s, item != nil, nil
}

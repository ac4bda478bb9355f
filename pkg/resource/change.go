package resource

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"sidestep/pkg/zone"
)

// Change is what a plan found to do for one resource, or why nothing is done.
type Change struct {
	ID
	Zone      zone.Zone
	Direction Direction
	Policy    Policy
	// Edits are sent in this order.
	Edits []Edit
	// Removed are the zone's subnets that Edits take away.
	Removed []string
	// Order is set where Recorded.Order must be.
	Order []string
	// Outcome is Planned where there are edits, else the code for there being
	// none.
	Outcome Outcome
	// Reason explains the outcome in a sentence.
	Reason string
	// Notes are what a person should know before saying yes.
	Notes []string
	// SentAt is when the change was sent, where it was and is judged: what AWS says of
	// a time before is not about it. Zero where that is not known.
	SentAt time.Time
	// Becomes is what the resource is once AWS has accepted an evacuation's change,
	// where that is not Applied; with Reason.
	Becomes Outcome
	// Rollout: AWS replaces all that runs, everywhere. So many at a time as the
	// configuration allows.
	Rollout bool
}

// Edit sets one field.
type Edit struct {
	Field string   `json:"field"`
	From  []string `json:"from"`
	To    []string `json:"to"`
}

// ErrDrifted says that a field is neither as planned from nor as planned to:
// somebody else changed it in between, and what was planned is void.
var ErrDrifted = errors.New("changed by someone else")

// Missing judges each edit alone against a fresh reading and returns those still
// to be sent. It returns ErrDrifted, and no edit, if any field is neither at
// From nor at To.
func (c Change) Missing(live Resource) ([]Edit, error) {
	var missing []Edit
	for _, e := range c.Edits {
		switch at := live.Fields[e.Field]; {
		case slices.Equal(at, e.To):
		case slices.Equal(at, e.From):
			missing = append(missing, e)
		default:
			return nil, fmt.Errorf("%s of %s is %v, planned from %v to %v: %w", e.Field, c.Name, at, e.From, e.To, ErrDrifted)
		}
	}
	return missing, nil
}

// Progress is how far the world is from a change's goal.
type Progress struct {
	// Reached: the configuration is as the change wants it, foreign additions
	// outside its concern aside.
	Reached bool
	// Undone are the fields that are not, or not any more.
	Undone []string
	// Left is what still runs in the zone.
	Left []Place
	// Outcome is set where only the kind can say what became of the change, and
	// waiting will not alter it: rolled back, say. Reason explains it.
	Outcome Outcome
	Reason  string
}

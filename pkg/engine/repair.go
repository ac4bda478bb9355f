package engine

import (
	"context"
	"fmt"

	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// Repair is what a record that disagrees with the live configuration would
// become.
type Repair struct {
	resource.ID
	Zone   string       `json:"zone"`
	State  ledger.State `json:"state"`
	Finds  string       `json:"finds"`
	Become string       `json:"become"` // a state, or "deleted"
}

// become is the state a record would have if it said what is so, "deleted" where
// nothing is left to undo, and "" where it is right, or where the way on is to
// evacuate again or to recover.
func become(rec ledger.Record, seen, changed, original bool) (string, string) {
	const deleted = "deleted"
	switch {
	case rec.State == ledger.Planned:
		return deleted, "nothing was ever sent for it"
	case !seen:
		return deleted, "AWS does not return the resource any more"
	case original && rec.State == ledger.Restoring:
		return deleted, "it reads as before the evacuation"
	case original && rec.State == ledger.Started:
		return deleted, "the change never took effect"
	case original:
		return deleted, "someone else put it back"
	case changed && rec.State == ledger.Started:
		return string(ledger.Applied), "the change took effect"
	}
	return "", ""
}

// Repairs lists the records of a zone that disagree with the live configuration.
// It changes nothing.
func (e *Engine) Repairs(ctx context.Context, idOrName string) ([]Repair, error) {
	w, _, err := e.survey(ctx, idOrName)
	if err != nil {
		return nil, err
	}
	return e.repairs(ctx, w)
}

func (e *Engine) repairs(ctx context.Context, w *world) ([]Repair, error) {
	var found []Repair
	for _, d := range e.Drivers {
		records := w.of(d.Kind(), resource.Scope{})
		live, errs, err := e.readOrFail(ctx, d, records)
		if err != nil {
			return nil, err
		}
		for _, rec := range records {
			r, seen := live[rec.ARN]
			if r.Underway != "" || errs[rec.ARN] != nil {
				continue // how it ends is not known yet
			}
			var changed, original bool
			if seen && rec.Sent() {
				changed = d.Judge(r, change(rec, w)).Reached
				original = d.Plan(r, w.goal(resource.Recover, rec.Policy, rec.ARN)).Outcome == resource.AlreadyDone
			}
			if to, why := become(rec, seen, changed, original); to != "" {
				found = append(found, Repair{ID: rec.ID(), Zone: w.zone.ID, State: rec.State, Finds: why, Become: to})
			}
		}
	}
	return found, nil
}

// ApplyRepairs writes what Repairs finds at this moment, of the ARNs agreed to.
func (e *Engine) ApplyRepairs(ctx context.Context, req Request, agreed []Repair) (Result, error) {
	req.Direction = resource.Recover
	yes := map[string]string{}
	for _, r := range agreed {
		yes[r.ARN] = r.Become
	}
	return e.execute(ctx, req, func(s *session) error { return s.repair(yes) })
}

func (s *session) repair(agreed map[string]string) error {
	out, err := s.revisit()
	if err != nil {
		return err
	}
	found, err := s.e.repairs(s.ctx, s.w)
	if err != nil {
		return err
	}
	for _, r := range found {
		if agreed[r.ARN] != r.Become {
			continue // it changed since it was agreed to
		}
		rec := s.w.records[r.ARN]
		reason := "repaired: " + r.Finds
		if r.Become == string(ledger.Applied) {
			rec.State, rec.Outcome = ledger.Applied, resource.Applied
			s.report(Item{ID: rec.ID(), Outcome: resource.Applied, Reason: reason})
			err = s.update(rec, s.trail.Observed(rec.ID(), resource.Applied, reason))
		} else {
			err = s.drop(closed{rec, resource.AlreadyDone, reason, nil})
		}
		if err != nil {
			return fmt.Errorf("repairing %s: %w", r.Name, err)
		}
	}
	return s.conclude(out, out[s.w.zone.ID].Phase)
}

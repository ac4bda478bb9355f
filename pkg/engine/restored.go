package engine

import (
	"slices"

	"sidestep/pkg/awserr"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// closeRestored reads back what is being restored, and deletes each record whose
// resource reads as it should.
func (s *session) closeRestored() error {
	deadline := s.e.Clock.Now().Add(s.e.Timing.Deadline)
	for {
		open := s.restoring(resource.Restoring, resource.Stuck)
		overdue := !s.e.Clock.Now().Before(deadline)
		for _, d := range s.e.Drivers {
			if err := s.closeKind(d, open, overdue); err != nil {
				return err
			}
		}
		left := s.restoring(resource.Restoring)
		if len(left) == 0 || overdue {
			return nil
		}
		s.e.progress("Waiting for restored resources to show", len(open)-len(left), len(open))
		if err := s.sleep(s.e.Timing.Poll); err != nil {
			return err
		}
	}
}

// restoring are the run's records that are being restored and stand so.
func (s *session) restoring(outcomes ...resource.Outcome) []ledger.Record {
	return s.records(func(r ledger.Record) bool {
		return r.State == ledger.Restoring && s.mine(r) && slices.Contains(outcomes, r.Outcome)
	})
}

func (s *session) closeKind(d resource.Driver, records []ledger.Record, overdue bool) error {
	ours := ofKind(records, d.Kind())
	if len(ours) == 0 {
		return nil
	}
	seen := s.look(d, ours, false)
	if stop := s.stopped(); stop != nil {
		return stop
	}
	var restored []closed
	for _, v := range seen {
		switch o, why := s.outcomeBack(v, overdue); o {
		case resource.Restoring:
		case resource.Restored:
			s.place(v.rec.ARN, v.live.Places, nil)
			restored = append(restored, closed{v.rec, resource.Restored, "reads as before the evacuation", v.change.Notes})
		default:
			if err := s.mark(v.rec, o, why); err != nil {
				return err
			}
		}
	}
	return s.drop(restored...)
}

// outcomeBack is what a reading makes of a record that is being restored:
// restored once nothing is missing and nothing under way, else restoring until it
// is over.
func (s *session) outcomeBack(v sighting, overdue bool) (resource.Outcome, string) {
	planned := v.change.Outcome
	switch {
	case !v.seen || v.live.Underway != "":
		return s.underwayBack(v, overdue)
	case v.young && !overdue:
		return resource.Restoring, ""
	case v.progress.Outcome != "":
		return v.progress.Outcome, v.progress.Reason
	case planned == resource.AlreadyDone:
		return resource.Restored, ""
	case planned != resource.Planned:
		return planned, v.change.Reason // it cannot be put back
	case overdue:
		return resource.Stuck, "the restored configuration did not show by the deadline"
	}
	return resource.Restoring, ""
}

// underwayBack is the same where AWS does not return the resource or is at work
// on it.
func (s *session) underwayBack(v sighting, overdue bool) (resource.Outcome, string) {
	switch {
	case !overdue && !s.late(v):
		return resource.Restoring, ""
	case v.err != nil:
		return resource.Stuck, "cannot be read: " + awserr.Brief(v.err)
	case !v.seen:
		return resource.Stuck, unseenReason
	}
	return resource.Stuck, s.stuckFor(v)
}

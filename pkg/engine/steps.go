package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// evacuate is the order of an evacuation's steps.
func (s *session) evacuate() error {
	out, err := s.guard()
	if err != nil {
		return err
	}
	if err := s.claim(); err != nil {
		return err
	}
	if err := s.list(); err != nil {
		return err
	}
	if err := s.setPhase(out, ledger.Evacuating); err != nil {
		return err
	}
	if err := s.writeIntents(); err != nil {
		return err
	}
	if err := s.act(s.mine); err != nil {
		return err
	}
	if !s.req.NoWait {
		if err := s.verify(); err != nil {
			return err
		}
	}
	return s.conclude(out, ledger.Out)
}

// recover is the order of a recovery's steps.
func (s *session) recover() error {
	out, err := s.e.remember(s.ctx, s.w)
	if err != nil {
		return err
	}
	if _, isOut := out[s.w.zone.ID]; !isOut && len(s.w.records) == 0 {
		s.notes = append(s.notes, "zone "+s.w.zone.ID+" is not out: there is nothing to recover")
		return nil
	}
	if err := s.setPhase(out, ledger.Recovering); err != nil {
		return err
	}
	if err := s.claim(); err != nil {
		return err
	}
	if err = s.e.readSubnets(s.ctx, s.w); err != nil {
		return err
	}
	if err := s.act(s.mine); err != nil {
		return err
	}
	if !s.req.NoWait {
		if err := s.closeRestored(); err != nil {
			return err
		}
	}
	return s.conclude(out, ledger.Recovering)
}

// revisit reads what the zone's records and all subnets say, and claims the
// records.
func (s *session) revisit() (ledger.ZonesOut, error) {
	out, err := s.e.remember(s.ctx, s.w)
	if err != nil {
		return nil, err
	}
	if err := s.claim(); err != nil {
		return nil, err
	}
	return out, s.e.readSubnets(s.ctx, s.w)
}

// mine says which records the run concerns.
func (s *session) mine(r ledger.Record) bool {
	if !s.req.Scope.Has(r.Kind) {
		return false
	}
	if s.req.Direction == resource.Recover {
		return true
	}
	if s.req.Scope.Name == "" && len(s.req.Scope.Tags)+len(s.req.Scope.Exclude) == 0 {
		return true // one that is not listed any more is reported too
	}
	_, inScope := s.w.resources[r.ARN]
	return inScope
}

// guard keeps a second zone from going out.
func (s *session) guard() (ledger.ZonesOut, error) {
	out, err := s.e.remember(s.ctx, s.w)
	if err != nil {
		return nil, err
	}
	others := without(out, s.w.zone.ID)
	if len(others) == 0 {
		return out, nil
	}
	allowed := strings.Split(s.req.Override, ",")
	for _, id := range others {
		if !slices.Contains(allowed, id) {
			return nil, &Refusal{
				Why: fmt.Sprintf("zone %s is out already (run %s, since %s), and one zone goes out at a time",
					id, out[id].Run, out[id].Since.Format(time.RFC3339)),
				Next: fmt.Sprintf("recover %s first, or say --override-second-zone %s", id, strings.Join(others, ",")),
			}
		}
	}
	return out, s.e.Ledger.Append(s.acting(), s.trail.Overridden(strings.Join(others, ",")))
}

// without returns the zones that are out, but for one.
func without(out ledger.ZonesOut, id string) []string {
	var others []string
	for zone := range out {
		if zone != id {
			others = append(others, zone)
		}
	}
	slices.Sort(others)
	return others
}

// claim raises the fence of every record of every zone that is out, so that their
// last writer can write no more, and then waits until nothing that writer sent can
// still land. A reading before that proves nothing: a call that is on its way shows
// only later. Other zones' records count, since a call sends a whole list of
// subnets: one for another zone would undo what this run does.
func (s *session) claim() error {
	all := append(slices.Collect(maps.Values(s.w.records)), s.w.abroad...)
	slices.SortFunc(all, func(a, b ledger.Record) int { return cmp.Or(compareKeys(a.Zone, b.Zone), compareKeys(a.ARN, b.ARN)) })
	claimed, err := s.e.Ledger.ClaimAll(s.acting(), s.holding(), all)
	if err != nil {
		return err
	}
	s.w.abroad = nil
	for _, r := range claimed {
		if r.Zone != s.w.zone.ID {
			s.w.abroad = append(s.w.abroad, r)
			continue
		}
		s.w.records[r.ARN] = r
		s.keep(r)
	}
	s.w.relate()
	wait := s.landing(claimed)
	if wait <= 0 {
		return nil
	}
	s.e.progress(fmt.Sprintf("Waiting %s for calls of the last run to land", wait.Round(time.Second)), 0, 0)
	return s.sleep(wait)
}

// landing is how long a call for one of the records may still be on its way. It
// is never longer than from now, as nothing begins any more; and just that long
// where the last owner of the lock was given up, whose clock may be another.
func (s *session) landing(records []ledger.Record) time.Duration {
	longest := s.e.Timing.CallDeadline + s.e.Timing.Skew
	var wait time.Duration
	for _, r := range records {
		if !r.Sent() {
			continue
		}
		if s.tookOver {
			return longest
		}
		wait = max(wait, r.StartedAt.Add(longest).Sub(s.e.Clock.Now()))
	}
	return min(wait, longest)
}

// sleep waits, or returns why the run must stop.
func (s *session) sleep(d time.Duration) error {
	if s.e.Clock.Sleep(s.ctx, d) != nil {
		return s.stopped()
	}
	return nil
}

// list reads what is in scope.
func (s *session) list() error {
	if err := s.e.readSubnets(s.ctx, s.w); err != nil {
		return err
	}
	s.e.inventory(s.ctx, s.w, s.req.Scope)
	if err := s.stopped(); err != nil {
		return err
	}
	switch {
	case len(s.w.ids) > 0:
	case len(s.w.failed) > 0:
		return fmt.Errorf("nothing could be listed: %s", s.w.failed[0].Reason)
	default:
		return emptyScope()
	}
	return s.e.heed(s.ctx, s.w, s.req.Policy)
}

// setPhase writes where the zone's evacuation stands into the zones-out map.
func (s *session) setPhase(out ledger.ZonesOut, p ledger.Phase) error {
	z, known := out[s.w.zone.ID]
	if !known {
		z = ledger.ZoneOut{
			Since: s.e.Clock.Now().UTC(), Actor: s.req.Actor, Reason: s.req.Reason,
			Override: len(without(out, s.w.zone.ID)) > 0,
		}
	}
	z.Run, z.Phase = s.req.Run, p
	out[s.w.zone.ID] = z
	if err := s.e.Ledger.SetZonesOut(s.acting(), s.holding(), out); err != nil {
		return err
	}
	return s.e.Ledger.Append(s.acting(), s.trail.Phase(p))
}

// conclude writes the last phase, or takes the zone off the map if it has no
// record left.
func (s *session) conclude(out ledger.ZonesOut, p ledger.Phase) error {
	if err := s.stopped(); err != nil {
		return err
	}
	if len(s.records(func(ledger.Record) bool { return true })) > 0 {
		return s.setPhase(out, p)
	}
	delete(out, s.w.zone.ID)
	if err := s.e.Ledger.SetZonesOut(s.acting(), s.holding(), out); err != nil {
		return err
	}
	return s.e.Ledger.Append(s.acting(), s.trail.Back())
}

// writeIntents plans every resource, and records what is to be changed before any
// of it is.
func (s *session) writeIntents() error {
	var intents []ledger.Record
	var events []ledger.Event
	for _, id := range s.w.ids {
		c, ok := s.e.plan(s.w, s.req.Direction, s.req.Policy, id)
		if !ok {
			s.report(unseen(id))
			continue
		}
		i := item(c)
		i.Places = s.w.resources[id.ARN].Places
		i.Left = resource.In(i.Places, s.w.zone)
		s.report(i)
		_, known := s.w.records[id.ARN]
		switch {
		case c.Outcome == resource.Planned && !known:
			intents = append(intents, ledger.Record{
				Zone: s.w.zone.ID, ARN: id.ARN, Kind: id.Kind, Name: id.Name, Policy: s.req.Policy,
				State: ledger.Planned, Recorded: resource.Recorded{}.Grow(c),
			})
		case c.Outcome.Weight(c.Direction) == resource.Exposed:
			events = append(events, s.trail.Left(id, c.Outcome, c.Reason))
		}
	}
	if err := s.stopped(); err != nil {
		return err
	}
	s.e.progress("Recording intents, by resource", 0, len(intents))
	created, err := s.e.Ledger.Create(s.acting(), s.holding(), intents)
	for _, r := range created {
		s.w.records[r.ARN] = r
		s.keep(r)
	}
	if err != nil {
		return err
	}
	return s.e.Ledger.Append(s.acting(), append(events, s.trail.Listed(s.result().Counts()))...)
}

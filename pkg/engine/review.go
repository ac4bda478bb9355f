package engine

import (
	"context"
	"maps"
	"slices"
	"time"

	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

// Verify compares the live configuration with the zone's records and changes
// nothing. Outcomes other than settled, applied and restoring are drift.
func (e *Engine) Verify(ctx context.Context, idOrName string) (Result, error) {
	w, out, err := e.survey(ctx, idOrName)
	if w == nil {
		return Result{}, err
	}
	z := w.zone
	result := Result{Zone: z, Run: ledger.Run{Direction: resource.Evacuate, Zone: z.ID, ZoneName: z.Name}}
	if err != nil {
		return result, err
	}
	result.Open = len(w.records)
	if entry, ok := out[z.ID]; ok {
		result.Run.ID, result.Run.Actor, result.Run.Reason = entry.Run, entry.Actor, entry.Reason
		result.Notes = append(result.Notes, "zone is "+string(entry.Phase)+" since "+entry.Since.Format(time.RFC3339))
	} else {
		result.Notes = append(result.Notes, "zone is not out")
	}
	for _, d := range e.Drivers {
		records := w.of(d.Kind(), resource.Scope{})
		live, errs, err := e.readOrFail(ctx, d, records)
		if err != nil {
			return result, err
		}
		live = byARN(e.place(ctx, w, d, slices.Collect(maps.Values(live))))
		for _, v := range e.judgeAll(ctx, d, records, live, w.wanted(d)) {
			if err := errs[v.rec.ARN]; err != nil {
				result.Items = append(result.Items, unreadable(v.rec, err))
				continue
			}
			result.Items = append(result.Items, check(d, w, v))
			if closable(v) {
				result.closable++
			}
		}
	}
	result.Notes = append(result.Notes, w.notes...)
	return result, nil
}

// wanted is the change by which a record's resource is judged: what takes it out or,
// where it is on its way back, what brings it back.
func (w *world) wanted(d resource.Driver) func(ledger.Record, resource.Resource) resource.Change {
	return func(rec ledger.Record, r resource.Resource) resource.Change {
		if rec.State != ledger.Restoring {
			return change(rec, w)
		}
		return back(d, rec, r, w.goal(resource.Recover, rec.Policy, rec.ARN))
	}
}

// closable: a record that is being restored, of a resource that is back.
func closable(v sighting) bool {
	return v.rec.State == ledger.Restoring && v.seen && v.live.Underway == "" &&
		v.progress.Outcome == "" && v.change.Outcome == resource.AlreadyDone
}

// check compares one record with one reading.
func check(d resource.Driver, w *world, v sighting) Item {
	rec, p := v.rec, v.progress
	i := Item{ID: rec.ID(), Removed: rec.RemovedSubnets, Outcome: resource.Orphaned, Reason: unseenReason}
	i.Before, i.After = sides(rec.Edits)
	if !v.seen {
		return i
	}
	i.Places, i.Left = v.live.Places, p.Left
	switch {
	case rec.State == ledger.Planned:
		i.Outcome, i.Reason = resource.Planned, "intended, and nothing sent"
	case rec.State == ledger.Restoring:
		i.Outcome, i.Reason = resource.Restoring, "on its way back: `watch` closes it, or recover again"
		if p.Outcome != "" {
			i.Outcome, i.Reason = p.Outcome, p.Reason
		}
	case rec.State == ledger.Started && !p.Reached:
		i.Outcome, i.Reason = resource.Planned, "begun, and not in effect: run it again"
	case v.live.Underway != "":
		i.Outcome, i.Reason = resource.Applied, v.live.Underway
	case p.Reached:
		i.Outcome, i.Reason = holds(d, w, rec, v.live, p)
	default:
		i.Outcome, i.Reason = compare(rec, v.live, p)
	}
	return i
}

// holds says what is still to be said where a change shows: the zone may have got
// another subnet, or what was to leave may be there yet.
func holds(d resource.Driver, w *world, rec ledger.Record, r resource.Resource, p resource.Progress) (resource.Outcome, string) {
	switch {
	case len(d.Plan(r, w.goal(resource.Evacuate, rec.Policy, rec.ARN)).Edits) > 0:
		return resource.Drifted, "another subnet of the zone was added since; evacuate again to take it out too"
	case rec.Policy == resource.Drain && resource.Count(p.Left) > 0:
		return resource.NotEvacuated, stillThere(p.Left)
	}
	return compare(rec, r, p)
}

// Drifted reports whether a verify found what nobody of ours did.
func (r Result) Drifted() bool {
	return slices.ContainsFunc(r.Items, func(i Item) bool {
		switch i.Outcome {
		case resource.Drifted, resource.RestoredByOther, resource.Contested, resource.Orphaned:
			return true
		}
		return false
	})
}

// Incomplete reports whether a verify found records whose change was never made, is
// half way back, was not carried through, or left capacity in the zone that was to
// leave it: nobody changed anything, and still the zone is not closed as intended.
func (r Result) Incomplete() bool {
	return slices.ContainsFunc(r.Items, func(i Item) bool {
		return i.Outcome == resource.Planned || i.Outcome == resource.Restoring || i.Outcome.Weight(resource.Evacuate) >= resource.Exposed
	})
}

// ZoneStatus is how one zone that is out stands.
type ZoneStatus struct {
	Zone    zone.Zone            `json:"zone"`
	Out     ledger.ZoneOut       `json:"out"`
	Records map[ledger.State]int `json:"records"`
	Concern map[string]int       `json:"concerns,omitempty"` // outcomes that need a person
	Age     time.Duration        `json:"ageNs"`
}

// Status is what is going on in the account and region.
type Status struct {
	Zones []ZoneStatus `json:"zones"`
	Lock  ledger.Lock  `json:"lock"`
	// Dead: the lock's owner has not been heard of for longer than its lease. Its
	// run ended without saying so, and must be run again.
	Dead bool `json:"ownerDead"`
}

// NeedsPerson reports whether something will not go on by itself.
func (s Status) NeedsPerson() bool {
	return s.Dead || slices.ContainsFunc(s.Zones, func(z ZoneStatus) bool {
		// Of a recovery with --no-wait only restoring records are left: watch closes
		// them. Anything else that no run is at work on waits for one.
		all, restoring := total(z.Records), z.Records[ledger.Restoring]
		unfinished := z.Out.Phase != ledger.Out && s.Lock.Owner == "" && (all == 0 || restoring < all)
		return len(z.Concern) > 0 || unfinished
	})
}

// total adds up counts of records.
func total(counts map[ledger.State]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// Status reads the ledger alone: it answers however bad the zone is. An empty
// zone ID means all zones.
func (e *Engine) Status(ctx context.Context, only string) (Status, error) {
	var status Status
	var err error
	if status.Lock, err = e.Ledger.Lock(ctx); err != nil {
		return status, err
	}
	now := e.Clock.Now()
	status.Dead = status.Lock.Owner != "" && status.Lock.Expired(now, e.Timing.Lease, e.Timing.Skew)
	out, err := e.Ledger.ZonesOut(ctx)
	if err != nil {
		return status, err
	}
	for id, entry := range out {
		if only != "" && id != only {
			continue
		}
		records, err := e.Ledger.Records(ctx, id)
		if err != nil {
			return status, err
		}
		status.Zones = append(status.Zones, zoneStatus(id, entry, records, now))
	}
	slices.SortFunc(status.Zones, func(a, b ZoneStatus) int { return compareKeys(a.Zone.ID, b.Zone.ID) })
	return status, nil
}

// zoneStatus counts a zone's records.
func zoneStatus(id string, entry ledger.ZoneOut, records []ledger.Record, now time.Time) ZoneStatus {
	z := ZoneStatus{
		Zone: zone.Zone{ID: id}, Out: entry, Age: now.Sub(entry.Since),
		Records: map[ledger.State]int{}, Concern: map[string]int{},
	}
	for _, r := range records {
		z.Records[r.State]++
		if r.Outcome != "" && r.Outcome.Weight(resource.Evacuate) >= resource.Exposed {
			z.Concern[string(r.Outcome)]++
		}
	}
	return z
}

// Reconcile closes the recoveries that have settled since a run with --no-wait,
// and reports drift. It takes the lock only where it has something to close.
func (e *Engine) Reconcile(ctx context.Context, req Request) (Result, error) {
	result, err := e.Verify(ctx, req.Zone)
	if err != nil || result.closable == 0 {
		return result, err
	}
	req.Direction = resource.Recover
	return e.execute(ctx, req, (*session).reconcile)
}

// reconcile is the recovery's last steps alone.
func (s *session) reconcile() error {
	out, err := s.revisit()
	if err != nil {
		return err
	}
	for _, d := range s.e.Drivers {
		restoring := s.records(func(r ledger.Record) bool { return r.State == ledger.Restoring })
		if err := s.closeKind(d, restoring, false); err != nil {
			return err
		}
	}
	return s.conclude(out, out[s.w.zone.ID].Phase)
}

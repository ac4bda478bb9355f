package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"sidestep/pkg/awserr"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

// world is what one step read, once, and shares.
type world struct {
	zone      zone.Zone
	zones     zone.Zones
	subnets   zone.Subnets
	records   map[string]ledger.Record // of this zone, by ARN
	others    map[string][]resource.Recorded
	abroad    []ledger.Record // of the other zones that are out
	out       []string        // the IDs of those
	ids       []resource.ID
	resources map[string]resource.Resource
	unmoved   map[string]string
	failed    []Item   // kinds that could not be listed or read
	notes     []string // what concerns all of it
	noting    sync.Mutex
}

// note adds a note, once.
func (w *world) note(text string) {
	w.noting.Lock()
	defer w.noting.Unlock()
	if !slices.Contains(w.notes, text) {
		w.notes = append(w.notes, text)
	}
}

// goal is what the plan for one resource may depend on.
func (w *world) goal(d resource.Direction, p resource.Policy, arn string) resource.Goal {
	g := resource.Goal{
		Direction: d, Zone: w.zone, Policy: p, Zones: w.zones, Subnets: w.subnets,
		Others: w.others[arn], Unmoved: w.unmoved, Out: w.out,
	}
	if rec, ok := w.records[arn]; ok && rec.Sent() {
		g.Recorded = &rec.Recorded
	}
	return g
}

// remember reads the zone's records, and those of the other zones that are out.
func (e *Engine) remember(ctx context.Context, w *world) (ledger.ZonesOut, error) {
	out, err := e.Ledger.ZonesOut(ctx)
	if err != nil {
		return nil, err
	}
	records, err := e.Ledger.Records(ctx, w.zone.ID)
	if err != nil {
		return nil, err
	}
	w.records = map[string]ledger.Record{}
	for _, r := range records {
		w.records[r.ARN] = r
	}
	w.abroad, w.out = nil, without(out, w.zone.ID)
	for id := range out {
		if id == w.zone.ID {
			continue
		}
		records, err := e.Ledger.Records(ctx, id)
		if err != nil {
			return nil, err
		}
		w.abroad = append(w.abroad, records...)
	}
	w.relate()
	return out, nil
}

// relate finds what other zones' records say of the same resources.
func (w *world) relate() {
	w.others = map[string][]resource.Recorded{}
	for _, r := range w.abroad {
		if r.Sent() {
			w.others[r.ARN] = append(w.others[r.ARN], r.Recorded)
		}
	}
}

// Plan computes what a run would do, and changes nothing, the ledger included. It
// returns a *Refusal for what the run would be refused for.
func (e *Engine) Plan(ctx context.Context, req Request) (Result, error) {
	z, zones, err := e.Resolve(ctx, req.Zone)
	if err != nil {
		return Result{}, err
	}
	w := &world{zone: z, zones: zones}
	result := Result{Zone: z, Run: header(req, z, e.Clock.Now())}
	out, err := e.remember(ctx, w)
	if err != nil {
		if req.Direction == resource.Recover {
			return result, err
		}
		result.Notes = append(result.Notes, noLedger(err))
	}
	if others := without(out, z.ID); len(others) > 0 && req.Direction == resource.Evacuate {
		result.Notes = append(result.Notes, fmt.Sprintf("zone %s is out already: a second needs --override-second-zone %s", others[0], others[0]))
	}
	if err = e.readSubnets(ctx, w); err != nil {
		return result, err
	}
	if req.Direction == resource.Recover {
		if result.Notes, err = e.toBeStopped(ctx, z.ID); err != nil {
			return result, err
		}
		return e.planRecovery(ctx, w, req, result)
	}
	return e.planEvacuation(ctx, w, req, result)
}

// noLedger says in a plan that there is no ledger to go by.
func noLedger(err error) string {
	why := awserr.Brief(err)
	if errors.Is(err, ledger.ErrNoTable) {
		why = "there is no table yet"
	}
	return "the ledger cannot be read (" + why + "): an evacuation would be refused, and what one has changed before is not known here"
}

func (e *Engine) planEvacuation(ctx context.Context, w *world, req Request, result Result) (Result, error) {
	e.inventory(ctx, w, req.Scope)
	if err := ctx.Err(); err != nil {
		return result, err
	}
	if len(w.ids)+len(w.failed) == 0 {
		return result, emptyScope()
	}
	if err := e.heed(ctx, w, req.Policy); err != nil {
		return result, err
	}
	result.Items = slices.Clone(w.failed)
	result.Notes = append(result.Notes, w.notes...)
	for _, id := range w.ids {
		c, ok := e.plan(w, req.Direction, req.Policy, id)
		i := unseen(id)
		if ok {
			i = item(c)
			i.Places = w.resources[id.ARN].Places
			i.Left = resource.In(i.Places, w.zone)
		}
		result.Items = append(result.Items, i)
	}
	return result, nil
}

func (e *Engine) planRecovery(ctx context.Context, w *world, req Request, result Result) (Result, error) {
	for _, d := range e.Drivers {
		records := w.of(d.Kind(), req.Scope)
		live, errs, err := e.readOrFail(ctx, d, records)
		if err != nil {
			return result, err
		}
		for _, rec := range records {
			if err := errs[rec.ARN]; err != nil {
				result.Items = append(result.Items, unreadable(rec, err))
				continue
			}
			i := Item{ID: rec.ID(), Outcome: resource.Orphaned, Reason: unseenReason, Removed: rec.RemovedSubnets}
			if r, ok := live[rec.ARN]; ok {
				c := d.Plan(r, w.goal(req.Direction, rec.Policy, rec.ARN))
				i = item(c)
				if !rec.Sent() {
					i = Item{ID: rec.ID(), Outcome: resource.AlreadyDone, Reason: "nothing had been sent"}
				}
				i.Removed = rec.RemovedSubnets
			}
			result.Items = append(result.Items, i)
		}
	}
	return result, nil
}

// plan computes the change of one resource that was read.
func (e *Engine) plan(w *world, d resource.Direction, p resource.Policy, id resource.ID) (resource.Change, bool) {
	r, ok := w.resources[id.ARN]
	if !ok {
		return resource.Change{}, false
	}
	return e.driver(id.Kind).Plan(r, w.goal(d, p, id.ARN)), true
}

// of returns the records of one kind that are in scope, in order of their keys.
func (w *world) of(k resource.Kind, s resource.Scope) []ledger.Record {
	if !s.Has(k) {
		return nil
	}
	found := ofKind(slices.Collect(maps.Values(w.records)), k)
	slices.SortFunc(found, func(a, b ledger.Record) int { return compareKeys(a.ARN, b.ARN) })
	return found
}

// ofKind returns the records of one kind.
func ofKind(records []ledger.Record, k resource.Kind) []ledger.Record {
	return slices.DeleteFunc(slices.Clone(records), func(r ledger.Record) bool { return r.Kind != k })
}

// survey reads a zone's records and all subnets, to look at and not to act on.
func (e *Engine) survey(ctx context.Context, idOrName string) (*world, ledger.ZonesOut, error) {
	z, zones, err := e.Resolve(ctx, idOrName)
	if err != nil {
		return nil, nil, err
	}
	w := &world{zone: z, zones: zones}
	out, err := e.remember(ctx, w)
	if err != nil {
		return w, nil, err
	}
	return w, out, e.readSubnets(ctx, w)
}

func emptyScope() error {
	return &Refusal{
		Why:  "nothing is in scope: no resource matches the kinds, tags and name given",
		Next: "widen the scope, or check that these credentials are of the right account and region",
	}
}

const unseenReason = "AWS does not return it: deleted, or hidden by the zone's trouble"

func unseen(id resource.ID) Item {
	return Item{ID: id, Outcome: resource.Orphaned, Reason: unseenReason}
}

func ids(records []ledger.Record) []resource.ID {
	out := make([]resource.ID, len(records))
	for i, r := range records {
		out[i] = r.ID()
	}
	return out
}

func byARN(read []resource.Resource) map[string]resource.Resource {
	m := make(map[string]resource.Resource, len(read))
	for _, r := range read {
		m[r.ARN] = r
	}
	return m
}

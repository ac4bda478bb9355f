package engine

import (
	"context"
	"slices"
	"sync/atomic"

	"sidestep/pkg/awserr"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

// inventory lists what is in scope, all kinds at once. A kind that fails is
// reported as failed, and the others go on.
func (e *Engine) inventory(ctx context.Context, w *world, s resource.Scope) {
	w.ids, w.failed, w.resources = nil, nil, map[string]resource.Resource{}
	kinds := slices.DeleteFunc(slices.Clone(e.Drivers), func(d resource.Driver) bool { return !s.Has(d.Kind()) })
	found, errs := make([][]resource.Resource, len(kinds)), make([]error, len(kinds))
	var done atomic.Int64
	e.Clock.Each(len(kinds), e.lanes(len(kinds)), func(i int) {
		found[i], errs[i] = kinds[i].List(ctx, s)
		if errs[i] == nil {
			found[i] = e.place(ctx, w, kinds[i], found[i])
		}
		e.progress("Reading kinds of resources", int(done.Add(1)), len(kinds))
	})
	for i, d := range kinds {
		if errs[i] != nil {
			w.failed = append(w.failed, Item{
				ID:      resource.ID{Kind: d.Kind(), Name: "(all)"},
				Outcome: awserr.Classify(errs[i]).Outcome(),
				Reason:  awserr.Brief(errs[i]),
			})
			continue
		}
		for _, r := range found[i] {
			w.ids = append(w.ids, r.ID)
			w.resources[r.ARN] = r
		}
	}
}

// lanes is how many kinds are worked on at once: their services' limits have
// nothing to do with each other. One worker means one after the other.
func (e *Engine) lanes(kinds int) int {
	if e.Timing.Concurrency == 1 {
		return 1
	}
	return max(kinds, 1)
}

// heed finds out about traffic that stays, for policies that move capacity.
func (e *Engine) heed(ctx context.Context, w *world, p resource.Policy) error {
	if p != resource.Drain {
		return nil
	}
	var arns []string
	for _, r := range w.resources {
		_, recorded := w.records[r.ARN] // held, its subnets out already
		if in, _, _ := w.subnets.Split(r.Fields[resource.SubnetsField], w.zone.ID); len(in) > 0 || recorded {
			arns = append(arns, r.TargetGroups...)
		}
	}
	slices.Sort(arns)
	var err error
	w.unmoved, err = e.Traffic.Unmoved(ctx, slices.Compact(arns))
	return err
}

// place fills in what runs where. Not to know it keeps nothing from being closed:
// it is noted, once a kind.
func (e *Engine) place(ctx context.Context, w *world, d resource.Driver, read []resource.Resource) []resource.Resource {
	placer, can := d.(resource.Placer)
	if !can || len(read) == 0 {
		return read
	}
	placed, err := placer.Place(ctx, read)
	if err != nil {
		w.note("what runs where of " + string(d.Kind()) + " is not known: " + awserr.Brief(err))
		return read
	}
	return placed
}

// readSubnets reads all subnets. One that a record removed and the pages leave out
// is asked for by its ID before it is taken to be deleted: while a zone is in
// trouble, what a list lacks is not thereby gone.
func (e *Engine) readSubnets(ctx context.Context, w *world) error {
	subnets, err := zone.ReadSubnets(ctx, e.Zones)
	if err != nil {
		return err
	}
	asked := map[string]bool{}
	for _, rec := range w.records {
		for _, id := range rec.RemovedSubnets {
			if _, there := subnets[id]; there || asked[id] {
				continue
			}
			asked[id] = true
			found, err := zone.ReadSubnet(ctx, e.Zones, id)
			switch {
			case err == nil:
				subnets[id] = found
			case awserr.Classify(err) != awserr.NotFound:
				return err
			}
		}
	}
	w.subnets = subnets
	return nil
}

// readOrFail is read for who can only tell of all: it fails where none could be
// read.
func (e *Engine) readOrFail(ctx context.Context, d resource.Driver, records []ledger.Record) (map[string]resource.Resource, map[string]error, error) {
	live, errs := e.read(ctx, d, records)
	if len(records) > 0 && len(errs) == len(records) {
		return nil, nil, errs[records[0].ARN]
	}
	return live, errs, nil
}

// unreadable is the item of a record whose resource could not be read.
func unreadable(rec ledger.Record, err error) Item {
	return Item{
		ID: rec.ID(), Removed: rec.RemovedSubnets,
		Outcome: awserr.Classify(err).Outcome(), Reason: "cannot be read: " + awserr.Brief(err),
	}
}

// read reads the resources of records, by ARN. Where AWS answers that it will not,
// each is asked for by itself: one that may not be read must not hide the others.
// The errors are those of the resources that could not be read.
func (e *Engine) read(ctx context.Context, d resource.Driver, records []ledger.Record) (map[string]resource.Resource, map[string]error) {
	read, err := d.Read(ctx, ids(records)...)
	if err == nil {
		return byARN(read), nil
	}
	errs := map[string]error{}
	class := awserr.Classify(err)
	if class.Retryable() || class == awserr.Stopped || len(records) == 1 {
		for _, rec := range records {
			errs[rec.ARN] = err
		}
		return nil, errs
	}
	each, failed := make([][]resource.Resource, len(records)), make([]error, len(records))
	e.Clock.Each(len(records), e.Timing.Concurrency, func(i int) { each[i], failed[i] = d.Read(ctx, records[i].ID()) })
	for i, rec := range records {
		if failed[i] != nil {
			errs[rec.ARN] = failed[i]
		}
	}
	return byARN(slices.Concat(each...)), errs
}

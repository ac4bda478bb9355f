package engine

import (
	"context"
	"slices"

	"sidestep/pkg/clock"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// change is the change that a record stands for, to judge a reading by.
func change(rec ledger.Record, w *world) resource.Change {
	return resource.Change{
		ID: rec.ID(), Zone: w.zone, Direction: resource.Evacuate, Policy: rec.Policy,
		Edits: rec.Edits, Removed: rec.RemovedSubnets, SentAt: rec.StartedAt,
	}
}

// back is the change that brings a record's resource back. Where nothing is missing
// it is what was made already, as what became of that is still to be judged.
func back(d resource.Driver, rec ledger.Record, r resource.Resource, g resource.Goal) resource.Change {
	c := d.Plan(r, g)
	c.SentAt = rec.StartedAt
	if c.Outcome == resource.AlreadyDone {
		c.Edits = undone(rec, r)
	}
	return c
}

// undone are the edits that have brought a resource from what a record says was
// made of it to how it reads.
func undone(rec ledger.Record, r resource.Resource) []resource.Edit {
	var edits []resource.Edit
	for _, e := range rec.Edits {
		if at := r.Fields[e.Field]; !slices.Equal(at, e.To) {
			edits = append(edits, resource.Edit{Field: e.Field, From: e.To, To: at})
		}
	}
	return edits
}

// sighting is one reading of a record's resource, judged.
type sighting struct {
	rec      ledger.Record
	live     resource.Resource
	seen     bool  // AWS returned it
	err      error // why it could not be read
	young    bool  // and may not show yet what it was asked for
	change   resource.Change
	progress resource.Progress
}

// judgeAll judges the reading of each record by the change that wanted gives.
func (e *Engine) judgeAll(ctx context.Context, d resource.Driver, records []ledger.Record, read map[string]resource.Resource, wanted func(ledger.Record, resource.Resource) resource.Change) []sighting {
	all := make([]sighting, len(records))
	// A service that works on after accepting may answer with what was before for a
	// moment, settled as that is.
	_, worksOn := d.(resource.Explainer)
	e.Clock.Each(len(records), e.Timing.Concurrency, func(i int) {
		rec := records[i]
		r, seen := read[rec.ARN]
		all[i] = sighting{rec: rec, live: r, seen: seen}
		all[i].young = worksOn && clock.Elapsed(e.Clock.Now(), rec.StartedAt) < e.Timing.Poll
		if seen {
			all[i].change = wanted(rec, r)
			all[i].live, all[i].progress = e.judge(ctx, d, r, all[i].change)
		}
	})
	return all
}

// judge judges a reading by a change. Where that does not show, does not settle or
// came to a bad end, a kind that can find out why is asked first.
func (e *Engine) judge(ctx context.Context, d resource.Driver, r resource.Resource, c resource.Change) (resource.Resource, resource.Progress) {
	p := d.Judge(r, c)
	plain := p.Reached && r.Underway == "" && (p.Outcome == "" || p.Outcome.Weight(c.Direction) < resource.Exposed)
	explainer, can := d.(resource.Explainer)
	if plain || !can {
		return r, p
	}
	told, err := explainer.Explain(ctx, r)
	if err != nil {
		return r, p // the reading alone must do
	}
	return told, d.Judge(told, c)
}

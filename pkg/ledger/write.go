package ledger

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// Create writes new records in transactions that also check the lock's fence, so
// that a run which lost the lock cannot add any. A record that the same run had
// written before (an answer that was lost) counts as written.
func (l *Ledger) Create(ctx context.Context, lock Lock, records []Record) ([]Record, error) {
	var created []Record
	for chunk := range slices.Chunk(records, MaxOps-1) {
		stamped := make([]Record, len(chunk))
		ops := []Op{l.fenced(lock)}
		for i, r := range chunk {
			r.Fence, r.Run, r.Sequence = lock.Fence, lock.Owner, 1
			r.CreatedAt, r.UpdatedAt = l.clock.Now().UTC(), l.clock.Now().UTC()
			stamped[i] = r
			ops = append(ops, Op{Put: ItemOf(r), If: Condition{Absent: true}})
		}
		if err := l.write(ctx, ops...); err != nil && !l.created(ctx, err, lock, stamped) {
			return created, fmt.Errorf("recording %d intents: %w", len(chunk), stale(err))
		}
		created = append(created, stamped...)
	}
	return created, nil
}

// Entry is a record with the events that belong to its next write.
type Entry struct {
	Record Record
	Events []Event
}

// Update writes a record that this run holds, together with the events that
// belong to it, and returns it as written. It returns ErrStale if another run
// raised the record's fence.
func (l *Ledger) Update(ctx context.Context, r Record, events ...Event) (Record, error) {
	written, err := l.UpdateAll(ctx, []Entry{{r, events}})
	if err != nil {
		return r, err
	}
	return written[0], nil
}

// UpdateAll is Update for many records, as many in one transaction as fit. It
// returns those that were written.
func (l *Ledger) UpdateAll(ctx context.Context, entries []Entry) ([]Record, error) {
	var all []Record
	for _, chunk := range transactions(entries) {
		var ops []Op
		written := make([]Record, len(chunk))
		for i, e := range chunk {
			written[i] = e.Record
			written[i].Sequence++
			written[i].UpdatedAt = l.clock.Now().UTC()
			ops = append(ops, l.eventOps(e.Events)...)
			ops = append(ops, Op{Put: ItemOf(written[i]), If: held(e.Record)})
		}
		err := l.write(ctx, ops...)
		lost := func(r Record) bool { return !l.landed(ctx, err, r) }
		if err != nil && slices.ContainsFunc(written, lost) {
			return all, fmt.Errorf("recording %s of %s: %w", written[0].State, about(chunk), stale(err))
		}
		all = append(all, written...)
	}
	return all, nil
}

// transactions splits entries into what fits into one write each.
func transactions(entries []Entry) [][]Entry {
	var chunks [][]Entry
	room := 0
	for _, e := range entries {
		need := 1 + len(e.Events)
		if room < need {
			chunks = append(chunks, nil)
			room = MaxOps
		}
		last := len(chunks) - 1
		chunks[last] = append(chunks[last], e)
		room -= need
	}
	return chunks
}

// about names the records of a write.
func about(entries []Entry) string {
	first := fmt.Sprintf("%s %s", entries[0].Record.Kind, entries[0].Record.Name)
	if len(entries) == 1 {
		return first
	}
	return fmt.Sprintf("%s and %d more", first, len(entries)-1)
}

// claimBatch is how many records are claimed in one transaction, which may hold
// 4 MB: a record that hundreds of runs had in hand is tens of kilobytes.
const claimBatch = 50

// ClaimAll is Claim for many records, as many in one transaction as fit. Where one
// of them was written meanwhile, each is claimed by itself. It returns those that
// are claimed.
func (l *Ledger) ClaimAll(ctx context.Context, lock Lock, records []Record) ([]Record, error) {
	var all []Record
	for chunk := range slices.Chunk(records, claimBatch) {
		claimed, err := l.claimTogether(ctx, lock, chunk)
		if errors.Is(err, ErrCondition) {
			claimed, err = l.claimEach(ctx, lock, chunk)
		}
		all = append(all, claimed...)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

func (l *Ledger) claimTogether(ctx context.Context, lock Lock, records []Record) ([]Record, error) {
	claimed := make([]Record, len(records))
	ops := make([]Op, len(records))
	for i, r := range records {
		if r.Fence > lock.Fence {
			return nil, ErrCondition // Claim says which one
		}
		claimed[i] = l.raised(lock, r)
		ops[i] = Op{Put: ItemOf(claimed[i]), If: held(r)}
	}
	if err := l.write(ctx, ops...); err != nil {
		return nil, fmt.Errorf("claiming %d records: %w", len(records), err)
	}
	return claimed, nil
}

func (l *Ledger) claimEach(ctx context.Context, lock Lock, records []Record) ([]Record, error) {
	var claimed []Record
	for _, r := range records {
		one, err := l.Claim(ctx, lock, r)
		if err != nil {
			return claimed, err
		}
		claimed = append(claimed, one)
	}
	return claimed, nil
}

// raised is a record with the fence of the lock.
func (l *Ledger) raised(lock Lock, r Record) Record {
	r.Past = behind(r).hands()
	r.Merged = sinceOnly(r.Merged) // what it was merged from is in the past now
	r.Fence, r.Run = lock.Fence, lock.Owner
	r.Sequence++
	r.UpdatedAt = l.clock.Now().UTC()
	return r
}

// Claim raises the fence of a record to this run's, before anything is done with
// what it says. A writer that held it before fails from then on. It returns
// ErrStale if the record is gone or carries a later run's fence.
func (l *Ledger) Claim(ctx context.Context, lock Lock, r Record) (Record, error) {
	if r.Fence > lock.Fence { // the condition would hold, and the fence be lowered
		return r, fmt.Errorf("claiming the record of %s %s: %w", r.Kind, r.Name, ErrStale)
	}
	next := l.raised(lock, r)
	err := l.write(ctx, Op{Put: ItemOf(next), If: held(r)})
	if err == nil || l.landed(ctx, err, next) {
		return next, nil
	}
	if !errors.Is(err, ErrCondition) {
		return r, fmt.Errorf("claiming the record of %s %s: %w", r.Kind, r.Name, err)
	}
	// Its last writer was at work still. Read what it left and claim that.
	var now Record
	item, getErr := l.get(ctx, r.Zone, r.ARN, &now)
	switch {
	case getErr != nil:
		return r, fmt.Errorf("claiming the record of %s %s: %w", r.Kind, r.Name, getErr)
	case item == nil:
		return r, fmt.Errorf("claiming the record of %s %s, which is gone: %w", r.Kind, r.Name, ErrStale)
	}
	now.Zone, now.ARN = r.Zone, r.ARN
	return l.Claim(ctx, lock, now)
}

// Delete removes a record that this run holds, together with writing the events
// that keep what it said.
func (l *Ledger) Delete(ctx context.Context, r Record, events ...Event) error {
	_, err := l.DeleteAll(ctx, []Entry{{r, events}})
	return err
}

// DeleteAll is Delete for many records. It returns how many are gone, the first
// ones of entries.
func (l *Ledger) DeleteAll(ctx context.Context, entries []Entry) (int, error) {
	done := 0
	for _, chunk := range transactions(entries) {
		var ops []Op
		for _, e := range chunk {
			ops = append(ops, l.eventOps(closing(e))...)
			ops = append(ops, Op{Delete: ItemOf(e.Record), If: held(e.Record)})
		}
		err := l.write(ctx, ops...)
		left := func(e Entry) bool { return !l.gone(ctx, err, e.Record) }
		if err != nil && slices.ContainsFunc(chunk, left) {
			return done, fmt.Errorf("deleting the record of %s: %w", about(chunk), stale(err))
		}
		done += len(chunk)
	}
	return done, nil
}

// held is the condition that a record is still as this run last wrote it.
func held(r Record) Condition {
	return Condition{Equals: map[string]any{"fence": float64(r.Fence), "sequence": float64(r.Sequence)}}
}

// landed reports whether a write that failed by its condition had been written
// before after all: an answer was lost, and the write sent twice. Only the holder
// of the fence writes a record, so what reads the same, but for when, is the same
// write.
func (l *Ledger) landed(ctx context.Context, err error, want Record) bool {
	if !errors.Is(err, ErrCondition) {
		return false
	}
	now := Record{Zone: want.Zone, ARN: want.ARN}
	item, err := l.get(ctx, want.Zone, want.ARN, &now)
	if err != nil || item == nil {
		return false
	}
	written, err := RecordOf(ItemOf(want))
	now.UpdatedAt, written.UpdatedAt = time.Time{}, time.Time{}
	return err == nil && reflect.DeepEqual(ItemOf(now), ItemOf(written))
}

// created reports whether a Create that failed by a condition had been written
// before after all: the lock is still this run's, and every record is there as
// the lock's owner creates it.
func (l *Ledger) created(ctx context.Context, err error, lock Lock, want []Record) bool {
	if !errors.Is(err, ErrCondition) {
		return false
	}
	now, readErr := l.Lock(ctx)
	if readErr != nil || now.Owner != lock.Owner || now.Fence != lock.Fence {
		return false
	}
	return !slices.ContainsFunc(want, func(r Record) bool { return !l.landed(ctx, err, r) })
}

// gone reports whether a delete that failed by its condition had been carried out
// before after all.
func (l *Ledger) gone(ctx context.Context, err error, r Record) bool {
	if !errors.Is(err, ErrCondition) {
		return false
	}
	item, err := l.get(ctx, r.Zone, r.ARN, &Record{})
	return err == nil && item == nil
}

// stale says what a failed condition means to a writer.
func stale(err error) error {
	if errors.Is(err, ErrCondition) {
		return fmt.Errorf("%w (%w)", ErrStale, err)
	}
	return err
}

package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Lock reads the run lock; the zero Lock if there never was one.
func (l *Ledger) Lock(ctx context.Context) (Lock, error) {
	var lock Lock
	if _, err := l.get(ctx, l.region, lockKey, &lock); err != nil {
		return Lock{}, fmt.Errorf("reading the run lock: %w", err)
	}
	return lock, nil
}

// Acquire takes the lock from the state seen, raising its fence. It returns
// ErrBusy if the lock is no longer as seen. Whether a lock with an owner may be
// taken is the caller's decision (Expired).
func (l *Ledger) Acquire(ctx context.Context, seen Lock, run, actor string) (Lock, error) {
	return l.AcquireAbove(ctx, seen, 0, run, actor)
}

// AcquireAbove is Acquire with a fence above floor, for who brings in records of
// another ledger.
func (l *Ledger) AcquireAbove(ctx context.Context, seen Lock, floor int64, run, actor string) (Lock, error) {
	next := Lock{Owner: run, Fence: max(seen.Fence, floor) + 1, Heartbeat: l.clock.Now().UTC(), Actor: actor}
	err := l.write(ctx, Op{Put: encode(l.region, lockKey, next), If: asSeen(seen)})
	if errors.Is(err, ErrCondition) {
		now, readErr := l.Lock(ctx)
		if readErr == nil && now.Owner == run && now.Fence == next.Fence && now.Heartbeat.Equal(next.Heartbeat) {
			return next, nil // the answer to our own write was lost
		}
		return Lock{}, fmt.Errorf("taking the run lock: %w", ErrBusy)
	}
	if err != nil {
		return Lock{}, fmt.Errorf("taking the run lock: %w", err)
	}
	return next, nil
}

// Expired reports whether a lock may be taken over: nobody owns it, or its owner
// has not been heard of for a lease and the difference that two machines' clocks
// may have.
func (lock Lock) Expired(now time.Time, lease, skew time.Duration) bool {
	return lock.Owner == "" || now.Sub(lock.Heartbeat) > lease+skew
}

// Beat shows that the lock's owner is alive. It returns ErrStale if the lock was
// taken over.
func (l *Ledger) Beat(ctx context.Context, lock Lock) (Lock, error) {
	next := lock
	next.Heartbeat = l.clock.Now().UTC()
	// The heartbeat itself is not in the condition: an answer that was lost must
	// not make the owner a stranger to its own lock.
	err := l.write(ctx, Op{Put: encode(l.region, lockKey, next), If: l.fenced(lock).If})
	if err != nil {
		return lock, fmt.Errorf("renewing the run lock: %w", stale(err))
	}
	return next, nil
}

// Release frees the lock, keeping its fence for the next taker to raise.
func (l *Ledger) Release(ctx context.Context, lock Lock) error {
	free := Lock{Fence: lock.Fence, Heartbeat: l.clock.Now().UTC()}
	err := l.write(ctx, Op{Put: encode(l.region, lockKey, free), If: l.fenced(lock).If})
	if errors.Is(err, ErrCondition) {
		return nil // freed already, or no longer ours
	}
	if err != nil {
		return fmt.Errorf("releasing the run lock: %w", err)
	}
	return nil
}

// fenced is the check that a lock is still its owner's.
func (l *Ledger) fenced(lock Lock) Op {
	return Op{
		Check: Item{"pk": l.region, "sk": lockKey},
		If:    Condition{Equals: map[string]any{"owner": lock.Owner, "fence": float64(lock.Fence)}},
	}
}

func asSeen(seen Lock) Condition {
	if seen.Fence == 0 {
		return Condition{Absent: true}
	}
	stored := encode("", "", seen)
	return Condition{Equals: map[string]any{
		"owner": stored["owner"], "fence": stored["fence"], "heartbeat": stored["heartbeat"],
	}}
}

// Sort keys of the run lock and of the zones-out map.
const (
	lockKey = "lock"
	outKey  = "out"
)

// zones is the item of the zones-out map.
type zones struct {
	Zones ZonesOut `json:"zones"`
}

// ZonesOut reads which zones are out.
func (l *Ledger) ZonesOut(ctx context.Context) (ZonesOut, error) {
	var z zones
	if _, err := l.get(ctx, l.region, outKey, &z); err != nil {
		return nil, fmt.Errorf("reading which zones are out: %w", err)
	}
	if z.Zones == nil {
		z.Zones = ZonesOut{}
	}
	return z.Zones, nil
}

// ZonesIn reads the zones-out map from its item, if that is what the item is.
func ZonesIn(item Item, name string) (ZonesOut, bool) {
	var z zones
	if item.PK() != name || item.SK() != outKey || decode(item, &z) != nil {
		return nil, false
	}
	return z.Zones, true
}

// SetZonesOut writes the map, if the lock is still its owner's. One run executes
// at a time, so the map as it read it is the map as it is.
func (l *Ledger) SetZonesOut(ctx context.Context, lock Lock, out ZonesOut) error {
	err := l.write(ctx, l.fenced(lock), Op{Put: encode(l.region, outKey, zones{out})})
	if err != nil {
		return fmt.Errorf("writing which zones are out: %w", stale(err))
	}
	return nil
}

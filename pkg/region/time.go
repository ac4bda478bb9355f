package region

import (
	"slices"
	"time"
)

// event is something that happens by itself.
type event struct {
	at time.Time
	do func()
}

// after has something happen in d from now; of two events at one time the one
// planned first is first. The region is locked, then and now.
func (r *Region) after(d time.Duration, do func()) {
	at := r.now.Add(d)
	i, _ := slices.BinarySearchFunc(r.events, at, func(e event, at time.Time) int {
		if e.at.After(at) {
			return 1
		}
		return -1
	})
	r.events = slices.Insert(r.events, i, event{at, do})
}

// advance lets everything happen that is due, each thing at its own time, so
// that the outcome does not depend on when the region is looked at.
func (r *Region) advance() {
	now := r.clock.Now()
	for len(r.events) > 0 && !r.events[0].at.After(now) {
		due := r.events[0]
		r.events = r.events[1:]
		r.now = due.at
		due.do()
	}
	if now.After(r.now) {
		r.now = now
	}
}

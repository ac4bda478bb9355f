package asl

import (
	"context"
	"sync"

	"sidestep/pkg/clock"
)

// history numbers events and hands them on.
type history struct {
	clock   clock.Clock
	observe func(Event)
	stop    context.CancelFunc // ends the execution

	mu   sync.Mutex
	last int64
	full bool
}

// add records an event and returns its number. When only the event that ends the
// execution still has a place, the execution stops.
func (h *history) add(e Event) (int64, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last >= MaxEvents-1 {
		h.full = true
		h.stop()
		return 0, errStopped
	}
	return h.write(e), nil
}

// end records how the execution ended, and reports how many events there are.
func (h *history) end(e Event) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.write(e)
}

func (h *history) write(e Event) int64 {
	h.last++
	e.ID, e.Timestamp = h.last, h.clock.Now()
	if h.observe != nil {
		h.observe(e)
	}
	return h.last
}

func (h *history) isFull() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.full
}

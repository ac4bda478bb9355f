package clock

import (
	"container/heap"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Virtual is a clock that stands still while anyone works and jumps to the next
// event when all who were started on it wait.
type Virtual struct {
	mu      sync.Mutex
	now     time.Time
	running int // goroutines of this clock that are not waiting
	events  events
	seq     int
}

// NewVirtual returns a clock that reads start, with its caller counted as the
// one goroutine at work.
func NewVirtual(start time.Time) *Virtual {
	return &Virtual{now: start, running: 1}
}

// Now is the virtual time.
func (v *Virtual) Now() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now
}

// Sleep waits in virtual time.
func (v *Virtual) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	v.mu.Lock()
	at := v.now.Add(d)
	// A deadline that comes first ends the sleep here, in order with all other
	// events. Waiting for the context's own signal would let the clock run on
	// in between.
	deadline, early := ctx.Deadline()
	early = early && deadline.Before(at)
	if early {
		at = deadline
	}
	woken := make(chan struct{})
	e := v.push(at, func() { v.running++; close(woken) })
	v.running--
	v.advance()
	v.mu.Unlock()

	select {
	case <-woken:
	case <-ctx.Done():
		v.mu.Lock()
		if e.index >= 0 {
			heap.Remove(&v.events, e.index)
			v.running++
		}
		v.mu.Unlock()
		return ctx.Err()
	}
	if early {
		return context.DeadlineExceeded
	}
	return nil
}

// WithTimeout returns a context that ends d from now in virtual time.
func (v *Virtual) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancelCause(ctx)
	v.mu.Lock()
	defer v.mu.Unlock()
	deadline := v.now.Add(d)
	if parent, ok := ctx.Deadline(); ok && parent.Before(deadline) {
		deadline = parent
	}
	t := &timeout{Context: inner, deadline: deadline}
	if d <= 0 {
		cancel(context.DeadlineExceeded)
		return t, func() {}
	}
	e := v.push(deadline, func() { cancel(context.DeadlineExceeded) })
	return t, func() {
		cancel(context.Canceled)
		v.mu.Lock()
		defer v.mu.Unlock()
		if e.index >= 0 {
			heap.Remove(&v.events, e.index)
		}
	}
}

// timeout is a context whose deadline is virtual.
type timeout struct {
	context.Context
	deadline time.Time
}

func (t *timeout) Deadline() (time.Time, bool) { return t.deadline, true }

func (t *timeout) Err() error {
	err := t.Context.Err()
	if err != nil && errors.Is(context.Cause(t.Context), context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	return err
}

// Each calls f for 0 to n-1, at most limit at a time. The caller's place passes
// to the workers, and the last of them hands it back.
func (v *Virtual) Each(n, limit int, f func(i int)) {
	count := min(n, max(limit, 1))
	if count <= 0 {
		return
	}
	v.enter(count - 1)
	work := share(n, f)
	var left atomic.Int64
	left.Store(int64(count))
	done := make(chan struct{})
	for range count {
		go func() {
			work()
			if left.Add(-1) == 0 {
				close(done)
				return
			}
			v.enter(-1)
		}()
	}
	<-done
}

// Go runs f in its own goroutine, counted as at work until it returns.
func (v *Virtual) Go(f func()) {
	v.enter(1)
	go func() {
		defer v.enter(-1)
		f()
	}()
}

func (v *Virtual) enter(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.running += n
	v.advance()
}

// advance jumps from event to event until somebody is at work again.
func (v *Virtual) advance() {
	for v.running == 0 && len(v.events) > 0 {
		e := heap.Pop(&v.events).(*event)
		if e.at.After(v.now) {
			v.now = e.at
		}
		e.fire()
	}
}

func (v *Virtual) push(at time.Time, fire func()) *event {
	v.seq++
	e := &event{at: at, seq: v.seq, fire: fire}
	heap.Push(&v.events, e)
	return e
}

// event is something that happens at a time; of two at one time the older is
// first.
type event struct {
	at    time.Time
	seq   int
	index int // in the heap, -1 once out of it
	fire  func()
}

type events []*event

func (h events) Len() int { return len(h) }
func (h events) Less(i, j int) bool {
	if h[i].at.Equal(h[j].at) {
		return h[i].seq < h[j].seq
	}
	return h[i].at.Before(h[j].at)
}
func (h events) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *events) Push(x any) {
	e := x.(*event)
	e.index = len(*h)
	*h = append(*h, e)
}
func (h *events) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	e.index = -1
	return e
}

package asl

import (
	"context"
	"errors"
	"sync"
)

// fan is a Map's iterations or a Parallel's branches while they run side by side. The
// first that fails stops the others.
type fan struct {
	state *state
	owner *branch
	stop  context.CancelFunc

	mu       sync.Mutex
	children []*branch // nil where one was not begun or has come to its end
	results  []any
	prevs    []int64 // the last event of each place that is free
	last     int64   // the event of the last success
	failed   *branch
	failure  *failure
}

// spread runs n children, at most limit at a time, and returns what they made.
func (b *branch) spread(ctx context.Context, s *state, n, limit int, child func(context.Context, *branch, int) (document, error)) (any, error) {
	inner, stop := context.WithCancel(ctx)
	defer stop()
	f := &fan{
		state: s, owner: b, stop: stop, last: b.prev,
		children: make([]*branch, n), results: make([]any, n),
	}
	b.Clock.Each(n, limit, func(i int) {
		if inner.Err() == nil {
			c := f.begin(i)
			out, err := child(inner, c, i)
			f.end(i, c, out, err)
		}
	})
	switch {
	case ctx.Err() != nil || f.failure == nil && f.isUnfinished():
		return nil, errStopped
	case f.failure != nil:
		return nil, f.failAll()
	}
	b.prev = f.last
	err := b.note(Event{Type: string(s.kind) + "StateSucceeded"})
	b.prev = f.last // the state's exit follows the last iteration too, as recorded
	return f.results, err
}

// begin makes a child in a free place.
func (f *fan) begin(i int) *branch {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &branch{run: f.owner.run, item: f.owner.item, prev: f.owner.prev, at: f.state, entered: f.owner.entered}
	if n := len(f.prevs); n > 0 {
		c.prev, f.prevs = f.prevs[n-1], f.prevs[:n-1]
	}
	f.children[i] = c
	return c
}

func (f *fan) end(i int, c *branch, out document, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var failed *failure
	switch {
	case err == nil && f.succeeded(i, c):
		f.results[i], f.children[i] = out.value, nil
	case errors.As(c.located(err), &failed) && f.failure == nil:
		f.failed, f.failure = c, failed
		f.stop()
	}
}

// succeeded gives the child's place to the next, and is false if the history is full.
func (f *fan) succeeded(i int, c *branch) bool {
	f.prevs, f.last = append(f.prevs, c.prev), c.prev
	if f.state.kind != kindMap {
		return true
	}
	id, err := f.owner.history.add(Event{
		Type: "MapIterationSucceeded", PreviousEventID: c.prev, MapIterationSucceeded: &Iteration{f.state.name, i},
	})
	f.last = id
	return err == nil
}

// isUnfinished reports whether one was stopped by what stopped the execution.
func (f *fan) isUnfinished() bool {
	for _, c := range f.children {
		if c != nil {
			return true
		}
	}
	return false
}

// failAll records that the first that failed did, and that the others were stopped.
func (f *fan) failAll() error {
	b := f.owner
	b.prev = f.failed.prev
	for i, c := range f.children {
		if c == nil {
			continue
		}
		if err := f.stopped(i, c); err != nil {
			return err
		}
	}
	return &failure{name: f.failure.name, cause: f.failure.cause, inner: true}
}

// stopped records how one ended. All these events follow the last one of the child
// that failed.
func (f *fan) stopped(i int, c *branch) error {
	var events []Event
	if f.state.kind == kindMap {
		of := &Iteration{f.state.name, i}
		e := Event{Type: "MapIterationAborted", MapIterationAborted: of}
		if c == f.failed {
			e = Event{Type: "MapIterationFailed", MapIterationFailed: of}
		}
		events = append(events, e)
	}
	switch c.at.kind {
	case kindTask, kindWait, kindMap, kindParallel:
		events = append(events, Event{Type: string(c.at.kind) + "StateAborted"})
	}
	for _, e := range events {
		e.PreviousEventID = f.owner.prev
		if _, err := f.owner.history.add(e); err != nil {
			return err
		}
	}
	return nil
}

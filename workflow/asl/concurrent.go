package asl

import (
	"context"
	"fmt"
)

// iterate runs a Map's iterations.
func (b *branch) iterate(ctx context.Context, s *state, sc scope) (any, error) {
	v, err := s.itemsPath.get(sc.doc)
	if err != nil {
		return nil, err
	}
	items, ok := v.([]any)
	if !ok {
		return nil, misfitf("Reference path \"%s\" must point to array.", s.itemsPath)
	}
	limit, err := s.limit(sc.doc)
	if err != nil {
		return nil, err
	}
	started := Event{Type: "MapStateStarted", MapStateStarted: &MapStarted{len(items)}}
	if err := b.note(started); err != nil {
		return nil, err
	}
	return b.spread(ctx, s, len(items), limit, func(ctx context.Context, c *branch, i int) (document, error) {
		c.item = &item{i, items[i]}
		return c.iteration(ctx, s, sc)
	})
}

// limit is how many iterations run at a time.
func (s *state) limit(in any) (int, error) {
	if !s.concurrencyPath.given() {
		return s.concurrency, nil
	}
	v, err := s.concurrencyPath.get(in)
	if err != nil {
		return 0, err
	}
	limit, ok := wholeNumber(v)
	if !ok || limit < 0 {
		return 0, misfitf("The MaxConcurrencyPath field refers to a value which is not a valid integer: %s", s.concurrencyPath)
	}
	if limit == 0 { // as many as there may be
		return MaxConcurrency, nil
	}
	return int(min(limit, MaxConcurrency)), nil
}

// iteration runs the program for the branch's item. sc is what the Map was given.
func (b *branch) iteration(ctx context.Context, s *state, sc scope) (document, error) {
	started := Event{Type: "MapIterationStarted", MapIterationStarted: &Iteration{s.name, b.item.index}}
	if err := b.note(started); err != nil {
		return document{}, err
	}
	in := b.item.value
	if s.parameters != nil {
		own := b.context(0)
		own[contextRetryCount] = sc.context[contextRetryCount]
		var err error
		if in, err = s.parameters.fill(scope{sc.doc, own}); err != nil {
			return document{}, err
		}
	}
	doc, err := newDocument(in, fmt.Sprintf("An iteration of the state '%s' has an input that", s.name))
	if err != nil {
		return document{}, err
	}
	return b.walk(ctx, s.programs[0], doc)
}

// fork runs a Parallel state's branches.
func (b *branch) fork(ctx context.Context, s *state, in any) (any, error) {
	doc, err := newDocument(in, fmt.Sprintf("The state '%s' has an input that", s.name))
	if err != nil {
		return nil, err
	}
	if err := b.note(Event{Type: "ParallelStateStarted"}); err != nil {
		return nil, err
	}
	n := len(s.programs)
	return b.spread(ctx, s, n, n, func(ctx context.Context, c *branch, i int) (document, error) {
		return c.walk(ctx, s.programs[i], doc)
	})
}

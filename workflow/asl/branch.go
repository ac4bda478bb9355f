package asl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// branch is one line of states of an execution: the machine's own, an iteration's or
// a Parallel branch's.
type branch struct {
	*run
	item *item // of the Map that it is in
	prev int64 // the last event of this branch

	at      *state // where it stands
	entered int64  // the event that says so
}

type item struct {
	index int
	value any
}

// note records an event of the branch.
func (b *branch) note(e Event) error {
	e.PreviousEventID = b.prev
	id, err := b.history.add(e)
	if err == nil {
		b.prev = id
	}
	return err
}

// walk runs a program to its end.
func (b *branch) walk(ctx context.Context, p *program, doc document) (document, error) {
	for next := p.startAt; next != ""; {
		var err error
		if doc, next, err = b.step(ctx, p.states[next], doc); err != nil {
			return document{}, err
		}
	}
	return doc, nil
}

// step runs one state.
func (b *branch) step(ctx context.Context, s *state, doc document) (document, string, error) {
	if ctx.Err() != nil {
		return document{}, "", errStopped
	}
	err := b.note(Event{Type: string(s.kind) + "StateEntered", StateEntered: &StateEntered{s.name, doc.text}})
	if err != nil {
		return document{}, "", err
	}
	b.at, b.entered = s, b.prev
	out, next, err := b.do(ctx, s, doc)
	if err != nil {
		return document{}, "", b.located(err)
	}
	// Whatever a state did after its execution was stopped is not part of it.
	if ctx.Err() != nil {
		return document{}, "", errStopped
	}
	err = b.note(Event{Type: string(s.kind) + "StateExited", StateExited: &StateExited{s.name, out.text}})
	return out, next, err
}

// located makes a document that does not fit the failure that it is.
func (b *branch) located(err error) error {
	var m misfit
	if !errors.As(err, &m) {
		return err
	}
	return &failure{
		name: Runtime,
		cause: fmt.Sprintf("An error occurred while executing the state '%s' (entered at the event id #%d). %s",
			b.at.name, b.entered, m),
	}
}

// do is what a state does between its entry and its exit.
func (b *branch) do(ctx context.Context, s *state, doc document) (document, string, error) {
	switch s.kind {
	case kindTask, kindMap, kindParallel:
		return b.handle(ctx, s, doc)
	case kindFail:
		return document{}, "", s.fail(doc.value)
	}
	in, err := s.inputPath.filter(doc.value)
	if err != nil {
		return document{}, "", err
	}
	next := s.next
	switch s.kind {
	case kindPass:
		in, err = b.pass(s, doc.value, in)
	case kindChoice:
		next, err = s.choose(in)
	case kindWait:
		err = b.wait(ctx, s, in)
	}
	if err != nil {
		return document{}, "", err
	}
	out, err := s.output(in)
	return out, next, err
}

// fail is the failure that a Fail state ends with, or why it has none.
func (s *state) fail(doc any) error {
	f := s.failure
	return cmp.Or(textAt(s.errorPath, doc, &f.name), textAt(s.causePath, doc, &f.cause), error(&f))
}

// textAt reads a string of the document, where there is a path to one.
func textAt(p path, doc any, into *string) error {
	if !p.given() {
		return nil
	}
	v, err := p.get(doc)
	if err != nil {
		return err
	}
	text, ok := v.(string)
	if !ok {
		return misfitf("The path '%s' of a Fail state does not reference a string", p)
	}
	*into = text
	return nil
}

// output is what leaves a state.
func (s *state) output(doc any) (document, error) {
	out, err := s.outputPath.filter(doc)
	if err != nil {
		return document{}, err
	}
	return newDocument(out, fmt.Sprintf("The state '%s' returned a result that", s.name))
}

func (b *branch) pass(s *state, raw, in any) (any, error) {
	result := in
	if s.parameters != nil {
		var err error
		if result, err = s.parameters.fill(scope{in, b.context(0)}); err != nil {
			return nil, err
		}
	}
	if s.hasResult {
		result = s.result
	}
	return s.resultPath.put(raw, result)
}

func (s *state) choose(in any) (string, error) {
	for i := range s.rules {
		if ok, err := s.rules[i].holds(in); err != nil || ok {
			return s.rules[i].next, err
		}
	}
	if s.next == "" {
		return "", &failure{name: NoChoiceMatched, cause: fmt.Sprintf("No choice of the state '%s' matched, and it has no Default.", s.name)}
	}
	return s.next, nil
}

func (b *branch) wait(ctx context.Context, s *state, in any) error {
	d := s.seconds
	if !s.until.IsZero() {
		d = s.until.Sub(b.Clock.Now())
	}
	if s.waitPath.given() {
		var err error
		if d, err = s.delay(in, b.Clock.Now()); err != nil {
			return err
		}
	}
	return b.sleep(ctx, d)
}

// delay reads how long to wait from the document.
func (s *state) delay(in any, now time.Time) (time.Duration, error) {
	v, err := s.waitPath.get(in)
	if err != nil {
		return 0, err
	}
	if s.pathIsFor == "SecondsPath" {
		seconds, ok := wholeNumber(v)
		if !ok || seconds < 0 || seconds > longest {
			return 0, misfitf("The SecondsPath parameter cannot be parsed as a number of seconds: %s", s.waitPath.text)
		}
		return time.Duration(seconds) * time.Second, nil
	}
	text, _ := v.(string)
	until, err := parseTime(text)
	if err != nil {
		return 0, misfitf("The TimestampPath parameter does not reference a valid timestamp: %s", s.waitPath.text)
	}
	return until.Sub(now), nil
}

func (b *branch) sleep(ctx context.Context, d time.Duration) error {
	if b.Clock.Sleep(ctx, d) != nil {
		return errStopped
	}
	return nil
}

// context is the part of the context object that templates may read.
func (b *branch) context(retries int) map[string]any {
	c := map[string]any{
		contextID: b.id(), contextName: b.Name, contextRetryCount: number(retries),
	}
	if b.item != nil {
		c[contextItem], c[contextIndex] = b.item.value, number(b.item.index)
	}
	return c
}

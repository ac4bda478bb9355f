package asl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// number is a number as documents have them.
func number(n int) json.Number { return json.Number(strconv.Itoa(n)) }

// handle runs a Task, a Map or a Parallel, again where a retrier says so, and goes
// where a catcher says if it fails in the end.
func (b *branch) handle(ctx context.Context, s *state, doc document) (document, string, error) {
	made := make([]int, len(s.retry)) // retries, by retrier
	for retries := 0; ; retries++ {
		out, err := b.attempt(ctx, s, doc, retries)
		var f *failure
		if !errors.As(err, &f) {
			return out, s.next, err
		}
		i := s.retrier(f)
		if i < 0 || made[i] >= s.retry[i].maxAttempts {
			return b.caught(s, doc, f)
		}
		delay := s.retry[i].delay(made[i])
		if s.retry[i].jitter {
			delay = b.jittered(delay)
		}
		made[i]++
		if err := b.sleep(ctx, delay); err != nil {
			return document{}, "", err
		}
	}
}

// retrier is the first that an error matches. When that one has made all its retries,
// no later one takes over.
func (s *state) retrier(f *failure) int {
	for i, r := range s.retry {
		if matches(r.errorEquals, f.name) {
			return i
		}
	}
	return -1
}

// caught ends a state that failed for good.
func (b *branch) caught(s *state, doc document, f *failure) (document, string, error) {
	if f.inner {
		if err := b.note(Event{Type: string(s.kind) + "StateFailed"}); err != nil {
			return document{}, "", err
		}
	}
	for _, c := range s.catch {
		if !matches(c.errorEquals, f.name) {
			continue
		}
		// The error goes into the state's raw input, and past its OutputPath.
		v, err := c.resultPath.put(doc.value, errorOutput(f))
		if err != nil {
			return document{}, "", err
		}
		out, err := newDocument(v, fmt.Sprintf("The state '%s' returned a result that", s.name))
		return out, c.next, err
	}
	return document{}, "", f
}

// attempt is one try. InputPath and Parameters make the input, ResultSelector and
// ResultPath put the result into what the state was given, not into what InputPath
// left of it, and OutputPath takes from that.
func (b *branch) attempt(ctx context.Context, s *state, doc document, retries int) (document, error) {
	in, err := s.inputPath.filter(doc.value)
	if err != nil {
		return document{}, err
	}
	var result any
	switch s.kind {
	case kindTask:
		result, err = b.invoke(ctx, s, scope{in, b.context(retries)})
	case kindMap:
		result, err = b.iterate(ctx, s, scope{in, b.context(retries)})
	default:
		result, err = b.fork(ctx, s, in)
	}
	if err != nil {
		return document{}, err
	}
	if s.resultSelector != nil {
		if result, err = s.resultSelector.fill(scope{result, b.context(retries)}); err != nil {
			return document{}, err
		}
	}
	merged, err := s.resultPath.put(doc.value, result)
	if err != nil {
		return document{}, err
	}
	return s.output(merged)
}

// invoke runs a Task's function.
func (b *branch) invoke(ctx context.Context, s *state, sc scope) (any, error) {
	v, err := s.parameters.fill(sc)
	if err != nil {
		return nil, err
	}
	payload, err := newDocument(v, fmt.Sprintf("The state '%s' has a payload that", s.name))
	if err != nil {
		return nil, err
	}
	if err := b.scheduled(s, payload); err != nil {
		return nil, err
	}
	timed, cancel := b.Clock.WithTimeout(ctx, s.timeout)
	defer cancel()
	output, err := b.Tasks.Invoke(timed, s.function, []byte(payload.text))
	switch {
	case ctx.Err() != nil:
		return nil, errStopped
	case timed.Err() != nil: // a result that came after the time is none
		f := &failure{name: Timeout}
		return nil, b.ended(Event{Type: "TaskTimedOut", TaskTimedOut: details(f)}, f)
	case err != nil:
		f := failureOf(err)
		return nil, b.ended(Event{Type: "TaskFailed", TaskFailed: details(f)}, f)
	}
	return b.answered(s, output)
}

// scheduled records what the function is asked.
func (b *branch) scheduled(s *state, payload document) error {
	parameters, err := encode(map[string]any{
		"FunctionName": "${" + s.function + "}", "Payload": json.RawMessage(payload.text),
	})
	if err != nil {
		return err
	}
	asked := &TaskScheduled{ResourceType: "lambda", Resource: "invoke", Parameters: parameters}
	if s.timeout < longest*time.Second {
		asked.TimeoutInSeconds = int64(s.timeout / time.Second)
	}
	if err := b.note(Event{Type: "TaskScheduled", TaskScheduled: asked}); err != nil {
		return err
	}
	return b.note(Event{Type: "TaskStarted", TaskStarted: details(&failure{})})
}

// lambdaAnswer is what lambda:invoke makes of a function's output, but for the metadata
// of the HTTP call.
func lambdaAnswer(payload any) any {
	return map[string]any{"ExecutedVersion": "$LATEST", "Payload": payload, "StatusCode": number(200)}
}

// answered is the task's result.
func (b *branch) answered(s *state, output []byte) (any, error) {
	v, err := decode(output)
	if err != nil {
		f := &failure{name: TaskFailed, cause: fmt.Sprintf("The function '%s' returned no JSON: %v", s.function, err)}
		return nil, b.ended(Event{Type: "TaskFailed", TaskFailed: details(f)}, f)
	}
	result := b.answer(v)
	doc, err := newDocument(result, fmt.Sprintf("The task '%s' returned a result that", s.name))
	var f *failure
	if errors.As(err, &f) {
		return nil, b.ended(Event{Type: "TaskFailed", TaskFailed: details(f)}, f)
	}
	done := details(&failure{})
	done.Output = doc.text
	return result, errors.Join(err, b.note(Event{Type: "TaskSucceeded", TaskSucceeded: done}))
}

// ended records the event and returns the failure that it tells of.
func (b *branch) ended(e Event, f *failure) error {
	if err := b.note(e); err != nil {
		return err
	}
	return f
}

func details(f *failure) *TaskDetails {
	return &TaskDetails{ResourceType: "lambda", Resource: "invoke", Error: f.name, Cause: f.cause}
}

package asl_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"time"

	"sidestep/pkg/clock"
	"sidestep/workflow/asl"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// fataler is a test or a draw of one.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// function is a step of a test's workflow.
type function func(ctx context.Context, payload string) (string, error)

// functions answer by name.
type functions map[string]function

func (f functions) Invoke(ctx context.Context, name string, payload []byte) ([]byte, error) {
	out, err := f[name](ctx, string(payload))
	return []byte(out), err
}

func echo(_ context.Context, payload string) (string, error) { return payload, nil }

func failing(name string) function {
	return func(context.Context, string) (string, error) { return "", &asl.StepError{Name: name, Cause: "because"} }
}

// trial runs one definition.
type trial struct {
	t     fataler
	clock *clock.Virtual
	asl.Execution

	mu     sync.Mutex
	events []asl.Event
}

func newTrial(t fataler, tasks functions) *trial {
	r := &trial{t: t, clock: clock.NewVirtual(start)}
	r.Execution = asl.Execution{Name: "run-1", Tasks: tasks, Clock: r.clock}
	r.Observe = func(e asl.Event) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.events = append(r.events, e)
	}
	return r
}

func (r *trial) run(definition, input string) asl.Result {
	r.t.Helper()
	return r.runUntil(context.Background(), definition, input)
}

func (r *trial) runUntil(ctx context.Context, definition, input string) asl.Result {
	r.t.Helper()
	m := load(r.t, definition)
	r.Input = []byte(input)
	result, err := m.Run(ctx, r.Execution)
	if err != nil {
		r.t.Fatalf("the execution did not begin: %v", err)
	}
	return result
}

// types lists the history.
func (r *trial) types() []string {
	out := make([]string, len(r.events))
	for i, e := range r.events {
		out[i] = e.Type
	}
	return out
}

// took is how long the execution lasted.
func (r *trial) took() time.Duration { return r.clock.Now().Sub(start) }

func load(t fataler, definition string) *asl.Machine {
	t.Helper()
	m, err := asl.Load([]byte(definition))
	if err != nil {
		t.Fatalf("the definition was refused: %v", err)
	}
	return m
}

// machine is a definition with these states, of which S is the first.
func machine(states string) string {
	return `{"QueryLanguage": "JSONPath", "StartAt": "S", "States": {` + states + `}}`
}

// task is a Task that sends its input to F, with these fields.
func task(fields ...string) string {
	all := append([]string{
		`"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke"`,
		`"Parameters": {"FunctionName": "${F}", "Payload.$": "$"}`,
	}, fields...)
	return "{" + strings.Join(all, ", ") + "}"
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

package asl

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"sidestep/pkg/clock"
)

// Invoker runs the functions of a definition.
type Invoker interface {
	// Invoke runs the function that the definition calls ${function} and returns its
	// output as JSON, or a *StepError. ctx ends when the task's time is over or the
	// execution stops, and Invoke must return soon after: nothing goes on before it
	// has, while Step Functions would leave the function running.
	Invoke(ctx context.Context, function string, payload []byte) (output []byte, err error)
}

// Execution is what a machine is run with.
type Execution struct {
	// Name is $$.Execution.Name: 1 to 80 characters, as StartExecution takes them.
	Name string
	// ID is $$.Execution.Id, an ARN on AWS. Without one it is the name.
	ID    string
	Input []byte
	Tasks Invoker
	// Clock is the time that waits, retries and timeouts take. Run is to be called
	// from a goroutine of this clock.
	Clock clock.Clock
	// Jitter draws the delay of a retry with JitterStrategy FULL, from 0 to longest.
	// It is called by one goroutine at a time. Without it the delay is random.
	Jitter func(longest time.Duration) time.Duration
	// Observe, if there is one, gets each event of the history as it happens, by one
	// goroutine at a time. It must not wait on the clock.
	Observe func(Event)
}

// Status is how an execution ended.
type Status string

// The ways an execution ends, as DescribeExecution names them.
const (
	Succeeded Status = "SUCCEEDED"
	Failed    Status = "FAILED"
	TimedOut  Status = "TIMED_OUT"
	Aborted   Status = "ABORTED"
)

// Result is how an execution ended.
type Result struct {
	Status Status
	Output []byte // if it succeeded
	Error  string // empty also where a Fail state gave none
	Cause  string
	Events int64 // how many the history has
}

// Run executes the machine as Step Functions would. The error says why the execution
// could not begin; how one that began has ended is in the result, and one whose ctx
// was done before its end was aborted.
func (m *Machine) Run(ctx context.Context, x Execution) (Result, error) {
	return m.run(ctx, x, lambdaAnswer)
}

// run is Run, given what an integration makes of a function's output.
func (m *Machine) run(ctx context.Context, x Execution, answer func(any) any) (Result, error) {
	input, err := x.check()
	if err != nil {
		return Result{}, err
	}
	timed, cancel := ctx, context.CancelFunc(func() {})
	if m.timeout > 0 {
		timed, cancel = x.Clock.WithTimeout(ctx, m.timeout)
	}
	defer cancel()
	inner, stop := context.WithCancel(timed)
	defer stop()
	r := &run{Execution: x, answer: answer, history: &history{clock: x.Clock, observe: x.Observe, stop: stop}}
	b := &branch{run: r}
	if _, err := r.history.add(Event{Type: "ExecutionStarted", ExecutionStarted: &ExecutionStarted{Input: input.text}}); err != nil {
		return Result{}, err
	}
	output, err := b.walk(inner, m.program, input)
	return r.conclude(ctx, timed, b, output, err), nil
}

// check refuses what StartExecution refuses.
// https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html
func (x *Execution) check() (document, error) {
	if n := utf8.RuneCountInString(x.Name); n == 0 || n > 80 {
		return document{}, errors.New("an execution's name has 1 to 80 characters")
	}
	isBad := func(c rune) bool {
		return unicode.IsSpace(c) || unicode.IsControl(c) || strings.ContainsRune("<>{}[]?*\"#%\\^|~`$&,;:/", c)
	}
	if strings.ContainsFunc(x.Name, isBad) {
		return document{}, fmt.Errorf("an execution cannot be named %q", x.Name)
	}
	if x.Tasks == nil || x.Clock == nil {
		return document{}, errors.New("an execution needs Tasks and a Clock")
	}
	if len(x.Input) > MaxPayload {
		return document{}, fmt.Errorf("the input has %d bytes, and an execution takes %d", len(x.Input), MaxPayload)
	}
	v, err := decode(x.Input)
	if err != nil {
		return document{}, fmt.Errorf("reading the execution's input: %w", err)
	}
	return newDocument(v, "The execution's input")
}

// run is an execution that is under way.
type run struct {
	Execution
	answer  func(payload any) any
	history *history
	jitter  sync.Mutex
}

// jittered draws a delay.
func (r *run) jittered(longest time.Duration) time.Duration {
	r.jitter.Lock()
	defer r.jitter.Unlock()
	if r.Jitter == nil {
		return rand.N(longest + 1)
	}
	return min(max(r.Jitter(longest), 0), longest)
}

func (r *run) id() string {
	if r.ID == "" {
		return r.Name
	}
	return r.ID
}

// conclude tells how the execution ended.
func (r *run) conclude(ctx, timed context.Context, b *branch, output document, err error) Result {
	var f *failure
	switch {
	case err == nil:
		done := Event{Type: "ExecutionSucceeded", PreviousEventID: b.prev, ExecutionSucceeded: &Output{output.text}}
		return Result{Status: Succeeded, Output: []byte(output.text), Events: r.history.end(done)}
	case errors.As(err, &f):
	case r.history.isFull():
		f = &failure{name: Runtime, cause: fmt.Sprintf("The execution reached the maximum number of history events (%d).", MaxEvents)}
	case ctx.Err() != nil:
		return Result{Status: Aborted, Events: r.history.end(Event{Type: "ExecutionAborted", ExecutionAborted: &ErrorDetails{}})}
	case timed.Err() != nil:
		details := &ErrorDetails{Error: Timeout}
		return Result{Status: TimedOut, Error: Timeout, Events: r.history.end(Event{Type: "ExecutionTimedOut", ExecutionTimedOut: details})}
	default:
		f = &failure{name: Runtime, cause: err.Error()}
	}
	failed := Event{Type: "ExecutionFailed", PreviousEventID: b.prev, ExecutionFailed: &ErrorDetails{f.name, f.cause}}
	return Result{Status: Failed, Error: f.name, Cause: f.cause, Events: r.history.end(failed)}
}

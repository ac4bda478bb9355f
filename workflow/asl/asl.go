// Package asl loads, checks and runs state machines of AWS Step Functions in the
// process that asks, so that the very bytes that Step Functions runs also run where
// Step Functions cannot be reached.
//
// It knows a small part of the Amazon States Language with JSONPath and refuses
// everything else by name and place: whole paths ($ or $.a.b), Lambda functions by
// lambda:invoke, inline Map, Parallel, Choice, Pass, Wait, Succeed and Fail. What is
// refused has no meaning here, or one that nobody has seen AWS confirm.
//
// The language is at https://states-language.net/spec.html, what AWS makes of it at
// https://docs.aws.amazon.com/step-functions/latest/dg/concepts-amazon-states-language.html.
// Where recorded executions and the documentation differ, the recordings hold.
package asl

import (
	"errors"
	"maps"
	"slices"
	"time"
)

// Limits of Step Functions for standard workflows, see
// https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html.
const (
	// MaxPayload is how many bytes the input or output of a state, a task or an
	// execution may have as JSON.
	MaxPayload = 256 * 1024
	// MaxEvents is how many events a history may have. The last tells how the
	// execution ended.
	MaxEvents = 25_000
	// MaxConcurrency is how many iterations of an inline Map run at a time.
	MaxConcurrency = 40
	// MaxDefinition is how many bytes a definition may have.
	MaxDefinition = 1024 * 1024
)

// Machine is a definition that was checked.
type Machine struct {
	program   *program
	timeout   time.Duration // 0 for none
	functions []string
}

// Load reads a definition. The error lists every problem, each with its place.
func Load(definition []byte) (*Machine, error) {
	if len(definition) > MaxDefinition {
		return nil, errors.New("the definition is larger than 1 MiB")
	}
	source, err := parse(definition)
	if err != nil {
		return nil, err
	}
	l := &loader{names: map[string]string{}, functions: map[string]bool{}}
	m := l.machine(source)
	if err := errors.Join(l.problems...); err != nil {
		return nil, err
	}
	m.functions = slices.Sorted(maps.Keys(l.functions))
	return m, nil
}

// Functions lists the functions that the definition invokes, sorted: what stands in
// its FunctionName fields as ${Name}.
func (m *Machine) Functions() []string { return slices.Clone(m.functions) }

// program is a set of states with a first one: the machine's own, a Map's or a
// Parallel branch's.
type program struct {
	startAt string
	states  map[string]*state
}

type kind string

const (
	kindTask     kind = "Task"
	kindMap      kind = "Map"
	kindParallel kind = "Parallel"
	kindPass     kind = "Pass"
	kindChoice   kind = "Choice"
	kindWait     kind = "Wait"
	kindSucceed  kind = "Succeed"
	kindFail     kind = "Fail"
)

// state is one state of any kind. What another kind needs is left empty.
type state struct {
	name string
	kind kind
	next string // empty where the state ends its program

	inputPath, outputPath, resultPath path
	resultSelector                    *template
	retry                             []retrier
	catch                             []catcher

	function   string        // Task
	timeout    time.Duration // Task
	parameters *template     // Task: the payload. Map: the item selector. Pass: the parameters.

	result    any // Pass
	hasResult bool

	rules []rule // Choice, whose Default is next

	seconds   time.Duration // Wait
	until     time.Time
	waitPath  path
	pathIsFor string // SecondsPath or TimestampPath

	failure              failure // Fail
	errorPath, causePath path

	programs        []*program // Map: one. Parallel: its branches.
	itemsPath       path
	concurrency     int
	concurrencyPath path
}

// targets lists the states that may follow.
func (s *state) targets() []string {
	var out []string
	if s.next != "" {
		out = append(out, s.next)
	}
	for _, r := range s.rules {
		out = append(out, r.next)
	}
	for _, c := range s.catch {
		out = append(out, c.next)
	}
	return out
}

// ends reports whether a program may end in the state.
func (s *state) ends() bool { return s.next == "" && s.kind != kindChoice }

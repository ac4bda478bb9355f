package asl_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sidestep/workflow/asl"
)

func TestPass(t *testing.T) {
	for _, c := range []struct{ fields, want string }{
		{``, `{"a": {"b": 1.50}, "n": null}`},
		{`, "InputPath": "$.a"`, `{"b": 1.50}`},
		{`, "InputPath": "$.n"`, `null`},
		{`, "InputPath": null`, `{}`},
		{`, "OutputPath": "$.a.b"`, `1.50`},
		{`, "OutputPath": null`, `{}`},
		{`, "Result": {"x.$": "$.a"}`, `{"x.$": "$.a"}`},
		{`, "Result": null`, `null`},
		{`, "Result": 2, "ResultPath": "$.a.c"`, `{"a": {"b": 1.50, "c": 2}, "n": null}`},
		{`, "Result": 2, "ResultPath": "$.c.d.e"`, `{"a": {"b": 1.50}, "n": null, "c": {"d": {"e": 2}}}`},
		{`, "Result": 2, "ResultPath": null`, `{"a": {"b": 1.50}, "n": null}`},
		{`, "InputPath": "$.a", "Parameters": {"x": [{"y.$": "$.b"}], "z": {"w.$": "$"}}`, `{"x": [{"y": 1.50}], "z": {"w": {"b": 1.50}}}`},
		{`, "Parameters": {"n.$": "$$.Execution.Name", "i.$": "$$.Execution.Id"}`, `{"n": "run-1", "i": "arn"}`},
	} {
		r := newTrial(t, functions{})
		r.ID = "arn"
		got := r.run(one(`{"Type": "Pass", "End": true`+c.fields+`}`), `{"a": {"b": 1.50}, "n": null}`)
		if !sameJSON(string(got.Output), c.want) {
			t.Errorf("%s: %s %s, want %s", c.fields, got.Status, got.Output, c.want)
		}
	}
}

func TestResultPathThroughAString(t *testing.T) {
	for _, input := range []string{`{"a": "x"}`, `{"a": null}`, `[]`, `1`} {
		r := newTrial(t, functions{})
		got := r.run(one(`{"Type": "Pass", "End": true, "Result": 2, "ResultPath": "$.a.b"}`), input)
		if got.Error != asl.ResultPathMatchFailure {
			t.Errorf("%s: %s %s", input, got.Status, got.Error)
		}
	}
}

func TestTaskAnswersAsLambdaInvoke(t *testing.T) {
	r := newTrial(t, functions{"F": echo})
	got := r.run(one(task(end)), `{"big": 12345678901234567890}`)
	if want := `{"ExecutedVersion":"$LATEST","Payload":{"big":12345678901234567890},"StatusCode":200}`; string(got.Output) != want {
		t.Errorf("%s", got.Output)
	}
	scheduled := r.events[2].TaskScheduled
	if want := `{"FunctionName":"${F}","Payload":{"big":12345678901234567890}}`; scheduled == nil || scheduled.Parameters != want {
		t.Errorf("%+v", scheduled)
	}
}

func TestRetryCount(t *testing.T) {
	var sent []string
	f := func(_ context.Context, payload string) (string, error) {
		sent = append(sent, payload)
		return "", &asl.StepError{Name: "A"}
	}
	r := newTrial(t, functions{"F": f})
	r.run(one(`{"Type": "Task", "End": true, "Resource": "arn:aws:states:::lambda:invoke", "Retry": [{"ErrorEquals": ["A"], "MaxAttempts": 2}],
		"Parameters": {"FunctionName": "${F}", "Payload.$": "$$.State.RetryCount"}}`), `{}`)
	if got := strings.Join(sent, " "); got != "0 1 2" {
		t.Errorf("sent %s", got)
	}
	// In an ItemSelector it is the Map's.
	sent = nil
	r = newTrial(t, functions{"F": f})
	r.run(one(`{"Type": "Map", "End": true, "MaxConcurrency": 1, "ItemSelector": {"n.$": "$$.State.RetryCount"}, "Retry": [{"ErrorEquals": ["A"], "MaxAttempts": 1}],
		"ItemProcessor": {"StartAt": "I", "States": {"I": `+task(end)+`}}}`), `[1]`)
	if got := strings.Join(sent, " "); got != `{"n":0} {"n":1}` {
		t.Errorf("sent %s", got)
	}
}

func TestBranchesDoNotShareWhatTheyChange(t *testing.T) {
	r := newTrial(t, functions{})
	put := func(name string, result int) string {
		return fmt.Sprintf(`{"StartAt": "%s", "States": {"%s": {"Type": "Pass", "End": true, "Result": %d, "ResultPath": "$.a.b"}}}`, name, name, result)
	}
	got := r.run(one(`{"Type": "Parallel", "End": true, "Branches": [`+put("A", 1)+`, `+put("B", 2)+`]}`), `{"a": {"b": 0}}`)
	if want := `[{"a":{"b":1}},{"a":{"b":2}}]`; string(got.Output) != want {
		t.Errorf("%s", got.Output)
	}
}

func TestChoice(t *testing.T) {
	for _, c := range []struct {
		rule, input string
		want        string // yes, no, or the error
	}{
		{`"Variable": "$.a", "IsPresent": true`, `{"a": null}`, "yes"},
		{`"Variable": "$.a", "IsPresent": true`, `{}`, "no"},
		{`"Variable": "$.a", "IsPresent": false`, `{}`, "yes"},
		{`"Variable": "$.a.b", "IsPresent": false`, `{"a": 1}`, "yes"},
		{`"Variable": "$.a", "IsNull": true`, `{"a": null}`, "yes"},
		{`"Variable": "$.a", "IsNull": true`, `{"a": 0}`, "no"},
		{`"Variable": "$.a", "IsNull": false`, `{"a": 0}`, "yes"},
		{`"Variable": "$.a", "IsNull": true`, `{}`, asl.Runtime},
		{`"Variable": "$.a", "StringEquals": "x"`, `{"a": "x"}`, "yes"},
		{`"Variable": "$.a", "StringEquals": "x"`, `{"a": "X"}`, "no"},
		{`"Variable": "$.a", "StringEquals": "1"`, `{"a": 1}`, "no"},
		{`"Variable": "$.a", "StringEquals": "x"`, `{"a": {"x": []}}`, "no"},
		{`"Variable": "$.a", "BooleanEquals": false`, `{"a": false}`, "yes"},
		{`"Variable": "$.a", "BooleanEquals": false`, `{"a": null}`, "no"},
		{`"Variable": "$.a", "BooleanEquals": true`, `{"a": "true"}`, "no"},
		{`"Variable": "$.a", "NumericEquals": 1`, `{"a": 1.0}`, "yes"},
		{`"Variable": "$.a", "NumericEquals": 1`, `{"a": "1"}`, "no"},
		{`"Variable": "$.a", "NumericLessThan": 1`, `{"a": 1}`, "no"},
		{`"Variable": "$.a", "NumericLessThan": 1`, `{"a": 0.5}`, "yes"},
		{`"Variable": "$.a", "NumericLessThanEquals": 1`, `{"a": 1}`, "yes"},
		{`"Variable": "$.a", "NumericLessThanEquals": 1`, `{"a": 2}`, "no"},
		{`"Variable": "$.a", "NumericGreaterThan": 1`, `{"a": 1}`, "no"},
		{`"Variable": "$.a", "NumericGreaterThan": 1`, `{"a": 1e2}`, "yes"},
		{`"Variable": "$.a", "NumericGreaterThanEquals": 1`, `{"a": 1}`, "yes"},
		{`"Variable": "$.a", "NumericGreaterThanEquals": 1`, `{"a": null}`, "no"},
		{`"And": [{"Variable": "$.a", "IsPresent": true}, {"Variable": "$.a", "NumericEquals": 1}]`, `{}`, "no"},
		{`"And": [{"Variable": "$.a", "IsPresent": true}, {"Variable": "$.a", "NumericEquals": 1}]`, `{"a": 1}`, "yes"},
		{`"Or": [{"Variable": "$.a", "IsPresent": false}, {"Variable": "$.a", "NumericEquals": 1}]`, `{}`, "yes"},
		{`"Or": [{"Variable": "$.a", "NumericEquals": 1}, {"Variable": "$.a", "NumericEquals": 2}]`, `{"a": 3}`, "no"},
		{`"Not": {"And": [{"Variable": "$.a", "NumericEquals": 1}]}`, `{"a": 3}`, "yes"},
		{`"Not": {"Variable": "$.a", "StringEquals": "x"}`, `{}`, asl.Runtime},
	} {
		r := newTrial(t, functions{})
		got := r.run(machine(`"S": {"Type": "Choice", "Default": "No", "Choices": [{"Next": "Yes", `+c.rule+`}]},
			"Yes": {"Type": "Fail", "Error": "yes"}, "No": {"Type": "Fail", "Error": "no"}`), c.input)
		if got.Error != c.want {
			t.Errorf("%s of %s: %s, want %s", c.rule, c.input, got.Error, c.want)
		}
	}
}

func TestNoChoiceMatched(t *testing.T) {
	r := newTrial(t, functions{})
	got := r.run(machine(`"S": {"Type": "Choice", "Choices": [{"Variable": "$", "IsNull": true, "Next": "E"}]}, "E": `+succeed), `{}`)
	if got.Error != asl.NoChoiceMatched {
		t.Errorf("%+v", got)
	}
}

func TestMap(t *testing.T) {
	var running, most atomic.Int64
	r := newTrial(t, nil)
	r.Tasks = functions{"F": func(ctx context.Context, payload string) (string, error) {
		n := running.Add(1)
		defer running.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		return payload, r.clock.Sleep(ctx, time.Second)
	}}
	got := r.run(one(`{"Type": "Map", "End": true, "MaxConcurrencyPath": "$.n", "ItemsPath": "$.items", "ResultPath": "$.out",
		"ItemSelector": {"v.$": "$$.Map.Item.Value", "i.$": "$$.Map.Item.Index", "n.$": "$.n"},
		"ItemProcessor": {"StartAt": "I", "States": {"I": `+task(end, `"OutputPath": "$.Payload"`)+`}}}`),
		`{"n": 2, "items": ["a", "b", "c"]}`)
	if want := `{"n": 2, "items": ["a", "b", "c"], "out": [{"v": "a", "i": 0, "n": 2}, {"v": "b", "i": 1, "n": 2}, {"v": "c", "i": 2, "n": 2}]}`; !sameJSON(string(got.Output), want) {
		t.Errorf("%s", got.Output)
	}
	if r.took() != 2*time.Second || most.Load() != 2 {
		t.Errorf("it took %v, %d at a time", r.took(), most.Load())
	}
}

func TestMapRunsFortyAtATime(t *testing.T) {
	for limit, want := range map[int]time.Duration{0: 3, 40: 3, 1000: 3, 30: 4, 1: 100} {
		r := newTrial(t, functions{})
		r.run(one(`{"Type": "Map", "End": true, "MaxConcurrencyPath": "$.n", "ItemsPath": "$.l", "ItemProcessor": {"StartAt": "I", "States": {"I": {"Type": "Wait", "Seconds": 1, "End": true}}}}`),
			fmt.Sprintf(`{"n": %d, "l": [%s0]}`, limit, strings.Repeat("0,", 99)))
		if r.took() != want*time.Second {
			t.Errorf("MaxConcurrency %d: 100 seconds' work took %v", limit, r.took())
		}
	}
}

func TestEmptyMap(t *testing.T) {
	r := newTrial(t, functions{})
	if got := r.run(mapOf(`"MaxConcurrency": 1`), `[]`); string(got.Output) != "[]" {
		t.Errorf("%s", got.Output)
	}
}

// history is a history in short: type<previous event.
func history(events []asl.Event) string {
	out := make([]string, len(events))
	for i, e := range events {
		out[i] = e.Type + "<" + strconv.FormatInt(e.PreviousEventID, 10)
	}
	return strings.Join(out, " ")
}

func TestHistoryOfAMap(t *testing.T) {
	for name, c := range map[string]struct{ fields, inner, input, want string }{
		"two, one by one": {`"End": true`, pass, `[1, 2]`, `ExecutionStarted<0 MapStateEntered<0 MapStateStarted<2
			MapIterationStarted<3 PassStateEntered<4 PassStateExited<5 MapIterationSucceeded<6
			MapIterationStarted<6 PassStateEntered<8 PassStateExited<9 MapIterationSucceeded<10
			MapStateSucceeded<11 MapStateExited<11 ExecutionSucceeded<13`},
		"caught": {`"End": true, "Catch": [{"ErrorEquals": ["A"], "Next": "E"}]`, `{"Type": "Fail", "Error": "A"}`, `[1, 2]`, `ExecutionStarted<0 MapStateEntered<0
			MapStateStarted<2 MapIterationStarted<3 FailStateEntered<4 MapIterationFailed<5 MapStateFailed<5 MapStateExited<7
			SucceedStateEntered<8 SucceedStateExited<9 ExecutionSucceeded<10`},
		"retried": {`"End": true, "Retry": [{"ErrorEquals": ["A"], "MaxAttempts": 1}], "Catch": [{"ErrorEquals": ["B"], "Next": "E"}]`, `{"Type": "Fail", "Error": "A"}`, `[1]`,
			`ExecutionStarted<0 MapStateEntered<0 MapStateStarted<2 MapIterationStarted<3 FailStateEntered<4 MapIterationFailed<5
			MapStateStarted<5 MapIterationStarted<7 FailStateEntered<8 MapIterationFailed<9 MapStateFailed<9 ExecutionFailed<11`},
	} {
		r := newTrial(t, functions{})
		last := ""
		if strings.Contains(c.fields, `"E"`) {
			last = `, "E": ` + succeed
		}
		r.run(machine(`"S": {"Type": "Map", "MaxConcurrency": 1, `+c.fields+`, "ItemProcessor": {"StartAt": "I", "States": {"I": `+c.inner+`}}}`+last), c.input)
		if got, want := history(r.events), strings.Join(strings.Fields(c.want), " "); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
		}
	}
}

func TestOneIterationStopsTheOthers(t *testing.T) {
	var begun atomic.Int64
	r := newTrial(t, nil)
	r.Tasks = functions{"F": func(ctx context.Context, payload string) (string, error) {
		begun.Add(1)
		if payload == "0" {
			_ = r.clock.Sleep(ctx, time.Second)
			return "", &asl.StepError{Name: "A"}
		}
		return "{}", r.clock.Sleep(ctx, time.Hour)
	}}
	got := r.run(one(`{"Type": "Map", "End": true, "MaxConcurrency": 3, "ItemProcessor": {"StartAt": "I", "States": {"I": `+task(end)+`}}}`), `[0, 1, 2, 3, 4]`)
	if got.Error != "A" || begun.Load() != 3 {
		t.Errorf("%s, and %d began", got.Error, begun.Load())
	}
	tail := strings.Fields(`TaskFailed MapIterationFailed TaskStateAborted MapIterationAborted TaskStateAborted
		MapIterationAborted TaskStateAborted MapStateFailed ExecutionFailed`)
	if types := r.types(); len(types) < len(tail) || !slices.Equal(types[len(types)-len(tail):], tail) {
		t.Errorf("%v", types)
	}
}

func TestParallel(t *testing.T) {
	r := newTrial(t, functions{})
	got := r.run(one(`{"Type": "Parallel", "End": true, "InputPath": "$.a", "Branches": [
		{"StartAt": "A", "States": {"A": {"Type": "Wait", "Seconds": 3, "End": true}}},
		{"StartAt": "B", "States": {"B": {"Type": "Pass", "Result": 2, "End": true}}}]}`), `{"a": 1}`)
	if string(got.Output) != "[1,2]" || r.took() != 3*time.Second {
		t.Errorf("%s after %v", got.Output, r.took())
	}
}

package asl_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sidestep/workflow/asl"
)

// What recorded executions of AWS showed, several against common belief.

func TestResultPathMergesIntoTheRawInput(t *testing.T) {
	r := newTrial(t, functions{"F": echo})
	got := r.run(one(task(end, `"InputPath": "$.a", "ResultSelector": {"b.$": "$.Payload"}, "ResultPath": "$.out"`)), `{"a": 1, "c": 2}`)
	if want := `{"a": 1, "c": 2, "out": {"b": 1}}`; !sameJSON(string(got.Output), want) {
		t.Errorf("output %s, want %s", got.Output, want)
	}
}

func TestMissingPathEndsTheExecution(t *testing.T) {
	caught := `"Catch": [{"ErrorEquals": ["States.ALL"], "Next": "E"}], "Retry": [{"ErrorEquals": ["States.ALL"]}]`
	for name, state := range map[string]string{
		"InputPath":          task(`"Next": "E", "InputPath": "$.no"`, caught),
		"OutputPath":         task(`"Next": "E", "OutputPath": "$.no"`, caught),
		"Payload":            `{"Type": "Task", "Next": "E", "Resource": "arn:aws:states:::lambda:invoke", "Parameters": {"FunctionName": "${F}", "Payload": {"a.$": "$.no"}}, ` + caught + `}`,
		"ResultSelector":     task(`"Next": "E", "ResultSelector": {"a.$": "$.no"}`, caught),
		"ItemsPath":          `{"Type": "Map", "Next": "E", "MaxConcurrency": 1, "ItemsPath": "$.no", "ItemProcessor": {"StartAt": "I", "States": {"I": ` + pass + `}}, ` + caught + `}`,
		"ItemsPath, object":  `{"Type": "Map", "Next": "E", "MaxConcurrency": 1, "ItemProcessor": {"StartAt": "I", "States": {"I": ` + pass + `}}, ` + caught + `}`,
		"MaxConcurrencyPath": `{"Type": "Map", "Next": "E", "MaxConcurrencyPath": "$.x", "ItemsPath": "$.l", "ItemProcessor": {"StartAt": "I", "States": {"I": ` + pass + `}}, ` + caught + `}`,
		"ItemSelector":       `{"Type": "Map", "Next": "E", "MaxConcurrency": 1, "ItemsPath": "$.l", "ItemSelector": {"a.$": "$.no"}, "ItemProcessor": {"StartAt": "I", "States": {"I": ` + pass + `}}, ` + caught + `}`,
		"in an iteration":    `{"Type": "Map", "Next": "E", "MaxConcurrency": 1, "ItemsPath": "$.l", "ItemProcessor": {"StartAt": "I", "States": {"I": {"Type": "Pass", "End": true, "InputPath": "$.no"}}}, ` + caught + `}`,
		"Parameters":         `{"Type": "Pass", "Next": "E", "Parameters": {"a.$": "$.x.no"}}`,
		"Variable":           `{"Type": "Choice", "Default": "E", "Choices": [{"Variable": "$.no", "StringEquals": "a", "Next": "E"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := newTrial(t, functions{"F": echo})
			definition := machine(`"S": ` + state + `, "E": ` + succeed)
			got := r.run(definition, `{"x": "y", "l": [1]}`)
			if got.Status != asl.Failed || got.Error != asl.Runtime {
				t.Errorf("ended %s %s: %s", got.Status, got.Error, got.Cause)
			}
			if r.took() != 0 {
				t.Errorf("it was retried: it took %v", r.took())
			}
		})
	}
	r := newTrial(t, functions{})
	if got := r.run(one(`{"Type": "Fail", "ErrorPath": "$.no"}`), `{}`); got.Error != asl.Runtime {
		t.Errorf("ErrorPath: %s", got.Error)
	}
}

func TestInnerErrorKeepsItsName(t *testing.T) {
	fail := `{"StartAt": "I", "States": {"I": {"Type": "Fail", "Error": "Inner", "Cause": "c"}}}`
	for name, state := range map[string]string{
		"Map":      `{"Type": "Map", "End": true, "MaxConcurrency": 1, "ItemProcessor": ` + fail + `}`,
		"Parallel": `{"Type": "Parallel", "End": true, "Branches": [` + fail + `]}`,
	} {
		r := newTrial(t, functions{})
		if got := r.run(one(state), `[1]`); got.Error != "Inner" || got.Cause != "c" {
			t.Errorf("%s: %s: %s", name, got.Error, got.Cause)
		}
	}
}

func TestLargeResultIsCaughtByAll(t *testing.T) {
	large := func(context.Context, string) (string, error) {
		return `"` + strings.Repeat("x", asl.MaxPayload) + `"`, nil
	}
	r := newTrial(t, functions{"F": large})
	got := r.run(machine(`"S": `+task(end, `"Catch": [{"ErrorEquals": ["States.ALL"], "Next": "E"}]`)+`, "E": `+succeed), `{}`)
	if got.Status != asl.Succeeded || !strings.Contains(string(got.Output), asl.DataLimitExceeded) {
		t.Errorf("ended %s with %s", got.Status, got.Output)
	}
}

func TestWaits(t *testing.T) {
	for input, want := range map[string]struct {
		seconds, until time.Duration // -1 for States.Runtime
	}{
		`0`:                                {0, -1},
		`90`:                               {90 * time.Second, -1},
		`-1`:                               {-1, -1},
		`1.5`:                              {-1, -1},
		`"1"`:                              {-1, -1},
		`100000000`:                        {-1, -1},
		`"2026-01-01T00:01:00Z"`:           {-1, time.Minute},
		`"2026-01-01T00:01:00.5Z"`:         {-1, time.Minute + 500*time.Millisecond},
		`"2025-12-31T23:59:00.000000001Z"`: {-1, 0},
		`"2026-01-01T01:01:00+01:00"`:      {-1, time.Minute},
		`"2026-01-01 00:01:00Z"`:           {-1, -1},
		`"2026-01-01T00:01:00"`:            {-1, -1},
		`"2026-01-01T00:01:00.000000"`:     {-1, -1},
		`"2026-01-01T25:01:00Z"`:           {-1, -1},
		`"01-01-2026T00:01:00Z"`:           {-1, -1},
	} {
		for field, want := range map[string]time.Duration{"SecondsPath": want.seconds, "TimestampPath": want.until} {
			r := newTrial(t, functions{})
			got := r.run(wait(`"`+field+`": "$.t"`), `{"t": `+input+`}`)
			switch {
			case want < 0 && got.Error != asl.Runtime:
				t.Errorf("%s %s: %s %s", field, input, got.Status, got.Error)
			case want >= 0 && (got.Status != asl.Succeeded || r.took() != want):
				t.Errorf("%s %s: %s %s after %v", field, input, got.Status, got.Error, r.took())
			}
		}
	}
	for fields, want := range map[string]time.Duration{`"Seconds": 7`: 7 * time.Second, `"Timestamp": "2026-01-01T00:00:09Z"`: 9 * time.Second} {
		r := newTrial(t, functions{})
		if got := r.run(wait(fields), `{"a": 1}`); !sameJSON(string(got.Output), `{"a": 1}`) || r.took() != want {
			t.Errorf("%s: %s after %v", fields, got.Output, r.took())
		}
	}
}

func TestFailWithoutErrorHasNoName(t *testing.T) {
	r := newTrial(t, functions{})
	got := r.run(one(`{"Type": "Fail"}`), `{}`)
	if got.Status != asl.Failed || got.Error != "" || got.Cause != "" {
		t.Errorf("%+v", got)
	}
	r = newTrial(t, functions{})
	got = r.run(one(`{"Type": "Fail", "ErrorPath": "$.e", "CausePath": "$.c"}`), `{"e": "E", "c": "C"}`)
	if got.Error != "E" || got.Cause != "C" {
		t.Errorf("%+v", got)
	}
}

func TestCatchReplacesOrAdds(t *testing.T) {
	for resultPath, want := range map[string]string{
		``:                        `{"Error": "A", "Cause": "because"}`,
		`, "ResultPath": "$.e"`:   `{"in": 1, "e": {"Error": "A", "Cause": "because"}}`,
		`, "ResultPath": "$.e.f"`: `{"in": 1, "e": {"f": {"Error": "A", "Cause": "because"}}}`,
		`, "ResultPath": null`:    `{"in": 1}`,
	} {
		r := newTrial(t, functions{"F": failing("A")})
		// The OutputPath is not for the error, and the first catcher that matches counts.
		got := r.run(machine(`"S": `+task(end, `"OutputPath": "$.no"`, `"Catch": [
			{"ErrorEquals": ["B"], "Next": "W"},
			{"ErrorEquals": ["C", "A"], "Next": "E"`+resultPath+`},
			{"ErrorEquals": ["States.ALL"], "Next": "W"}]`)+`, "E": `+succeed+`, "W": {"Type": "Fail"}`), `{"in": 1}`)
		if !sameJSON(string(got.Output), want) {
			t.Errorf("%s: %s %s", resultPath, got.Status, got.Output)
		}
	}
}

func TestEventsOfATurn(t *testing.T) {
	twice := func() function {
		calls := 0
		return func(context.Context, string) (string, error) {
			if calls++; calls == 1 {
				return "", &asl.StepError{Name: "NotReady"}
			}
			return "{}", nil
		}
	}
	r := newTrial(t, functions{"F": twice()})
	r.run(one(task(end, `"Retry": [{"ErrorEquals": ["NotReady"], "BackoffRate": 1}]`)), `{}`)
	want := strings.Fields(`ExecutionStarted TaskStateEntered TaskScheduled TaskStarted TaskFailed
		TaskScheduled TaskStarted TaskSucceeded TaskStateExited ExecutionSucceeded`)
	if got := r.types(); !slices.Equal(got, want) {
		t.Errorf("a task with one retry: %v", got)
	}
	r = newTrial(t, functions{})
	r.run(machine(`"S": {"Type": "Wait", "Seconds": 1, "Next": "C"},
		"C": {"Type": "Choice", "Choices": [{"Variable": "$", "IsNull": false, "Next": "E"}]}, "E": `+succeed), `{}`)
	want = strings.Fields(`ExecutionStarted WaitStateEntered WaitStateExited ChoiceStateEntered ChoiceStateExited
		SucceedStateEntered SucceedStateExited ExecutionSucceeded`)
	if got := r.types(); !slices.Equal(got, want) {
		t.Errorf("a wait and a choice: %v", got)
	}
}

func TestHistoryIsLimited(t *testing.T) {
	r := newTrial(t, functions{})
	loop := machine(`"S": {"Type": "Pass", "Next": "C"},
		"C": {"Type": "Choice", "Default": "S", "Choices": [{"Variable": "$", "IsNull": true, "Next": "E"}]}, "E": ` + succeed)
	got := r.run(loop, `{}`)
	if got.Status != asl.Failed || got.Error != asl.Runtime || got.Events != asl.MaxEvents || len(r.events) != asl.MaxEvents {
		t.Errorf("%+v, and %d events were seen", got, len(r.events))
	}
	if last := r.events[asl.MaxEvents-1]; last.Type != "ExecutionFailed" {
		t.Errorf("the last event is %s", last.Type)
	}
	items := "[" + strings.TrimSuffix(strings.Repeat("1,", 10_000), ",") + "]"
	r = newTrial(t, functions{})
	if got := r.run(mapOf(`"MaxConcurrency": 40`), items); got.Error != asl.Runtime || got.Events != asl.MaxEvents {
		t.Errorf("a Map: %+v", fmt.Sprint(got.Status, got.Error, got.Events))
	}
}

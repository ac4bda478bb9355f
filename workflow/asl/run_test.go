package asl_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sidestep/pkg/clock"
	"sidestep/workflow/asl"
)

func TestRetryDelays(t *testing.T) {
	for name, c := range map[string]struct {
		fields string
		want   []time.Duration // between calls, in seconds
	}{
		"as documented": {``, []time.Duration{1, 2, 4}},
		"never":         {`, "MaxAttempts": 0`, nil},
		"steady":        {`, "BackoffRate": 1, "IntervalSeconds": 5, "MaxAttempts": 2`, []time.Duration{5, 5}},
		"capped":        {`, "BackoffRate": 3, "IntervalSeconds": 2, "MaxDelaySeconds": 7`, []time.Duration{2, 6, 7}},
		"jitter":        {`, "JitterStrategy": "FULL", "IntervalSeconds": 10, "MaxAttempts": 2`, []time.Duration{5, 10}},
		"for years":     {`, "BackoffRate": 1000, "IntervalSeconds": 99999999, "MaxAttempts": 1`, []time.Duration{31_622_400}},
	} {
		t.Run(name, func(t *testing.T) {
			var calls []time.Time
			r := newTrial(t, nil)
			r.Jitter = func(longest time.Duration) time.Duration { return longest / 2 }
			r.Tasks = functions{"F": func(context.Context, string) (string, error) {
				calls = append(calls, r.clock.Now())
				return "", &asl.StepError{Name: "A"}
			}}
			if got := r.run(retry(`"ErrorEquals": ["A"]`+c.fields), `{}`); got.Error != "A" {
				t.Errorf("%+v", got)
			}
			if len(calls) != len(c.want)+1 {
				t.Fatalf("%d calls, want %d", len(calls), len(c.want)+1)
			}
			for i, want := range c.want {
				if got := calls[i+1].Sub(calls[i]); got != want*time.Second {
					t.Errorf("retry %d after %v, want %ds", i+1, got, want)
				}
			}
		})
	}
}

func TestJitterIsRandomByItself(t *testing.T) {
	r := newTrial(t, functions{"F": failing("A")})
	r.run(retry(`"ErrorEquals": ["A"], "JitterStrategy": "FULL", "MaxAttempts": 5`), `{}`)
	if r.took() == 0 || r.took() > 31*time.Second {
		t.Errorf("five retries took %v", r.took())
	}
}

func TestRetriersCountByThemselves(t *testing.T) {
	names := []string{"A", "B", "A", "B", "A"}
	calls := 0
	f := func(context.Context, string) (string, error) {
		calls++
		return "", &asl.StepError{Name: names[calls-1]}
	}
	r := newTrial(t, functions{"F": f})
	// The last A finds its own retrier used up, and no other takes over.
	got := r.run(one(task(end, `"Retry": [{"ErrorEquals": ["A"], "MaxAttempts": 2}, {"ErrorEquals": ["States.ALL"], "MaxAttempts": 9}]`)), `{}`)
	if got.Error != "A" || calls != 5 {
		t.Errorf("%s after %d calls", got.Error, calls)
	}
}

func TestWhatMatches(t *testing.T) {
	slow := `"TimeoutSeconds": 1`
	for _, c := range []struct {
		errorEquals, raised string
		caught              bool
	}{
		{"A", "A", true},
		{"A", "B", false},
		{asl.All, "A", true},
		{asl.All, asl.Timeout, true},
		{asl.TaskFailed, "A", true},
		{asl.TaskFailed, asl.Timeout, false},
		{asl.Timeout, asl.Timeout, true},
		{asl.Timeout, "A", false},
	} {
		r := newTrial(t, nil)
		r.Tasks = functions{"F": func(ctx context.Context, payload string) (string, error) {
			if c.raised == asl.Timeout {
				return "{}", r.clock.Sleep(ctx, time.Minute)
			}
			return failing(c.raised)(ctx, payload)
		}}
		got := r.run(machine(`"S": `+task(end, slow, `"Catch": [{"ErrorEquals": ["`+c.errorEquals+`"], "Next": "E"}]`)+`, "E": `+succeed), `{}`)
		if caught := got.Status == asl.Succeeded; caught != c.caught {
			t.Errorf("%s, when %s was raised: caught %v, want %v", c.errorEquals, c.raised, caught, c.caught)
		}
	}
}

func TestTaskErrors(t *testing.T) {
	for name, c := range map[string]struct {
		f           function
		error, text string
	}{
		"wrapped": {func(context.Context, string) (string, error) {
			return "", fmt.Errorf("x: %w", &asl.StepError{Name: "A", Cause: "c"})
		}, "A", "c"},
		"nameless":    {func(context.Context, string) (string, error) { return "", errors.New("broken") }, asl.TaskFailed, "broken"},
		"empty name":  {failing(""), asl.TaskFailed, "because"},
		"no JSON":     {func(context.Context, string) (string, error) { return "{", nil }, asl.TaskFailed, "no JSON"},
		"as Lambda's": {func(context.Context, string) (string, error) { return "", asl.FunctionError("A", `say "b"`) }, "A", `{"errorMessage":"say \"b\"","errorType":"A"}`},
		"fine":        {func(context.Context, string) (string, error) { return "{}", nil }, "", ""},
	} {
		r := newTrial(t, functions{"F": c.f})
		if got := r.run(one(task(end)), `{}`); got.Error != c.error || !strings.Contains(got.Cause, c.text) {
			t.Errorf("%s: %s: %s", name, got.Error, got.Cause)
		}
	}
}

func TestTaskTimesOut(t *testing.T) {
	r := newTrial(t, nil)
	r.Tasks = functions{"F": func(ctx context.Context, _ string) (string, error) {
		_ = r.clock.Sleep(context.WithoutCancel(ctx), 20*time.Second)
		return "{}", nil // too late
	}}
	got := r.run(one(task(end, `"TimeoutSeconds": 10`)), `{}`)
	if got.Status != asl.Failed || got.Error != asl.Timeout {
		t.Errorf("%+v", got)
	}
	want := strings.Fields("ExecutionStarted TaskStateEntered TaskScheduled TaskStarted TaskTimedOut ExecutionFailed")
	if !slices.Equal(r.types(), want) {
		t.Errorf("%v", r.types())
	}
}

func TestExecutionTimesOut(t *testing.T) {
	r := newTrial(t, functions{})
	got := r.run(strings.Replace(wait(`"Seconds": 60`), "{", `{"TimeoutSeconds": 10, `, 1), `{}`)
	if got.Status != asl.TimedOut || got.Error != asl.Timeout || r.took() != 10*time.Second {
		t.Errorf("%+v after %v", got, r.took())
	}
	if last := r.events[len(r.events)-1]; last.Type != "ExecutionTimedOut" {
		t.Errorf("the last event is %s", last.Type)
	}
}

func TestCancelAborts(t *testing.T) {
	for name, definition := range map[string]string{
		"Wait":  wait(`"Seconds": 60`),
		"Task":  one(task(end)),
		"Retry": one(task(end, `"Retry": [{"ErrorEquals": ["States.ALL"], "IntervalSeconds": 60}]`)),
		"Catch": machine(`"S": ` + task(end, `"Catch": [{"ErrorEquals": ["States.ALL"], "Next": "E"}]`) + `, "E": ` + succeed),
		"Map":   one(`{"Type": "Map", "End": true, "MaxConcurrency": 2, "ItemProcessor": {"StartAt": "I", "States": {"I": {"Type": "Wait", "Seconds": 60, "End": true}}}}`),
	} {
		t.Run(name, func(t *testing.T) {
			r := newTrial(t, nil)
			ctx, cancel := r.clock.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			r.Tasks = functions{"F": func(ctx context.Context, _ string) (string, error) {
				return "{}", r.clock.Sleep(ctx, time.Hour)
			}}
			got := r.runUntil(ctx, definition, `[1, 2, 3]`)
			if got.Status != asl.Aborted || r.took() != 5*time.Second {
				t.Errorf("%+v after %v", got, r.took())
			}
			last := r.events[len(r.events)-1]
			if last.Type != "ExecutionAborted" || last.PreviousEventID != 0 {
				t.Errorf("the last event is %+v", last)
			}
		})
	}
}

func TestBeforeItBegan(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := newTrial(t, functions{})
	if got := r.runUntil(ctx, one(pass), `{}`); got.Status != asl.Aborted || got.Events != 2 {
		t.Errorf("%+v", got)
	}
}

func TestNothingFollowsACancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r := newTrial(t, functions{})
	seen := r.Observe
	r.Observe = func(e asl.Event) {
		seen(e)
		if e.Type == "PassStateEntered" {
			cancel()
		}
	}
	got := r.runUntil(ctx, one(pass), `{}`)
	if want := strings.Fields("ExecutionStarted PassStateEntered ExecutionAborted"); got.Status != asl.Aborted || !slices.Equal(r.types(), want) {
		t.Errorf("%s: %v", got.Status, r.types())
	}
}

func TestWhatCannotBegin(t *testing.T) {
	m := load(t, one(pass))
	good := asl.Execution{Name: "a", Input: []byte("{}"), Tasks: functions{}, Clock: clock.NewVirtual(start)}
	for name, change := range map[string]func(*asl.Execution){
		"no name":     func(x *asl.Execution) { x.Name = "" },
		"long name":   func(x *asl.Execution) { x.Name = strings.Repeat("a", 81) },
		"colon":       func(x *asl.Execution) { x.Name = "12:00" },
		"space":       func(x *asl.Execution) { x.Name = "a b" },
		"no input":    func(x *asl.Execution) { x.Input = nil },
		"two inputs":  func(x *asl.Execution) { x.Input = []byte("{}{}") },
		"large input": func(x *asl.Execution) { x.Input = []byte(`"` + strings.Repeat("x", asl.MaxPayload) + `"`) },
		"no tasks":    func(x *asl.Execution) { x.Tasks = nil },
		"no clock":    func(x *asl.Execution) { x.Clock = nil },
	} {
		x := good
		change(&x)
		if _, err := m.Run(context.Background(), x); err == nil {
			t.Errorf("%s: it ran", name)
		}
	}
}

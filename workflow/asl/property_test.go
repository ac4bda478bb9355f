package asl_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sidestep/workflow/asl"
)

// author writes machines of the profile. Every state leads to the next and some lead
// further, so all are reached and all end.
type author struct {
	t     *rapid.T
	names int
}

func (a *author) one(label string, of ...string) string {
	return rapid.SampledFrom(of).Draw(a.t, label)
}

// program is StartAt and States, with Maps and Parallels at most depth deep.
func (a *author) program(depth int) string {
	n := rapid.IntRange(1, 4).Draw(a.t, "states")
	first := a.names
	a.names += n
	var states []string
	for i := range n {
		later := func() string {
			return fmt.Sprintf(`"N%d"`, first+rapid.IntRange(min(i+1, n-1), n-1).Draw(a.t, "later"))
		}
		next, last := fmt.Sprintf(`"N%d"`, first+i+1), i == n-1
		states = append(states, fmt.Sprintf(`"N%d": %s`, first+i, a.state(depth, next, last, later)))
	}
	return fmt.Sprintf(`"StartAt": "N%d", "States": {%s}`, first, strings.Join(states, ", "))
}

func (a *author) state(depth int, next string, last bool, later func() string) string {
	onward := `"Next": ` + next
	if last {
		onward = end
	}
	kinds := []string{"Pass", "Wait", "Task", "Task"}
	if last {
		kinds = append(kinds, "Fail", "Succeed")
	} else {
		kinds = append(kinds, "Choice")
	}
	if depth > 0 {
		kinds = append(kinds, "Map", "Parallel")
	}
	rules := []string{`"NumericGreaterThan": 1`, `"IsPresent": true`, `"IsNull": false`}
	inner := func() string { return `{` + a.program(depth-1) + `}` }
	return map[string]func() string{
		"Fail":    func() string { return `{"Type": "Fail", "Error": "A"}` },
		"Succeed": func() string { return succeed },
		"Choice": func() string {
			return `{"Type": "Choice", "Default": ` + next + `, "Choices": [{"Next": ` + later() + `, "Variable": "$.n", ` + a.one("rule", rules...) + `}]}`
		},
		"Wait": func() string {
			return `{"Type": "Wait", ` + onward + `, ` + a.one("wait", `"Seconds": 5`, `"SecondsPath": "$.n"`) + `}`
		},
		"Pass": func() string {
			return `{"Type": "Pass", ` + onward + a.one("pass", ``, `, "Result": 1, "ResultPath": "$.r"`, `, "Parameters": {"n": 2, "l": [1, 2]}`) + `}`
		},
		"Task": func() string { return task(onward, `"ResultPath": "$.r", "TimeoutSeconds": 3`+a.handled(last, later)) },
		"Map": func() string {
			return `{"Type": "Map", ` + onward + `, "MaxConcurrency": 2, "ItemsPath": "$.l", "ResultPath": "$.m", "ItemSelector": {"n.$": "$$.Map.Item.Value", "l": [1]}, ` +
				`"ItemProcessor": ` + inner() + a.handled(last, later) + `}`
		},
		"Parallel": func() string {
			return `{"Type": "Parallel", ` + onward + `, "ResultPath": "$.p", "Branches": [` + inner() + `, ` + inner() + `]` + a.handled(last, later) + `}`
		},
	}[a.one("kind", kinds...)]()
}

func (a *author) handled(last bool, later func() string) string {
	out := a.one("retry", ``, `, "Retry": [{"ErrorEquals": ["A"], "JitterStrategy": "FULL"}, {"ErrorEquals": ["States.ALL"], "MaxAttempts": 1}]`)
	if !last && rapid.Bool().Draw(a.t, "caught") {
		out += `, "Catch": [{"ErrorEquals": ["` + a.one("error", "A", asl.All, asl.TaskFailed) + `"], "ResultPath": "$.e", "Next": ` + later() + `}]`
	}
	return out
}

// TestMachinesOfTheProfileEnd checks of any machine that it loads and ends, and that
// its history hangs together.
func TestMachinesOfTheProfileEnd(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := &author{t: rt}
		definition := `{"QueryLanguage": "JSONPath", ` + a.program(2) + `}`
		every := rapid.Int64Range(1, 4).Draw(rt, "every so many calls fail")
		r := newTrial(rt, nil)
		var calls atomic.Int64
		r.Tasks = functions{"F": func(ctx context.Context, _ string) (string, error) {
			switch n := calls.Add(1); {
			case n%every == 0:
				return "", &asl.StepError{Name: "A"}
			case n%7 == 0:
				return "{}", r.clock.Sleep(ctx, time.Minute)
			}
			return `{"n": 2}`, nil
		}}
		got := r.run(definition, `{"n": 1, "l": [1, 2, 3]}`)
		if got.Status != asl.Succeeded && got.Status != asl.Failed {
			rt.Fatalf("%+v", got)
		}
		r.checkHistory(got)
	})
}

// checkHistory checks what is true of every history.
func (r *trial) checkHistory(got asl.Result) {
	r.t.Helper()
	if got.Events != int64(len(r.events)) {
		r.t.Fatalf("%d events were seen of %d", len(r.events), got.Events)
	}
	var before asl.Event
	for i, e := range r.events {
		if e.ID != before.ID+1 || e.PreviousEventID < 0 || e.PreviousEventID >= e.ID || e.Timestamp.Before(before.Timestamp) {
			r.t.Fatalf("%+v follows %+v", e, before)
		}
		if edge := i == 0 || i == len(r.events)-1; edge != strings.HasPrefix(e.Type, "Execution") {
			r.t.Fatalf("event %d of %d is %s", e.ID, len(r.events), e.Type)
		}
		before = e
	}
}

// TestPayloadLimit checks that the limit is on the bytes of the JSON, to the byte,
// wherever a state makes it too large.
func TestPayloadLimit(t *testing.T) {
	const doubled = `{"a": "", "b": ""}` // what the states below make of a text, twice
	overhead := len(strings.ReplaceAll(doubled, " ", ""))
	twice := `{"a.$": "$", "b.$": "$"}`
	for over := -1; over <= 1; over++ {
		for _, filler := range []string{"x", "é", "<"} {
			n := (asl.MaxPayload - overhead + 2*over) / 2
			text := strings.Repeat(filler, n/len(filler)) + strings.Repeat("x", n%len(filler))
			for name, state := range map[string]string{
				"output":  `{"Type": "Pass", "End": true, "Parameters": ` + twice + `}`,
				"payload": `{"Type": "Task", "End": true, "Resource": "arn:aws:states:::lambda:invoke", "OutputPath": "$.StatusCode", "Parameters": {"FunctionName": "${F}", "Payload": ` + twice + `}}`,
				"branch":  `{"Type": "Parallel", "End": true, "ResultPath": null, "Branches": [{"StartAt": "I", "States": {"I": {"Type": "Pass", "End": true, "Parameters": ` + twice + `}}}]}`,
			} {
				r := newTrial(t, functions{"F": func(context.Context, string) (string, error) { return "1", nil }})
				got := r.run(one(state), `"`+text+`"`)
				fits := overhead+2*n <= asl.MaxPayload
				if (got.Status == asl.Succeeded) != fits || !fits && got.Error != asl.DataLimitExceeded {
					t.Errorf("%s of %d bytes: %s %s", name, overhead+2*n, got.Status, got.Error)
				}
			}
		}
	}
}

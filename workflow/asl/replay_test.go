package asl

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"sidestep/pkg/clock"
)

// recording is an execution as AWS ran it.
type recording struct {
	Name  string                `json:"name"`
	Def   map[string]any        `json:"def"`
	Input json.RawMessage       `json:"input"`
	Q     map[string][]recorded `json:"q"`
	Last  struct {
		ID        int64                   `json:"id"`
		Type      string                  `json:"type"`
		Succeeded *struct{ Output any }   `json:"executionSucceededEventDetails"`
		Failed    *struct{ Error string } `json:"executionFailedEventDetails"`
	} `json:"last"`
}

// recorded is how one call of a task ended.
type recorded struct {
	OK    bool            `json:"ok"`
	Out   json.RawMessage `json:"out"`
	Err   string          `json:"err"`
	Cause string          `json:"cause"`
}

// TestRecordedExecutions replays executions that AWS ran and compares how they end, and
// after how many events. The recordings are not part of this repository.
func TestRecordedExecutions(t *testing.T) {
	folder := os.Getenv("ASL_RECORDINGS")
	if folder == "" {
		t.Skip("ASL_RECORDINGS is not set: NO recorded execution was compared")
	}
	cases := readCases(t, folder)
	seen := map[string]bool{}
	same := 0
	for _, c := range cases {
		name := c.short()
		t.Run(name, func(t *testing.T) {
			seen[name] = true
			if compare(t, name, c.replay()) {
				same++
			}
		})
	}
	for name := range exceptions {
		if !seen[name] {
			t.Errorf("%s is listed and was not recorded", name)
		}
	}
	t.Logf("%d of %d recorded executions end as on AWS; the others are listed with their reasons", same, len(cases))
}

func readCases(t *testing.T, folder string) []recording {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []recording
	if err := json.Unmarshal(content, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// compare reports whether an execution ended as recorded. What is listed must differ,
// and as listed, so that the list cannot hide anything else.
func compare(t *testing.T, name, difference string) bool {
	t.Helper()
	listed, excepted := exceptions[name]
	switch {
	case !excepted && difference != "":
		t.Error(difference)
	case excepted && !strings.Contains(difference, listed.shows):
		t.Errorf("%q, but it is listed because %s, which shows as %q", difference, listed.why, listed.shows)
	case excepted:
		t.Logf("not compared: %s: %s", listed.why, difference)
	}
	return !excepted && difference == ""
}

// short is the recording's name without its file.
func (c *recording) short() string {
	_, name, _ := strings.Cut(c.Name, "::")
	return name
}

// replay runs the recording and says what is different.
func (c *recording) replay() string {
	m, err := Load(c.definition())
	if err != nil {
		return "refused: " + err.Error()
	}
	v := clock.NewVirtual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	x := Execution{Name: "replay", Input: c.Input, Tasks: &player{c: c, clock: v}, Clock: v}
	x.Observe = func(e Event) {
		if c.Last.Type == "ExecutionAborted" && e.Type == "WaitStateEntered" {
			cancel()
		}
	}
	r, err := m.run(ctx, x, func(out any) any { return out })
	if err != nil {
		return err.Error()
	}
	return c.differs(r)
}

func (c *recording) differs(r Result) string {
	types := map[Status]string{Succeeded: "ExecutionSucceeded", Failed: "ExecutionFailed", TimedOut: "ExecutionTimedOut", Aborted: "ExecutionAborted"}
	show := func(what string, got, want any) string {
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		return what + " " + string(g) + ", on AWS " + string(w)
	}
	switch {
	case types[r.Status] != c.Last.Type:
		return show("ends", string(r.Status)+" "+r.Error+" "+r.Cause, c.Last.Type)
	case c.Last.Failed != nil && c.Last.Failed.Error != r.Error:
		return show("error", r.Error, c.Last.Failed.Error)
	case c.Last.Succeeded != nil:
		var got any
		_ = json.Unmarshal(r.Output, &got)
		if got, want := unfold(got), unfold(c.Last.Succeeded.Output); !reflect.DeepEqual(got, want) {
			return show("output", got, want)
		}
	}
	if _, ok := uncounted[c.short()]; !ok && r.Events != c.Last.ID {
		return show("events", r.Events, c.Last.ID)
	}
	return ""
}

// unfold reads strings that are JSON, as the recordings hold some outputs and causes as
// text and some as values.
func unfold(v any) any {
	switch v := v.(type) {
	case string:
		var inner any
		if json.Unmarshal([]byte(v), &inner) == nil {
			return unfold(inner)
		}
	case map[string]any:
		for k := range v {
			v[k] = unfold(v[k])
		}
	case []any:
		for i := range v {
			v[i] = unfold(v[i])
		}
	}
	return v
}

// player answers as recorded.
type player struct {
	c     *recording
	clock clock.Clock
	mu    sync.Mutex
}

func (p *player) Invoke(ctx context.Context, function string, _ []byte) ([]byte, error) {
	p.mu.Lock()
	queue := p.c.Q[p.c.stateOf(function)]
	if len(queue) == 0 {
		p.mu.Unlock()
		return nil, errors.New("no more results are recorded")
	}
	next := queue[0]
	p.c.Q[p.c.stateOf(function)] = queue[1:]
	p.mu.Unlock()
	if next.Err == Timeout {
		return nil, p.clock.Sleep(ctx, time.Hour)
	}
	if !next.OK {
		return nil, &StepError{Name: next.Err, Cause: next.Cause}
	}
	return next.Out, nil
}

// stateOf is the state whose function it is: names of functions have no punctuation.
func (c *recording) stateOf(function string) string {
	for name := range c.Q {
		if functionName(name) == function {
			return name
		}
	}
	return function
}

func functionName(state string) string {
	return "F" + strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, state)
}

// definition writes the recorded definition in the words of the profile, where it only
// has other words for the same.
func (c *recording) definition() []byte {
	c.Def["QueryLanguage"] = "JSONPath"
	reword(c.Def)
	text, err := json.Marshal(c.Def)
	if err != nil {
		panic(err)
	}
	return text
}

func reword(program map[string]any) {
	for _, s := range program["States"].(map[string]any) {
		s := s.(map[string]any)
		switch s["Type"] {
		case "Map":
			rewordMap(s)
		case "Parallel":
			for _, b := range s["Branches"].([]any) {
				reword(b.(map[string]any))
			}
		case "Task":
			rewordTask(s)
		}
	}
}

func rewordMap(s map[string]any) {
	for old, now := range map[string]string{"Iterator": "ItemProcessor", "Parameters": "ItemSelector"} {
		if v, ok := s[old]; ok {
			s[now] = v
			delete(s, old)
		}
	}
	if n, _ := s["MaxConcurrency"].(float64); n == 0 && s["MaxConcurrencyPath"] == nil {
		s["MaxConcurrency"] = MaxConcurrency
	}
	reword(s["ItemProcessor"].(map[string]any))
}

// rewordTask makes any integration an invocation. What it is sent does not matter, as
// the results are recorded.
func rewordTask(s map[string]any) {
	name := strings.TrimSuffix(strings.TrimPrefix(s["Resource"].(string), "${"), "}")
	s["Resource"] = lambdaInvoke
	parameters := map[string]any{"FunctionName": "${" + functionName(name) + "}"}
	if p, ok := s["Parameters"].(map[string]any); ok {
		dropContext(p)
		parameters["Payload"] = p
	} else {
		parameters["Payload.$"] = "$"
	}
	s["Parameters"] = parameters
	if c, ok := s["Catch"].([]any); ok && len(c) == 0 {
		delete(s, "Catch")
	}
}

// dropContext takes the whole context object out of what a task is sent.
func dropContext(sent map[string]any) {
	for key, v := range sent {
		if inner, ok := v.(map[string]any); ok {
			dropContext(inner)
		}
		if v == "$$" {
			delete(sent, key)
		}
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/smithy-go"

	"sidestep/pkg/app"
	"sidestep/pkg/engine"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

func TestExplain(t *testing.T) {
	denied := &smithy.OperationError{ServiceID: "EC2", OperationName: "DescribeSubnets", Err: &smithy.GenericAPIError{
		Code: "UnauthorizedOperation", Message: "You are not authorized",
	}}
	for _, c := range []struct {
		name string
		err  error
		exit int
		what string
	}{
		{"refusal", &engine.Refusal{Why: "zone x is out already", Next: "recover it"}, exitRefused, "zone x is out already"},
		{"no connection", &app.ConnectError{Why: "no AWS region given", Next: "say --region"}, exitRefused, "no AWS region given"},
		{"usage", &usageError{"bad flag", "good flag"}, exitUsage, "bad flag"},
		{"configuration", fmt.Errorf("%w: x", app.ErrConfig), exitUsage, "configuration: x"},
		{"file", fmt.Errorf("%w: line 3: x", ledger.ErrFile), exitUsage, "line 3"},
		{"no table", fmt.Errorf("reading: %w", ledger.ErrNoTable), exitRefused, "the ledger table does not exist"},
		{"other schema", ledger.ErrSchema, exitRefused, "another schema"},
		{"no permission", fmt.Errorf("describing subnets: %w", denied), exitRefused, "nothing was changed: describing subnets: EC2 DescribeSubnets: UnauthorizedOperation: You are not authorized"},
		{"no answer", context.DeadlineExceeded, exitRefused, "nothing was changed"},
		{"stopped before it began", fmt.Errorf("reading: %w", context.Canceled), exitStopped, "nothing was changed"},
		{"taken over", &runError{ledger.ErrStale, "next"}, exitStopped, "another run has taken over"},
		{"stopped", &runError{context.Canceled, "next"}, exitStopped, "nothing further was changed"},
		{"no answer after it began", &runError{context.DeadlineExceeded, "next"}, exitFailed, "ended early"},
		{"anything else", errors.New("odd\nthing"), exitFailed, "odd thing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := explain(c.err)
			if got.exit != c.exit || !strings.Contains(got.what, c.what) || got.next == "" || strings.Contains(got.String(), "\n") {
				t.Errorf("got %d, %q; want %d, %q", got.exit, got, c.exit, c.what)
			}
		})
	}
}

func TestEnding(t *testing.T) {
	for status, want := range map[ledger.Status]error{
		ledger.Done: nil, ledger.Partial: exitCode(exitPartial), ledger.Held: exitCode(exitHeld), ledger.Refused: exitCode(exitRefused),
		ledger.Stopped: exitCode(exitStopped), ledger.Failed: exitCode(exitFailed), "odd": exitCode(exitFailed),
	} {
		if got := ending(status); got != want { //nolint:errorlint // codes are values
			t.Errorf("%s ends with %v, want %v", status, got, want)
		}
	}
}

func TestScope(t *testing.T) {
	configured := app.ScopeConfig{Name: "web-*"}
	for _, c := range []struct {
		name  string
		flags scopeFlags
		want  resource.Scope // zero where the flags are wrong
	}{
		{"none", scopeFlags{}, resource.Scope{Name: "web-*"}},
		{"kind", scopeFlags{kinds: []string{"autoscaling-group"}}, resource.Scope{Kinds: []resource.Kind{resource.AutoScalingGroup}}},
		{"name", scopeFlags{name: "a?[bc]*"}, resource.Scope{Name: "a?[bc]*"}},
		{"tags", scopeFlags{tags: []string{"a=b=c", "d="}, exclude: []string{"e=f,g"}}, resource.Scope{
			Tags: map[string]string{"a": "b=c", "d": ""}, Exclude: map[string]string{"e": "f,g"},
		}},
		{"unknown kind", scopeFlags{kinds: []string{"pod"}}, resource.Scope{}},
		{"bad pattern", scopeFlags{name: "["}, resource.Scope{}},
		{"no value", scopeFlags{tags: []string{"a"}}, resource.Scope{}},
		{"no key", scopeFlags{exclude: []string{"=a"}}, resource.Scope{}},
		{"key twice", scopeFlags{tags: []string{"a=b", "a=c"}}, resource.Scope{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.flags.scope(configured)
			if wrong := reflect.DeepEqual(c.want, resource.Scope{}); wrong != (err != nil) || !wrong && !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestChecks(t *testing.T) {
	for z, good := range map[string]bool{
		"use1-az1": true, "us-east-1a": true, "us-east-1-bos-1a": true, "": false, "USE1-AZ1": false, "a/b": false,
		"use1-az1\n": false, strings.Repeat("a", 33): false,
	} {
		if err := checkZone("--zone", z); (err == nil) != good {
			t.Errorf("zone %q: %v", z, err)
		}
	}
	for r, good := range map[string]bool{
		"outage": true, strings.Repeat("ü", 256): true, "": false, " \t": false, "a\nb": false, "a\x1b[31m": false,
		strings.Repeat("a", 257): false, "a\xff": false,
	} {
		if err := checkReason(r); (err == nil) != good {
			t.Errorf("reason %q: %v", r, err)
		}
	}
}

func TestActor(t *testing.T) {
	if got := actor("arn:aws:iam::1:user/x", "alice@host"); got != "arn:aws:iam::1:user/x (alice@host)" {
		t.Errorf("got %q", got)
	}
	if got := actor(strings.Repeat("é", 300), "a\nb"); len([]rune(got)) != maxActor || strings.Contains(got, "\n") {
		t.Errorf("got %d characters: %q", len([]rune(got)), got)
	}
}

// TestNextStepsRepeatFlags: a command that was copied must go to the same place.
func TestNextStepsRepeatFlags(t *testing.T) {
	w := ready(t)
	a := w.want(exitPartial, "evacuate", "--zone", zone, "--reason", "r", "--yes", "--profile", "on call", "--region", "us-east-1")
	if want := "sidestep verify --zone use1-az1 --profile 'on call' --region us-east-1\n"; !strings.Contains(a.stdout, want) {
		t.Errorf("%q is not in\n%s", want, a.stdout)
	}
}

package main

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aws/smithy-go"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/app"
	"sidestep/pkg/doctor"
	"sidestep/pkg/ledger/memory"
	"sidestep/pkg/region"
)

// doctorOfGroups is doctor's command line, over groups alone.
func doctorOfGroups(more ...string) []string {
	return append([]string{"doctor", "--kinds", "autoscaling-group"}, more...)
}

// named is a document's check of that name.
func named(t *testing.T, d view.Doctor, name string) doctor.Check {
	t.Helper()
	for _, c := range d.Checks {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no check %s in %+v", name, d.Checks)
	return doctor.Check{}
}

func TestDoctorWithoutAnybodyToAskForPermissions(t *testing.T) {
	w := ready(t)
	w.unchanged(func() {
		a := w.want(exitDone, doctorOfGroups("--output", "json")...)
		got := read[view.Doctor](t, a)
		if got.Verdict != doctor.CannotTell || got.Account != "111122223333" || got.Region != "us-east-1" || got.Caller != "arn:aws:iam::111122223333:user/ann" {
			t.Errorf("the document is\n%s", a.stdout)
		}
		for _, c := range got.Checks {
			if want := map[bool]doctor.Status{true: doctor.Unknown, false: doctor.OK}[strings.HasPrefix(c.Name, "change/")]; c.Status != want {
				t.Errorf("%+v", c)
			}
		}
		if !strings.Contains(a.stdout, `"mayNotChange": []`) {
			t.Errorf("the lists are not there\n%s", a.stdout)
		}
	})
	a := w.want(exitDone, doctorOfGroups()...)
	if !strings.HasPrefix(a.stdout, "CANNOT TELL in account 111122223333") || !strings.Contains(a.stderr, "Reading zones") {
		t.Errorf("doctor says\n%s%s", a.stdout, a.stderr)
	}
}

func TestDoctorFindsWhatFails(t *testing.T) {
	w := newWorld(t)
	w.store = noTable{memory.New()}
	w.region.Fault(region.Fault{Op: "DescribeAutoScalingGroups", Do: region.Fail(&smithy.GenericAPIError{Code: "AccessDenied", Message: "no"})})
	got := read[view.Doctor](t, w.want(exitPartial, doctorOfGroups("--output", "json")...))
	if got.Verdict != doctor.NotReady || !strings.Contains(named(t, got, "ledger").Next, "sidestep ledger init") {
		t.Errorf("the document is %+v", got)
	}
	if c := named(t, got, "list/autoscaling-group"); c.Status != doctor.Failed || !strings.Contains(c.Detail, "AccessDenied") {
		t.Errorf("got %+v", c)
	}
	text := w.want(exitPartial, doctorOfGroups()...).stdout
	if !strings.HasPrefix(text, "NOT READY in account 111122223333, region us-east-1: 2 checks failed\n\nWOULD FAIL\n") {
		t.Errorf("doctor says\n%s", text)
	}
	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(line) > 81 {
			t.Errorf("too long: %s", line)
		}
	}
}

func TestDoctorWithoutAConnection(t *testing.T) {
	w := newWorld(t)
	var out, progress strings.Builder
	s := system{out: &out, err: &progress, clock: w.clock, user: func() string { return "ann" }, getenv: func(string) string { return "" }}
	s.connect = func(context.Context, app.ConnectOptions) (app.Deps, app.Identity, error) {
		return app.Deps{}, app.Identity{}, &app.ConnectError{Why: "no AWS credentials found", Next: "log in"}
	}
	if exit := run(t.Context(), []string{"doctor"}, s); exit != exitPartial || !strings.HasPrefix(out.String(), "NOT READY: 1 check failed\n") ||
		!strings.Contains(out.String(), "no AWS credentials found") {
		t.Errorf("exits with %d and says\n%s%s", exit, out.String(), progress.String())
	}
}

func TestDoctorsScope(t *testing.T) {
	w := ready(t)
	got := read[view.Doctor](t, w.want(exitPartial, doctorOfGroups("--name", "nothing-*", "--output", "json")...))
	if c := named(t, got, "scope"); c.Status != doctor.Failed {
		t.Errorf("got %+v", c)
	}
	got = read[view.Doctor](t, w.want(exitDone, doctorOfGroups("--name", "web", "--output", "json")...))
	if c := named(t, got, "list/autoscaling-group"); !strings.HasPrefix(c.Detail, "1 in scope") {
		t.Errorf("got %+v", c)
	}
	for _, args := range [][]string{{"doctor", "use1-az1"}, {"doctor", "--tag", "team"}, {"doctor", "--kinds", "pod"}, {"doctor", "--config", "/not/there"}} {
		w.want(exitUsage, args...).oneLine(t)
	}
}

func TestDoctorStops(t *testing.T) {
	w := ready(t)
	ctx, stop := context.WithCancel(t.Context())
	w.context = ctx
	w.region.Fault(region.Fault{Op: "DescribeSubnets", Do: region.Foreign(func(*region.Region) { stop() })})
	w.want(exitStopped, doctorOfGroups()...).oneLine(t)
}

// A kind whose permissions the doctor does not know is one it cannot tell of.
func TestDoctorKnowsEveryKind(t *testing.T) {
	for _, k := range app.Kinds() {
		if _, known := doctor.Needs(k); !known {
			t.Errorf("the permissions for changes of %s are not in doctor.Needs", k)
		}
	}
}

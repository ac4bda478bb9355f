package matrix

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"sidestep/pkg/app"
	"sidestep/pkg/engine"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

var functions = resource.Scope{Kinds: []resource.Kind{resource.LambdaFunction}}

// item finds what became of one resource.
func itemOf(t *testing.T, r engine.Result, name string) engine.Item {
	t.Helper()
	i := slices.IndexFunc(r.Items, func(i engine.Item) bool { return i.Name == name })
	if i < 0 {
		t.Fatalf("%s is not in the report", name)
	}
	return r.Items[i]
}

func TestFR17ServicesOfOtherControllersAreLeftWithAdvice(t *testing.T) {
	wantLeft(t, map[string]leftAs{
		"prod/code-deploy": {resource.SkippedCodeDeploy, "AppSpec"},
		"prod/external":    {resource.SkippedExternalController, "create a task set"},
	})
}

func TestFR30ServicesOnTheirHostsNetworkAreLeftWithAdvice(t *testing.T) {
	wantLeft(t, map[string]leftAs{
		"prod/host-network": {resource.SkippedHostNetwork, "drain its container instances"},
		"prod/daemon":       {resource.SkippedDaemon, "Auto Scaling group of its hosts"},
	})
}

// leftAs is under which code a service is left, and with what advice.
type leftAs struct {
	outcome resource.Outcome
	advice  string
}

// wantLeft evacuates the sample's services under both policies: these are left with
// advice, and get no call.
func wantLeft(t *testing.T, want map[string]leftAs) {
	t.Helper()
	for _, p := range []resource.Policy{resource.Hold, resource.Drain} {
		w := newMixedWorld(t)
		result, err := w.attempt("out", resource.Evacuate, p, services, rolloutConfig(5), false)
		if err != nil {
			t.Fatal(err)
		}
		for name, as := range want {
			if i := itemOf(t, result, name); i.Outcome != as.outcome || !strings.Contains(i.Reason, as.advice) {
				t.Errorf("%s: %s is %s: %s", p, name, i.Outcome, i.Reason)
			}
			for _, c := range w.changes("out") {
				if c.ID == name {
					t.Errorf("%s: %s was sent %s", p, name, c.Op)
				}
			}
		}
	}
}

func TestFR12FunctionsWithoutAVPCAreLeft(t *testing.T) {
	w := newMixedWorld(t)
	result, err := w.attempt("out", resource.Evacuate, resource.Hold, functions, app.DefaultConfig(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"no-vpc", "left-vpc"} {
		if got := itemOf(t, result, name).Outcome; got != resource.SkippedNoVPC {
			t.Errorf("%s is %s", name, got)
		}
		for _, c := range w.changes("out") {
			if strings.HasSuffix(c.ID, name) {
				t.Errorf("%s was sent %s", name, c.Op)
			}
		}
	}
}

func TestFR33VersionsOnTheOldNetworkAreNamed(t *testing.T) {
	w := newMixedWorld(t)
	result, err := w.attempt("out", resource.Evacuate, resource.Hold, functions, app.DefaultConfig(), false)
	if err != nil {
		t.Fatal(err)
	}
	i := itemOf(t, result, "published")
	if i.Outcome != resource.NotEvacuated || !strings.Contains(i.Reason, "alias live runs version 1") {
		t.Errorf("it is %s: %s", i.Outcome, i.Reason)
	}
	if in := strings.Contains(strings.Join(w.region.Functions()["published"].Subnets, " "), "subnet-1"); in {
		t.Error("the function itself is still in the zone")
	}
}

// TestFR49AForeignUpdateInBetweenIsKept: somebody's change between our reading and
// our call makes the call void; it goes out again, made from what they left.
func TestFR49AForeignUpdateInBetweenIsKept(t *testing.T) {
	w := newMixedWorld(t)
	w.region.Fault(region.Fault{
		Process: "out", Op: "UpdateFunctionConfiguration", Nth: 1,
		Do: region.Foreign(func(r *region.Region) {
			r.EditFunction("resize", func(c *region.FunctionConfig) { c.SecurityGroups = []string{"sg-foreign"} })
		}),
	})
	scope := functions
	scope.Name = "resize"
	result, err := w.attempt("out", resource.Evacuate, resource.Hold, scope, app.DefaultConfig(), false)
	if err != nil {
		t.Fatal(err)
	}
	got := w.region.Functions()["resize"]
	if !slices.Equal(got.SecurityGroups, []string{"sg-foreign"}) || strings.Contains(strings.Join(got.Subnets, " "), "subnet-1") {
		t.Errorf("it is %+v", got)
	}
	if o := itemOf(t, result, "resize").Outcome; o != resource.Settled {
		t.Errorf("it is %s", o)
	}
}

// TestFR49AnUpdateUnderWayIsWaitedFor, and no call is refused for it.
func TestFR49AnUpdateUnderWayIsWaitedFor(t *testing.T) {
	w := newMixedWorld(t)
	w.region.UpdateTime(2 * time.Minute)
	w.region.EditFunction("mail", func(c *region.FunctionConfig) { c.Tags = map[string]string{"owner": "somebody"} })
	if _, err := w.attempt("out", resource.Evacuate, resource.Hold, functions, app.DefaultConfig(), false); err != nil {
		t.Fatal(err)
	}
	for _, c := range w.changes("out") {
		if c.Err != nil {
			t.Errorf("%s of %s: %v", c.Op, c.ID, c.Err)
		}
	}
	if in := strings.Contains(strings.Join(w.region.Functions()["mail"].Subnets, " "), "subnet-1"); in {
		t.Error("it is still in the zone")
	}
}

// TestFR49AFailedUpdateIsNotApplied: the old configuration goes on serving, and the
// next run sends the change again.
func TestFR49AFailedUpdateIsNotApplied(t *testing.T) {
	w := newMixedWorld(t)
	before := w.snapshot()
	w.region.FailUpdates("mail", "SubnetOutOfIPAddresses")
	for _, process := range []string{"one", "two", "three", "four"} {
		result, err := w.attempt(process, resource.Evacuate, resource.Hold, functions, app.DefaultConfig(), false)
		if err != nil {
			t.Fatal(err)
		}
		i := itemOf(t, result, "mail")
		if i.Outcome != resource.HeldNoCapacity || !strings.Contains(i.Reason, "SubnetOutOfIPAddresses") {
			t.Errorf("%s: it is %s: %s", process, i.Outcome, i.Reason)
		}
	}
	w.region.FailUpdates("mail", "")
	result, err := w.attempt("last", resource.Evacuate, resource.Hold, functions, app.DefaultConfig(), false)
	if err != nil || itemOf(t, result, "mail").Outcome != resource.Settled {
		t.Errorf("after all it is %s, %v", itemOf(t, result, "mail").Outcome, err)
	}
	if _, err := w.attempt("back", resource.Recover, "", functions, app.DefaultConfig(), false); err != nil {
		t.Fatal(err)
	}
	w.wantSnapshot(t, before)
}

func TestFR31SecurityGroupsAndPublicIPSurvive(t *testing.T) {
	w := newServiceWorld(t, 1)
	w.region.EditService("shop/service-00", func(c *region.ServiceConfig) {
		c.SecurityGroups, c.PublicIP = []string{"sg-b", "sg-a"}, "ENABLED"
	})
	_ = w.clock.Sleep(context.Background(), time.Hour)
	before := w.snapshot()
	if _, err := w.attempt("out", resource.Evacuate, resource.Drain, services, rolloutConfig(1), false); err != nil {
		t.Fatal(err)
	}
	if c := w.region.Services()["shop/service-00"]; !slices.Equal(c.SecurityGroups, []string{"sg-b", "sg-a"}) || c.PublicIP != "ENABLED" || len(c.Subnets) != 2 {
		t.Errorf("drained it is %+v", c)
	}
	if _, err := w.attempt("back", resource.Recover, "", services, rolloutConfig(1), false); err != nil {
		t.Fatal(err)
	}
	w.wantSnapshot(t, before)
}

// TestARecordIsKeptOfAServiceThatCannotBePutBack: handed to CodeDeploy while its
// zone was out.
func TestARecordIsKeptOfAServiceThatCannotBePutBack(t *testing.T) {
	w := newServiceWorld(t, 2)
	if _, err := w.attempt("out", resource.Evacuate, resource.Drain, services, rolloutConfig(2), false); err != nil {
		t.Fatal(err)
	}
	w.region.EditService("shop/service-01", func(c *region.ServiceConfig) { c.Controller = "CODE_DEPLOY" })
	result, err := w.attempt("back", resource.Recover, "", services, rolloutConfig(2), false)
	if err != nil {
		t.Fatal(err)
	}
	if i := itemOf(t, result, "shop/service-01"); i.Outcome != resource.SkippedCodeDeploy || !strings.Contains(i.Reason, "subnet-1a") || result.Open != 1 {
		t.Errorf("it is %s, with %d records open: %s", i.Outcome, result.Open, i.Reason)
	}
}

// TestNoWaitRecoveryOfServicesIsClosedByWatch: only once nothing is under way.
func TestNoWaitRecoveryOfServicesIsClosedByWatch(t *testing.T) {
	w := newServiceWorld(t, 3)
	before := w.snapshot()
	w.region.RolloutTime(4 * time.Minute)
	if _, err := w.attempt("out", resource.Evacuate, resource.Drain, services, rolloutConfig(0), false); err != nil {
		t.Fatal(err)
	}
	back, err := w.attempt("back", resource.Recover, "", services, rolloutConfig(0), true)
	if err != nil || back.Open != 3 {
		t.Fatalf("%d records open, %v", back.Open, err)
	}
	e := w.engine("watch", app.DefaultConfig())
	look := func() int {
		result, err := e.Reconcile(context.Background(), w.request(resource.Recover, leaving, ""))
		if err != nil {
			t.Fatal(err)
		}
		return result.Open
	}
	if open := look(); open != 3 {
		t.Errorf("%d records are open while all are being redeployed, want 3", open)
	}
	_ = w.clock.Sleep(context.Background(), 10*time.Minute)
	if open := look(); open != 0 {
		t.Errorf("%d records are open after all have settled", open)
	}
	w.wantSnapshot(t, before)
}

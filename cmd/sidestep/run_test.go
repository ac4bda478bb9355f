package main

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/memory"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

func TestEvacuateAndRecover(t *testing.T) {
	w := ready(t)
	before := w.region.Snapshot()
	plan := w.document(exitDone, "plan", "--zone", zone)
	if plan.Run.Status != view.Planned || plan.Counts[resource.Planned] != 8 {
		t.Errorf("the plan is %s with %v", plan.Run.Status, plan.Counts)
	}
	out := w.evacuate(exitPartial) // six groups cannot be closed, and that is said
	if out.Run.Status != ledger.Partial || out.Counts[resource.Settled] != 8 || out.OpenRecords != 8 {
		t.Errorf("the evacuation is %s with %v and %d records", out.Run.Status, out.Counts, out.OpenRecords)
	}
	back := w.recover(exitDone)
	if back.Run.Status != ledger.Done || back.OpenRecords != 0 || back.Counts[resource.Restored] != 8 {
		t.Errorf("the recovery is %s with %v and %d records", back.Run.Status, back.Counts, back.OpenRecords)
	}
	if !reflect.DeepEqual(before, w.region.Snapshot()) {
		t.Error("the configuration is not as before")
	}
	if got := w.want(exitDone, "status").stdout; !strings.Contains(got, "NO ZONE IS OUT") {
		t.Errorf("status says\n%s", got)
	}
}

func TestWhatIsSaidWhileAZoneIsOut(t *testing.T) {
	w := ready(t)
	run := w.evacuate(exitPartial).Run
	if run.ID != "evacuate-use1-az1-20261130t020000z-t002" || run.Actor != "arn:aws:iam::111122223333:user/ann (ann@laptop)" {
		t.Errorf("the run is %s by %s", run.ID, run.Actor)
	}
	if got := w.want(exitDone, "status").stdout; !strings.Contains(got, "1 ZONE OUT") || !strings.Contains(got, "8 settled") {
		t.Errorf("status says\n%s", got)
	}
	if got := w.document(exitDone, "verify", "--zone", "us-east-1b"); got.Run.Status != view.Holds || len(got.Resources) != 8 {
		t.Errorf("verify says %s of %d resources", got.Run.Status, len(got.Resources))
	}
	if got := w.want(exitDone, "audit", run.ID).stdout; !strings.Contains(got, "run ended partial") {
		t.Errorf("the trail is\n%s", got)
	}
}

func TestDriftIsFound(t *testing.T) {
	w := ready(t)
	w.evacuate(exitPartial)
	w.region.SetGroupSubnets("api", "subnet-2a", "subnet-1a", "subnet-3a") // a pipeline puts it back
	got := w.document(exitDrift, "verify", "--zone", zone)
	if got.Run.Status != view.Drift || got.Counts[resource.RestoredByOther] != 1 {
		t.Errorf("verify says %s with %v", got.Run.Status, got.Counts)
	}
	w.want(exitDrift, "watch", "--once")
}

func TestNoWaitIsClosedByWatch(t *testing.T) {
	w := ready(t)
	w.evacuate(exitPartial)
	if got := w.recover(exitDone, "--no-wait"); got.OpenRecords != 8 {
		t.Errorf("--no-wait leaves %d records", got.OpenRecords)
	}
	if err := w.clock.Sleep(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	w.want(exitDone, "watch", "--once")
	if got := w.want(exitDone, "status").stdout; !strings.Contains(got, "NO ZONE IS OUT") {
		t.Errorf("status says\n%s", got)
	}
}

func TestWatchGoesOnUntilStopped(t *testing.T) {
	w := ready(t)
	w.evacuate(exitPartial)
	ctx, stop := w.clock.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	w.context = ctx
	a := w.want(exitDone, "watch", "--zone", zone)
	if strings.Count(a.stdout, "\n") != 1 || !strings.Contains(a.stdout, "8 of 8 records") {
		t.Errorf("watch says\n%s", a.stdout)
	}
}

func TestAllZones(t *testing.T) {
	w := ready(t)
	before := w.region.Snapshot()
	w.evacuate(exitPartial)
	w.document(exitRefused, "evacuate", "--zone", "use1-az2", "--reason", "r", "--yes")
	w.document(exitPartial, "evacuate", "--zone", "use1-az2", "--reason", "r", "--yes", "--override-second-zone", zone)
	got := read[runs](t, w.want(exitDone, "recover", "--all-zones", "--reason", "r", "--yes", "--output", "json"))
	if len(got.Runs) != 2 || !reflect.DeepEqual(before, w.region.Snapshot()) {
		t.Errorf("%d runs, and the configuration is as before: %v", len(got.Runs), reflect.DeepEqual(before, w.region.Snapshot()))
	}
	if a := w.want(exitDone, "recover", "--all-zones", "--reason", "r", "--yes"); !strings.Contains(a.stdout, "No zone is out") {
		t.Errorf("nothing to recover is said as\n%s", a.stdout)
	}
}

func TestRefusals(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(bad, []byte("run:\n  leese: 1s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	evacuate := []string{"evacuate", "--zone", zone, "--reason", "r", "--yes"}
	for _, c := range []struct {
		name string
		exit int
		args []string
	}{
		{"unknown command", exitUsage, []string{"evaporate"}},
		{"unknown command of the ledger", exitUsage, []string{"ledger", "burn"}},
		{"unknown flag", exitUsage, append(evacuate, "--force")},
		{"no zone", exitUsage, []string{"plan"}},
		{"no zone to recover", exitUsage, []string{"recover", "--reason", "r", "--yes"}},
		{"a zone and all zones", exitUsage, []string{"recover", "--zone", zone, "--all-zones", "--reason", "r", "--yes"}},
		{"bad zone", exitUsage, []string{"plan", "--zone", "use1 az1"}},
		{"unknown zone", exitRefused, []string{"plan", "--zone", "use1-az9"}},
		{"zone of another region", exitRefused, append(evacuate, "--zone", "euw1-az1")},
		{"local zone", exitRefused, append(evacuate, "--zone", "use1-bos1-az1")},
		{"empty scope", exitRefused, append(evacuate, "--name", "nothing-*")},
		{"unknown kind", exitUsage, append(evacuate, "--kinds", "eks-nodes")},
		{"bad pattern", exitUsage, append(evacuate, "--name", "[")},
		{"bad tag", exitUsage, append(evacuate, "--tag", "team")},
		{"no policy", exitUsage, append(evacuate, "--policy", "flee")},
		{"policy that is to come", exitUsage, append(evacuate, "--policy", "shift")},
		{"no reason", exitUsage, []string{"evacuate", "--zone", zone, "--yes"}},
		{"empty reason", exitUsage, append(evacuate, "--reason", " ")},
		{"no terminal", exitUsage, evacuate[:5]},
		{"bad output", exitUsage, append(evacuate, "--output", "xml")},
		{"bad table", exitUsage, append(evacuate, "--table", "a b")},
		{"unknown key in the configuration", exitUsage, append(evacuate, "--config", bad)},
		{"no configuration", exitUsage, append(evacuate, "--config", bad+".not")},
		{"no such run", exitRefused, []string{"audit", "evacuate-x"}},
		{"no such record", exitRefused, []string{"ledger", "show", "arn:x"}},
		{"endless JSON", exitUsage, []string{"watch", "--output", "json"}},
		{"no import", exitUsage, []string{"ledger", "import", bad}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := ready(t)
			w.unchanged(func() { w.want(c.exit, c.args...).oneLine(t) })
			a := w.run(append(c.args, "--output", "json")...)
			if got := read[view.Document](t, a); c.name != "bad output" && (got.Error == nil || got.Error.Exit != c.exit) {
				t.Errorf("the document is\n%s", a.stdout)
			}
		})
	}
}

func TestNoTable(t *testing.T) {
	w := newWorld(t)
	w.store = noTable{memory.New()}
	for _, args := range [][]string{
		{"evacuate", "--zone", zone, "--reason", "r", "--yes"}, {"recover", "--zone", zone, "--reason", "r", "--yes"},
		{"status"}, {"verify", "--zone", zone}, {"watch", "--once"}, {"ledger", "list"}, {"ledger", "export"},
	} {
		w.unchanged(func() {
			a := w.want(exitRefused, args...)
			a.oneLine(t)
			if !strings.Contains(a.stderr, "nothing was changed") || !strings.Contains(a.stderr, "sidestep ledger init") {
				t.Errorf("%v says %s", args, a.stderr)
			}
		})
	}
	if plan := w.document(exitDone, "plan", "--zone", zone); len(plan.Notes) != 1 {
		t.Errorf("the plan without a ledger notes %v", plan.Notes)
	}
}

func TestConfirmation(t *testing.T) {
	args := []string{"evacuate", "--zone", "us-east-1b", "--reason", "r", "--no-wait"}
	for _, c := range []struct {
		name, typed string
		exit        int
	}{
		{"the zone's ID", zone + "\n", exitPartial},
		{"its name", "us-east-1b\n", exitRefused},
		{"yes", "yes\n", exitRefused},
		{"nothing", "", exitRefused},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := ready(t)
			w.terminal, w.typed = true, c.typed
			a := w.want(c.exit, args...)
			if !strings.Contains(a.stderr, "Evacuating zone use1-az1, which this account calls us-east-1b: account 111122223333, region us-east-1, policy hold.") {
				t.Errorf("the echo is\n%s", a.stderr)
			}
		})
	}
}

// waiting is a keyboard that nobody touches.
type waiting struct{ done <-chan struct{} }

func (w waiting) Read([]byte) (int, error) { <-w.done; return 0, context.Canceled }

func TestStopWhileAsking(t *testing.T) {
	w := ready(t)
	ctx, stop := context.WithCancel(t.Context())
	c := &cli{system: system{err: &strings.Builder{}, terminal: true}, input: bufio.NewReader(waiting{ctx.Done()})}
	stop()
	if got := explain(c.ask(ctx, false, "echo", "zone ID", zone)); got.exit != exitStopped {
		t.Errorf("got %v", got)
	}
	w.unchanged(func() {})
}

func TestViewsOfOneZoneTakeItsNameAndRefuseATypo(t *testing.T) {
	w := ready(t)
	w.evacuate(exitPartial)
	for _, command := range [][]string{{"status"}, {"ledger", "list"}} {
		byName := w.want(exitDone, append(command, "--zone", "us-east-1b")...)
		if !strings.Contains(byName.stdout, zone) {
			t.Errorf("%v by name says\n%s", command, byName.stdout)
		}
		w.want(exitRefused, append(command, "--zone", "use1-az9")...)
	}
}

func TestStopInTheMiddle(t *testing.T) {
	w := ready(t)
	before := w.region.Snapshot()
	ctx, stop := context.WithCancel(t.Context())
	w.context = ctx
	w.region.Fault(region.Fault{Op: "UpdateAutoScalingGroup", Nth: 1, Do: region.Foreign(func(*region.Region) { stop() })})
	a := w.want(exitStopped, "evacuate", "--zone", zone, "--reason", "r", "--yes", "--exclude-tag", "a=b c")
	a.oneLine(t)
	for _, part := range []string{"nothing further was changed", "go on with `sidestep evacuate --zone use1-az1 --policy hold --exclude-tag 'a=b c' --reason r`", "`sidestep recover --zone use1-az1 --reason TEXT`"} {
		if !strings.Contains(a.stderr, part) {
			t.Errorf("the error does not say %q:\n%s", part, a.stderr)
		}
	}
	w.context = t.Context()
	if reflect.DeepEqual(before, w.region.Snapshot()) {
		t.Fatal("nothing was changed before the stop: this shows nothing")
	}
	w.want(exitPartial, "status") // an evacuation that does not go on by itself
	if v := w.want(exitPartial, "verify", "--zone", zone); !strings.HasPrefix(v.stdout, "INCOMPLETE") {
		t.Errorf("verify after a stop says\n%s", v.stdout)
	}
	w.recover(exitDone)
	if !reflect.DeepEqual(before, w.region.Snapshot()) {
		t.Error("the configuration is not as before")
	}
}

package integration

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
)

func TestNameInsteadOfAnID(t *testing.T) {
	s := newScene(t)
	d := s.do([]int{0}, "evacuate", "--zone", outName, "--reason", "by name", "--yes")
	if d.Run.Zone.ID != outID || d.Run.Zone.Name != outName {
		t.Errorf("zone %+v", d.Run.Zone)
	}
	if got := s.look("web").Subnets; !slices.Equal(got, s.ids("b1", "c1")) {
		t.Errorf("web has %v", got)
	}
	s.recover(0)
	s.wantAsBefore()
}

func TestSubnetOfAFourthZoneAddedWhileOutSurvives(t *testing.T) {
	s := newScene(t)
	s.evacuate(0)
	fourth := s.addSubnet("us-east-1d", "10.0.90.0/24")
	s.set("web", append(s.look("web").Subnets, fourth)...)
	s.recover(0)
	if got := s.look("web").Subnets; !slices.Equal(got, append(s.ids("b1", "a1", "c1", "a2"), fourth)) {
		t.Errorf("web has %v", got)
	}
}

func TestSecondSubnetOfTheZoneAddedWhileOut(t *testing.T) {
	s := newScene(t)
	s.evacuate(0)
	added := s.addSubnet(outName, "10.0.91.0/24")
	s.set("web", append(s.look("web").Subnets, added)...)
	s.do([]int{6}, "verify", "--zone", outID)
	s.evacuate(0)
	if got := s.look("web").Subnets; slices.Contains(got, added) {
		t.Errorf("web still has %s: %v", added, got)
	}
	s.recover(0)
	if got := s.look("web").Subnets; !slices.Equal(got, append(s.ids("b1", "a1", "c1", "a2"), added)) {
		t.Errorf("web has %v", got)
	}
}

func TestKilledAfterTheFirstChangeAndRunAgain(t *testing.T) {
	s := newScene(t)
	p := between(t, s.w)
	crash := newOperator(t, s.w.through(p), crashConfig)
	victim := prepare(t, crash.w, binary(t), crash.args("evacuate", "--zone", outID, "--reason", "killed", "--yes")...)
	p.crashAfterFirst("autoscaling", victim.kill)
	if r := victim.run(); r.Exit != -1 {
		t.Fatalf("it was not killed: exit %d", r.Exit)
	}
	if m := p.mutations(); m[len(m)-1].Service != "autoscaling" {
		t.Fatalf("it was killed at %+v", m[len(m)-1])
	}
	s.operator = newOperator(t, s.w, crashConfig)
	s.evacuate(0)
	s.recover(0)
	s.wantAsBefore()
}

func TestGroupDeletedBeforeRecovery(t *testing.T) {
	s := newScene(t)
	s.evacuate(0)
	if _, err := s.asg.DeleteAutoScalingGroup(t.Context(), &autoscaling.DeleteAutoScalingGroupInput{
		AutoScalingGroupName: aws.String(s.name("api")), ForceDelete: aws.Bool(true),
	}); err != nil {
		t.Fatal(err)
	}
	d := s.recover(3)
	if got := d.outcome(s.name("api")); got != "orphaned" {
		t.Errorf("the deleted group is %q", got)
	}
	if got := s.look("web").Subnets; !slices.Equal(got, s.ids("b1", "a1", "c1", "a2")) {
		t.Errorf("web has %v", got)
	}
	s.do([]int{0}, "ledger", "repair", "--zone", outID, "--yes")
	wantNothingOpen(t, observe(t, s.w, table))
}

func TestTwoZonesOutByOverride(t *testing.T) {
	s := newScene(t)
	s.evacuate(0)
	second := []string{"evacuate", "--zone", nextID, "--reason", "also", "--yes"}
	closed := observe(t, s.w)
	s.do([]int{5}, second...)
	same(t, closed, observe(t, s.w))
	s.do([]int{5}, append(second, "--override-second-zone", nextID)...)
	s.do([]int{3}, append(second, "--override-second-zone", outID)...) // api has no third zone
	if got := s.look("web").Subnets; !slices.Equal(got, s.ids("c1")) {
		t.Errorf("web has %v", got)
	}
	s.recover(0)
	if got := s.look("web").Subnets; !slices.Equal(got, s.ids("a1", "c1", "a2")) {
		t.Errorf("after the first came back web has %v", got)
	}
	if got := s.look("web").Suspended; !slices.Contains(got, "AZRebalance") {
		t.Errorf("rebalancing was resumed while %s is out: %v", nextID, got)
	}
	s.do([]int{0}, "recover", "--zone", nextID, "--reason", "back", "--yes")
	s.wantAsBefore()
}

func TestSameEvacuationTwice(t *testing.T) {
	s := newScene(t)
	s.evacuate(0)
	closed := observe(t, s.w)
	if d := s.evacuate(0); d.Counts["settled"] != 2 {
		t.Errorf("the second time: %v", d.Counts)
	}
	same(t, closed, observe(t, s.w))
	s.recover(0)
	s.wantAsBefore()
}

func TestSubnetAddedBackBySomeoneElse(t *testing.T) {
	s := newScene(t)
	s.evacuate(0)
	s.do([]int{0}, "verify", "--zone", outID)
	s.set("web", s.ids("b1", "a1", "c1", "a2")...)
	if d := s.do([]int{6}, "verify", "--zone", outID); d.outcome(s.name("web")) != "restored-by-other" {
		t.Errorf("verify: %v", d.Counts)
	}
	s.recover(0)
	s.wantAsBefore()
}

func TestForeignSuspensionSurvives(t *testing.T) {
	s := newScene(t)
	s.evacuate(0)
	if _, err := s.asg.SuspendProcesses(t.Context(), &autoscaling.SuspendProcessesInput{
		AutoScalingGroupName: aws.String(s.name("web")), ScalingProcesses: []string{"AlarmNotification"},
	}); err != nil {
		t.Fatal(err)
	}
	s.recover(0)
	if got := s.look("web").Suspended; !slices.Equal(got, []string{"AlarmNotification"}) {
		t.Errorf("web has suspended %v", got)
	}
	if got := s.look("api").Suspended; !slices.Equal(got, []string{"AZRebalance"}) {
		t.Errorf("api has suspended %v", got)
	}
}

func TestEvacuateWithoutATable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sidestepNeeds...)
	seed(t, w, spec{subnetsPerZone: 2, groups: fleet(4)})
	before := observe(t, w, table)
	o := newOperator(t, w, quickConfig+"ledger: {table: no-such-table}\n")
	if d := o.evacuate(5); !strings.Contains(d.Error.Message, "ledger") {
		t.Errorf("it says %q", d.Error.Message)
	}
	same(t, before, observe(t, w, table))
}

func TestExportedLedgerIsImported(t *testing.T) {
	s := newScene(t)
	s.evacuate(0)
	out := run(t, s.w, "ledger", "export", "--config", s.config)
	if out.Exit != 0 || strings.Count(out.Stdout, "\n") < 5 {
		t.Fatalf("export: %d\n%s\n%s", out.Exit, out.Stdout, out.Stderr)
	}
	file := filepath.Join(t.TempDir(), "ledger.jsonl")
	if err := os.WriteFile(file, []byte(out.Stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	// Another table, as after a loss of the first.
	other := newOperator(t, s.w, quickConfig+"ledger: {table: another}\n")
	other.init()
	other.do([]int{0}, "ledger", "import", file)
	other.recover(0)
	same(t, s.before, observe(t, s.w))
}

// TestBadInput: one clear line, the right exit, and nothing changed.
func TestBadInput(t *testing.T) {
	s := newScene(t)
	p := between(t, s.w)
	w := s.w.through(p)
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(bad, []byte("run: {leese: 5s}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	down := w
	down.endpoint = "http://127.0.0.1:1"
	nobody := w
	nobody.creds.AccessKeyID, nobody.creds.SecretAccessKey, nobody.creds.SessionToken = "", "", ""
	evacuate := func(more ...string) []string {
		return append([]string{"evacuate", "--reason", "test", "--yes"}, more...)
	}
	for name, c := range map[string]struct {
		w    world
		args []string
		exit int
		says string
	}{
		"unknown zone":           {w, evacuate("--zone", "use1-az99"), 5, "use1-az99"},
		"zone of another region": {w, evacuate("--zone", "euw1-az1"), 5, "euw1-az1"},
		"no zone at all":         {w, evacuate("--zone", "what zone?"), 2, "zone"},
		"empty scope":            {w, evacuate("--zone", outID, "--name", "nothing-is-called-this-*"), 5, "scope"},
		"no credentials":         {nobody, evacuate("--zone", outID), 5, "credentials"},
		"unreachable endpoint":   {down, evacuate("--zone", outID), 5, ""},
		"unknown key":            {w, evacuate("--zone", outID, "--config", bad), 2, "leese"},
		"unreadable file":        {w, evacuate("--zone", outID, "--config", bad+".not"), 2, ".not"},
		"unknown kind":           {w, evacuate("--zone", outID, "--kinds", "teapots"), 2, "teapots"},
		"no zone":                {w, []string{"plan"}, 2, "zone"},
		"no reason":              {w, []string{"evacuate", "--zone", outID, "--yes"}, 2, "reason"},
		"no terminal, no --yes":  {w, []string{"evacuate", "--zone", outID, "--reason", "test"}, 2, "--yes"},
		"unknown flag":           {w, evacuate("--zone", outID, "--jurnal"), 2, "jurnal"},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			r := run(t, c.w, c.args...)
			line := strings.TrimSuffix(r.Stderr, "\n")
			last := line[strings.LastIndex(line, "\n")+1:]
			if r.Exit != c.exit || !strings.HasPrefix(last, "sidestep: ") || !strings.Contains(last, c.says) {
				t.Errorf("exit %d, want %d; it says %q", r.Exit, c.exit, r.Stderr)
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("it took %v", took)
			}
		})
	}
	if m := p.mutations(); len(m) > 0 {
		t.Errorf("mutating calls: %+v", m)
	}
	s.wantAsBefore()
}

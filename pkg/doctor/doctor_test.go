package doctor

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"sidestep/pkg/kind/autoscalinggroup"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

func TestAllIsWell(t *testing.T) {
	w := newWorld(t)
	w.doctor.Caller, w.iam.exists = session, pathed
	steps := 0
	w.doctor.Progress = func(string, int, int) { steps++ }
	r := w.examine(resource.Scope{})
	if r.Verdict() != Ready || len(r.MayNotChange) != 0 || steps == 0 {
		t.Errorf("the verdict is %s after %d steps: %+v", r.Verdict(), steps, r)
	}
	var names []string
	for _, c := range r.Checks {
		names = append(names, c.Name)
		if c.Detail == "" || c.Next != "" {
			t.Errorf("%+v", c)
		}
	}
	want := "credentials zones subnets ledger ledger-read ledger-write list/autoscaling-group read/autoscaling-group scope traffic change/autoscaling-group"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("the checks are\n%s\nwant\n%s", got, want)
	}
	if got := w.check(r, "list/autoscaling-group").Detail; got != "16 in scope, in 0s" {
		t.Errorf("the list says %q", got)
	}
}

func TestNothingIsChanged(t *testing.T) {
	w := newWorld(t)
	before, items := w.region.Snapshot(), w.items()
	w.examine(resource.Scope{})
	if !reflect.DeepEqual(before, w.region.Snapshot()) || !reflect.DeepEqual(items, w.items()) {
		t.Error("something was changed")
	}
	for _, c := range w.region.Process("doctor").Calls() {
		if c.Mutating && (c.Service != region.ServiceLedger || c.Err == nil) {
			t.Errorf("a call may change something: %+v", c)
		}
	}
}

func (w *world) items() any {
	w.Helper()
	items, err := w.store.Scan(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	return items
}

func TestWhatFails(t *testing.T) {
	for _, c := range []struct {
		name   string
		breaks func(w *world)
		check  string
		want   Check // without a name; Detail and Next are parts
		also   []string
	}{
		{"zones denied", func(w *world) { w.refuse("DescribeAvailabilityZones", 0) }, "zones", Check{"", Failed, "AccessDenied: no", permission}, nil},
		{"subnets hang", func(w *world) {
			w.region.Fault(region.Fault{Op: "DescribeSubnets", Do: region.Delay(time.Hour)})
		}, "subnets", Check{"", Unknown, "not finished within 45s", again}, nil},
		{"no schema", func(w *world) { w.refuse("Get", 0) }, "ledger", Check{"", Failed, "reading the ledger's schema", permission}, []string{"ledger-read", "ledger-write"}},
		{"no table", func(w *world) { w.keep(noTable{w.store}) }, "ledger", Check{"", Failed, "table does not exist", "sidestep ledger init"}, []string{"ledger-read", "ledger-write"}},
		{"ledger not queried", func(w *world) { w.refuse("Query", 0) }, "ledger-read", Check{"", Failed, "AccessDenied", permission}, nil},
		{"ledger not written", func(w *world) { w.refuse("Write", 1) }, "ledger-write", Check{"", Failed, "AccessDenied", permission}, nil},
		{"nothing deleted from it", func(w *world) { w.refuse("Write", 2) }, "ledger-write", Check{"", Failed, "AccessDenied", permission}, nil},
		{"nothing checked in it", func(w *world) { w.refuse("Write", 3) }, "ledger-write", Check{"", Failed, "AccessDenied", permission}, nil},
		{"it has no conditions", func(w *world) { w.keep(anything{w.store}) }, "ledger-write", Check{"", Failed, "took a write", "DynamoDB"}, nil},
		{"groups denied", func(w *world) { w.refuse("DescribeAutoScalingGroups", 0) }, "list/autoscaling-group", Check{"", Failed, "AccessDenied", permission},
			[]string{"scope", "change/autoscaling-group"}},
		{"groups denied by name", func(w *world) { w.refuse("DescribeAutoScalingGroups", 5) }, "read/autoscaling-group", Check{"", Failed, "AccessDenied", permission}, nil},
		{"throttled", func(w *world) { w.region.Throttle(region.ServiceAutoScaling, 1, 0.001) }, "list/autoscaling-group", Check{"", Unknown, "Throttling", again},
			[]string{"scope", "change/autoscaling-group"}},
		{"DescribeTargetGroups", func(w *world) { w.refuse("DescribeTargetGroups", 0) }, "traffic", Check{"", Failed, "for --policy drain only: ", permission}, nil},
		{"DescribeTargetGroupAttributes", func(w *world) { w.refuse("DescribeTargetGroupAttributes", 0) }, "traffic", Check{"", Failed, "for --policy drain only: ", permission}, nil},
		{"DescribeLoadBalancers", func(w *world) { w.refuse("DescribeLoadBalancers", 0) }, "traffic", Check{"", Failed, "for --policy drain only: ", permission}, nil},
		{"DescribeLoadBalancerAttributes", func(w *world) { w.refuse("DescribeLoadBalancerAttributes", 0) }, "traffic", Check{"", Failed, "for --policy drain only: ", permission}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			c.breaks(w)
			r := w.examine(resource.Scope{})
			got := w.check(r, c.check)
			if got.Status != c.want.Status || !strings.Contains(got.Detail, c.want.Detail) || !strings.Contains(got.Next, c.want.Next) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
			for _, other := range r.Checks { // one that fails stops none of the others
				unmade := strings.Contains(" "+strings.Join(c.also, " ")+" ", " "+other.Name+" ")
				if other.Name != c.check && (other.Status == Unknown) != unmade || other.Status == Failed && other.Name != c.check {
					t.Errorf("also %+v", other)
				}
			}
		})
	}
}

func TestScope(t *testing.T) {
	w := newWorld(t)
	r := w.examine(resource.Scope{Name: "nothing-*"})
	if c := w.check(r, "scope"); c.Status != Failed || r.Verdict() != NotReady {
		t.Errorf("nothing in scope is %+v", c)
	}
	if len(w.iam.asked) != 0 {
		t.Error("IAM was asked about nothing")
	}
	if r := w.examine(resource.Scope{Kinds: []resource.Kind{"pod"}}); len(r.Checks) != 7 {
		t.Errorf("a kind out of scope is looked at: %+v", r.Checks)
	}
}

func TestOneZoneIsNotEnough(t *testing.T) {
	w := newWorld(t)
	w.doctor.Zones = region.New(region.Config{Clock: w.clock, Account: "1", Name: "us-east-1"}).Process("other").EC2()
	r := w.examine(resource.Scope{})
	for name, want := range map[string]string{"zones": "0 in us-east-1", "subnets": "0, in 0 zones"} {
		if c := w.check(r, name); c.Status != Failed || !strings.Contains(c.Detail, want) {
			t.Errorf("got %+v", c)
		}
	}
}

func TestKindsThatPlaceAndExplain(t *testing.T) {
	w := newWorld(t)
	o := &odd{kind: resource.LambdaFunction, found: resources(resource.LambdaFunction, 5), place: errPlain}
	w.doctor.Drivers = append(w.doctor.Drivers, o)
	r := w.examine(resource.Scope{})
	if c := w.check(r, "place/lambda-function"); c.Status != Failed || c.Detail != "odd" {
		t.Errorf("got %+v", c)
	}
	if c := w.check(r, "explain/lambda-function"); c.Status != OK || len(o.explains) != 1 {
		t.Errorf("got %+v, %d explained", c, len(o.explains))
	}
	if c := w.check(r, "read/lambda-function"); c.Status != OK || c.Detail != "3 read one by one" {
		t.Errorf("got %+v", c)
	}
	o.hides, o.place, o.explain = true, nil, errDenied
	r = w.examine(resource.Scope{})
	if c := w.check(r, "read/lambda-function"); c.Status != Unknown || c.Detail != "AWS returned 0 of 3" {
		t.Errorf("got %+v", c)
	}
	if c := w.check(r, "explain/lambda-function"); c.Status != Failed || c.Next != permission {
		t.Errorf("got %+v", c)
	}
}

func TestAKindThatIsNotKnown(t *testing.T) {
	w := newWorld(t)
	w.doctor.Drivers = append(w.doctor.Drivers, &odd{kind: "pod", found: resources("pod", 1)})
	if c := w.check(w.examine(resource.Scope{}), "change/pod"); c.Status != Unknown || !strings.Contains(c.Detail, "not known here") {
		t.Errorf("got %+v", c)
	}
}

func TestStopped(t *testing.T) {
	w := newWorld(t)
	ctx, stop := context.WithCancel(t.Context())
	w.region.Fault(region.Fault{Op: "DescribeAutoScalingGroups", Do: region.Foreign(func(*region.Region) { stop() })})
	if _, err := w.doctor.Examine(ctx, resource.Scope{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		statuses []Status
		want     Verdict
	}{
		{nil, Ready},
		{[]Status{OK, OK}, Ready},
		{[]Status{OK, Unknown}, CannotTell},
		{[]Status{Unknown, Failed, Unknown}, NotReady},
		{[]Status{"odd"}, CannotTell},
	} {
		var r Report
		for _, s := range c.statuses {
			r.Checks = append(r.Checks, Check{Status: s})
		}
		if got := r.Verdict(); got != c.want {
			t.Errorf("%v is %s, want %s", c.statuses, got, c.want)
		}
	}
	if r := Unconnected("no region", "say it"); r.Verdict() != NotReady || r.Checks[0] != (Check{Credentials, Failed, "no region", "say it"}) {
		t.Errorf("got %+v", r)
	}
}

func TestEveryChangeOfGroupsHasItsPermission(t *testing.T) {
	w := newWorld(t)
	p := w.region.Process("runs")
	need, _ := Needs(resource.AutoScalingGroup)
	d := autoscalinggroup.New(p.AutoScaling(), autoscalinggroup.Options{})
	found, err := d.List(t.Context(), resource.Scope{Name: "web"})
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	live := found[0]
	for field, to := range map[string][]string{resource.SubnetsField: {"subnet-2a"}, "process/AZRebalance": {"suspended"}} {
		edit := resource.Edit{Field: field, From: live.Fields[field], To: to}
		if _, err := d.Apply(t.Context(), live, resource.Change{ID: live.ID, Edits: []resource.Edit{edit}}); err != nil {
			t.Fatal(err)
		}
	}
	sent := 0
	for _, c := range p.Calls() {
		if !c.Mutating {
			continue
		}
		sent++
		if name := c.Service + ":" + c.Op; !strings.Contains(strings.Join(need.OnResource, " "), name) {
			t.Errorf("a change calls %s, which is not asked for", name)
		}
	}
	if sent != 2 {
		t.Errorf("%d calls were sent: this shows nothing", sent)
	}
}

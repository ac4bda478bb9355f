package integration

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSeedIsWhatTheObserverSees(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "autoscaling", "ec2")
	s := seed(t, w, spec{subnetsPerZone: 2, groups: []groupSpec{{
		name:      "web",
		subnets:   []string{"b2", "a1", "c1", "a2"},
		min:       1,
		max:       4,
		desired:   2,
		tags:      map[string]string{"team": "web"},
		suspended: []string{"AZRebalance"},
	}}})
	g := observe(t, w).Groups[w.prefix+"web"]
	if want := s.ids("b2", "a1", "c1", "a2"); !slices.Equal(g.Subnets, want) {
		t.Errorf("subnets %v, want %v", g.Subnets, want)
	}
	if g.Min != 1 || g.Max != 4 || g.Desired != 2 || len(g.Instances) != 2 {
		t.Errorf("sizes %d %d %d, %d instances", g.Min, g.Max, g.Desired, len(g.Instances))
	}
	if !slices.Equal(g.Suspended, []string{"AZRebalance"}) || g.Tags["team"] != "web" {
		t.Errorf("suspended %v, tags %v", g.Suspended, g.Tags)
	}
}

func TestWorldsDoNotSeeEachOther(t *testing.T) {
	t.Parallel()
	one, other := newWorld(t, "autoscaling", "ec2"), newWorld(t, "autoscaling", "ec2")
	if one.prefix != "" {
		t.Skip("this endpoint has one account: names keep the tests apart there")
	}
	seed(t, one, spec{groups: fleet(2)})
	if seen := observe(t, other); len(seen.Groups) != 0 {
		t.Errorf("the other world has %d groups", len(seen.Groups))
	}
}

func TestSeedingAnAccountIsQuick(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "autoscaling", "ec2")
	began := time.Now()
	seed(t, w, spec{subnetsPerZone: 2, groups: fleet(230)})
	t.Logf("seeded in %v", time.Since(began))
	before := observe(t, w)
	if len(before.Groups) < 230 {
		t.Fatalf("observed %d groups: pages are missing", len(before.Groups))
	}
	same(t, before, observe(t, w))
}

// crashCase is a crash at the second of three mutations.
type crashCase struct {
	name      string
	after     bool
	suspended []string // the groups that are, afterwards
}

func TestProxyCrashesTheClient(t *testing.T) {
	t.Parallel()
	for _, c := range []crashCase{
		{"before", false, []string{"group-000"}},
		{"after", true, []string{"group-000", "group-001"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "autoscaling", "ec2")
			seed(t, w, spec{subnetsPerZone: 2, groups: fleet(3)})
			crashAtSecond(t, w, c)
		})
	}
}

func crashAtSecond(t *testing.T, w world, c crashCase) {
	t.Helper()
	p := between(t, w)
	names := []string{w.prefix + "group-000", w.prefix + "group-001", w.prefix + "group-002"}
	client := prepare(t, w.through(p), build(t, "./integration/testdata/client"), names...)
	if c.after {
		p.crashAfter(2, client.kill)
	} else {
		p.crashBefore(2, client.kill)
	}
	r := client.run()
	if r.Exit != -1 || strings.TrimSpace(r.Stdout) != names[0] {
		t.Errorf("the client ended with %d and had done %q; stderr: %s", r.Exit, r.Stdout, r.Stderr)
	}
	if m := p.mutations(); len(m) != 2 || m[0].Operation != "SuspendProcesses" || m[0].Service != "autoscaling" || m[1].Passed != c.after {
		t.Errorf("mutations: %+v", m)
	}
	var suspended []string
	for name, g := range observe(t, w).Groups {
		if len(g.Suspended) > 0 {
			suspended = append(suspended, strings.TrimPrefix(name, w.prefix))
		}
	}
	slices.Sort(suspended)
	if !slices.Equal(suspended, c.suspended) {
		t.Errorf("suspended: %v, want %v", suspended, c.suspended)
	}
}

// between puts a proxy in front of the world for as long as the test runs.
func between(t *testing.T, w world) *proxy {
	t.Helper()
	p, err := newProxy(w.endpoint)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	return p
}

func TestClassify(t *testing.T) {
	const auth = "AWS4-HMAC-SHA256 Credential=AKID/20260101/us-east-1/%/aws4_request, SignedHeaders=host, Signature=0"
	query := func(body string) *http.Request {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
		r.Header.Set("X-Body", body)
		return r
	}
	target := func(name string) *http.Request {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Header.Set("X-Amz-Target", name)
		return r
	}
	for _, c := range []struct {
		service string
		r       *http.Request
		want    call
	}{
		{"autoscaling", query("Action=DescribeAutoScalingGroups&Version=1"), call{Operation: "DescribeAutoScalingGroups"}},
		{"autoscaling", query("Action=UpdateAutoScalingGroup&Version=1"), call{Operation: "UpdateAutoScalingGroup", Mutating: true}},
		{"dynamodb", target("DynamoDB_20120810.TransactGetItems"), call{Operation: "TransactGetItems"}},
		{"dynamodb", target("DynamoDB_20120810.TransactWriteItems"), call{Operation: "TransactWriteItems", Mutating: true}},
		{"dynamodb", target("DynamoDB_20120810.Query"), call{Operation: "Query"}},
		{"cloudwatch", httptest.NewRequest(http.MethodPost, "/service/GraniteServiceVersion20100801/operation/PutMetricData", nil), call{Operation: "PutMetricData", Mutating: true}},
		{"arc-zonal-shift", httptest.NewRequest(http.MethodPost, "/zonalshifts", nil), call{Operation: "POST /zonalshifts", Mutating: true}},
		{"eks", httptest.NewRequest(http.MethodGet, "/clusters", nil), call{Operation: "GET /clusters"}},
	} {
		c.r.Header.Set("Authorization", strings.Replace(auth, "%", c.service, 1))
		c.want.Service = c.service
		if got := classify(c.r, []byte(c.r.Header.Get("X-Body"))); !reflect.DeepEqual(got, c.want) {
			t.Errorf("got %+v, want %+v", got, c.want)
		}
	}
}

func TestSummary(t *testing.T) {
	for _, c := range []struct {
		run    int
		notRun map[string]int
		want   string
		none   bool
	}{
		{3, nil, "wire tests: 3 run, 0 not run", false},
		{1, map[string]int{"ec2": 1, "autoscaling+ec2": 2}, "wire tests: 1 run, 3 not run (autoscaling+ec2: 2; ec2: 1)", false},
		{0, map[string]int{"ec2": 1}, "wire tests: 0 run, 1 not run (ec2: 1)", true},
		{0, nil, "", false}, // only other tests were asked for
	} {
		if line, none := summary(c.run, c.notRun); line != c.want || none != c.none {
			t.Errorf("got %q, %v; want %q, %v", line, none, c.want, c.none)
		}
	}
}

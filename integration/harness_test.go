package integration

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
	"github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"
	tagtypes "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi/types"
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

func TestSeededServiceIsWhatTheObserverSees(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "autoscaling", "ec2", "ecs")
	s := seed(t, w, spec{subnetsPerZone: 2, services: []serviceSpec{{
		name:        "shop/web",
		subnets:     []string{"b2", "a1", "c1"},
		desired:     3,
		rebalancing: types.AvailabilityZoneRebalancingEnabled,
		tags:        map[string]string{"team": "web"},
	}, {
		name:       "shop/external",
		subnets:    []string{"a1", "b1"},
		controller: types.DeploymentControllerTypeExternal,
	}}})
	seen := observe(t, w).Services
	web := seen[w.name("shop/web")]
	if want := s.ids("b2", "a1", "c1"); !slices.Equal(web.Subnets, want) {
		t.Errorf("subnets %v, want %v", web.Subnets, want)
	}
	if got := text(web.Network); got != text(map[string]any{"assignPublicIp": "ENABLED", "securityGroups": s.guards}) {
		t.Errorf("network %s", got)
	}
	if web.Rebalancing != "ENABLED" || web.Tags["team"] != "web" || web.Rest["runningCount"] != 3.0 || web.Deployment["maximumPercent"] != 150.0 {
		t.Errorf("seen %s", text(web))
	}
	if external := text(seen[w.name("shop/external")]); !strings.Contains(external, s.subnets["a1"]) || !strings.Contains(external, "PRIMARY") {
		t.Errorf("the task set is not seen: %s", external)
	}
}

func TestSeededFunctionIsWhatTheObserverSees(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ec2", "lambda", "iam", "tagging")
	s := seed(t, w, spec{subnetsPerZone: 2, functions: []functionSpec{{
		name:      "resize",
		subnets:   []string{"b2", "a1", "c1"},
		published: []string{"a2", "b1"},
		tags:      map[string]string{"team": "web"},
	}}})
	f := observe(t, w).Functions[w.prefix+"resize"]
	if want := s.ids("b2", "a1", "c1"); !slices.Equal(f.Subnets, want) || f.Tags["team"] != "web" || f.Aliases["live"] != "1" {
		t.Errorf("subnets %v, want %v; tags %v, aliases %v", f.Subnets, want, f.Tags, f.Aliases)
	}
	if f.Network["Ipv6AllowedForDualStack"] != true || text(f.Network["SecurityGroupIds"]) != text(s.guards) {
		t.Errorf("network %s", text(f.Network))
	}
	if got := text(f.Versions); !strings.Contains(got, text(s.ids("a2", "b1"))) {
		t.Errorf("versions %s, want subnets %v", got, s.ids("a2", "b1"))
	}
}

// TestTagsArePagedInCBOR: the SDK's tagging client speaks nothing else.
func TestTagsArePagedInCBOR(t *testing.T) {
	t.Parallel()
	w := newWorld(t, seedNeeds...)
	seed(t, w, spec{functions: functionFleet(3)})
	api := resourcegroupstaggingapi.NewFromConfig(w.cfg)
	tags := map[string]string{}
	pages := resourcegroupstaggingapi.NewGetResourcesPaginator(api, &resourcegroupstaggingapi.GetResourcesInput{
		ResourceTypeFilters: []string{"lambda:function"}, ResourcesPerPage: aws.Int32(2),
	})
	n := 0
	for ; pages.HasMorePages(); n++ {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.ResourceTagMappingList {
			tags[path.Base(strings.ReplaceAll(*r.ResourceARN, ":", "/"))] = *r.Tags[0].Value
		}
	}
	for i := range 3 {
		if got := tags[fmt.Sprintf("%sfunction-%03d", w.prefix, i)]; got != fmt.Sprintf("team-%d", i) {
			t.Errorf("on %d pages function %d has team %q", n, i, got)
		}
	}
	_, err := api.GetResources(t.Context(), &resourcegroupstaggingapi.GetResourcesInput{ResourcesPerPage: aws.Int32(1000)})
	var invalid *tagtypes.InvalidParameterException
	if n < 2 || !errors.As(err, &invalid) {
		t.Errorf("%d pages, and a page of 1000 gives %v", n, err)
	}
}

func TestWorldsDoNotSeeEachOther(t *testing.T) {
	t.Parallel()
	one := newWorld(t, "autoscaling", "ec2")
	other := worldAt(t, one.endpoint, "autoscaling", "ec2")
	if one.prefix != "" {
		t.Skip("this endpoint has one account: names keep the tests apart there")
	}
	seed(t, one, spec{groups: fleet(2)})
	if seen := observe(t, other); len(seen.Groups) != 0 {
		t.Errorf("the other world has %d groups", len(seen.Groups))
	}
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

func TestConfigures(t *testing.T) {
	ecs := func(operation, body string) call { return call{Service: "ecs", Operation: operation, Body: body} }
	const arns = `{"cluster":"arn:aws:ecs:us-east-1:1:cluster/shop","service":"arn:aws:ecs:us-east-1:1:service/shop/web","networkConfiguration":{}}`
	for _, c := range []struct {
		call      call
		want      string
		redeploys bool
	}{
		{ecs("UpdateService", `{"cluster":"shop","service":"web","desiredCount":1}`), "shop/web", false},
		{ecs("UpdateService", arns), "shop/web", true},
		{ecs("DescribeServices", `{"cluster":"shop","services":["web"]}`), "", false},
		{call{Service: "lambda", Operation: "PUT /2015-03-31/functions/resize/configuration"}, "resize", false},
		{call{Service: "lambda", Operation: "PUT /2015-03-31/functions/arn:aws:lambda:us-east-1:1:function:resize/configuration"}, "resize", false},
		{call{Service: "lambda", Operation: "PUT /2015-03-31/functions/resize/code"}, "", false},
	} {
		if got := c.call.configures(); got != c.want || c.call.redeploys() != c.redeploys {
			t.Errorf("%+v configures %q, want %q; redeploys: %v", c.call, got, c.want, c.call.redeploys())
		}
	}
}

func TestAtOnce(t *testing.T) {
	start := func(service string) call {
		return call{Service: "ecs", Operation: "UpdateService", Body: `{"cluster":"shop","service":"` + service + `","networkConfiguration":{}}`}
	}
	look := call{Service: "ecs", Operation: "DescribeServices", Body: `{"cluster":"shop","services":["a","b"]}`}
	if got := atOnce([]call{start("a"), start("b"), look, start("c"), start("a"), start("a")}); got != 2 {
		t.Errorf("got %d, want 2", got)
	}
}

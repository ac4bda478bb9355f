package integration

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// newWorkload is a scene of services and functions that can all leave the zone.
func newWorkload(t *testing.T, more ...serviceSpec) scene {
	t.Helper()
	const on = types.AvailabilityZoneRebalancingEnabled
	return sceneOf(t, seedNeeds, spec{
		subnetsPerZone: 2,
		services: append([]serviceSpec{
			{name: "shop/web", subnets: []string{"b1", "a1", "c1", "a2"}, desired: 4, rebalancing: on},
			{name: "shop/api", subnets: []string{"a1", "b1"}, desired: 2, rebalancing: on},
		}, more...),
		functions: []functionSpec{
			{name: "resize", subnets: []string{"b1", "a1", "c1"}},
			{name: "mail", subnets: []string{"a1", "b1"}},
			{name: "plain"},
		},
	})
}

func TestServicesAreHeldThenDrained(t *testing.T) {
	s, p := newWorkload(t,
		serviceSpec{name: "shop/idle", subnets: []string{"a1", "b1"}, rebalancing: types.AvailabilityZoneRebalancingEnabled},
		serviceSpec{name: "shop/bridge", desired: 2},
	).watched()
	for _, policy := range []string{"hold", "drain"} {
		d := s.evacuate(3, "--policy", policy) // nothing moves the bridge-mode service's tasks
		wantOutcomes(t, s.w, s.seeded, d, policy)
		wantClosed(t, s.w, s.seeded, s.before, observe(t, s.w, table), policy)
	}
	s.recover(0)
	s.wantAsBefore()
	wantTouched(t, p.recorded(), s.changed(s.w, "drain"))
}

// TestHoldAlonePasses: what a policy leaves on purpose is no failure.
func TestHoldAlonePasses(t *testing.T) {
	s := newWorkload(t)
	d := s.evacuate(0)
	if d.Counts["held-redeploys"] != 2 || d.Counts["settled"] != 2 {
		t.Errorf("held: %v", d.Counts)
	}
	s.do([]int{0}, "verify", "--zone", outID)
	s.recover(0)
	s.wantAsBefore()
}

func TestDrainKeepsToItsConcurrency(t *testing.T) {
	s, p := newWorkload(t, serviceSpec{name: "shop/jobs", subnets: []string{"c1", "a1"}, desired: 2}).watched()
	s.operator = newOperator(t, s.w, quickConfig+"ecs: {concurrency: 1}\n")
	s.evacuate(0, "--policy", "drain")
	out := p.recorded()
	s.operator = newOperator(t, s.w, quickConfig+"ecs: {concurrency: 0}\n") // no limit
	s.recover(0)
	if one, all := atOnce(out), atOnce(p.recorded()[len(out):]); one != 1 || all != 3 {
		t.Errorf("with concurrency 1 up to %d services were in a deployment at once, without limit up to %d of 3", one, all)
	}
	s.wantAsBefore()
}

func TestServiceAndFunctionGoneBeforeRecovery(t *testing.T) {
	s := newWorkload(t)
	s.evacuate(0, "--policy", "drain")
	cluster, service := s.w.service("shop/api")
	_, err := s.ecs.DeleteService(t.Context(), &ecs.DeleteServiceInput{Cluster: &cluster, Service: &service, Force: aws.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.lambda.DeleteFunction(t.Context(), &lambda.DeleteFunctionInput{FunctionName: aws.String(s.name("mail"))}); err != nil {
		t.Fatal(err)
	}
	d := s.recover(3)
	for name, want := range map[string]string{"shop/api": "orphaned", "mail": "orphaned", "shop/web": "restored", "resize": "restored"} {
		if got := d.outcome(s.name(name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	s.do([]int{0}, "ledger", "repair", "--zone", outID, "--yes")
	delete(s.before.Services, s.name("shop/api"))
	delete(s.before.Functions, s.name("mail"))
	s.wantAsBefore()
}

// TestFunctionUpdatedBetweenReadingAndWriting: the update of somebody else counts,
// and ours is made anew on top of it. moto knows no revisions, so the refusal is
// the proxy's.
func TestFunctionUpdatedBetweenReadingAndWriting(t *testing.T) {
	s, p := newWorkload(t).watched()
	var once sync.Once
	p.intercept(func(c call) (refusal *answer) {
		if c.configures() != s.name("resize") {
			return nil
		}
		once.Do(func() {
			s.setFunction("resize", 512, "b1", "a1", "c1", "b2")
			refusal = outdated()
		})
		return refusal
	})
	s.evacuate(0)
	refused := slices.ContainsFunc(p.mutations(), func(c call) bool { return c.configures() == s.name("resize") && !c.Passed })
	f := observe(t, s.w).Functions[s.name("resize")]
	if want := s.ids("b1", "c1", "b2"); !refused || !slices.Equal(f.Subnets, want) || f.Rest["MemorySize"] != 512.0 {
		t.Errorf("refused: %v; subnets %v, want %v; %s", refused, f.Subnets, want, text(f.Rest))
	}
	s.recover(0)
	f = observe(t, s.w).Functions[s.name("resize")]
	if want := s.ids("b1", "a1", "c1", "b2"); !slices.Equal(f.Subnets, want) || f.Rest["MemorySize"] != 512.0 {
		t.Errorf("recovered: subnets %v, want %v; %s", f.Subnets, want, text(f.Rest))
	}
}

// outdated is how Lambda refuses an update of another revision than the live one.
func outdated() *answer {
	return &answer{
		status: http.StatusPreconditionFailed,
		header: http.Header{"X-Amzn-Errortype": {"PreconditionFailedException"}, "Content-Type": {"application/json"}},
		body:   []byte(`{"Type":"User","Message":"The Revision Id provided does not match the latest Revision Id."}`),
	}
}

func TestForeignEditsOfNetworksSurvive(t *testing.T) {
	s := newWorkload(t)
	s.evacuate(0, "--policy", "drain")
	edited := s.network([]string{"b1", "c1", "b2"})
	edited.AwsvpcConfiguration.SecurityGroups = s.guards[1:]
	s.setService("shop/web", edited)
	s.setFunction("resize", 512, "b1", "c1", "c2")
	s.recover(0)
	seen := observe(t, s.w, table)
	web, resize := seen.Services[s.name("shop/web")], seen.Functions[s.name("resize")]
	if want := s.ids("b1", "a1", "c1", "a2", "b2"); !slices.Equal(web.Subnets, want) {
		t.Errorf("the service has %v, want %v", web.Subnets, want)
	}
	if got := text(web.Network); got != text(map[string]any{"assignPublicIp": "ENABLED", "securityGroups": s.guards[1:]}) {
		t.Errorf("beside its subnets the service has %s", got)
	}
	if want := s.ids("b1", "a1", "c1", "c2"); !slices.Equal(resize.Subnets, want) || resize.Rest["MemorySize"] != 512.0 {
		t.Errorf("the function has %v, want %v; %s", resize.Subnets, want, text(resize.Rest))
	}
	wantNothingOpen(t, seen)
}

// TestPublishedVersionKeepsTheZone: no update reaches what is published.
func TestPublishedVersionKeepsTheZone(t *testing.T) {
	s := sceneOf(t, seedNeeds, spec{functions: []functionSpec{
		{name: "released", subnets: []string{"b1", "a1"}, published: []string{"a1", "b1"}},
		{name: "clean", subnets: []string{"b1", "a1", "c1"}, published: []string{"b1", "c1"}},
	}})
	d := s.evacuate(3)
	wantOutcomes(t, s.w, s.seeded, d, "hold")
	wantClosed(t, s.w, s.seeded, s.before, observe(t, s.w, table), "hold")
	for _, r := range d.Resources {
		if r.Name == s.name("released") && !strings.Contains(text(r), "live") {
			t.Errorf("it does not say which alias keeps the zone: %s", text(r))
		}
	}
	s.recover(0)
	s.wantAsBefore()
}

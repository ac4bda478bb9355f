package ecsservice_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"sidestep/pkg/kind/ecsservice"
	"sidestep/pkg/resource"
)

// many adds n services to a cluster and returns their names.
func many(f *fake, cluster string, n int) []string {
	var all []string
	for i := range n {
		name := fmt.Sprintf("many-%03d", i)
		f.add(cluster, aService(name))
		all = append(all, cluster+"/"+name)
	}
	return all
}

func TestListPagesThroughClustersAndServices(t *testing.T) {
	f := &fake{}
	many(f, "big", 234)
	for i := range 120 {
		f.add(fmt.Sprintf("empty-%03d", i))
	}
	f.add("last", aService("web"))
	found, err := ecsservice.New(f, serial{}).List(t.Context(), resource.Scope{})
	if err != nil || len(found) != 235 || found[234].Name != "last/web" || found[0].ARN != arn("big/many-000") {
		t.Fatalf("listed %d and %v", len(found), err)
	}
	clusters, services, described := inputs[*ecs.ListClustersInput](f), inputs[*ecs.ListServicesInput](f), inputs[*ecs.DescribeServicesInput](f)
	got := []int{len(clusters), len(services), len(described)}
	if want := []int{2, 3 + 120 + 1, 24 + 1}; !slices.Equal(got, want) {
		t.Errorf("clusters listed, services listed and described with %v calls, want %v", got, want)
	}
	for _, in := range described {
		if len(in.Services) > 10 || !slices.Equal(in.Include, []types.ServiceField{types.ServiceFieldTags}) {
			t.Errorf("described %d services with %v", len(in.Services), in.Include)
		}
	}
}

func TestScopeIsByNameAndTags(t *testing.T) {
	f := &fake{}
	tagged := func(key, value string) func(*types.Service) {
		return func(s *types.Service) { s.Tags = []types.Tag{{Key: &key, Value: &value}} }
	}
	f.add("shop", aService("web", tagged("team", "a")), aService("own", tagged(resource.OwnTag, "")))
	f.add("back", aService("web", tagged("team", "b")), aService("out", tagged(resource.ExcludeTag, "true")))
	for _, tt := range []struct {
		scope resource.Scope
		want  string
	}{
		{resource.Scope{}, "shop/web back/web"},
		{resource.Scope{Name: "web"}, "shop/web back/web"},
		{resource.Scope{Name: "back/*"}, "back/web"},
		{resource.Scope{Tags: map[string]string{"team": "a"}}, "shop/web"},
		{resource.Scope{Kinds: []resource.Kind{resource.AutoScalingGroup}}, ""},
	} {
		found, err := ecsservice.New(f, serial{}).List(t.Context(), tt.scope)
		if err != nil || names(found) != tt.want {
			t.Errorf("%+v lists %s and %v", tt.scope, names(found), err)
		}
	}
}

// TestReadAsksEachClusterForItsOwn: ten services a call, by ARN.
func TestReadAsksEachClusterForItsOwn(t *testing.T) {
	f := &fake{}
	wanted := many(f, "big", 25)
	f.add("small", aService("web"))
	d := ecsservice.New(f, serial{})
	found, err := d.Read(t.Context(), ids(append([]string{"small/web"}, wanted...)...)...)
	if err != nil || len(found) != 26 {
		t.Fatalf("read %d and %v", len(found), err)
	}
	var got []string
	for _, in := range inputs[*ecs.DescribeServicesInput](f) {
		got = append(got, fmt.Sprint(*in.Cluster, " ", len(in.Services)))
	}
	if want := []string{"small 1", "big 10", "big 10", "big 5"}; !slices.Equal(got, want) || len(f.calls) != len(want) {
		t.Errorf("described %v, want %v", got, want)
	}
}

// TestOldARNsNameNoCluster: the name does, and it is the one that is read back.
func TestOldARNsNameNoCluster(t *testing.T) {
	f := &fake{}
	old := aService("web")
	old.ServiceArn = aws.String("arn:aws:ecs:us-east-1:111122223333:service/web")
	f.add("shop", old)
	d := ecsservice.New(f, serial{})
	listed, err := d.List(t.Context(), resource.Scope{})
	if err != nil || len(listed) != 1 || listed[0].Name != "shop/web" {
		t.Fatalf("listed %v and %v", listed, err)
	}
	if found, err := d.Read(t.Context(), listed[0].ID); err != nil || len(found) != 1 || found[0].ID != listed[0].ID {
		t.Errorf("read %v and %v", found, err)
	}
}

// TestWhatIsGoneIsLeftOut: missing, deleted, or in a cluster that is.
func TestWhatIsGoneIsLeftOut(t *testing.T) {
	f := &fake{
		failures: []types.Failure{{Arn: aws.String(arn("shop/never")), Reason: aws.String("MISSING")}},
		gone:     "closed",
	}
	status := func(s string) func(*types.Service) { return func(svc *types.Service) { svc.Status = &s } }
	f.add("shop", aService("web"), aService("gone", status("INACTIVE")), aService("going", status("DRAINING")))
	f.add("closed", aService("web"))
	d := ecsservice.New(f, serial{})
	listed, err := d.List(t.Context(), resource.Scope{})
	if err != nil || names(listed) != "shop/web" {
		t.Errorf("listed %s and %v", names(listed), err)
	}
	found, err := d.Read(t.Context(), ids("closed/web", "shop/never", "shop/gone", "shop/going", "shop/web")...)
	if err != nil || names(found) != "shop/web" {
		t.Errorf("read %s and %v", names(found), err)
	}
}

// TestAnotherFailureIsAnError: a service that cannot be described is not gone.
func TestAnotherFailureIsAnError(t *testing.T) {
	f := &fake{failures: []types.Failure{{Arn: aws.String(arn("shop/web")), Reason: aws.String("INTERNAL"), Detail: aws.String("try later")}}}
	f.add("shop", aService("api"))
	d := ecsservice.New(f, serial{})
	for _, read := range []func() ([]resource.Resource, error){
		func() ([]resource.Resource, error) { return d.Read(t.Context(), ids("shop/web", "shop/api")...) },
		func() ([]resource.Resource, error) { return d.List(t.Context(), resource.Scope{}) },
	} {
		found, err := read()
		if err == nil || len(found) > 0 || !strings.Contains(err.Error(), arn("shop/web")+" fails with INTERNAL try later") {
			t.Errorf("%v and %v", found, err)
		}
	}
}

// on has a service run on capacity providers of these names.
func on(names ...string) func(*types.Service) {
	return func(s *types.Service) {
		for _, n := range names {
			s.CapacityProviderStrategy = append(s.CapacityProviderStrategy, types.CapacityProviderStrategyItem{CapacityProvider: &n})
		}
	}
}

// TestCapacityProvidersAreAskedOnce: each name once, a hundred a call, and pages
// of ten followed to the end.
func TestCapacityProvidersAreAskedOnce(t *testing.T) {
	f := &fake{}
	var wanted []string
	for i := range 150 {
		provider, service := fmt.Sprintf("p-%03d", i), fmt.Sprintf("s-%03d", i)
		f.providers = append(f.providers, types.CapacityProvider{Name: &provider})
		f.add("shop", aService(service, on("FARGATE", provider, "p-000")))
		wanted = append(wanted, "shop/"+service)
	}
	f.providers[149].ManagedInstancesProvider = &types.ManagedInstancesProvider{}
	found, err := ecsservice.New(f, serial{}).Read(t.Context(), ids(wanted...)...)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range found {
		if name, is := r.Traits["managed-instances"]; is != (i == 149) || is && name != "p-149" {
			t.Errorf("%s runs on managed instances of %q", r.Name, name)
		}
	}
	var asked []int
	for _, in := range inputs[*ecs.DescribeCapacityProvidersInput](f) {
		asked = append(asked, len(in.CapacityProviders))
	}
	if want := slices.Concat(slices.Repeat([]int{100}, 10), slices.Repeat([]int{50}, 5)); !slices.Equal(asked, want) {
		t.Errorf("calls named %v providers, want %v", asked, want)
	}
}

func TestFargateHasNoProvidersToAskAbout(t *testing.T) {
	f := &fake{}
	f.add("shop", aService("none"), aService("web", on("FARGATE_SPOT", "FARGATE")))
	if _, err := ecsservice.New(f, serial{}).List(t.Context(), resource.Scope{}); err != nil {
		t.Fatal(err)
	}
	if calls := inputs[*ecs.DescribeCapacityProvidersInput](f); len(calls) > 0 {
		t.Errorf("%d calls for capacity providers", len(calls))
	}
}

func TestErrorsSayWhatWasTried(t *testing.T) {
	live := resource.Resource{ID: ids("shop/web")[0], Fields: map[string][]string{"subnets": everywhere}}
	edits := []resource.Edit{{Field: "subnets", From: everywhere, To: healthy}}
	for _, tt := range []struct {
		try  func(*ecsservice.Driver) error
		want string
	}{
		{func(d *ecsservice.Driver) error { _, err := d.List(t.Context(), resource.Scope{}); return err }, "listing clusters"},
		{func(d *ecsservice.Driver) error { _, err := d.Read(t.Context(), live.ID); return err }, "describing 1 services of cluster shop from " + live.ARN + " on"},
		{func(d *ecsservice.Driver) error {
			_, err := d.Place(t.Context(), []resource.Resource{live})
			return err
		}, "listing tasks of service web of cluster shop"},
		{func(d *ecsservice.Driver) error { _, err := d.Explain(t.Context(), live); return err }, "listing deployments of service web of cluster shop"},
		{func(d *ecsservice.Driver) error {
			_, err := d.Apply(t.Context(), live, resource.Change{ID: live.ID, Edits: edits})
			return err
		}, "updating service web of cluster shop"},
	} {
		err := tt.try(ecsservice.New(&fake{fail: errFake}, serial{}))
		if err == nil || err.Error() != tt.want+": scripted" || !errors.Is(err, errFake) {
			t.Errorf("%v, want %s: scripted", err, tt.want)
		}
	}
}

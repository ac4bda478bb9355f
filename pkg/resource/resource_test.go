package resource_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"testing"

	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

func TestScope(t *testing.T) {
	tags := map[string]string{"team": "shop", "env": ""}
	for name, tt := range map[string]struct {
		scope resource.Scope
		want  bool
	}{
		"all":                    {resource.Scope{}, true},
		"tags":                   {resource.Scope{Tags: map[string]string{"team": "shop", "env": ""}}, true},
		"tag of another value":   {resource.Scope{Tags: map[string]string{"team": "api"}}, false},
		"tag that is not there":  {resource.Scope{Tags: map[string]string{"none": ""}}, false},
		"excluded":               {resource.Scope{Exclude: map[string]string{"none": "", "team": "shop"}}, false},
		"excluded, other value":  {resource.Scope{Exclude: map[string]string{"team": "api"}}, true},
		"excluded, not there":    {resource.Scope{Exclude: map[string]string{"none": ""}}, true},
		"name":                   {resource.Scope{Name: "web"}, true},
		"glob":                   {resource.Scope{Name: "w?[a-c]*"}, true},
		"other name":             {resource.Scope{Name: "we"}, false},
		"glob that is none":      {resource.Scope{Name: "[w"}, false},
		"name and excluded":      {resource.Scope{Name: "web", Exclude: tags}, false},
		"kinds are not its task": {resource.Scope{Kinds: []resource.Kind{"another"}}, true},
	} {
		if got := tt.scope.Match("web", tags); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	for value, want := range map[string]bool{"true": false, "false": true, "": true, "TRUE": true} {
		if got := (resource.Scope{}).Match("web", map[string]string{resource.ExcludeTag: value}); got != want {
			t.Errorf("excluded=%q: %t", value, got)
		}
	}
	few := resource.Scope{Kinds: []resource.Kind{"a", "b"}}
	if !(resource.Scope{}).Has("a") || !few.Has("b") || few.Has("c") {
		t.Error("kinds in scope are wrong")
	}
}

// TestEveryOutcomeHasAWeight reads the list from the source: one that is left out
// of the weights would end every run as failed.
func TestEveryOutcomeHasAWeight(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "outcome.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Type == nil || len(spec.Values) == 0 {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); !ok || typ.Name != "Outcome" {
			return true
		}
		code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil || !resource.Outcome(code).Known() {
			t.Errorf("%s has no weight (%v)", spec.Names[0].Name, err)
		}
		found++
		return true
	})
	if found < 20 {
		t.Errorf("found %d outcomes in the source", found)
	}
}

func TestWeight(t *testing.T) {
	for _, tt := range []struct {
		outcome resource.Outcome
		d       resource.Direction
		want    resource.Weight
	}{
		{resource.Settled, resource.Evacuate, resource.Good},
		{resource.Applied, resource.Evacuate, resource.Open},
		{resource.SkippedSingleZone, resource.Evacuate, resource.Exposed},
		{resource.RestoredByOther, resource.Evacuate, resource.Exposed},
		{resource.RestoredByOther, resource.Recover, resource.Good},
		{resource.FailedBusy, resource.Recover, resource.Failed},
		{"forgotten", resource.Evacuate, resource.Failed},
		{"", resource.Recover, resource.Failed},
	} {
		if got := tt.outcome.Weight(tt.d); got != tt.want {
			t.Errorf("%s of %q weighs %d, want %d", tt.d, tt.outcome, got, tt.want)
		}
	}
}

func TestPlaces(t *testing.T) {
	places := []resource.Place{
		{Zone: "use1-az1", State: "in-service", Count: 2}, {Zone: "us-east-1b", State: "standby", Count: 1},
		{Zone: "use1-az2", State: "in-service", Count: 4},
	}
	in := resource.In(places, zone.Zone{ID: "use1-az1", Name: "us-east-1b"})
	if !reflect.DeepEqual(in, places[:2]) || resource.Count(in) != 3 {
		t.Errorf("in the zone are %v", in)
	}
	if none := resource.In(places, zone.Zone{ID: "use1-az3", Name: "us-east-1a"}); none != nil || resource.Count(none) != 0 {
		t.Errorf("in another zone are %v", none)
	}
}

// TestRemaining: a Local Zone is no place to stay in, and nor is one unknown.
func TestRemaining(t *testing.T) {
	g := resource.Goal{
		Zone:  zone.Zone{ID: "az1"},
		Zones: zone.Zones{All: []zone.Zone{{ID: "az1"}, {ID: "az2"}, {ID: "az3"}}},
		Subnets: zone.Subnets{
			"1": {Zone: "az1"}, "2": {Zone: "az2"}, "2b": {Zone: "az2"}, "3": {Zone: "az3"}, "local": {Zone: "bos1-az1"}, "odd": {},
		},
	}
	for _, tt := range []struct{ subnets, want []string }{
		{[]string{"3", "1", "2b", "2"}, []string{"az2", "az3"}},
		{[]string{"1", "2"}, []string{"az2"}},
		{[]string{"1", "local", "odd", "none"}, nil},
		{nil, nil},
	} {
		if got := g.Remaining(tt.subnets); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("of %v remain %v, want %v", tt.subnets, got, tt.want)
		}
	}
}

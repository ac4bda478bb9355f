package lambdafunction_test

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"sidestep/pkg/resource"
)

// publishing is many functions, of which the second has published 121 versions, the
// last in no VPC, and one more that is in none itself.
func publishing(n int) *fake {
	f := many(n)
	f.functions = append(f.functions, aFunction("detached", detached))
	f.versions = map[string][]types.FunctionConfiguration{arn("detached"): {aVersion("1", everywhere...)}}
	for i := 1; i <= 120; i++ {
		f.versions[arn("many-001")] = append(f.versions[arn("many-001")], aVersion(fmt.Sprint(i), "subnet-1a", "subnet-2a"))
	}
	free := types.FunctionConfiguration{Version: aws.String("121")}
	f.versions[arn("many-001")] = append(f.versions[arn("many-001")], free)
	return f
}

// TestPlaceFindsPublishedVersions: of few functions one by one, of many by a scan,
// with the same result, and of those in no VPC by now too.
func TestPlaceFindsPublishedVersions(t *testing.T) {
	for _, tt := range []struct{ functions, scanned, asked int }{{3, 0, 3 + 1 + 2}, {49, 0, 49 + 1 + 2}, {50, 4, 0}} {
		f := publishing(tt.functions)
		for _, r := range f.placed(t) {
			want := map[string]string{"revision": "revision-" + r.Name}
			for i := 1; i <= 120 && r.Name == "many-001"; i++ {
				want[fmt.Sprint("version/", i)] = "subnet-1a,subnet-2a"
			}
			if r.Name == "detached" {
				want["version/1"] = strings.Join(everywhere, ",")
			}
			if !maps.Equal(r.Traits, want) || r.Places != nil {
				t.Errorf("%d functions: %s has traits %v, places %v", tt.functions, r.Name, r.Traits, r.Places)
			}
		}
		scanned, asked := len(inputs[*lambda.ListFunctionsInput](f)), len(inputs[*lambda.ListVersionsByFunctionInput](f))
		if scanned != tt.scanned || asked != tt.asked {
			t.Errorf("%d functions: %d pages of all versions, %d of one function's", tt.functions, scanned, asked)
		}
	}
}

// TestPlaceLeavesTheReadingAsItWas: others hold it too.
func TestPlaceLeavesTheReadingAsItWas(t *testing.T) {
	f := publishing(3)
	read := f.read(t)
	if placed, err := f.driver().Place(t.Context(), read); err != nil || reflect.DeepEqual(placed, read) || !reflect.DeepEqual(read, f.read(t)) {
		t.Errorf("placed %v and %v, the reading is %v", placed, err, read)
	}
}

func TestPlaceOfWhatIsGone(t *testing.T) {
	f := many(3)
	read := f.read(t)
	f.gone = map[string]bool{arn("many-001"): true}
	if placed, err := f.driver().Place(t.Context(), read); err != nil || !reflect.DeepEqual(placed, read) {
		t.Errorf("placed %v and %v", placed, err)
	}
}

// TestExplainTellsWhatAliasesRun: of all their pages, both versions where one is
// being shifted to another.
func TestExplainTellsWhatAliasesRun(t *testing.T) {
	f := &fake{
		functions: []types.FunctionConfiguration{aFunction("f")},
		versions:  map[string][]types.FunctionConfiguration{arn("f"): {aVersion("7", everywhere...)}},
		aliases: []types.AliasConfiguration{
			anAlias("beta", "$LATEST"), anAlias("live", "7", "10", "6"), anAlias("old", "3"),
		},
	}
	r, err := f.driver().Explain(t.Context(), f.placed(t)[0])
	want := map[string]string{
		"revision": "revision-f", "version/7": "subnet-3a,subnet-1a,subnet-2a",
		"alias/beta": "$LATEST", "alias/live": "7,6,10", "alias/old": "3",
	}
	if err != nil || !maps.Equal(r.Traits, want) {
		t.Errorf("traits are %v (%v), want %v", r.Traits, err, want)
	}
}

// TestExplainAsksWhereThereIsSomethingToTell: aliases matter where versions are
// published, and an update under way needs the calls itself.
func TestExplainAsksWhereThereIsSomethingToTell(t *testing.T) {
	f := &fake{fail: errFake}
	for name, r := range map[string]resource.Resource{
		"nothing published": {Traits: map[string]string{"revision": "r"}},
		"under way":         {Traits: map[string]string{"version/7": "subnet-1a"}, Underway: "update in progress"},
	} {
		if told, err := f.driver().Explain(t.Context(), r); err != nil || !reflect.DeepEqual(told, r) || len(f.calls) > 0 {
			t.Errorf("%s: %v and %v, with calls %v", name, told, err, f.calls)
		}
	}
}

func anAlias(name, version string, more ...string) types.AliasConfiguration {
	a := types.AliasConfiguration{Name: aws.String(name), FunctionVersion: aws.String(version)}
	if len(more) > 0 {
		a.RoutingConfig = &types.AliasRoutingConfiguration{AdditionalVersionWeights: map[string]float64{}}
		for _, v := range more {
			a.RoutingConfig.AdditionalVersionWeights[v] = 0.1
		}
	}
	return a
}

// TestFR33VersionsKeepTheOldNetwork: the function is out of the zone, and what runs
// may not be. Fixture: alias live runs version 7, which has the old subnets.
func TestFR33VersionsKeepTheOldNetwork(t *testing.T) {
	stale := func(numbers ...string) map[string]string {
		traits := map[string]string{"version/90": "subnet-3a,subnet-2a"} // published since
		for _, n := range numbers {
			traits["version/"+n] = "subnet-3a,subnet-1a,subnet-2a"
		}
		return traits
	}
	with := func(traits map[string]string, key, value string) map[string]string {
		traits[key] = value
		return traits
	}
	for name, tt := range map[string]struct {
		traits map[string]string
		want   string
	}{
		"nothing published":   {nil, ""},
		"all published since": {stale(), ""},
		"one":                 {stale("7"), "version 7"},
		"some":                {stale("10", "9", "8"), "versions 8, 9, 10"},
		"many":                {stale("1", "2", "3", "4", "5", "6", "7"), "versions 1, 2, 3, 4, 5 and 2 more"},
		"an alias":            {with(stale("7"), "alias/live", "7"), "alias live runs version 7"},
		"an alias and others": {with(stale("1", "2", "7"), "alias/live", "7"), "alias live runs version 7, and versions 1, 2"},
		"an alias on its way": {with(stale("7"), "alias/live", "90,7"), "alias live runs version 7"},
		"an alias of two":     {with(stale("6", "7"), "alias/live", "7,6"), "alias live runs versions 7, 6"},
		"aliases":             {with(with(stale("6", "7"), "alias/live", "7"), "alias/beta", "6"), "alias beta runs version 6, alias live runs version 7"},
		"an alias that moved": {with(stale("7"), "alias/live", "90"), "version 7"},
	} {
		r := resource.Resource{Fields: map[string][]string{"subnets": healthy}, Traits: tt.traits}
		c := resource.Change{Direction: resource.Evacuate, Zone: impaired, Edits: []resource.Edit{closed}, Removed: []string{"subnet-1a"}}
		p := driver().Judge(r, c)
		if !p.Reached || len(p.Left) > 0 || (p.Outcome == resource.NotEvacuated) != (tt.want != "") {
			t.Errorf("%s: %+v", name, p)
		}
		if want := "still on the zone's subnets: " + tt.want + "; publish a new version"; tt.want != "" && !strings.HasPrefix(p.Reason, want) {
			t.Errorf("%s: %q, want %q", name, p.Reason, want)
		}
	}
}

// TestFR33OnlyVersionsAreInTheZone: nothing can be sent that would help, and the plan
// says who can.
func TestFR33OnlyVersionsAreInTheZone(t *testing.T) {
	f := &fake{
		functions: []types.FunctionConfiguration{aFunction("f", in(healthy...))},
		versions:  map[string][]types.FunctionConfiguration{arn("f"): {aVersion("3", everywhere...), aVersion("4", healthy...)}},
	}
	r := f.placed(t)[0]
	for _, policy := range []func(*resource.Goal){hold, drain, shift} {
		c := driver().Plan(r, aGoal(policy))
		if c.Outcome != resource.NotEvacuated || !strings.Contains(c.Reason, "version 3;") || len(c.Edits) > 0 {
			t.Errorf("%s: %s (%s) with edits %v", c.Policy, c.Outcome, c.Reason, c.Edits)
		}
	}
	left := f.placed(t)[0]
	left.Fields = map[string][]string{}
	if c := driver().Plan(left, aGoal(hold)); c.Outcome != resource.NotEvacuated {
		t.Errorf("in no VPC any more: %s (%s)", c.Outcome, c.Reason)
	}
	// Out because of us: as far as it gets, and read back as not evacuated.
	c := driver().Plan(r, aGoal(recorded))
	if c.Outcome != resource.AlreadyDone || len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "version 3;") {
		t.Errorf("recorded: %s with notes %q", c.Outcome, c.Notes)
	}
	for _, sent := range inputs[*lambda.UpdateFunctionConfigurationInput](f) {
		t.Errorf("sent %+v", sent)
	}
}

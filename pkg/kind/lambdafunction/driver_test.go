package lambdafunction_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"

	"sidestep/pkg/resource"
)

// many are functions of several pages, all of them with tags, on pages some of
// which are short or empty.
func many(n int) *fake {
	f := &fake{tags: map[string]map[string]string{}, pages: [][]string{nil}}
	for i := range n {
		name := fmt.Sprintf("many-%03d", i)
		f.functions = append(f.functions, aFunction(name))
		f.tags[arn(name)] = map[string]string{"number": fmt.Sprint(i)}
		f.pages = append(f.pages, []string{arn(name)}, nil)
	}
	return f
}

func names(all []resource.Resource) []string {
	var n []string
	for _, r := range all {
		n = append(n, r.Name)
	}
	return n
}

func TestListReadsAllPages(t *testing.T) {
	f := many(120)
	all, err := f.driver().List(t.Context(), resource.Scope{})
	if err != nil || len(all) != 120 {
		t.Fatalf("listed %d and %v", len(all), err)
	}
	last, err := f.driver().List(t.Context(), resource.Scope{Tags: map[string]string{"number": "119"}})
	if err != nil || !slices.Equal(names(last), []string{"many-119"}) {
		t.Errorf("with the last one's tag are %v and %v", names(last), err)
	}
	for _, in := range inputs[*resourcegroupstaggingapi.GetResourcesInput](f) {
		if !slices.Equal(in.ResourceTypeFilters, []string{"lambda:function"}) || *in.ResourcesPerPage != 100 {
			t.Errorf("tags are asked for with %+v", in)
		}
	}
	if n := len(inputs[*lambda.ListFunctionsInput](f)); n != 2*3 {
		t.Errorf("two lists took %d pages, want 3 each", n)
	}
}

// TestOwnFunctionsAreLeftAlone: what Sidestep itself consists of has a tag, and so
// may what an owner keeps out.
func TestOwnFunctionsAreLeftAlone(t *testing.T) {
	f := many(5)
	f.tags[arn("many-001")][resource.OwnTag] = "prod"
	f.tags[arn("many-003")][resource.ExcludeTag] = "true"
	all, err := f.driver().List(t.Context(), resource.Scope{Name: "many-*"})
	if want := []string{"many-000", "many-002", "many-004"}; err != nil || !slices.Equal(names(all), want) {
		t.Errorf("listed %v and %v, want %v", names(all), err, want)
	}
}

// TestTagsAreReadLast: a function made between two calls may have a tag that keeps
// it out.
func TestTagsAreReadLast(t *testing.T) {
	f := many(60)
	if _, err := f.driver().List(t.Context(), resource.Scope{}); err != nil {
		t.Fatal(err)
	}
	_, first := f.calls[0].(*lambda.ListFunctionsInput)
	_, then := f.calls[2].(*resourcegroupstaggingapi.GetResourcesInput)
	if !first || !then {
		t.Errorf("calls are %T, %T, %T", f.calls[0], f.calls[1], f.calls[2])
	}
}

func TestReadKeepsTheOrderAndLeavesOut(t *testing.T) {
	f := many(40)
	f.gone = map[string]bool{arn("many-007"): true}
	ids := []resource.ID{{ARN: arn("never"), Name: "never"}}
	var want []string
	for _, r := range slices.Backward(f.functions) {
		ids = append(ids, resource.ID{ARN: *r.FunctionArn, Name: *r.FunctionName})
		if *r.FunctionName != "many-007" {
			want = append(want, *r.FunctionName)
		}
	}
	found, err := f.driver().Read(t.Context(), ids...)
	if err != nil || !slices.Equal(names(found), want) {
		t.Errorf("read %v and %v, want %v", names(found), err, want)
	}
	for _, in := range inputs[*lambda.GetFunctionInput](f) {
		if in.Qualifier != nil {
			t.Errorf("asked with qualifier %s", *in.Qualifier)
		}
	}
}

func TestTranslate(t *testing.T) {
	ofProvider := &types.CapacityProviderConfig{LambdaManagedInstancesCapacityProviderConfig: &types.LambdaManagedInstancesCapacityProviderConfig{
		CapacityProviderArn: aws.String("arn:aws:lambda:us-east-1:111122223333:capacity-provider:fast"),
	}}
	noIPv6 := vpc(everywhere, groups)
	noIPv6.Ipv6AllowedForDualStack = nil
	attached := map[string][]string{"subnets": everywhere, "security-groups": groups, "ipv6": {"true"}}
	for name, tt := range map[string]struct {
		change func(*types.FunctionConfiguration)
		fields map[string][]string
		traits map[string]string
	}{
		"in a VPC": {func(*types.FunctionConfiguration) {}, attached, map[string]string{}},
		"without the IPv6 flag": {
			func(f *types.FunctionConfiguration) { f.VpcConfig = noIPv6 },
			map[string][]string{"subnets": everywhere, "security-groups": groups}, map[string]string{},
		},
		"managed instances": {
			func(f *types.FunctionConfiguration) { f.VpcConfig, f.CapacityProviderConfig = nil, ofProvider },
			map[string][]string{}, map[string]string{"capacity-provider": "fast"},
		},
		"another provider": {
			func(f *types.FunctionConfiguration) { f.CapacityProviderConfig = &types.CapacityProviderConfig{} },
			attached, map[string]string{},
		},
		"an edge replica": {
			func(f *types.FunctionConfiguration) { f.MasterArn = aws.String("arn:master") },
			attached, map[string]string{"edge-master": "arn:master"},
		},
		"failed": {
			func(f *types.FunctionConfiguration) {
				f.LastUpdateStatus, f.LastUpdateStatusReasonCode = types.LastUpdateStatusFailed, "EniLimitExceeded"
				f.LastUpdateStatusReason = aws.String("too many")
			},
			attached, map[string]string{"update-failed": "EniLimitExceeded", "update-failed-because": "too many"},
		},
		"succeeded, with words": {
			func(f *types.FunctionConfiguration) { f.LastUpdateStatusReason = aws.String("fine") },
			attached, map[string]string{},
		},
	} {
		r := read(t, aFunction("f", tt.change))
		tt.traits["revision"] = "revision-f"
		if !reflect.DeepEqual(r.Fields, tt.fields) || !reflect.DeepEqual(r.Traits, tt.traits) {
			t.Errorf("%s: fields %v, traits %v; want %v, %v", name, r.Fields, r.Traits, tt.fields, tt.traits)
		}
		if want := (resource.ID{Kind: resource.LambdaFunction, ARN: arn("f"), Name: "f"}); r.ID != want || r.Places != nil {
			t.Errorf("%s: %+v with places %v", name, r.ID, r.Places)
		}
	}
}

// TestVersionsAreNotTheFunction: an answer may have the version at the ARN's end.
func TestVersionsAreNotTheFunction(t *testing.T) {
	for given, want := range map[string]string{
		arn("f"):                arn("f"),
		arn("f") + ":$LATEST":   arn("f"),
		arn("f") + ":7":         arn("f"),
		arn("7"):                arn("7"),
		"not:an:arn":            "not:an:arn",
		arn("f") + ":alias:odd": arn("f"),
	} {
		f := &fake{functions: []types.FunctionConfiguration{{FunctionArn: aws.String(given)}}}
		if all, err := f.driver().List(t.Context(), resource.Scope{}); err != nil || all[0].ARN != want {
			t.Errorf("%s is listed as %v (%v)", given, all, err)
		}
	}
}

// TestErrorsSayWhatWasTried: with the verb, the thing and its name.
func TestErrorsSayWhatWasTried(t *testing.T) {
	f := many(1)
	r := f.read(t)[0]
	published := r
	published.Traits = map[string]string{"version/1": "subnet-1a"}
	c := resource.Change{ID: r.ID, Edits: []resource.Edit{closed}}
	f.fail = errFake
	for want, call := range map[string]func() error{
		"listing functions":                     func() error { _, err := f.driver().List(t.Context(), resource.Scope{}); return err },
		"reading function many-000":             func() error { _, err := f.driver().Read(t.Context(), r.ID); return err },
		"listing versions of function many-000": func() error { _, err := f.driver().Place(t.Context(), []resource.Resource{r}); return err },
		"listing aliases of function many-000":  func() error { _, err := f.driver().Explain(t.Context(), published); return err },
		"updating function many-000":            func() error { _, err := f.driver().Apply(t.Context(), r, c); return err },
	} {
		if err := call(); !errors.Is(err, errFake) || err.Error() != want+": scripted" {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestAFailedTagPageFailsTheList: without tags nobody knows what is to be left alone.
func TestAFailedTagPageFailsTheList(t *testing.T) {
	f := many(2)
	d := f.driver()
	if all, err := d.List(t.Context(), resource.Scope{}); err != nil || len(all) != 2 {
		t.Fatalf("listed %v and %v", all, err)
	}
	all, err := untagged(f).List(t.Context(), resource.Scope{})
	if err == nil || err.Error() != "reading the tags of functions: scripted" || len(all) > 0 {
		t.Errorf("listed %v and %v", all, err)
	}
}

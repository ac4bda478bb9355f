package lambdafunction_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"sidestep/pkg/clock"
	"sidestep/pkg/kind/lambdafunction"
	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

var (
	impaired = zone.Zone{ID: "use1-az1", Name: "us-east-1b"}
	zones    = zone.Zones{All: []zone.Zone{impaired, {ID: "use1-az2", Name: "us-east-1c"}, {ID: "use1-az3", Name: "us-east-1a"}}}

	closed   = resource.Edit{Field: "subnets", From: everywhere, To: healthy}
	reopened = resource.Edit{Field: "subnets", From: healthy, To: everywhere}
)

// recycled is what every update costs.
const recycled = "recycles the unpublished version's environments"

func aRecord() *resource.Recorded {
	return &resource.Recorded{Edits: []resource.Edit{closed}, RemovedSubnets: []string{"subnet-1a"}}
}

func aGoal(changes ...func(*resource.Goal)) resource.Goal {
	g := resource.Goal{
		Direction: resource.Evacuate, Zone: impaired, Policy: resource.Hold, Zones: zones,
		Subnets: zone.Subnets{
			"subnet-1a": {Zone: "use1-az1", VPC: "vpc"}, "subnet-1b": {Zone: "use1-az1", VPC: "vpc"},
			"subnet-2a": {Zone: "use1-az2", VPC: "vpc"}, "subnet-3a": {Zone: "use1-az3", VPC: "vpc"},
			"subnet-old": {Zone: "use1-az1", VPC: "vpc-old"},
		},
	}
	for _, change := range changes {
		change(&g)
	}
	return g
}

func hold(g *resource.Goal)     { g.Policy = resource.Hold }
func drain(g *resource.Goal)    { g.Policy = resource.Drain }
func shift(g *resource.Goal)    { g.Policy = resource.Shift }
func back(g *resource.Goal)     { g.Direction = resource.Recover }
func recorded(g *resource.Goal) { g.Recorded = aRecord() }

func driver() *lambdafunction.Driver { return lambdafunction.New(nil, nil, clock.Real{}) }

func noVPC(f *types.FunctionConfiguration) { f.VpcConfig = nil }

// detached is what Lambda answers of a function that was taken out of its VPC.
func detached(f *types.FunctionConfiguration) {
	f.VpcConfig = &types.VpcConfigResponse{SubnetIds: []string{}, SecurityGroupIds: []string{}, VpcId: aws.String("")}
}

func noVPCID(f *types.FunctionConfiguration)  { f.VpcConfig.VpcId = nil }
func noGroups(f *types.FunctionConfiguration) { f.VpcConfig = vpc(everywhere, nil) }
func replica(f *types.FunctionConfiguration)  { f.MasterArn = aws.String("arn:master") }

func managed(f *types.FunctionConfiguration) {
	f.CapacityProviderConfig = &types.CapacityProviderConfig{LambdaManagedInstancesCapacityProviderConfig: &types.LambdaManagedInstancesCapacityProviderConfig{
		CapacityProviderArn: aws.String("arn:aws:lambda:us-east-1:111122223333:capacity-provider:fast"),
	}}
}

// TestWhatIsLeft goes through the functions that are left as they are, and why.
func TestWhatIsLeft(t *testing.T) {
	type changes []func(*types.FunctionConfiguration)
	for name, tt := range map[string]struct {
		function changes
		want     resource.Outcome
		reason   string
	}{
		"FR12 no VPC":              {changes{noVPC}, resource.SkippedNoVPC, "in no VPC"},
		"FR12 taken out of it":     {changes{detached}, resource.SkippedNoVPC, "in no VPC"},
		"FR12 a VPC without ID":    {changes{noVPCID}, resource.SkippedNoVPC, "in no VPC"},
		"FR12 single zone":         {changes{in("subnet-1b", "subnet-1a")}, resource.SkippedSingleZone, "no subnet in another zone"},
		"FR12 no security group":   {changes{noGroups}, resource.FailedInvalid, "give it one"},
		"FR12 an edge replica":     {changes{replica}, resource.SkippedOperator, "arn:master"},
		"edge replica, no VPC":     {changes{replica, noVPC}, resource.SkippedNoVPC, "in no VPC"},
		"edge replica, elsewhere":  {changes{replica, in(healthy...)}, resource.SkippedNotInZone, ""},
		"managed instances":        {changes{managed, noVPC}, resource.SkippedManagedInstances, "capacity provider fast"},
		"managed instances in VPC": {changes{managed}, resource.SkippedManagedInstances, "capacity provider fast"},
		"elsewhere":                {changes{in(healthy...)}, resource.SkippedNotInZone, ""},
		"unknown subnet":           {changes{in("subnet-1a", "subnet-x", "subnet-2a")}, resource.SkippedUnknownZone, "subnet-x"},
		"unknown, elsewhere":       {changes{in("subnet-x", "subnet-2a")}, resource.SkippedUnknownZone, "subnet-x"},
	} {
		r := read(t, aFunction("f", tt.function...))
		for _, policy := range []func(*resource.Goal){hold, drain, shift} {
			c := driver().Plan(r, aGoal(policy))
			if c.Outcome != tt.want || !strings.Contains(c.Reason, tt.reason) || (tt.reason == "") != (c.Reason == "") {
				t.Errorf("%s, %s: %s (%q), want %s (%q)", name, c.Policy, c.Outcome, c.Reason, tt.want, tt.reason)
			}
			if len(c.Edits)+len(c.Removed)+len(c.Order) > 0 {
				t.Errorf("%s, %s: edits %v, removed %v", name, c.Policy, c.Edits, c.Removed)
			}
		}
	}
}

func TestShiftMovesTrafficOnly(t *testing.T) {
	c := driver().Plan(read(t, aFunction("f")), aGoal(shift))
	if c.Outcome != resource.NotEvacuated || !strings.Contains(c.Reason, "traffic only") || len(c.Edits) > 0 {
		t.Errorf("%s (%q) with edits %v", c.Outcome, c.Reason, c.Edits)
	}
}

// TestWhatIsSent: a hold and a drain are the same, and neither is done twice.
func TestWhatIsSent(t *testing.T) {
	elsewhere := resource.Recorded{
		Edits:          []resource.Edit{{Field: "subnets", From: []string{"subnet-3a", "subnet-1a", "subnet-2b", "subnet-2a"}, To: everywhere}},
		RemovedSubnets: []string{"subnet-2b"},
	}
	for name, tt := range map[string]struct {
		function func(*types.FunctionConfiguration)
		goal     func(*resource.Goal)
		want     []resource.Edit
		removed  []string
		order    []string
	}{
		"whole":     {in(everywhere...), func(*resource.Goal) {}, []resource.Edit{closed}, []string{"subnet-1a"}, nil},
		"recorded":  {in(everywhere...), recorded, []resource.Edit{closed}, []string{"subnet-1a"}, nil},
		"done":      {in(healthy...), recorded, nil, nil, nil},
		"no IPv6":   {func(f *types.FunctionConfiguration) { f.VpcConfig.Ipv6AllowedForDualStack = nil }, func(*resource.Goal) {}, []resource.Edit{closed}, []string{"subnet-1a"}, nil},
		"two zones": {in(everywhere...), func(g *resource.Goal) { g.Others = []resource.Recorded{elsewhere} }, []resource.Edit{closed}, []string{"subnet-1a"}, elsewhere.Edits[0].From},
	} {
		r := read(t, aFunction("f", tt.function))
		for _, policy := range []func(*resource.Goal){hold, drain} {
			c := driver().Plan(r, aGoal(tt.goal, policy))
			if !reflect.DeepEqual(c.Edits, tt.want) || !reflect.DeepEqual(c.Removed, tt.removed) || !reflect.DeepEqual(c.Order, tt.order) {
				t.Errorf("%s, %s: edits %v, removed %v, order %v", name, c.Policy, c.Edits, c.Removed, c.Order)
			}
			want := resource.Planned
			if len(tt.want) == 0 {
				want = resource.AlreadyDone
			}
			if c.Outcome != want || c.Rollout {
				t.Errorf("%s, %s: %s (%s), want %s", name, c.Policy, c.Outcome, c.Reason, want)
			}
		}
	}
}

// TestWhatIsRestored goes through recoveries.
func TestWhatIsRestored(t *testing.T) {
	for name, tt := range map[string]struct {
		function func(*types.FunctionConfiguration)
		goal     func(*resource.Goal)
		outcome  resource.Outcome
		want     []resource.Edit
		note     string
	}{
		"undisturbed":          {in(healthy...), recorded, resource.Planned, []resource.Edit{reopened}, recycled},
		"nothing recorded":     {in(healthy...), func(*resource.Goal) {}, resource.AlreadyDone, nil, ""},
		"somebody put it back": {in(everywhere...), recorded, resource.AlreadyDone, nil, ""},
		"FR12 no VPC any more": {detached, recorded, resource.AlreadyDone, nil, "subnet-1a are not put back"},
		"the subnet is gone": {in(healthy...), func(g *resource.Goal) { recorded(g); delete(g.Subnets, "subnet-1a") },
			resource.AlreadyDone, nil, "subnet-1a does not exist"},
		"in another VPC now": {in("subnet-old"), recorded, resource.AlreadyDone, nil, "subnet-1a does not exist"},
		"FR12 no security group": {func(f *types.FunctionConfiguration) { f.VpcConfig = vpc(healthy, nil) }, recorded,
			resource.FailedInvalid, nil, ""},
	} {
		c := driver().Plan(read(t, aFunction("f", tt.function)), aGoal(tt.goal, back))
		if c.Outcome != tt.outcome || !reflect.DeepEqual(c.Edits, tt.want) || len(c.Removed) > 0 {
			t.Errorf("%s: %s (%s) with edits %v, want %s with %v", name, c.Outcome, c.Reason, c.Edits, tt.outcome, tt.want)
		}
		if notes := strings.Join(c.Notes, "\n"); !strings.Contains(notes, tt.note) || (tt.note == "") != (notes == "") {
			t.Errorf("%s: notes %q, want %q", name, notes, tt.note)
		}
	}
}

func TestNotes(t *testing.T) {
	f := &fake{
		functions: []types.FunctionConfiguration{
			aFunction("plain"), aFunction("stack"), aFunction("two", in("subnet-1a", "subnet-2a")), aFunction("versions"),
		},
		tags: map[string]map[string]string{arn("stack"): {"aws:cloudformation:stack-name": "shop"}},
		versions: map[string][]types.FunctionConfiguration{
			arn("versions"): {aVersion("1", "subnet-2a"), aVersion("2", everywhere...)},
		},
		pages: [][]string{{arn("stack")}},
	}
	want := map[string]string{
		"plain": "", "stack": "CloudFormation stack shop", "two": "only zone use1-az2 remains",
		"versions": "still on the zone's subnets: version 2;",
	}
	for _, r := range f.placed(t) {
		c := driver().Plan(r, aGoal())
		if n := len(c.Notes); n == 0 || !strings.Contains(c.Notes[0], recycled) || n > 2 || (n == 2) != (want[r.Name] != "") {
			t.Fatalf("%s: notes %q", r.Name, c.Notes)
		}
		if !strings.Contains(c.Notes[len(c.Notes)-1], want[r.Name]) {
			t.Errorf("%s: notes %q, want %q", r.Name, c.Notes, want[r.Name])
		}
	}
	listed, err := f.driver().List(t.Context(), resource.Scope{Name: "stack"})
	if err != nil || len(driver().Plan(listed[0], aGoal()).Notes) != 2 {
		t.Errorf("listed %v and %v: the list knows of the stack too", listed, err)
	}
}

package region_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"sidestep/pkg/clock"
	"sidestep/pkg/region"
)

type lambdaUpdate = lambda.UpdateFunctionConfigurationInput

// withFunction is the small region with a function over all its zones, resize.
func withFunction() (*region.Region, *clock.Virtual) {
	r, c := small()
	r.AddFunction(region.Function{
		Name: "resize", FunctionConfig: region.FunctionConfig{Subnets: []string{"c", "a", "b"}, SecurityGroups: []string{"sg-2", "sg-1"}, IPv6: true},
		Versions: []region.FunctionVersion{{Number: "2", Subnets: []string{"a", "b"}}, {Number: "10", Subnets: []string{"b"}}, {Number: "1"}},
		Aliases:  map[string]string{"live": "2", "beta": "10", "next": "$LATEST"},
	})
	return r, c
}

// attachment is a whole VPC configuration, as resize has it but for the subnets.
func attachment(subnets ...string) *types.VpcConfig {
	return &types.VpcConfig{SubnetIds: subnets, SecurityGroupIds: []string{"sg-2", "sg-1"}, Ipv6AllowedForDualStack: new(true)}
}

// moveFunction sends one update of resize.
func moveFunction(ctx context.Context, p *region.Process, revision string, subnets ...string) error {
	_, err := p.Lambda().UpdateFunctionConfiguration(ctx, &lambdaUpdate{
		FunctionName: new("resize"), RevisionId: new(revision), VpcConfig: attachment(subnets...),
	})
	return err
}

// readFunction reads a function, by a name that Lambda understands.
func readFunction(t *testing.T, p *region.Process, name string) types.FunctionConfiguration {
	t.Helper()
	out, err := p.Lambda().GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: new(name)})
	if err != nil {
		t.Fatal(err)
	}
	return *out.Configuration
}

func revision(t *testing.T, p *region.Process) string {
	t.Helper()
	return *readFunction(t, p, "resize").RevisionId
}

func TestFunctionsAreComparableAndTheirOwn(t *testing.T) {
	r, c := withFunction()
	before := r.Functions()
	expect(t, "configuration", before["resize"], region.FunctionConfig{
		Subnets: []string{"c", "a", "b"}, SecurityGroups: []string{"sg-2", "sg-1"}, IPv6: true, VPC: "vpc",
	})
	r.EditFunction("resize", func(c *region.FunctionConfig) { c.Subnets, c.Tags = nil, map[string]string{} })
	expect(t, "without subnets", r.Functions()["resize"].VPC, "")
	sleep(c, time.Hour)
	r.EditFunction("resize", func(c *region.FunctionConfig) { c.Subnets = []string{"c", "a", "b"} })
	expect(t, "after undoing", r.Functions(), before)

	before["resize"].Subnets[0] = "scribbled"
	readFunction(t, r.Process("p"), "resize").VpcConfig.SecurityGroupIds[0] = "scribbled"
	expect(t, "subnets", r.Functions()["resize"].Subnets, []string{"c", "a", "b"})
	expect(t, "security groups", r.Functions()["resize"].SecurityGroups, []string{"sg-2", "sg-1"})
}

func TestTheLifeOfAnUpdate(t *testing.T) {
	for name, test := range map[string]struct {
		code    string
		status  types.LastUpdateStatus
		subnets []string // at the end
	}{
		"succeeds": {status: types.LastUpdateStatusSuccessful, subnets: []string{"a", "b"}},
		"fails":    {code: "SubnetOutOfIPAddresses", status: types.LastUpdateStatusFailed, subnets: []string{"c", "a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, c := withFunction()
			r.FailUpdates("resize", test.code)
			p := r.Process("p")
			first := readFunction(t, p, "resize")
			expect(t, "state", first.State, types.StateActive)
			expect(t, "status", first.LastUpdateStatus, types.LastUpdateStatusSuccessful)
			expect(t, "update", moveFunction(ctx, p, *first.RevisionId, "a", "b"), nil)

			second := readFunction(t, p, "resize")
			expect(t, "status at once", second.LastUpdateStatus, types.LastUpdateStatusInProgress)
			expect(t, "state at once", second.State, types.StateActive)
			expect(t, "subnets at once", second.VpcConfig.SubnetIds, []string{"a", "b"})
			expect(t, "meanwhile", code(moveFunction(ctx, p, *second.RevisionId, "a")), "ResourceConflictException")
			sleep(c, 59*time.Second)
			expect(t, "before its end", code(moveFunction(ctx, p, *second.RevisionId, "a")), "ResourceConflictException")
			sleep(c, time.Second)

			third := readFunction(t, p, "resize")
			expect(t, "status", third.LastUpdateStatus, test.status)
			expect(t, "reason", string(third.LastUpdateStatusReasonCode), test.code)
			expect(t, "subnets", third.VpcConfig.SubnetIds, test.subnets)
			expect(t, "configured", r.Functions()["resize"].Subnets, test.subnets)
			for _, old := range []*string{first.RevisionId, second.RevisionId} {
				expect(t, "with an old revision", code(moveFunction(ctx, p, *old, "a")), "PreconditionFailedException")
			}
			r.FailUpdates("resize", "")
			expect(t, "again", moveFunction(ctx, p, *third.RevisionId, "a"), nil)
			sleep(c, time.Hour)
			last := readFunction(t, p, "resize")
			expect(t, "last status", last.LastUpdateStatus, types.LastUpdateStatusSuccessful)
			expect(t, "last reason", string(last.LastUpdateStatusReasonCode), "")
			expect(t, "violations", len(r.Violations()), 0)
		})
	}
}

func TestSomebodyElsesUpdateTakesTimeToo(t *testing.T) {
	r, c := withFunction()
	p := r.Process("p")
	r.UpdateTime(10 * time.Second)
	before := revision(t, p)
	r.EditFunction("resize", func(c *region.FunctionConfig) { c.Tags = map[string]string{"team": "shop"} })
	expect(t, "with the revision before", code(moveFunction(ctx, p, before, "a")), "ResourceConflictException")
	sleep(c, 9*time.Second)
	r.EditFunction("resize", func(c *region.FunctionConfig) { c.IPv6 = false })
	sleep(c, 9*time.Second)
	expect(t, "the first gave way", readFunction(t, p, "resize").LastUpdateStatus, types.LastUpdateStatusInProgress)
	sleep(c, time.Second)
	expect(t, "at the end", readFunction(t, p, "resize").LastUpdateStatus, types.LastUpdateStatusSuccessful)
	expect(t, "configuration", r.Functions()["resize"], region.FunctionConfig{
		Subnets: []string{"c", "a", "b"}, SecurityGroups: []string{"sg-2", "sg-1"}, VPC: "vpc", Tags: map[string]string{"team": "shop"},
	})
}

func TestAFailedUpdateKeepsTheTags(t *testing.T) {
	r, c := withFunction()
	r.FailUpdates("resize", "InvalidSubnet")
	r.EditFunction("resize", func(c *region.FunctionConfig) { c.Subnets, c.Tags = []string{"a"}, map[string]string{"team": "shop"} })
	sleep(c, time.Minute)
	expect(t, "subnets", r.Functions()["resize"].Subnets, []string{"c", "a", "b"})
	expect(t, "tags", r.Functions()["resize"].Tags, map[string]string{"team": "shop"})
}

func TestUpdatesOfFunctionsThatNobodyMaySend(t *testing.T) {
	for name, test := range map[string]struct {
		edit      func(*lambdaUpdate)
		code      string
		violation string
	}{
		"no subnets":   {edit: func(in *lambdaUpdate) { in.VpcConfig.SubnetIds = nil }, code: "InvalidParameterValueException", violation: "out of its VPC"},
		"no groups":    {edit: func(in *lambdaUpdate) { in.VpcConfig.SecurityGroupIds = nil }, code: "InvalidParameterValueException", violation: "out of its VPC"},
		"nothing":      {edit: func(in *lambdaUpdate) { in.VpcConfig = &types.VpcConfig{Ipv6AllowedForDualStack: new(true)} }, violation: "out of its VPC"},
		"other groups": {edit: func(in *lambdaUpdate) { in.VpcConfig.SecurityGroupIds = []string{"sg-1"} }, violation: "security groups from [sg-2 sg-1] to [sg-1]"},
		"no IPv6":      {edit: func(in *lambdaUpdate) { in.VpcConfig.Ipv6AllowedForDualStack = nil }, violation: "IPv6 is allowed from true to false"},
		"no revision":  {edit: func(in *lambdaUpdate) { in.RevisionId = nil }, violation: "names no revision"},
		"memory":       {edit: func(in *lambdaUpdate) { in.MemorySize = new(int32(128)) }, code: "NotModelled", violation: "field other than"},
	} {
		t.Run(name, func(t *testing.T) {
			r, c := withFunction()
			before := r.Functions()
			p := r.Process("p")
			in := &lambdaUpdate{FunctionName: new("resize"), RevisionId: new(revision(t, p)), VpcConfig: attachment("a", "b")}
			test.edit(in)
			_, err := p.Lambda().UpdateFunctionConfiguration(ctx, in)
			expect(t, "error", code(err), test.code)
			if v := p.Violations(); len(v) != 1 || !strings.Contains(v[0], "UpdateFunctionConfiguration of resize") || !strings.Contains(v[0], test.violation) {
				t.Errorf("violations %q, want one about %q", v, test.violation)
			}
			sleep(c, time.Hour)
			if test.code != "" {
				expect(t, "configuration", r.Functions(), before)
			}
		})
	}
}

func TestAFunctionThatLeftItsVPCKeepsAnEmptyBlock(t *testing.T) {
	r, c := withFunction()
	p := r.Process("p")
	_, err := p.Lambda().UpdateFunctionConfiguration(ctx, &lambdaUpdate{
		FunctionName: new("resize"), RevisionId: new(revision(t, p)), VpcConfig: &types.VpcConfig{SubnetIds: []string{}, SecurityGroupIds: []string{}},
	})
	expect(t, "error", err, nil)
	sleep(c, time.Hour)
	expect(t, "block", readFunction(t, p, "resize").VpcConfig, &types.VpcConfigResponse{
		SubnetIds: []string{}, SecurityGroupIds: []string{}, VpcId: new(""), Ipv6AllowedForDualStack: new(false),
	})
}

func TestUpdatesOfFunctionsThatAWSRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		edit func(*lambdaUpdate)
		code string
	}{
		"unknown function":  {edit: func(in *lambdaUpdate) { in.FunctionName = new("rezise") }, code: "ResourceNotFoundException"},
		"unknown subnet":    {edit: func(in *lambdaUpdate) { in.VpcConfig.SubnetIds = []string{"z"} }, code: "InvalidParameterValueException"},
		"another revision":  {edit: func(in *lambdaUpdate) { in.RevisionId = new("x") }, code: "PreconditionFailedException"},
		"published":         {edit: func(in *lambdaUpdate) { in.FunctionName = new("resize:2") }, code: "InvalidParameterValueException"},
		"by ARN":            {edit: func(in *lambdaUpdate) { in.FunctionName = new("arn:aws:lambda:us-east-1:111122223333:function:resize") }},
		"by a part of it":   {edit: func(in *lambdaUpdate) { in.FunctionName = new("111122223333:function:resize") }},
		"as it is":          {edit: func(in *lambdaUpdate) { in.VpcConfig = attachment("c", "a", "b") }},
		"without a network": {edit: func(in *lambdaUpdate) { in.VpcConfig = nil }},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := withFunction()
			p := r.Process("p")
			in := &lambdaUpdate{FunctionName: new("resize"), RevisionId: new(revision(t, p)), VpcConfig: attachment("a", "b")}
			test.edit(in)
			out, err := p.Lambda().UpdateFunctionConfiguration(ctx, in)
			expect(t, "error", code(err), test.code)
			expect(t, "violations", len(r.Violations()), 0)
			if err == nil {
				expect(t, "answer", out.LastUpdateStatus, types.LastUpdateStatusInProgress)
				expect(t, "revision", *out.RevisionId, revision(t, p))
				expect(t, "call", p.Calls()[1].ID, "resize")
			}
		})
	}
}

func TestFunctionsThatAreNotThere(t *testing.T) {
	r, c := withFunction()
	p := r.Process("p")
	expect(t, "update", moveFunction(ctx, p, revision(t, p), "a"), nil)
	r.DeleteFunction("resize")
	r.DeleteFunction("resize")
	r.EditFunction("resize", func(*region.FunctionConfig) { t.Error("edited what is not there") })
	r.FailUpdates("resize", "InvalidSubnet")
	expect(t, "violations", len(r.Violations()), 3)
	expect(t, "ARN", r.FunctionARN("resize"), "")
	r.AddFunction(region.Function{Name: "resize"})
	sleep(c, time.Hour)
	expect(t, "a new one", r.Functions()["resize"], region.FunctionConfig{})
	expect(t, "ARN", r.FunctionARN("resize"), "arn:aws:lambda:us-east-1:111122223333:function:resize")
}

func TestFaultsOfUpdateFunctionConfiguration(t *testing.T) {
	for name, test := range map[string]struct {
		do      region.Effect
		code    string
		changed bool // at once
		later   bool // in an hour
	}{
		"no-op":      {do: region.NoOp()},
		"late":       {do: region.Late(time.Minute, nil), later: true},
		"die before": {do: region.DieBefore(), code: region.ErrDead.Error()},
		"die after":  {do: region.DieAfter(), code: region.ErrDead.Error(), changed: true, later: true},
		"somebody else was first": {
			do: region.Foreign(func(r *region.Region) {
				r.EditFunction("resize", func(c *region.FunctionConfig) { c.IPv6 = false })
			}),
			code: "ResourceConflictException",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, c := withFunction()
			r.Fault(region.Fault{Service: region.ServiceLambda, Op: "UpdateFunctionConfiguration", Nth: 1, Do: test.do})
			p := r.Process("p")
			expect(t, "error", code(moveFunction(ctx, p, revision(t, p), "a", "b")), test.code)
			expect(t, "changed", len(r.Functions()["resize"].Subnets) == 2, test.changed)
			sleep(c, time.Hour)
			expect(t, "changed later", len(r.Functions()["resize"].Subnets) == 2, test.later)
			expect(t, "violations", len(r.Violations()), 0)
		})
	}
}

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
	"pgregory.net/rapid"

	"sidestep/pkg/awserr"
	"sidestep/pkg/clock"
	"sidestep/pkg/kind/lambdafunction"
	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

// TestUpdateIsWhole: all that belongs to a place in a VPC goes back with it, and
// nothing else is set.
func TestUpdateIsWhole(t *testing.T) {
	for name, tt := range map[string]struct {
		ipv6     *bool
		revision *string
	}{
		"IPv6":        {aws.Bool(true), aws.String("r1")},
		"no IPv6":     {aws.Bool(false), aws.String("r1")},
		"unset":       {nil, aws.String("r1")},
		"no revision": {aws.Bool(true), nil},
	} {
		f := &fake{functions: []types.FunctionConfiguration{aFunction("f", func(c *types.FunctionConfiguration) {
			c.VpcConfig.Ipv6AllowedForDualStack, c.RevisionId = tt.ipv6, tt.revision
		})}}
		r := f.read(t)[0]
		if receipt, err := f.driver().Apply(t.Context(), r, driver().Plan(r, aGoal())); err != nil || receipt != nil {
			t.Fatalf("%s: %v and %v", name, receipt, err)
		}
		want := []*lambda.UpdateFunctionConfigurationInput{{
			FunctionName: aws.String(arn("f")),
			RevisionId:   tt.revision,
			VpcConfig:    &types.VpcConfig{SubnetIds: healthy, SecurityGroupIds: groups, Ipv6AllowedForDualStack: tt.ipv6},
		}}
		if got := inputs[*lambda.UpdateFunctionConfigurationInput](f); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: sent %+v, want %+v", name, got, want)
		}
	}
}

func TestNothingIsSentTwiceOrOverAChange(t *testing.T) {
	f := &fake{functions: []types.FunctionConfiguration{
		aFunction("done", in(healthy...)), aFunction("drifted", in("subnet-2a", "subnet-1a")), aFunction("left", noVPC),
	}}
	for _, r := range f.read(t) {
		c := resource.Change{ID: r.ID, Edits: []resource.Edit{closed}}
		if _, err := f.driver().Apply(t.Context(), r, c); (err != nil) != (r.Name != "done") || (err != nil) != errors.Is(err, resource.ErrDrifted) {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
	if sent := inputs[*lambda.UpdateFunctionConfigurationInput](f); len(sent) > 0 {
		t.Errorf("sent %+v", sent)
	}
}

// TestFR12NothingEmptyIsEverSent: whatever a function's place in a VPC, what was
// recorded of it and which subnets there are, a request has subnets, and the
// security groups and the flag that were read.
func TestFR12NothingEmptyIsEverSent(t *testing.T) {
	ids := []string{"subnet-1a", "subnet-1b", "subnet-2a", "subnet-3a", "subnet-old", "subnet-unknown"}
	rapid.Check(t, func(t *rapid.T) {
		config := aVPC(t, ids)
		f := &fake{functions: []types.FunctionConfiguration{aFunction("f", func(c *types.FunctionConfiguration) { c.VpcConfig = config })}}
		d := lambdafunction.New(f, f, clock.Real{})
		found, err := d.Read(t.Context(), resource.ID{ARN: arn("f"), Name: "f"})
		if err != nil || len(found) != 1 {
			t.Fatalf("read %v and %v", found, err)
		}
		c := d.Plan(found[0], drawnGoal(t, ids))
		byPlan := !rapid.Bool().Draw(t, "a change that no plan makes")
		if !byPlan {
			c.Edits = []resource.Edit{{Field: "subnets", From: found[0].Fields["subnets"], To: drawSome(t, ids, "to")}}
		}
		_, err = d.Apply(t.Context(), found[0], c)
		sent := inputs[*lambda.UpdateFunctionConfigurationInput](f)
		if byPlan && (err != nil || len(sent) != len(c.Edits)) {
			t.Fatalf("%v, as planned, sent %+v (%v)", c.Edits, sent, err)
		}
		for _, in := range sent {
			checkWhole(t, in.VpcConfig, config)
		}
	})
}

func checkWhole(t *rapid.T, sent *types.VpcConfig, read *types.VpcConfigResponse) {
	if sent == nil || len(sent.SubnetIds) == 0 || len(sent.SecurityGroupIds) == 0 {
		t.Fatalf("sent %+v", sent)
	}
	if !slices.Equal(sent.SecurityGroupIds, read.SecurityGroupIds) || !reflect.DeepEqual(sent.Ipv6AllowedForDualStack, read.Ipv6AllowedForDualStack) {
		t.Fatalf("sent %+v for %+v", sent, read)
	}
}

func drawSome(t *rapid.T, ids []string, label string) []string {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 0, 4, rapid.ID[string]).Draw(t, label)
}

// aVPC draws a function's place in a VPC: none, one that is all empty, one that
// lacks a part, or a whole one.
func aVPC(t *rapid.T, ids []string) *types.VpcConfigResponse {
	if rapid.IntRange(0, 9).Draw(t, "no VPC") == 0 {
		return nil
	}
	return &types.VpcConfigResponse{
		VpcId:                   rapid.SampledFrom([]*string{nil, aws.String(""), aws.String("vpc"), aws.String("vpc")}).Draw(t, "VPC"),
		SubnetIds:               drawSome(t, ids, "subnets"),
		SecurityGroupIds:        rapid.SampledFrom([][]string{nil, {}, groups, {"sg-1"}}).Draw(t, "groups"),
		Ipv6AllowedForDualStack: rapid.SampledFrom([]*bool{nil, aws.Bool(true), aws.Bool(false)}).Draw(t, "IPv6"),
	}
}

func drawnGoal(t *rapid.T, ids []string) resource.Goal {
	return aGoal(func(g *resource.Goal) {
		g.Direction = rapid.SampledFrom([]resource.Direction{resource.Evacuate, resource.Recover}).Draw(t, "direction")
		g.Policy = rapid.SampledFrom([]resource.Policy{resource.Hold, resource.Drain, resource.Shift}).Draw(t, "policy")
		if rapid.Bool().Draw(t, "recorded") {
			removed := drawSome(t, ids, "removed")
			from := drawSome(t, ids, "from")
			g.Recorded = &resource.Recorded{
				Edits:          []resource.Edit{{Field: "subnets", From: from, To: resource.Without(from, removed)}},
				RemovedSubnets: removed,
			}
		}
		for _, id := range drawSome(t, ids, "lost") {
			delete(g.Subnets, id)
		}
		g.Subnets["subnet-local"] = zone.Subnet{Zone: "use1-bos1-az1"}
	})
}

// TestFR12WhatNoPlanMakesIsRefused: the last guard is where the request is made.
func TestFR12WhatNoPlanMakesIsRefused(t *testing.T) {
	f := &fake{functions: []types.FunctionConfiguration{aFunction("f"), aFunction("groupless", noGroups)}}
	all := f.read(t)
	for want, tt := range map[string]struct {
		live  resource.Resource
		edits []resource.Edit
	}{
		"updating function f: subnets: refusing to send an empty list":                 {all[0], []resource.Edit{{Field: "subnets", From: everywhere}}},
		"updating function groupless: security groups: refusing to send an empty list": {all[1], []resource.Edit{closed}},
		"updating function f: [{security-groups [sg-2 sg-1] [sg-1]}]: refusing to set what no plan of this kind sets": {
			all[0], []resource.Edit{{Field: "security-groups", From: groups, To: []string{"sg-1"}}},
		},
		"updating function f: [{subnets [subnet-3a subnet-1a subnet-2a] [subnet-3a subnet-2a]} {ipv6 [true] [false]}]: refusing to set what no plan of this kind sets": {
			all[0], []resource.Edit{closed, {Field: "ipv6", From: []string{"true"}, To: []string{"false"}}},
		},
	} {
		_, err := f.driver().Apply(t.Context(), tt.live, resource.Change{ID: tt.live.ID, Edits: tt.edits})
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if sent := inputs[*lambda.UpdateFunctionConfigurationInput](f); len(sent) > 0 {
		t.Errorf("sent %+v", sent)
	}
}

// TestFR49AnUpdateUnderWayIsSeen: Lambda refuses a change until it is over.
func TestFR49AnUpdateUnderWayIsSeen(t *testing.T) {
	for name, tt := range map[string]struct {
		status types.LastUpdateStatus
		state  types.State
		want   string
	}{
		"at rest":      {types.LastUpdateStatusSuccessful, types.StateActive, ""},
		"being moved":  {types.LastUpdateStatusInProgress, types.StateActive, "update in progress"},
		"being made":   {types.LastUpdateStatusSuccessful, types.StatePending, "being set up"},
		"given up":     {types.LastUpdateStatusFailed, types.StateActive, ""},
		"long unused":  {types.LastUpdateStatusSuccessful, types.StateInactive, ""},
		"as in a list": {"", "", ""},
	} {
		r := read(t, aFunction("f", func(f *types.FunctionConfiguration) { f.LastUpdateStatus, f.State = tt.status, tt.state }))
		if r.Underway != tt.want {
			t.Errorf("%s: %q, want %q", name, r.Underway, tt.want)
		}
	}
}

// TestFR49RefusalsAreTriedAgain: on a fresh reading, as somebody changed the function
// since, or once their update is over.
func TestFR49RefusalsAreTriedAgain(t *testing.T) {
	for want, refusal := range map[awserr.Class]error{
		awserr.Outdated: &types.PreconditionFailedException{},
		awserr.Busy:     &types.ResourceConflictException{},
	} {
		f := &fake{functions: []types.FunctionConfiguration{aFunction("f")}}
		r := f.read(t)[0]
		f.fail = fmt.Errorf("operation error Lambda: %w", refusal)
		_, err := f.driver().Apply(t.Context(), r, driver().Plan(r, aGoal()))
		if class := awserr.Classify(err); class != want || class.Outcome() != resource.FailedBusy {
			t.Errorf("%v is of class %v with outcome %s", err, class, class.Outcome())
		}
	}
}

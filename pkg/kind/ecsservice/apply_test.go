package ecsservice_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
	"pgregory.net/rapid"

	"sidestep/pkg/kind/ecsservice"
	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

// someSubnets draws subnets in three zones, in any order, and where they lie.
func someSubnets(t *rapid.T) ([]string, zone.Subnets) {
	known := zone.Subnets{}
	var list []string
	for i := range rapid.IntRange(1, 8).Draw(t, "subnets") {
		id := fmt.Sprintf("subnet-%d", i)
		known[id] = zone.Subnet{ID: id, Zone: fmt.Sprintf("use1-az%d", rapid.IntRange(1, 3).Draw(t, "zone")), VPC: "vpc"}
		list = append(list, id)
	}
	return rapid.Permutation(list).Draw(t, "order"), known
}

// someNetwork draws an awsvpc block with these subnets.
func someNetwork(t *rapid.T, subnets []string) types.AwsVpcConfiguration {
	return types.AwsVpcConfiguration{
		Subnets: subnets,
		SecurityGroups: rapid.SampledFrom([][]string{
			nil, {"sg-1"}, {"sg-2", "sg-1"}, {"sg-5", "sg-1", "sg-4", "sg-2", "sg-3"},
		}).Draw(t, "security groups"),
		AssignPublicIp: rapid.SampledFrom([]types.AssignPublicIp{"", "ENABLED", "DISABLED"}).Draw(t, "public IP"),
	}
}

// send reads, plans, applies, and returns the one update that was sent, or nil.
func send(t rapid.TB, s types.Service, g resource.Goal) (resource.Change, *ecs.UpdateServiceInput) {
	f := &fake{}
	f.add("shop", s)
	d := ecsservice.New(f, serial{})
	found, err := d.Read(context.Background(), ids("shop/web")...)
	if err != nil || len(found) != 1 {
		t.Fatalf("read %v and %v", found, err)
	}
	c := d.Plan(found[0], g)
	receipt, err := d.Apply(context.Background(), found[0], c)
	if err != nil || receipt != nil {
		t.Fatalf("applied with %v and %v", receipt, err)
	}
	sent := inputs[*ecs.UpdateServiceInput](f)
	if len(sent) > 1 || (len(sent) == 1) != (len(c.Edits) > 0) {
		t.Fatalf("%d updates for %v", len(sent), c.Edits)
	}
	if len(sent) == 0 {
		return c, nil
	}
	return c, sent[0]
}

// TestFR31OnlySubnetsDiffer: whatever a service's network is, the block that is
// sent is that block with other subnets, never none, and nothing else is set.
func TestFR31OnlySubnetsDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, known := someSubnets(t)
		before := someNetwork(t, list)
		s := aService("web", func(s *types.Service) {
			s.NetworkConfiguration = &types.NetworkConfiguration{AwsvpcConfiguration: &before}
		})
		g := aGoal(drain, func(g *resource.Goal) { g.Subnets = known })
		if rapid.Bool().Draw(t, "recovers") {
			back(&g)
			gone := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"subnet-8", "subnet-9"}), 0, 2, rapid.ID).Draw(t, "removed")
			for _, id := range gone {
				known[id] = zone.Subnet{ID: id, Zone: impaired.ID, VPC: "vpc"}
			}
			g.Recorded = &resource.Recorded{Edits: []resource.Edit{{Field: "subnets", From: append(slices.Clone(list), gone...), To: list}}, RemovedSubnets: gone}
		}
		c, sent := send(t, s, g)
		if sent == nil {
			return
		}
		after := sent.NetworkConfiguration.AwsvpcConfiguration
		if len(after.Subnets) == 0 || !slices.Equal(after.Subnets, c.Edits[0].To) {
			t.Fatalf("subnets are sent as %v, planned to %v", after.Subnets, c.Edits)
		}
		same := *after
		same.Subnets = before.Subnets
		if !reflect.DeepEqual(same, before) {
			t.Fatalf("sent %+v, was %+v", *after, before)
		}
		want := ecs.UpdateServiceInput{Cluster: aws.String("shop"), Service: aws.String("web"), NetworkConfiguration: sent.NetworkConfiguration}
		if !reflect.DeepEqual(*sent, want) {
			t.Fatalf("sent %+v beside the network", *sent)
		}
	})
}

// TestFR31AHoldSendsTheSwitchAlone: neither network nor anything else.
func TestFR31AHoldSendsTheSwitchAlone(t *testing.T) {
	_, sent := send(t, aService("web"), aGoal())
	want := ecs.UpdateServiceInput{
		Cluster: aws.String("shop"), Service: aws.String("web"), AvailabilityZoneRebalancing: types.AvailabilityZoneRebalancingDisabled,
	}
	if sent == nil || !reflect.DeepEqual(*sent, want) {
		t.Fatalf("sent %+v", sent)
	}
}

// TestFR03OneUpdateForBoth: subnets and switch in one call, so that the service is
// deployed once.
func TestFR03OneUpdateForBoth(t *testing.T) {
	_, sent := send(t, aService("web", off), aGoal(drain, recorded(heldRecord())))
	if sent == nil || sent.AvailabilityZoneRebalancing != types.AvailabilityZoneRebalancingEnabled || !slices.Equal(sent.NetworkConfiguration.AwsvpcConfiguration.Subnets, healthy) {
		t.Fatalf("sent %+v", sent)
	}
}

// TestFR03NothingIsSentTwice: what is right already takes no call, and half of it
// half an update.
func TestFR03NothingIsSentTwice(t *testing.T) {
	c := plan(t, aService("web", off), drain, recorded(heldRecord()))
	for _, tt := range []struct {
		live            []func(*types.Service)
		subnets, toggle bool
	}{
		{[]func(*types.Service){in(healthy...)}, false, false},
		{[]func(*types.Service){in(healthy...), off}, false, true},
		{nil, true, false},
	} {
		f := &fake{}
		if _, err := ecsservice.New(f, serial{}).Apply(t.Context(), read(t, aService("web", tt.live...)), c); err != nil {
			t.Fatal(err)
		}
		sent := inputs[*ecs.UpdateServiceInput](f)
		if (len(sent) == 1) != (tt.subnets || tt.toggle) {
			t.Fatalf("%d updates", len(sent))
		}
		for _, in := range sent {
			if (in.NetworkConfiguration != nil) != tt.subnets || (in.AvailabilityZoneRebalancing != "") != tt.toggle {
				t.Errorf("sent %+v", in)
			}
		}
	}
}

func TestFR17ControllersAreNeverSentAnything(t *testing.T) {
	for _, change := range []func(*types.Service){
		by(types.DeploymentControllerTypeCodeDeploy), sets(types.DeploymentControllerTypeCodeDeploy), sets(types.DeploymentControllerTypeExternal),
	} {
		for _, goal := range [][]func(*resource.Goal){{}, {drain}, {back, recorded(drainedRecord())}, {back, recorded(heldRecord())}} {
			if c, sent := send(t, aService("web", off, change), aGoal(goal...)); sent != nil {
				t.Fatalf("%s (%s): sent %+v", c.Direction, c.Outcome, sent)
			}
		}
	}
}

func TestWhatMayNotBeSentIsRefused(t *testing.T) {
	live := read(t, aService("web"))
	for _, tt := range []struct {
		edit resource.Edit
		want string
	}{
		{resource.Edit{Field: "subnets", From: everywhere}, "refusing to send an empty list"},
		{resource.Edit{Field: "subnets", From: everywhere, To: []string{}}, "refusing to send an empty list"},
		{resource.Edit{Field: "security-groups", From: []string{"sg-2", "sg-1"}, To: []string{"sg-1"}}, "refusing to set"},
		{resource.Edit{Field: "zone-rebalancing", From: []string{"ENABLED"}}, "refusing to set"},
	} {
		f := &fake{}
		_, err := ecsservice.New(f, serial{}).Apply(t.Context(), live, resource.Change{ID: live.ID, Edits: []resource.Edit{tt.edit}})
		if err == nil || !strings.Contains(err.Error(), tt.want) || len(f.calls) > 0 {
			t.Errorf("%v: %d calls and %v", tt.edit, len(f.calls), err)
		}
	}
	f := &fake{}
	drifted := resource.Change{ID: live.ID, Edits: []resource.Edit{{Field: "subnets", From: healthy, To: []string{"subnet-3a"}}}}
	if _, err := ecsservice.New(f, serial{}).Apply(t.Context(), live, drifted); !errors.Is(err, resource.ErrDrifted) || len(f.calls) > 0 {
		t.Errorf("drifted: %d calls and %v", len(f.calls), err)
	}
}

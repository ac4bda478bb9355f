package region_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"github.com/aws/smithy-go"

	"sidestep/pkg/clock"
	"sidestep/pkg/region"
)

var (
	start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	ctx   = context.Background()
)

// small is a region of three zones with one subnet each, a, b and c, and a group
// web over all of them with six instances.
func small() (*region.Region, *clock.Virtual) {
	c := clock.NewVirtual(start)
	r := region.New(region.Config{Clock: c, Account: "111122223333", Name: "us-east-1"})
	for _, z := range []string{"a", "b", "c"} {
		r.AddZone("az-"+z, "us-east-1"+z)
		r.AddSubnet(z, "az-"+z, "vpc", 100)
	}
	r.AddGroup(region.Group{Name: "web", Subnets: []string{"c", "a", "b"}, Min: 3, Max: 9, Desired: 6})
	return r, c
}

// setSubnets sends one update of the group web.
func setSubnets(ctx context.Context, p *region.Process, subnets string) error {
	_, err := p.AutoScaling().UpdateAutoScalingGroup(ctx, &autoscaling.UpdateAutoScalingGroupInput{
		AutoScalingGroupName: new("web"), VPCZoneIdentifier: new(subnets),
	})
	return err
}

// read describes one group.
func read(t *testing.T, p *region.Process, name string) types.AutoScalingGroup {
	t.Helper()
	out, err := p.AutoScaling().DescribeAutoScalingGroups(ctx, &autoscaling.DescribeAutoScalingGroupsInput{
		AutoScalingGroupNames: []string{name},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.AutoScalingGroups) != 1 {
		t.Fatalf("%d groups named %s", len(out.AutoScalingGroups), name)
	}
	return out.AutoScalingGroups[0]
}

// code is the API error code of err, its text if it has none, empty for nil.
func code(err error) string {
	var api smithy.APIError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &api):
		return api.ErrorCode()
	}
	return err.Error()
}

func sleep(c clock.Clock, d time.Duration) { _ = c.Sleep(ctx, d) }

func expect(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestSnapshotsAreComparableAndTheirOwn(t *testing.T) {
	r, _ := small()
	before := r.Snapshot()
	r.SetSuspended("web", "Terminate", "Launch", "Launch")
	expect(t, "suspended, sorted and once", r.Snapshot()["web"].Suspended, []string{"Launch", "Terminate"})
	r.SetSuspended("web")
	expect(t, "snapshot after undoing", r.Snapshot(), before)

	before["web"].Subnets[0] = "scribbled"
	expect(t, "subnets, their order kept", r.Snapshot()["web"].Subnets, []string{"c", "a", "b"})
}

func TestNothingIsSharedWithCallers(t *testing.T) {
	r, _ := small()
	ids := []string{"a", "b"}
	tags := map[string]string{"team": "shop"}
	r.AddGroup(region.Group{Name: "mine", Subnets: ids, Desired: 2, Tags: tags, TargetGroups: []string{"tg"}})
	ids[0], tags["team"] = "scribbled", "scribbled"

	p := r.Process("p")
	first := read(t, p, "mine")
	*first.Instances[0].InstanceId, *first.Tags[0].Value, first.TargetGroupARNs[0] = "x", "x", "x"
	second := read(t, p, "mine")
	expect(t, "subnets", *second.VPCZoneIdentifier, "a,b")
	expect(t, "tag", *second.Tags[0].Value, "shop")
	expect(t, "target groups", second.TargetGroupARNs, []string{"tg"})
	if *second.Instances[0].InstanceId == "x" {
		t.Error("an instance is shared with the caller")
	}
}

func TestTheSameSeedMakesTheSameRegion(t *testing.T) {
	sample := func(seed int64) *region.Region {
		return region.Sample(region.Config{Clock: clock.NewVirtual(start), Name: "us-east-1", Seed: seed})
	}
	expect(t, "ARN of the same seed", sample(1).ARN("web"), sample(1).ARN("web"))
	if sample(1).ARN("web") == sample(2).ARN("web") {
		t.Error("another seed makes the same ARN")
	}
}

func TestEditsOfWhatIsNotThereAreNoted(t *testing.T) {
	r, _ := small()
	r.SetGroupSubnets("wbe", "a")
	r.DeleteGroup("wbe")
	expect(t, "violations", len(r.Violations()), 2)
	expect(t, "ARN", r.ARN("wbe"), "")
}

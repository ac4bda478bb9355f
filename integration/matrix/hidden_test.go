package matrix

import (
	"context"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

// hiding is EC2 as it answers while a zone is in trouble: its lists lack a subnet
// that is there.
type hiding struct {
	zone.API
	subnet string
}

func (h hiding) DescribeSubnets(ctx context.Context, in *ec2.DescribeSubnetsInput, opts ...func(*ec2.Options)) (*ec2.DescribeSubnetsOutput, error) {
	out, err := h.API.DescribeSubnets(ctx, in, opts...)
	if err == nil && len(in.SubnetIds) == 0 {
		out.Subnets = slices.DeleteFunc(out.Subnets, func(s types.Subnet) bool { return *s.SubnetId == h.subnet })
	}
	return out, err
}

// TestASubnetThatListsHideComesBack: missing from a list is not deleted, and a
// record closed without it would lose it for good.
func TestASubnetThatListsHideComesBack(t *testing.T) {
	w := newMemoryWorld(t)
	before := w.snapshot()
	w.evacuate(t, "out", leaving, resource.Hold)
	e := w.engine("back", testConfig())
	e.Zones = hiding{e.Zones, "subnet-1a"}
	if _, err := e.Recover(context.Background(), w.request(resource.Recover, leaving, "")); err != nil {
		t.Fatal(err)
	}
	w.wantSnapshot(t, before)
}

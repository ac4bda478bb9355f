package region_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"sidestep/pkg/zone"
)

func TestZones(t *testing.T) {
	r, _ := small()
	r.AddLocalZone("bos1-az1", "us-east-1-bos-1a")
	api := r.Process("p").EC2()

	out, err := api.DescribeAvailabilityZones(ctx, nil)
	expect(t, "error", err, nil)
	expect(t, "zones", len(out.AvailabilityZones), 4)
	local := out.AvailabilityZones[3]
	expect(t, "local zone", []string{*local.ZoneType, *local.ParentZoneId, string(local.OptInStatus)}, []string{"local-zone", "az-a", "opted-in"})

	zones, err := zone.ReadZones(ctx, api, "us-east-1")
	expect(t, "error", err, nil)
	expect(t, "zones that count", zones.All, []zone.Zone{{ID: "az-a", Name: "us-east-1a"}, {ID: "az-b", Name: "us-east-1b"}, {ID: "az-c", Name: "us-east-1c"}})

	out, err = api.DescribeAvailabilityZones(ctx, &ec2.DescribeAvailabilityZonesInput{ZoneNames: []string{"us-east-1b"}})
	expect(t, "error", err, nil)
	expect(t, "by name", *out.AvailabilityZones[0].ZoneId, "az-b")

	_, err = api.DescribeAvailabilityZones(ctx, &ec2.DescribeAvailabilityZonesInput{Filters: make([]types.Filter, 1)})
	expect(t, "filters", code(err), "NotModelled")
}

func TestSubnets(t *testing.T) {
	r, _ := small()
	for i := range 9 {
		r.AddSubnet(fmt.Sprint("more-", i), "az-a", "vpc", i)
	}
	r.DeleteSubnet("more-0")
	for name, test := range map[string]struct {
		in    ec2.DescribeSubnetsInput
		size  int
		pages []int
		code  string
	}{
		"small pages":      {pages: []int{5, 5, 1}},
		"asked for":        {size: 1000, in: ec2.DescribeSubnetsInput{MaxResults: new(int32(7))}, pages: []int{7, 4}},
		"by ID":            {in: ec2.DescribeSubnetsInput{SubnetIds: []string{"b", "a"}}, pages: []int{2}},
		"by unknown ID":    {in: ec2.DescribeSubnetsInput{SubnetIds: []string{"more-0"}}, code: "InvalidSubnetID.NotFound"},
		"page too small":   {in: ec2.DescribeSubnetsInput{MaxResults: new(int32(4))}, code: "InvalidParameterValue"},
		"made-up token":    {in: ec2.DescribeSubnetsInput{NextToken: new("?")}, code: "InvalidNextToken"},
		"filters":          {in: ec2.DescribeSubnetsInput{Filters: make([]types.Filter, 1)}, code: "NotModelled"},
		"token at the end": {in: ec2.DescribeSubnetsInput{NextToken: new("eno=")}, pages: []int{0}},
	} {
		t.Run(name, func(t *testing.T) {
			r.SetPageSize(max(test.size, 5))
			var sizes []int
			for {
				out, err := r.Process("p").EC2().DescribeSubnets(ctx, &test.in)
				if expect(t, "error", code(err), test.code); err != nil {
					return
				}
				sizes = append(sizes, len(out.Subnets))
				if test.in.NextToken = out.NextToken; out.NextToken == nil {
					break
				}
			}
			expect(t, "pages", sizes, test.pages)
		})
	}
	all, err := zone.ReadSubnets(ctx, r.Process("p").EC2())
	expect(t, "error", err, nil)
	expect(t, "a subnet", all["more-3"], zone.Subnet{ID: "more-3", Zone: "az-a", VPC: "vpc", Free: 3})
}

func TestCallerIdentity(t *testing.T) {
	r, _ := small()
	out, err := r.Process("p").STS().GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	expect(t, "error", err, nil)
	expect(t, "account", *out.Account, "111122223333")
	expect(t, "ARN", *out.Arn, "arn:aws:sts::111122223333:assumed-role/sidestep/p")
}

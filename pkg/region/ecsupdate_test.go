package region_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"sidestep/pkg/region"
)

func TestUpdatesOfServicesThatNobodyMaySend(t *testing.T) {
	block := func(edit func(*types.AwsVpcConfiguration)) ecs.UpdateServiceInput {
		n := network("a", "b")
		edit(n.AwsvpcConfiguration)
		return ecs.UpdateServiceInput{NetworkConfiguration: n}
	}
	for name, test := range map[string]struct {
		in        ecs.UpdateServiceInput
		config    func(*region.ServiceConfig)
		code      string
		violation string
	}{
		"no subnets":      {in: block(func(c *types.AwsVpcConfiguration) { c.Subnets = nil }), code: "InvalidParameterException", violation: "empty list of subnets"},
		"an empty block":  {in: ecs.UpdateServiceInput{NetworkConfiguration: &types.NetworkConfiguration{}}, code: "InvalidParameterException", violation: "empty list of subnets"},
		"no groups":       {in: block(func(c *types.AwsVpcConfiguration) { c.SecurityGroups = nil }), violation: "security groups from [sg-2 sg-1] to []"},
		"other groups":    {in: block(func(c *types.AwsVpcConfiguration) { c.SecurityGroups[0] = "sg-9" }), violation: "security groups"},
		"no public IP":    {in: block(func(c *types.AwsVpcConfiguration) { c.AssignPublicIp = "" }), violation: "public IP from ENABLED to DISABLED"},
		"desired count":   {in: ecs.UpdateServiceInput{DesiredCount: new(int32(1))}, code: "NotModelled", violation: "field other than"},
		"task definition": {in: ecs.UpdateServiceInput{TaskDefinition: new("web")}, code: "NotModelled", violation: "field other than"},
		"a new deployment": {
			in:   ecs.UpdateServiceInput{ForceNewDeployment: true, NetworkConfiguration: network("a", "b")},
			code: "NotModelled", violation: "field other than",
		},
		"CodeDeploy's": {
			in: ecs.UpdateServiceInput{NetworkConfiguration: network("a", "b")}, config: func(c *region.ServiceConfig) { c.Controller = "CODE_DEPLOY" },
			code: "InvalidParameterException", violation: "CODE_DEPLOY deploys",
		},
		"an external controller's": {
			in: ecs.UpdateServiceInput{NetworkConfiguration: network("a", "b")}, config: func(c *region.ServiceConfig) { c.Controller = "EXTERNAL" },
			code: "InvalidParameterException", violation: "EXTERNAL deploys",
		},
		"on hosts": {
			in: ecs.UpdateServiceInput{NetworkConfiguration: network("a", "b")}, config: func(c *region.ServiceConfig) { c.Subnets = nil },
			code: "InvalidParameterException", violation: "has none",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := withService(test.config)
			before := r.Services()
			test.in.Cluster, test.in.Service = new("shop"), new("web")
			p := r.Process("p")
			_, err := p.ECS().UpdateService(ctx, &test.in)
			expect(t, "error", code(err), test.code)
			if v := p.Violations(); len(v) != 1 || !strings.Contains(v[0], "UpdateService of shop/web") || !strings.Contains(v[0], test.violation) {
				t.Errorf("violations %q, want one about %q", v, test.violation)
			}
			if test.code != "" {
				expect(t, "configuration", r.Services(), before)
			}
		})
	}
}

func TestUpdatesOfServicesThatAWSRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		in     ecs.UpdateServiceInput
		config func(*region.ServiceConfig)
		code   string
	}{
		"unknown service":        {in: ecs.UpdateServiceInput{Service: new("wbe")}, code: "ServiceNotFoundException"},
		"unknown cluster":        {in: ecs.UpdateServiceInput{Cluster: new("shpo")}, code: "ClusterNotFoundException"},
		"another cluster's ARN":  {in: ecs.UpdateServiceInput{Service: new("arn:aws:ecs:us-east-1:111122223333:service/tools/web")}, code: "InvalidParameterException"},
		"unknown subnet":         {in: ecs.UpdateServiceInput{NetworkConfiguration: network("a", "z")}, code: "InvalidParameterException"},
		"rebalancing":            {in: ecs.UpdateServiceInput{AvailabilityZoneRebalancing: "ENABLED"}},
		"rebalancing, misspelt":  {in: ecs.UpdateServiceInput{AvailabilityZoneRebalancing: "ON"}, code: "InvalidParameterException"},
		"rebalancing of daemons": {in: ecs.UpdateServiceInput{AvailabilityZoneRebalancing: "ENABLED"}, config: func(c *region.ServiceConfig) { c.Scheduling = "DAEMON" }, code: "InvalidParameterException"},
		"rebalancing at 100%":    {in: ecs.UpdateServiceInput{AvailabilityZoneRebalancing: "ENABLED"}, config: func(c *region.ServiceConfig) { c.MaxPercent = 100 }, code: "InvalidParameterException"},
		"rebalancing of CodeDeploy's": {
			in: ecs.UpdateServiceInput{AvailabilityZoneRebalancing: "ENABLED"}, config: func(c *region.ServiceConfig) { c.Controller = "CODE_DEPLOY" },
			code: "InvalidParameterException",
		},
		"rebalancing behind a classic load balancer": {
			in: ecs.UpdateServiceInput{AvailabilityZoneRebalancing: "ENABLED"}, config: func(c *region.ServiceConfig) { c.LoadBalancers = []string{"classic"} },
			code: "InvalidParameterException",
		},
		"rebalancing of daemons off": {in: ecs.UpdateServiceInput{AvailabilityZoneRebalancing: "DISABLED"}, config: func(c *region.ServiceConfig) { c.Scheduling = "DAEMON" }},
		"nothing":                    {in: ecs.UpdateServiceInput{}},
		"both, by ARN": {in: ecs.UpdateServiceInput{
			Cluster: new("arn:aws:ecs:us-east-1:111122223333:cluster/shop"), Service: new("arn:aws:ecs:us-east-1:111122223333:service/shop/web"),
			AvailabilityZoneRebalancing: "DISABLED", NetworkConfiguration: network("b"),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := withService(test.config)
			if test.in.Cluster == nil {
				test.in.Cluster = new("shop")
			}
			if test.in.Service == nil {
				test.in.Service = new("web")
			}
			p := r.Process("p")
			_, err := p.ECS().UpdateService(ctx, &test.in)
			expect(t, "error", code(err), test.code)
			expect(t, "violations", len(r.Violations()), 0)
			expect(t, "calls", len(p.Calls()), 1)
		})
	}
}

func TestAnUpdateAnswersWithTheServiceAsItIsNow(t *testing.T) {
	r, _ := withService(nil)
	in := &ecs.UpdateServiceInput{Cluster: new("shop"), Service: new("web"), NetworkConfiguration: network("b"), AvailabilityZoneRebalancing: "DISABLED"}
	out, err := r.Process("p").ECS().UpdateService(ctx, in)
	expect(t, "error", err, nil)
	expect(t, "subnets", out.Service.NetworkConfiguration.AwsvpcConfiguration.Subnets, []string{"b"})
	expect(t, "rebalancing", string(out.Service.AvailabilityZoneRebalancing), "DISABLED")
	in.NetworkConfiguration.AwsvpcConfiguration.Subnets[0] = "scribbled"
	expect(t, "subnets", r.Services()["shop/web"].Subnets, []string{"b"})
}

func TestFaultsOfUpdateService(t *testing.T) {
	for name, test := range map[string]struct {
		do      region.Effect
		err     error
		changed bool // at once
		later   bool // in an hour
	}{
		"fail":       {do: region.Fail(errScripted), err: errScripted},
		"fail after": {do: region.FailAfter(errScripted), err: errScripted, changed: true, later: true},
		"no-op":      {do: region.NoOp()},
		"late":       {do: region.Late(time.Minute, nil), later: true},
		"die before": {do: region.DieBefore(), err: region.ErrDead},
		"die after":  {do: region.DieAfter(), err: region.ErrDead, changed: true, later: true},
		"deleted meanwhile": {
			do: region.Foreign(func(r *region.Region) {
				r.DeleteService("shop/web")
				r.AddService(region.Service{Cluster: "shop", Name: "web"})
			}),
			// the new one has no network
			err: &types.InvalidParameterException{Message: new("Network Configuration is not valid for the given networkMode of this task definition.")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, c := withService(nil)
			r.Fault(region.Fault{Service: region.ServiceECS, Op: "UpdateService", Nth: 1, Do: test.do})
			expect(t, "error", moveService(ctx, r.Process("p"), "a", "b"), test.err)
			expect(t, "changed", len(r.Services()["shop/web"].Subnets) == 2, test.changed)
			sleep(c, time.Hour)
			expect(t, "changed later", len(r.Services()["shop/web"].Subnets) == 2, test.later)
			expect(t, "unfired", len(r.Unfired()), 0)
		})
	}
}

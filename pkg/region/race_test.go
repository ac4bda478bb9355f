package region_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecs"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"

	"sidestep/pkg/clock"
	"sidestep/pkg/ledger/memory"
	"sidestep/pkg/region"
)

// TestEverythingAtOnce is for the race detector, and ends only if nothing waits
// on the clock with the region locked.
func TestEverythingAtOnce(t *testing.T) {
	c := clock.NewVirtual(start)
	r := region.Sample(region.Config{Clock: c, Account: "111122223333", Name: "us-east-1"})
	r.AddSampleServices()
	r.AddSampleFunctions()
	r.Latency(time.Second)
	r.SetLag(3 * time.Second)
	r.Throttle(region.ServiceAutoScaling, 10, 5)
	r.Fault(region.Fault{Process: "3", Nth: 7, Do: region.DieAfter()})
	r.Fault(region.Fault{Op: "UpdateAutoScalingGroup", Nth: 2, Do: region.Foreign(func(r *region.Region) { r.Snapshot() })})
	store := memory.New()
	c.Each(8, 8, func(i int) {
		p := r.Process(fmt.Sprint(i % 4))
		s := p.Store(store)
		for n := range 20 {
			_ = setSubnets(ctx, p, []string{"subnet-1a,subnet-2a", "subnet-3a"}[n%2])
			_, _ = p.AutoScaling().DescribeAutoScalingGroups(ctx, nil)
			_, _ = p.EC2().DescribeSubnets(ctx, nil)
			_, _ = p.ELB().DescribeTargetGroups(ctx, &elb.DescribeTargetGroupsInput{})
			_ = s.Write(ctx, item(fmt.Sprint(n)))
			_, _ = p.ECS().ListTasks(ctx, &ecs.ListTasksInput{Cluster: new("prod")})
			_, _ = p.Lambda().ListFunctions(ctx, nil)
			r.EditService("prod/web", func(c *region.ServiceConfig) { c.Subnets = []string{"subnet-1a", "subnet-2a"}[n%2:] })
			r.EditFunction("mail", func(c *region.FunctionConfig) { c.Subnets = []string{"subnet-1a", "subnet-2a"}[n%2:] })
			r.SetGroupSubnets("api", "subnet-1a")
			r.Placement()
			r.ServicePlacement()
			r.MostRollouts()
			p.Calls()
			p.Violations()
			r.Unfired()
		}
	})
	expect(t, "dead", r.Process("3").Dead(), true)
	expect(t, "violations", r.Violations(), []string(nil))
}

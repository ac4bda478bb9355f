package traffic_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"sidestep/pkg/clock"
	"sidestep/pkg/region"
	"sidestep/pkg/traffic"
)

const inherited = "use_load_balancer_configuration"

func newRegion() *region.Region {
	return region.New(region.Config{Clock: clock.NewVirtual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), Name: "us-east-1"})
}

func arn(kind, name string) string {
	return "arn:aws:elasticloadbalancing:us-east-1:111122223333:" + kind + "/" + name + "/0123456789abcdef"
}

// TestUnmoved is the whole table of a target group's own setting, its balancer's
// type and its balancer's setting.
func TestUnmoved(t *testing.T) {
	for _, own := range []string{"true", "false", inherited, ""} {
		for _, kind := range []string{"application", "network", "gateway"} {
			for _, balancer := range []string{"true", "false", ""} {
				// An Application Load Balancer balances across zones whatever it says.
				moved := own == "true" || own != "false" && (kind == "application" || balancer == "true")
				r := newRegion()
				r.AddLoadBalancer(arn("loadbalancer", "lb"), kind, balancer)
				r.AddTargetGroup(arn("targetgroup", "tg"), arn("loadbalancer", "lb"), kind, own)
				got, err := traffic.New(r.Process("p").ELB()).Unmoved(t.Context(), []string{arn("targetgroup", "tg")})
				if err != nil {
					t.Fatal(err)
				}
				if (len(got) == 0) != moved {
					t.Errorf("own %q, %s balancer %q: unmoved are %v", own, kind, balancer, got)
				}
				if why := got[arn("targetgroup", "tg")]; !moved && !strings.Contains(why, "target group tg has cross-zone balancing off") {
					t.Errorf("own %q, %s balancer %q: the reason is %q", own, kind, balancer, why)
				}
			}
		}
	}
}

func TestEffective(t *testing.T) {
	for _, tt := range []struct {
		own  string
		kind types.LoadBalancerTypeEnum
		on   bool
		want bool
	}{
		{"true", types.LoadBalancerTypeEnumNetwork, false, true},
		{"false", types.LoadBalancerTypeEnumApplication, true, false},
		{inherited, types.LoadBalancerTypeEnumApplication, false, true},
		{inherited, types.LoadBalancerTypeEnumNetwork, true, true},
		{inherited, types.LoadBalancerTypeEnumNetwork, false, false},
		{"a new value", types.LoadBalancerTypeEnumGateway, false, false},
	} {
		if got := traffic.Effective(tt.own, tt.kind, tt.on); got != tt.want {
			t.Errorf("own %q, %s balancer %t: %t", tt.own, tt.kind, tt.on, got)
		}
	}
}

// TestWhatCannotBeReadIsHeld: each call in turn fails.
func TestWhatCannotBeReadIsHeld(t *testing.T) {
	for _, op := range []string{"DescribeTargetGroups", "DescribeTargetGroupAttributes", "DescribeLoadBalancers", "DescribeLoadBalancerAttributes"} {
		r := newRegion()
		r.AddTargetGroup(arn("targetgroup", "tg"), arn("loadbalancer", "lb"), "application", inherited)
		r.Fault(region.Fault{Op: op, Do: region.Fail(errors.New("scripted"))})
		got, err := traffic.New(r.Process("p").ELB()).Unmoved(t.Context(), []string{arn("targetgroup", "tg")})
		if why := got[arn("targetgroup", "tg")]; err != nil || !strings.Contains(why, "scripted") || !strings.Contains(why, "tg") {
			t.Errorf("%s fails: unmoved are %v and %v", op, got, err)
		}
	}
}

// TestUnreachableIsAskedOnce: going through a batch one by one would take the
// deadline as many times.
func TestUnreachableIsAskedOnce(t *testing.T) {
	r := newRegion()
	r.Fault(region.Fault{Do: region.Fail(context.DeadlineExceeded)})
	p := r.Process("p")
	got, err := traffic.New(p.ELB()).Unmoved(t.Context(), []string{"arn:1", "arn:2"})
	if err != nil || len(got) != 2 || len(p.Calls()) != 1 {
		t.Errorf("unmoved are %v and %v after %d calls", got, err, len(p.Calls()))
	}
}

// TestWithoutABalancerNothingComes: nor is anything asked about it.
func TestWithoutABalancerNothingComes(t *testing.T) {
	r := newRegion()
	r.AddTargetGroup(arn("targetgroup", "tg"), "", "network", "false")
	p := r.Process("p")
	got, err := traffic.New(p.ELB()).Unmoved(t.Context(), []string{arn("targetgroup", "tg")})
	if err != nil || len(got) > 0 || len(p.Calls()) != 1 {
		t.Errorf("unmoved are %v and %v after %d calls", got, err, len(p.Calls()))
	}
	if got, err := traffic.New(p.ELB()).Unmoved(t.Context(), nil); err != nil || len(got) > 0 || len(p.Calls()) != 1 {
		t.Errorf("of no target group, unmoved are %v and %v after %d calls", got, err, len(p.Calls()))
	}
}

// TestManyTargetGroups: in batches, in pages, with one that is not there. Their
// balancer is asked about once.
func TestManyTargetGroups(t *testing.T) {
	r := newRegion()
	r.AddLoadBalancer(arn("loadbalancer", "lb"), "network", "false")
	var arns []string
	for i := range 45 {
		tg := arn("targetgroup", fmt.Sprintf("tg-%02d", i))
		arns = append(arns, tg)
		if i == 7 {
			continue // deleted, and still named by its group
		}
		own := inherited
		if i%2 == 0 {
			own = "true"
		}
		r.AddTargetGroup(tg, arn("loadbalancer", "lb"), "network", own)
	}
	p := r.Process("p")
	got, err := traffic.New(p.ELB()).Unmoved(t.Context(), arns)
	if err != nil {
		t.Fatal(err)
	}
	for i, tg := range arns {
		if why := got[tg]; (why != "") != (i%2 == 1) {
			t.Errorf("target group %d is unmoved because %q", i, why)
		}
	}
	if why := got[arns[7]]; !strings.Contains(why, "cannot be described") {
		t.Errorf("the one that is not there: %q", why)
	}
	asked := 0
	for _, c := range p.Calls() {
		if strings.HasPrefix(c.Op, "DescribeLoadBalancer") {
			asked++
		}
	}
	if asked != 2 {
		t.Errorf("the balancer took %d calls, want 2", asked)
	}
}

// shared answers as AWS does where a target group serves several balancers.
type shared struct{ traffic.API }

func (s shared) DescribeTargetGroups(ctx context.Context, in *elb.DescribeTargetGroupsInput, o ...func(*elb.Options)) (*elb.DescribeTargetGroupsOutput, error) {
	out, err := s.API.DescribeTargetGroups(ctx, in, o...)
	if err == nil {
		out.TargetGroups[0].LoadBalancerArns = []string{arn("loadbalancer", "on"), arn("loadbalancer", "off")}
	}
	return out, err
}

func TestOneBalancerOfSeveralHolds(t *testing.T) {
	r := newRegion()
	r.AddLoadBalancer(arn("loadbalancer", "on"), "network", "true")
	r.AddLoadBalancer(arn("loadbalancer", "off"), "network", "false")
	r.AddTargetGroup(arn("targetgroup", "tg"), arn("loadbalancer", "on"), "network", inherited)
	got, err := traffic.New(shared{r.Process("p").ELB()}).Unmoved(t.Context(), []string{arn("targetgroup", "tg")})
	if err != nil || len(got) != 1 {
		t.Errorf("unmoved are %v and %v", got, err)
	}
}

// TestStopped: being told to stop is an error, not a finding.
func TestStopped(t *testing.T) {
	r := newRegion()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := traffic.New(r.Process("p").ELB()).Unmoved(ctx, []string{"arn:tg"}); !errors.Is(err, context.Canceled) {
		t.Errorf("returned %v", err)
	}
}

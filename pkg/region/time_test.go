package region_test

import (
	"sync/atomic"
	"testing"
	"time"

	"sidestep/pkg/region"
)

func TestThrottleRefillsInTheClocksTime(t *testing.T) {
	r, c := small()
	r.Throttle(region.ServiceAutoScaling, 2, 0.5)
	p := r.Process("p")
	var got []string
	for _, wait := range []time.Duration{0, 0, 0, time.Second, time.Second, 0} {
		sleep(c, wait)
		got = append(got, code(setSubnets(ctx, p, "a,b")))
	}
	expect(t, "answers", got, []string{"", "", "Throttling", "Throttling", "", "Throttling"})

	_, err := p.EC2().DescribeSubnets(ctx, nil)
	expect(t, "another service", err, nil)
	r.Throttle(region.ServiceAutoScaling, 0, 0)
	expect(t, "without a limit", setSubnets(ctx, p, "a"), nil)
}

func TestThrottledCallsChangeNothing(t *testing.T) {
	r, _ := small()
	r.Throttle(region.ServiceAutoScaling, 1, 0)
	_ = read(t, r.Process("p"), "web")
	expect(t, "error", code(setSubnets(ctx, r.Process("q"), "a,b")), "Throttling")
	expect(t, "subnets", len(r.Snapshot()["web"].Subnets), 3)
}

func TestLatencyIsSpentSideBySide(t *testing.T) {
	r, c := small()
	r.Latency(2 * time.Second)
	p := r.Process("p")
	var failed atomic.Int64
	c.Each(20, 10, func(int) {
		if setSubnets(ctx, p, "a,b") != nil {
			failed.Add(1)
		}
	})
	expect(t, "failed", failed.Load(), int64(0))
	expect(t, "took", c.Now().Sub(start), 4*time.Second)
	expect(t, "calls", len(p.Calls()), 20)
}

func TestLagShowsTheConfigurationBefore(t *testing.T) {
	r, c := small()
	r.SetLag(10 * time.Second)
	p := r.Process("p")
	shown := func() string { return *read(t, p, "web").VPCZoneIdentifier }

	_ = setSubnets(ctx, p, "a,b") // at 0 s
	expect(t, "at once", shown(), "c,a,b")
	expect(t, "truly", r.Snapshot()["web"].Subnets, []string{"a", "b"})
	sleep(c, 4*time.Second)
	r.SetGroupSubnets("web", "a") // at 4 s
	expect(t, "after 4 s", shown(), "c,a,b")
	sleep(c, 6*time.Second)
	expect(t, "after 10 s", shown(), "a,b")
	sleep(c, 4*time.Second)
	expect(t, "after 14 s", shown(), "a")
	r.SetGroupSubnets("web", "b")
	expect(t, "after another", shown(), "a")
}

func TestTimeDoesNotDependOnWhoLooks(t *testing.T) {
	watched, c1 := small()
	alone, c2 := small()
	for _, r := range []*region.Region{watched, alone} {
		_ = setSubnets(ctx, r.Process("p"), "a,b")
	}
	for range 300 {
		sleep(c1, time.Second)
		watched.Placement()
	}
	sleep(c2, 300*time.Second)
	expect(t, "placement", watched.Placement(), alone.Placement())
}

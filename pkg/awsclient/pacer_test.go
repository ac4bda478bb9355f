package awsclient_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/aws/smithy-go"
	"golang.org/x/time/rate"
	"pgregory.net/rapid"

	"sidestep/pkg/awsclient"
	"sidestep/pkg/awserr"
	"sidestep/pkg/clock"
	"sidestep/pkg/resource"
)

var (
	start       = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	bg          = context.Background()
	throttled   = &smithy.GenericAPIError{Code: "Throttling"}
	unreachable = &net.OpError{Op: "dial", Err: errors.New("refused")}
)

func succeed(context.Context) error { return nil }

// pacer returns a pacer of one bucket, for all calls to the service S.
func pacer(burst int, perSecond float64, inFlight int) (*awsclient.Pacer, *clock.Virtual) {
	c := clock.NewVirtual(start)
	return awsclient.NewPacer(c, time.Hour, []awsclient.Limit{
		{Service: "S", Burst: burst, PerSecond: perSecond, InFlight: inFlight},
	}), c
}

// near compares times, of which the limiter's arithmetic rounds a little off.
func near(got, want time.Duration) bool { return (got - want).Abs() <= 10*time.Millisecond }

func TestRatesAreHonoured(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, burst := rapid.IntRange(1, 300).Draw(t, "calls"), rapid.IntRange(1, 100).Draw(t, "burst")
		perSecond := rapid.Float64Range(0.5, 50).Draw(t, "rate")
		p, c := pacer(burst, perSecond, 0)
		c.Each(n, rapid.IntRange(1, 40).Draw(t, "workers"), func(int) {
			if err := p.Do(bg, "S", "Op", succeed); err != nil {
				panic(err)
			}
		})
		want := time.Duration(float64(max(0, n-burst)) / perSecond * float64(time.Second))
		if took := c.Now().Sub(start); !near(took, want) {
			t.Fatalf("%d calls with %d at once and %v a second took %v, want %v", n, burst, perSecond, took, want)
		}
	})
}

// TestTheTableIsHonoured: operations share a bucket, or have one each, and may
// draw on two.
func TestTheTableIsHonoured(t *testing.T) {
	for _, tt := range []struct {
		service string
		ops     []string
		n       int // of each
		want    time.Duration
	}{
		{awsclient.AutoScaling, []string{"DescribeAutoScalingGroups", "UpdateAutoScalingGroup"}, 75, 5 * time.Second},
		{awsclient.EC2, []string{"DescribeSubnets", "DescribeAvailabilityZones"}, 100, 0},
		{awsclient.EC2, []string{"DescribeSubnets"}, 140, 2 * time.Second},
		{awsclient.ELB, []string{"DescribeTargetGroups", "DescribeLoadBalancers"}, 25, time.Second},
		{awsclient.ELB, []string{"ModifyTargetGroupAttributes"}, 26, 2 * time.Second},
		{"Another Service", []string{"Op"}, 1000, 0},
	} {
		c := clock.NewVirtual(start)
		p := awsclient.NewPacer(c, time.Hour, awsclient.Limits)
		c.Each(tt.n*len(tt.ops), 5, func(i int) {
			if err := p.Do(bg, tt.service, tt.ops[i%len(tt.ops)], succeed); err != nil {
				t.Error(err)
			}
		})
		if took := c.Now().Sub(start); !near(took, tt.want) {
			t.Errorf("%d calls each of %v took %v, want %v", tt.n, tt.ops, took, tt.want)
		}
	}
}

func TestInFlightIsNeverExceeded(t *testing.T) {
	p, c := pacer(1000, 1000, 3)
	var mu sync.Mutex
	now, most := 0, 0
	c.Each(20, 20, func(i int) {
		err := p.Do(bg, "S", "Op", func(ctx context.Context) error {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			_ = c.Sleep(ctx, time.Second)
			mu.Lock()
			defer mu.Unlock()
			now--
			if i%2 == 0 {
				return &smithy.GenericAPIError{Code: "ValidationError"} // gives its place back too
			}
			return nil
		})
		if (err != nil) != (i%2 == 0) {
			t.Error(err)
		}
	})
	if took := c.Now().Sub(start); most != 3 || took < 7*time.Second || took > 8*time.Second {
		t.Errorf("at most %d at once, 20 calls of 1 s in %v; want 3, in about 7 s", most, took)
	}
}

// TestThrottlesSlowDownAndRecover: AWS has far less than the table says, as
// others draw on it too, and then has it all again.
func TestThrottlesSlowDownAndRecover(t *testing.T) {
	p, c := pacer(50, 50, 10)
	var mu sync.Mutex
	limiter := rate.NewLimiter(2, 2)
	attempts := 0
	send := func(context.Context) error {
		mu.Lock()
		defer mu.Unlock()
		attempts++
		if limiter != nil && !limiter.AllowN(c.Now(), 1) {
			return throttled
		}
		return nil
	}
	each := func(n int) time.Duration {
		before := c.Now()
		c.Each(n, 10, func(int) {
			if err := p.Do(bg, "S", "Op", send); err != nil {
				t.Error(err)
			}
		})
		return c.Now().Sub(before)
	}
	if took := each(100); took < 45*time.Second || took > 5*time.Minute || attempts > 300 {
		t.Errorf("100 calls at 2 a second took %v and %d attempts", took, attempts)
	}
	limiter = nil
	each(200) // wins the pace back
	each(50)  // and uses up what piled up
	if took := each(100); took > 2500*time.Millisecond {
		t.Errorf("100 calls took %v afterwards, want 2 s", took)
	}
}

// TestTheDeadlineEndsIt: whether by the pacer's or by the context's own.
func TestTheDeadlineEndsIt(t *testing.T) {
	for name, tt := range map[string]struct {
		context time.Duration
		send    func(c clock.Clock) func(context.Context) error
		want    awserr.Class
	}{
		"throttled for ever": {time.Hour, func(clock.Clock) func(context.Context) error {
			return func(context.Context) error { return throttled }
		}, awserr.Throttled},
		"context ends first": {20 * time.Second, func(clock.Clock) func(context.Context) error {
			return func(context.Context) error { return throttled }
		}, awserr.Throttled},
		"hangs": {20 * time.Second, func(c clock.Clock) func(context.Context) error {
			return func(ctx context.Context) error { return c.Sleep(ctx, time.Hour) }
		}, awserr.Unreachable},
	} {
		t.Run(name, func(t *testing.T) {
			c := clock.NewVirtual(start)
			p := awsclient.NewPacer(c, time.Minute, []awsclient.Limit{{Service: "S", Burst: 1, PerSecond: 100}})
			ctx, cancel := c.WithTimeout(bg, tt.context)
			defer cancel()
			err := p.Do(ctx, "S", "Op", tt.send(c))
			if got := awserr.Classify(err); got != tt.want {
				t.Errorf("ended by %v", err)
			}
			if took, most := c.Now().Sub(start), min(tt.context, time.Minute); took > most || took < most-6*time.Second {
				t.Errorf("took %v, of %v at most", took, most)
			}
		})
	}
}

// TestNoTurnBeforeTheDeadline: the call is never sent, and takes no place.
func TestNoTurnBeforeTheDeadline(t *testing.T) {
	p, c := pacer(1, 0.1, 1)
	if err := p.Do(bg, "S", "Op", succeed); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := c.WithTimeout(bg, time.Second)
	defer cancel()
	err := p.Do(ctx, "S", "Op", func(context.Context) error { return errors.New("sent") })
	if !errors.Is(err, context.DeadlineExceeded) || c.Now().Sub(start) != time.Second {
		t.Errorf("returned %v after %v", err, c.Now().Sub(start))
	}
	if err := p.Do(bg, "S", "Op", succeed); err != nil {
		t.Errorf("the next call returned %v", err)
	}
}

func TestAttempts(t *testing.T) {
	for name, tt := range map[string]struct {
		err  error
		want int // attempts; 5 is as often as it takes
	}{
		"succeeds":    {nil, 1},
		"throttled":   {throttled, 5},
		"busy":        {&smithy.GenericAPIError{Code: "ScalingActivityInProgress"}, 5},
		"at fault":    {&smithy.GenericAPIError{Code: "InternalFailure"}, 5},
		"unreachable": {unreachable, 3},
		"no answer":   {context.DeadlineExceeded, 3},
		"invalid":     {&smithy.GenericAPIError{Code: "ValidationError"}, 1},
		"access":      {&smithy.GenericAPIError{Code: "AccessDenied"}, 1},
		"not found":   {&smithy.GenericAPIError{Code: "ResourceNotFoundException"}, 1},
		"role":        {&smithy.GenericAPIError{Code: "ServiceLinkedRoleFailure"}, 1},
		"drifted":     {resource.ErrDrifted, 1},
		"stopped":     {context.Canceled, 1},
		"unknown":     {errors.New("odd"), 1},
	} {
		p, c := pacer(100, 100, 10)
		attempts := 0
		err := p.Do(bg, "S", "Op", func(context.Context) error {
			if attempts++; attempts == 5 {
				return nil
			}
			return tt.err
		})
		if attempts != tt.want || (tt.want != 5 && !errors.Is(err, tt.err)) || (tt.want == 5 && err != nil) {
			t.Errorf("%s: %d attempts and %v, want %d", name, attempts, err, tt.want)
		}
		if took := c.Now().Sub(start); took > 20*time.Second {
			t.Errorf("%s: known only after %v", name, took)
		}
	}
}

func TestErrorsSayWhichCallWaited(t *testing.T) {
	c := clock.NewVirtual(start)
	p := awsclient.NewPacer(c, 0, nil)
	err := p.Do(bg, "S", "Op", succeed)
	if want := fmt.Sprintf("waiting for a turn to call S Op: %v", context.DeadlineExceeded); err == nil || err.Error() != want {
		t.Errorf("returned %v, want %s", err, want)
	}
}

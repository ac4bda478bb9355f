package clock_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"sidestep/pkg/clock"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestSleepMovesOnlyVirtualTime(t *testing.T) {
	v := clock.NewVirtual(start)
	if err := v.Sleep(context.Background(), time.Hour); err != nil {
		t.Fatal(err)
	}
	if got := v.Now().Sub(start); got != time.Hour {
		t.Errorf("after an hour's sleep the clock moved %v", got)
	}
}

func TestWorkersSleepSideBySide(t *testing.T) {
	v := clock.NewVirtual(start)
	v.Each(100, 10, func(int) { _ = v.Sleep(context.Background(), time.Second) })
	if got := v.Now().Sub(start); got != 10*time.Second {
		t.Errorf("100 sleeps of 1 s, 10 at a time, took %v", got)
	}
}

func TestTimeoutEndsASleepOnTime(t *testing.T) {
	v := clock.NewVirtual(start)
	ctx, cancel := v.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := v.Sleep(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("sleep past the deadline returned %v", err)
	}
	if got := v.Now().Sub(start); got != time.Minute {
		t.Errorf("the clock moved %v, want 1m", got)
	}
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Errorf("context error is %v", ctx.Err())
	}
}

func TestBackgroundTickerDoesNotRunAhead(t *testing.T) {
	v := clock.NewVirtual(start)
	ctx, cancel := context.WithCancel(context.Background())
	var ticks atomic.Int64
	v.Go(func() {
		for v.Sleep(ctx, 10*time.Second) == nil {
			ticks.Add(1)
		}
	})
	_ = v.Sleep(context.Background(), 95*time.Second)
	cancel()
	if got := ticks.Load(); got != 9 {
		t.Errorf("%d ticks of 10 s in 95 s, want 9", got)
	}
}

func TestElapsedTakesTheLongerClock(t *testing.T) {
	since := time.Now()
	slept := since.Add(time.Second).Round(0).Add(time.Hour) // wall moved, monotonic did not
	if got := clock.Elapsed(slept, since); got < time.Hour {
		t.Errorf("elapsed is %v, want at least an hour", got)
	}
}

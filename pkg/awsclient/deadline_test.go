package awsclient_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"sidestep/pkg/awsclient"
	"sidestep/pkg/clock"
)

// TestAttemptsThatHangLeaveTimeForTheNext: one connection into the zone's trouble
// must not use up the deadline.
func TestAttemptsThatHangLeaveTimeForTheNext(t *testing.T) {
	p, c := pacer(100, 100, 10)
	attempts := 0
	err := p.Do(bg, "S", "Op", func(ctx context.Context) error {
		if attempts++; attempts < 3 {
			return c.Sleep(ctx, time.Hour)
		}
		return nil
	})
	if took := c.Now().Sub(start); err != nil || attempts != 3 || took < 20*time.Second || took > 25*time.Second {
		t.Errorf("%d attempts and %v in %v, want 3 in about 20 s", attempts, err, took)
	}
}

// paused is a clock whose wall time jumps while nothing that waits notices, as
// when a laptop sleeps.
type paused struct {
	*clock.Virtual
	jump time.Duration
}

func (p *paused) Now() time.Time { return p.Virtual.Now().Add(p.jump) }

// TestWhatWasDecidedLongAgoIsNotSent: the deadline is in the future by the clock
// that timers run on, and in the past by the one on the wall.
func TestWhatWasDecidedLongAgoIsNotSent(t *testing.T) {
	c := &paused{Virtual: clock.NewVirtual(start)}
	p := awsclient.NewPacer(c, time.Minute, nil)
	sent := 0
	err := p.Do(bg, "S", "Op", func(context.Context) error {
		sent++
		c.jump = time.Hour
		return throttled
	})
	if sent != 1 || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("sent %d times and returned %v, want once and %v", sent, err, context.DeadlineExceeded)
	}
	if took := c.Virtual.Now().Sub(start); took > 10*time.Second {
		t.Errorf("gave up only after %v", took)
	}
}

// TestErrorsSayWhichCallWaited tells a person what there was no turn for.
// TestAShortDeadlineHasRoomForASecondAttempt: a ledger call has 5 s, and a
// connection that hangs must not use them up alone.
func TestAShortDeadlineHasRoomForASecondAttempt(t *testing.T) {
	p, c := pacer(10, 10, 0)
	ctx, cancel := c.WithTimeout(bg, 5*time.Second)
	defer cancel()
	attempts := 0
	err := p.Do(ctx, "S", "Op", func(ctx context.Context) error {
		if attempts++; attempts == 1 {
			return c.Sleep(ctx, time.Hour)
		}
		return nil
	})
	if took := c.Now().Sub(start); err != nil || attempts != 2 || took > 4*time.Second {
		t.Errorf("%d attempts in %v: %v", attempts, took, err)
	}
}

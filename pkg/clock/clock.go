// Package clock is where time comes from. Code that acts takes a Clock, so
// that an hour's evacuation runs in milliseconds over the region in memory, in
// tests and in `sidestep drill` alike. testing/synctest gives the same inside
// tests only, and the drill is not a test.
package clock

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Clock tells the time, waits, and runs goroutines whose waiting it knows of.
// Everything that waits on a Clock must have been started by it (Go, Each) or
// be the one goroutine that made it: a virtual clock moves on only when all of
// them wait.
type Clock interface {
	// Now is the present time.
	Now() time.Time
	// Sleep waits for d and returns nil, or returns ctx's error as soon as ctx
	// is done. A d of zero or less does not wait.
	Sleep(ctx context.Context, d time.Duration) error
	// WithTimeout is context.WithTimeout in this clock's time.
	WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
	// Each calls f for 0 to n-1, at most limit (at least 1) at a time, and
	// returns when all calls have returned.
	Each(n, limit int, f func(i int))
	// Go runs f in its own goroutine.
	Go(f func())
}

// Real is the machine's clock.
type Real struct{}

// Now is time.Now.
func (Real) Now() time.Time { return time.Now() }

// Sleep waits for d or until ctx is done.
func (Real) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// WithTimeout is context.WithTimeout.
func (Real) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

// Each calls f for 0 to n-1, at most limit at a time.
func (Real) Each(n, limit int, f func(i int)) {
	var wg sync.WaitGroup
	work := share(n, f)
	for range min(n, max(limit, 1)) {
		wg.Go(work)
	}
	wg.Wait()
}

// Go runs f in its own goroutine.
func (Real) Go(f func()) { go f() }

// Try is Each for an f that may fail. All calls are made; the error is that of the
// first in their order.
func Try(c Clock, n, limit int, f func(i int) error) error {
	errs := make([]error, n)
	c.Each(n, limit, func(i int) { errs[i] = f(i) })
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// share returns a function that, run by any number of workers, calls f once for
// each of 0 to n-1.
func share(n int, f func(i int)) func() {
	var next atomic.Int64
	return func() {
		for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
			f(int(i))
		}
	}
}

// Elapsed is how long ago since was, by whichever of the monotonic and the wall
// clock says longer. A laptop that slept has a monotonic clock that did not
// move (CLOCK_MONOTONIC excludes suspend on Linux); a call deadline measured by
// it alone would still look open hours later.
func Elapsed(now, since time.Time) time.Duration {
	return max(now.Sub(since), now.Round(0).Sub(since.Round(0)))
}

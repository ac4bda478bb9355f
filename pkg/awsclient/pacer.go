// Package awsclient is how Sidestep talks to AWS: every call paced by one table
// of rates, sent again when that can help, and ended by a deadline.
package awsclient

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"sidestep/pkg/awserr"
	"sidestep/pkg/clock"
)

// Times of a call. A zone event is when everybody calls: the total has room for
// several throttled attempts, and one attempt that hangs leaves time for the next.
const (
	// CallTimeout bounds a call whose context has no nearer deadline, attempts and
	// waiting included.
	CallTimeout = 30 * time.Second

	attemptTimeout  = 10 * time.Second
	shortestAttempt = time.Second
	backoffBase     = 200 * time.Millisecond
	backoffCap      = 5 * time.Second
	// maxUnreachable bounds the attempts at something that does not answer, so
	// that a wrong endpoint is known in seconds.
	maxUnreachable = 3
	inFlightPoll   = 20 * time.Millisecond
	// slowest is the rate below which throttles do not push us: one call in 2 s.
	slowest = 0.5
)

// Pacer lets calls go at the pace of Limits. It takes the place of the SDK's own
// retryer, whose retry tokens run out for all goroutines at once in a storm of
// throttles, and which sleeps in real time.
type Pacer struct {
	clock    clock.Clock
	deadline time.Duration
	limits   []Limit

	mu      sync.Mutex
	buckets map[string]*bucket
}

// NewPacer returns a pacer in which no call, retries included, takes longer than
// deadline or its context's own.
func NewPacer(c clock.Clock, deadline time.Duration, limits []Limit) *Pacer {
	return &Pacer{clock: c, deadline: deadline, limits: limits, buckets: map[string]*bucket{}}
}

// Do sends one call as often as it takes and helps. The error is the last
// attempt's.
func (p *Pacer) Do(ctx context.Context, service, op string, send func(context.Context) error) error {
	ctx, cancel := p.clock.WithTimeout(ctx, p.deadline)
	defer cancel()
	buckets := p.of(service, op)
	unreachable := 0
	var err error
	for attempt := 0; ; attempt++ {
		if turn := p.enter(ctx, buckets); turn != nil {
			if err != nil {
				return err // says more than that time is up
			}
			return fmt.Errorf("waiting for a turn to call %s %s: %w", service, op, turn)
		}
		err = p.attempt(ctx, send)
		class := awserr.Classify(err)
		p.leave(buckets, class)
		if class == awserr.Unreachable {
			unreachable++
		}
		if !class.Retryable() || unreachable >= maxUnreachable || p.clock.Sleep(ctx, backoff(attempt)) != nil {
			return err
		}
	}
}

// attempt sends once, if the deadline has not passed by either clock: a process
// that was paused must not send what it decided on long ago.
func (p *Pacer) attempt(ctx context.Context, send func(context.Context) error) error {
	if deadline, ok := ctx.Deadline(); ok && clock.Elapsed(p.clock.Now(), deadline) > 0 {
		return context.DeadlineExceeded
	}
	ctx, cancel := p.clock.WithTimeout(ctx, p.attemptTime(ctx))
	defer cancel()
	return send(ctx)
}

// attemptTime is how long one attempt may take: a part of what is left, so that a
// connection that hangs leaves time for another one.
func (p *Pacer) attemptTime(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return attemptTimeout
	}
	part := clock.Elapsed(deadline, p.clock.Now()) / 2
	return min(max(part, shortestAttempt), attemptTimeout)
}

// backoff grows from attempt to attempt, with full jitter.
func backoff(attempt int) time.Duration {
	ceiling := min(backoffBase<<min(attempt, 10), backoffCap)
	return time.Duration(rand.Int64N(int64(ceiling))) + time.Millisecond
}

// bucket is one token bucket and what is known of its real size.
type bucket struct {
	limit    Limit
	full     float64 // the rate when nothing throttles
	tokens   *rate.Limiter
	inFlight int
}

func (p *Pacer) of(service, op string) []*bucket {
	p.mu.Lock()
	defer p.mu.Unlock()
	var found []*bucket
	for i, l := range p.limits {
		if !l.matches(service, op) {
			continue
		}
		key := fmt.Sprint(i)
		if l.PerOp {
			key += op
		}
		b := p.buckets[key]
		if b == nil {
			burst, perSecond := l.Ours()
			b = &bucket{limit: l, full: perSecond, tokens: rate.NewLimiter(rate.Limit(perSecond), burst)}
			p.buckets[key] = b
		}
		found = append(found, b)
	}
	return found
}

// enter waits for room and a token in every bucket.
func (p *Pacer) enter(ctx context.Context, buckets []*bucket) error {
	for !p.takeRoom(buckets) {
		if err := p.clock.Sleep(ctx, inFlightPoll); err != nil {
			return err
		}
	}
	now := p.clock.Now()
	var wait time.Duration
	for _, b := range buckets {
		wait = max(wait, b.tokens.ReserveN(now, 1).DelayFrom(now))
	}
	if err := p.clock.Sleep(ctx, wait); err != nil {
		p.leave(buckets, awserr.Stopped)
		return err
	}
	return nil
}

func (p *Pacer) takeRoom(buckets []*bucket) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range buckets {
		if b.limit.InFlight > 0 && b.inFlight >= b.limit.InFlight {
			return false
		}
	}
	for _, b := range buckets {
		b.inFlight++
	}
	return true
}

// leave gives the room back and learns: a throttle halves the rate and empties
// the bucket, since others drew on it too; each success wins a little back.
func (p *Pacer) leave(buckets []*bucket, class awserr.Class) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	for _, b := range buckets {
		b.inFlight--
		current := float64(b.tokens.Limit())
		switch {
		case class == awserr.Throttled:
			b.tokens.SetLimitAt(now, rate.Limit(max(current/2, slowest)))
			if spare := int(b.tokens.TokensAt(now)); spare > 0 {
				b.tokens.ReserveN(now, spare)
			}
		case class == awserr.None && current < b.full:
			b.tokens.SetLimitAt(now, rate.Limit(min(current*1.05, b.full)))
		}
	}
}

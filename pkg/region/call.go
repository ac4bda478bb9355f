package region

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/smithy-go"
)

// request describes a call to do.
type request struct {
	service, op, id string
	mutating        bool
	// wrong says why no process of ours may send this, empty if it may.
	wrong string
	// outside: what the call acts on has its own lock and may take its time, so
	// the region must not be locked meanwhile.
	outside bool
}

// do is the one way from a process into the region, through the process's pace if
// it has one.
func do[T any](ctx context.Context, p *Process, q request, effect func() (*T, error)) (*T, error) {
	p.region.mu.Lock()
	pace := p.pace
	p.region.mu.Unlock()
	if pace == nil {
		return once(ctx, p, q, effect)
	}
	var out *T
	err := pace(ctx, q.service, q.op, func(ctx context.Context) error {
		var err error
		out, err = once(ctx, p, q, effect)
		return err
	})
	return out, err
}

// once counts, delays, faults, throttles and records the call, and has effect
// carry it out.
func once[T any](ctx context.Context, p *Process, q request, effect func() (*T, error)) (*T, error) {
	p.thaw()
	if err := ctx.Err(); err != nil {
		return nil, err // it never leaves the client
	}
	s, call, err := p.arrive(q)
	if err != nil {
		return nil, err
	}
	out, err := perform(ctx, p, q, s, effect)
	p.answered(call, err)
	p.freeze(s.pause)
	p.thaw()
	if err != nil {
		return nil, err
	}
	return out, nil
}

// freeze stops the process for d.
func (p *Process) freeze(d time.Duration) {
	p.region.mu.Lock()
	defer p.region.mu.Unlock()
	if until := p.region.clock.Now().Add(d); d > 0 && until.After(p.frozen) {
		p.frozen = until
	}
}

// thaw returns when the process is not stopped.
func (p *Process) thaw() {
	for {
		p.region.mu.Lock()
		wait := p.frozen.Sub(p.region.clock.Now())
		p.region.mu.Unlock()
		if wait <= 0 {
			return
		}
		_ = p.region.clock.Sleep(context.Background(), wait)
	}
}

// arrive counts and records the call and returns what the faults have in store
// for it, with its place in the record.
func (p *Process) arrive(q request) (script, int, error) {
	r := p.region
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.dead {
		return script{}, 0, ErrDead
	}
	if q.wrong != "" {
		p.violate(fmt.Sprintf("%s of %s %s", q.op, q.id, q.wrong))
	}
	p.calls = append(p.calls, Call{
		Service: q.service, Op: q.op, ID: q.id, Mutating: q.mutating, At: r.clock.Now(),
	})
	s := r.script(p, q)
	s.delay += r.latency
	return s, len(p.calls) - 1, nil
}

// answered completes the record of a call.
func (p *Process) answered(call int, err error) {
	p.region.mu.Lock()
	defer p.region.mu.Unlock()
	p.calls[call].Done = p.region.clock.Now()
	p.calls[call].Err = err
}

// perform plays the script around the call's effect.
func perform[T any](ctx context.Context, p *Process, q request, s script, effect func() (*T, error)) (*T, error) {
	r := p.region
	if err := r.clock.Sleep(ctx, s.delay); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, change := range s.foreign {
		change(r)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.advance()
	if err := p.admit(q, s); err != nil {
		return nil, err
	}
	out, err := take(r, q, s, effect)
	p.dead = p.dead || s.dieAfter
	switch {
	case p.dead:
		return nil, ErrDead
	case s.failAfter != nil:
		return nil, s.failAfter
	}
	return out, err
}

// admit says why a call is not carried out, nil if it is. The region is locked.
func (p *Process) admit(q request, s script) error {
	p.dead = p.dead || s.dieBefore
	if p.dead {
		return ErrDead
	}
	if s.fail != nil {
		return s.fail
	}
	return p.region.throttle(q)
}

// take carries the call out, unless the script says that it only looks so. The
// region is locked.
func take[T any](r *Region, q request, s script, effect func() (*T, error)) (*T, error) {
	switch {
	case q.mutating && s.noOp:
		return new(T), nil
	case q.mutating && s.late > 0 && !q.outside:
		r.after(s.late, func() { _, _ = effect() })
		return new(T), s.lateErr
	case q.outside:
		r.mu.Unlock()
		defer r.mu.Lock()
	}
	return effect()
}

// apiError is an error as the SDK returns it for a code without a type.
func apiError(code, format string, args ...any) error {
	return &smithy.GenericAPIError{Code: code, Message: fmt.Sprintf(format, args...), Fault: smithy.FaultClient}
}

// notModelled refuses what the region would otherwise have to ignore.
func notModelled(what string) error {
	return apiError("NotModelled", "the region in memory does not model %s", what)
}

// given is the SDK's reading of a nil input: an empty one.
func given[T any](in *T) T {
	if in == nil {
		return *new(T)
	}
	return *in
}

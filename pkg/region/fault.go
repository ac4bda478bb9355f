package region

import "time"

// Fault is one line of the fault script: which call, and what comes of it.
type Fault struct {
	// Process, Service and Op choose the calls; an empty one matches any.
	Process, Service, Op string
	// Nth chooses one of them, counted from 1 for each process by itself and
	// from when the fault was set. Zero chooses every one.
	Nth int
	// Do is what happens. Of several faults on one call all happen.
	Do Effect
}

// Effect is something that happens to a call.
type Effect func(*script)

// script is what happens to one call, in this order.
type script struct {
	delay     time.Duration
	foreign   []func(*Region)
	dieBefore bool
	fail      error
	noOp      bool
	late      time.Duration
	lateErr   error
	dieAfter  bool
	failAfter error
	pause     time.Duration
}

// Fail answers err, and nothing happens.
func Fail(err error) Effect { return func(s *script) { s.fail = err } }

// FailAfter has the call take effect and then answers err: an answer that was
// lost.
func FailAfter(err error) Effect { return func(s *script) { s.failAfter = err } }

// Delay has the call take d longer, its effect at the end.
func Delay(d time.Duration) Effect { return func(s *script) { s.delay += d } }

// NoOp answers a change with success and changes nothing. What only reads is
// answered as ever.
func NoOp() Effect { return func(s *script) { s.noOp = true } }

// Late answers a change with err, which may be nil, and has it take effect d
// later, even if its process is dead by then: a request that was still on its way
// when the client gave it up, or a change that AWS accepted and is slow to make.
// The ledger's calls are never late.
func Late(d time.Duration, err error) Effect {
	return func(s *script) { s.late, s.lateErr = d, err }
}

// Foreign makes somebody else's change right before the call. The function may
// use the Region freely.
func Foreign(change func(*Region)) Effect {
	return func(s *script) { s.foreign = append(s.foreign, change) }
}

// DieBefore kills the process before the call takes effect.
func DieBefore() Effect { return func(s *script) { s.dieBefore = true } }

// DieAfter kills the process after the call took effect and before it hears of
// it.
func DieAfter() Effect { return func(s *script) { s.dieAfter = true } }

// Pause has the call take effect and then stops the whole process for d, its
// other goroutines' calls included, as a suspended machine does. Deadlines run on
// meanwhile.
func Pause(d time.Duration) Effect { return func(s *script) { s.pause = d } }

// fault is a Fault and how far it has come.
type fault struct {
	Fault
	seen   map[*Process]int
	struck bool
}

// Fault adds a line to the fault script.
func (r *Region) Fault(f Fault) {
	r.touch(func() { r.faults = append(r.faults, &fault{Fault: f, seen: map[*Process]int{}}) })
}

// ClearFaults empties the fault script.
func (r *Region) ClearFaults() {
	r.touch(func() { r.faults = nil })
}

// Unfired lists the faults that have struck no call yet. A test whose fault never
// struck has tested nothing.
func (r *Region) Unfired() []Fault {
	r.mu.Lock()
	defer r.mu.Unlock()
	var unfired []Fault
	for _, f := range r.faults {
		if !f.struck {
			unfired = append(unfired, f.Fault)
		}
	}
	return unfired
}

// script counts the call with every fault it matches and returns what those that
// strike do to it. The region is locked.
func (r *Region) script(p *Process, q request) script {
	var s script
	for _, f := range r.faults {
		if !matches(f.Process, p.name) || !matches(f.Service, q.service) || !matches(f.Op, q.op) {
			continue
		}
		f.seen[p]++
		if f.Nth == 0 || f.Nth == f.seen[p] {
			f.struck = true
			f.Do(&s)
		}
	}
	return s
}

func matches(want, got string) bool { return want == "" || want == got }

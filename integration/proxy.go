package integration

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
)

// proxy stands between a client and the server. It records every request, and can
// crash the client at its nth mutating one, before the server has it or after, or
// answer in the server's place.
//
// Mutating requests pass one at a time. So there is an nth: all before it have
// been carried out, and none after it reach the server.
type proxy struct {
	url    string
	target *url.URL
	server *httptest.Server

	turn sync.Mutex // held by the mutating request that passes

	mu        sync.Mutex
	calls     []call
	muts      int
	crash     crash
	interfere func(call) *answer
	dead      bool // the client is: nothing passes any more
}

// answer is what a client gets for a request.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// crash says at which mutating request the client ends, and how.
type crash struct {
	n       int    // 0: never
	service string // count this service's alone, if one is named
	after   bool
	kill    func() // returns when the client is gone
}

// newProxy starts a proxy to the endpoint. The caller closes it.
func newProxy(endpoint string) (*proxy, error) {
	target, err := url.Parse(endpoint)
	if err != nil {
		return nil, err
	}
	p := &proxy{target: target}
	p.server = httptest.NewServer(p)
	p.url = p.server.URL
	return p, nil
}

func (p *proxy) close() { p.server.Close() }

// crashBefore ends the client when its nth mutating request has been sent and
// keeps that request from the server.
func (p *proxy) crashBefore(n int, kill func()) { p.setCrash(crash{n: n, kill: kill}) }

// crashAfter ends the client when the server has carried out its nth mutating
// request and the client does not know it yet.
func (p *proxy) crashAfter(n int, kill func()) { p.setCrash(crash{n: n, after: true, kill: kill}) }

// crashAfterFirst ends the client after the first mutating request to the service.
func (p *proxy) crashAfterFirst(service string, kill func()) {
	p.setCrash(crash{n: 1, service: service, after: true, kill: kill})
}

// intercept has f see each mutating request before the server does. The client gets
// what f returns, and the server never sees that request; nil lets it pass.
func (p *proxy) intercept(f func(call) *answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.interfere = f
}

func (p *proxy) setCrash(c crash) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.crash = c
}

// recorded returns all calls so far.
func (p *proxy) recorded() []call {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}

// mutations returns the mutating calls so far, in order.
func (p *proxy) mutations() []call {
	return slices.DeleteFunc(p.recorded(), func(c call) bool { return !c.Mutating })
}

// ServeHTTP passes one request on, or crashes its client.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the client went away
	}
	c := classify(r, body)
	c.Body = string(body)
	if c.Mutating {
		p.turn.Lock()
		defer p.turn.Unlock()
	}
	i, crash := p.enter(c)
	if crash.kill != nil && !crash.after {
		p.end(crash.kill)
	}
	got, err := p.reply(i, c, r, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if crash.kill != nil {
		p.end(crash.kill)
	}
	for k, v := range got.header {
		w.Header()[k] = v
	}
	w.WriteHeader(got.status)
	w.Write(got.body)
}

// reply gets the answer: from who intercepts, or from the server.
func (p *proxy) reply(i int, c call, r *http.Request, body []byte) (*answer, error) {
	p.mu.Lock()
	interfere := p.interfere
	p.mu.Unlock()
	if c.Mutating && interfere != nil {
		if a := interfere(c); a != nil {
			return a, nil
		}
	}
	got, err := p.forward(r, body)
	if err == nil {
		p.passed(i, got.status)
	}
	return got, err
}

// enter records the call and returns its index, with the crash if it is its turn.
func (p *proxy) enter(c call) (int, crash) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		panic(http.ErrAbortHandler)
	}
	if c.Mutating {
		p.muts++
		c.N = p.muts
	}
	p.calls = append(p.calls, c)
	if c.Mutating && p.nth(c) == p.crash.n {
		return len(p.calls) - 1, p.crash
	}
	return len(p.calls) - 1, crash{}
}

// nth counts the mutating call as the crash does.
func (p *proxy) nth(c call) int {
	if p.crash.service == "" {
		return c.N
	}
	n := 0
	for _, known := range p.calls {
		if known.Mutating && known.Service == p.crash.service {
			n++
		}
	}
	if c.Service != p.crash.service {
		return -1
	}
	return n
}

// end crashes the client and drops its request.
func (p *proxy) end(kill func()) {
	p.mu.Lock()
	p.dead = true
	p.mu.Unlock()
	kill()
	panic(http.ErrAbortHandler)
}

func (p *proxy) passed(i, status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls[i].Passed, p.calls[i].Status = true, status
}

// forward sends the request to the server to its end, whatever becomes of the
// client: a request that has passed has been carried out.
func (p *proxy) forward(r *http.Request, body []byte) (*answer, error) {
	to := *r.URL
	to.Scheme, to.Host = p.target.Scheme, p.target.Host
	out, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	out.Header = r.Header.Clone()
	out.Host = r.Host // it is signed
	got, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	defer got.Body.Close()
	answered, err := io.ReadAll(got.Body)
	return &answer{got.StatusCode, got.Header, answered}, err
}

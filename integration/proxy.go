package integration

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// proxy stands between a client and the server. It records every request, and can
// crash the client at its nth mutating one, before the server has it or after.
//
// Mutating requests pass one at a time. So there is an nth: all before it have
// been carried out, and none after it reach the server.
type proxy struct {
	url    string
	target *url.URL
	server *httptest.Server

	turn sync.Mutex // held by the mutating request that passes

	mu    sync.Mutex
	calls []call
	muts  int
	crash crash
	dead  bool // the client is: nothing passes any more
}

// call is one request that arrived at the proxy.
type call struct {
	Service   string // as it is signed: "autoscaling"
	Operation string // "UpdateAutoScalingGroup"; method and path of a REST call
	Mutating  bool
	N         int  // counts the mutating ones from 1; 0 for a read
	Passed    bool // the server has seen it
	Status    int  // what the server answered
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
	if c.Mutating {
		p.turn.Lock()
		defer p.turn.Unlock()
	}
	i, crash := p.enter(c)
	if crash.kill != nil && !crash.after {
		p.end(crash.kill)
	}
	status, header, answer, err := p.forward(r, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	p.passed(i, status)
	if crash.kill != nil {
		p.end(crash.kill)
	}
	for k, v := range header {
		w.Header()[k] = v
	}
	w.WriteHeader(status)
	w.Write(answer)
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
func (p *proxy) forward(r *http.Request, body []byte) (int, http.Header, []byte, error) {
	to := *r.URL
	to.Scheme, to.Host = p.target.Scheme, p.target.Host
	out, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method, to.String(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	out.Header = r.Header.Clone()
	out.Host = r.Host // it is signed
	got, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		return 0, nil, nil, err
	}
	defer got.Body.Close()
	answer, err := io.ReadAll(got.Body)
	return got.StatusCode, got.Header, answer, err
}

// reads are how the names of operations begin that change nothing.
var reads = []string{"Describe", "Get", "List", "BatchGet", "Query", "Scan", "TransactGet", "AssumeRole", "Simulate"}

// classify says what a request asks for, in each of the protocols AWS speaks. What
// it does not know counts as mutating.
func classify(r *http.Request, body []byte) call {
	c := call{Service: service(r.Header.Get("Authorization"))}
	if target := r.Header.Get("X-Amz-Target"); target != "" { // JSON
		c.Operation = target[strings.LastIndex(target, ".")+1:]
	} else if _, op, found := strings.Cut(r.URL.Path, "/operation/"); found { // CBOR
		c.Operation = op
	} else if action := action(r, body); action != "" { // Query
		c.Operation = action
	} else { // REST
		c.Operation = r.Method + " " + r.URL.Path
		c.Mutating = r.Method != http.MethodGet && r.Method != http.MethodHead
		return c
	}
	c.Mutating = !slices.ContainsFunc(reads, func(p string) bool { return strings.HasPrefix(c.Operation, p) })
	return c
}

func action(r *http.Request, body []byte) string {
	if a := r.URL.Query().Get("Action"); a != "" {
		return a
	}
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		return ""
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return ""
	}
	return form.Get("Action")
}

// service reads the service from the scope of a signature:
// Credential=<key>/<date>/<region>/<service>/aws4_request.
func service(authorization string) string {
	_, scope, _ := strings.Cut(authorization, "Credential=")
	scope, _, _ = strings.Cut(scope, ",")
	parts := strings.Split(scope, "/")
	if len(parts) < 5 {
		return ""
	}
	return parts[len(parts)-2]
}

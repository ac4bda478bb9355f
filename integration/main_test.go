package integration

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// suite is what all wire tests of one run share.
var suite struct {
	dir   string                   // holds what was built; goes at the end
	motos []func() (string, error) // servers of our own, each started by who first asks for it
	asked atomic.Int64             // how often one was asked for

	mu     sync.Mutex
	stops  []func()
	idle   []*observer
	run    int
	notRun map[string]int // tests, by the services the endpoint lacks
}

// TestMain says at the end how many wire tests ran and fails a run that was to
// hold some and ran none: a green line that rests on nothing is worse than a red
// one.
func TestMain(m *testing.M) {
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "sidestep-wire-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	suite.dir, suite.notRun = dir, map[string]int{}
	for range min(runtime.NumCPU(), maxMotos) {
		suite.motos = append(suite.motos, sync.OnceValues(startMoto))
	}

	code := m.Run()
	for _, stop := range suite.stops {
		stop()
	}

	line, none := summary(suite.run, suite.notRun)
	if line != "" {
		fmt.Println(line)
	}
	if none && code == 0 {
		fmt.Fprintln(os.Stderr, "no wire test could run against this endpoint: that is a failure")
		return 1
	}
	return code
}

// summary is the closing line, and whether there were wire tests and none ran. A
// run that was to hold none has no such line.
func summary(run int, notRun map[string]int) (line string, none bool) {
	total, parts := 0, []string{}
	for _, lacking := range slices.Sorted(maps.Keys(notRun)) {
		total += notRun[lacking]
		parts = append(parts, fmt.Sprintf("%s: %d", lacking, notRun[lacking]))
	}
	if run+total == 0 {
		return "", false
	}
	line = fmt.Sprintf("wire tests: %d run, %d not run", run, total)
	if total > 0 {
		line += " (" + strings.Join(parts, "; ") + ")"
	}
	return line, run == 0 && total > 0
}

// maxMotos bounds the servers of our own. Each answers one request at a time, and
// that is what the tests wait for.
const maxMotos = 4

// endpoint is where the AWS of one more world answers: what SIDESTEP_ENDPOINT
// names, or the next of our own servers.
func endpoint(t *testing.T) string {
	t.Helper()
	if given := os.Getenv("SIDESTEP_ENDPOINT"); given != "" {
		return given
	}
	url, err := suite.motos[int(suite.asked.Add(1))%len(suite.motos)]()
	if err != nil {
		t.Fatalf("%v\nWire tests need moto in .venv, or an endpoint in SIDESTEP_ENDPOINT. `make test` sets the former up.", err)
	}
	return url
}

// startMoto starts a server of our own. What the suite stops in the end is exactly
// that one.
func startMoto() (url string, err error) {
	cmd := exec.Command(python(), filepath.Join("observer", "server.py"))
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		return "", fmt.Errorf("starting moto: %w", err)
	}
	atEnd(func() {
		in.Close() // it ends when its input does
		if err := cmd.Wait(); err != nil {
			fmt.Fprintln(os.Stderr, "moto ended with", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("starting moto: it ended without an address: %w", err)
	}
	served, err := inTurn(strings.TrimSpace(line))
	if err != nil {
		return "", err
	}
	atEnd(served.Close)
	return served.URL, nil
}

// atEnd has f called at the end of the suite, before what came before it.
func atEnd(f func()) {
	suite.mu.Lock()
	defer suite.mu.Unlock()
	suite.stops = append([]func(){f}, suite.stops...)
}

// inTurn passes requests on to moto one at a time. Its threads share tables without
// a lock: a transaction copies all of them first, fails if another writes meanwhile,
// and on a failed condition puts the copy back over what others wrote.
func inTurn(moto string) (*httptest.Server, error) {
	target, err := url.Parse(moto)
	if err != nil {
		return nil, err
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			host := r.In.Host // it is signed
			r.SetURL(target)
			r.Out.Host = host
		},
		ErrorLog: log.New(io.Discard, "", 0), // clients are killed here on purpose
	}
	var turn sync.Mutex
	return httptest.NewServer(plain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		turn.Lock()
		defer turn.Unlock()
		proxy.ServeHTTP(w, r)
	}))), nil
}

// python is the interpreter that has moto and boto3.
func python() string {
	if p := os.Getenv("SIDESTEP_PYTHON"); p != "" {
		return p
	}
	return filepath.Join("..", ".venv", "bin", "python")
}

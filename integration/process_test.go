package integration

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// result is how one execution of a binary ended.
type result struct {
	Exit   int // -1 where a signal ended it
	Stdout string
	Stderr string
}

// run executes sidestep in the world, as a script would: no terminal, nothing on
// standard input, an empty home.
func run(t *testing.T, w world, args ...string) result {
	t.Helper()
	return prepare(t, w, binary(t), args...).run()
}

// binary is sidestep, built once.
func binary(t *testing.T) string {
	t.Helper()
	return build(t, "./cmd/sidestep")
}

// built holds one build a package. Parallel tests wait for the same one.
var built sync.Map // package -> func() (string, error)

// build builds a main package of this repository and returns the binary's path.
func build(t *testing.T, pkg string) string {
	t.Helper()
	once, _ := built.LoadOrStore(pkg, sync.OnceValues(func() (string, error) {
		out := filepath.Join(suite.dir, path.Base(pkg))
		cmd := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-o", out, pkg)
		cmd.Dir = ".."
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if said, err := cmd.CombinedOutput(); err != nil {
			return "", errors.Join(err, errors.New(string(said)))
		}
		return out, nil
	}))
	bin, err := once.(func() (string, error))()
	if err != nil {
		t.Fatalf("building %s: %v", pkg, err)
	}
	return bin
}

// environ is all that a process in the world gets to know.
func (w world) environ(t *testing.T) []string {
	t.Helper()
	return []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + t.TempDir(),
		"AWS_ENDPOINT_URL=" + w.endpoint,
		"AWS_REGION=" + w.region,
		"AWS_ACCESS_KEY_ID=" + w.creds.AccessKeyID,
		"AWS_SECRET_ACCESS_KEY=" + w.creds.SecretAccessKey,
		"AWS_SESSION_TOKEN=" + w.creds.SessionToken,
		"AWS_EC2_METADATA_DISABLED=true",
	}
}

// process is one execution that a test can crash.
type process struct {
	t              *testing.T
	cmd            *exec.Cmd
	started, ended chan struct{}
	stdout, stderr bytes.Buffer
}

// prepare makes a process ready to run, so that a proxy can be told whom to crash
// before there is a first request. It works in a folder of its own: cmd.Dir.
func prepare(t *testing.T, w world, bin string, args ...string) *process {
	t.Helper()
	p := &process{
		t:       t,
		cmd:     exec.CommandContext(t.Context(), bin, args...),
		started: make(chan struct{}),
		ended:   make(chan struct{}),
	}
	p.cmd.Dir = t.TempDir()
	p.cmd.Env = w.environ(t)
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	p.cmd.WaitDelay = 5 * time.Second
	return p
}

// run starts the process and waits for its end.
func (p *process) run() result {
	p.t.Helper()
	if err := p.cmd.Start(); err != nil {
		p.t.Fatalf("starting %s: %v", p.cmd, err)
	}
	close(p.started)
	err := p.cmd.Wait()
	close(p.ended)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatalf("running %s: %v", p.cmd, err)
	}
	return result{Exit: p.cmd.ProcessState.ExitCode(), Stdout: p.stdout.String(), Stderr: p.stderr.String()}
}

// kill ends the process as a crash does, with SIGKILL, and returns when it is
// gone: it must not see what becomes of its last request.
func (p *process) kill() {
	<-p.started
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Errorf("killing %s: %v", p.cmd, err)
	}
	<-p.ended
}

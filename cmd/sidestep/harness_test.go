package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/app"
	"sidestep/pkg/clock"
	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/memory"
	"sidestep/pkg/region"
)

// zone is the one that goes out.
const zone = "use1-az1"

// world is a region in memory, in virtual time, and somebody at a keyboard. It
// must be used by the goroutine that made it.
type world struct {
	t      *testing.T
	clock  *clock.Virtual
	region *region.Region
	store  ledger.Store
	calls  int // command lines so far: each is a process of its own

	typed    string
	terminal bool
	context  context.Context
	env      map[string]string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	c := clock.NewVirtual(time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC))
	w := &world{
		t: t, clock: c, store: memory.New(), context: t.Context(), env: map[string]string{},
		region: region.Sample(region.Config{Clock: c, Account: "111122223333", Name: "us-east-1", Seed: 1}),
	}
	return w
}

// ready is a world with a ledger.
func ready(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.want(exitDone, "ledger", "init")
	return w
}

// answer is what one command line left.
type answer struct {
	exit           int
	stdout, stderr string
}

func (w *world) run(args ...string) answer {
	w.calls++
	var stdout, stderr strings.Builder
	exit := run(w.context, args, system{
		in: strings.NewReader(w.typed), out: &stdout, err: &stderr, terminal: w.terminal,
		connect: w.connect, clock: w.clock,
		user:   func() string { return "ann@laptop" },
		random: func() string { return fmt.Sprintf("t%03d", w.calls) },
		getenv: func(name string) string { return w.env[name] },
	})
	return answer{exit, stdout.String(), stderr.String()}
}

func (w *world) connect(_ context.Context, o app.ConnectOptions) (app.Deps, app.Identity, error) {
	p := w.region.Process(fmt.Sprintf("process-%d", w.calls))
	return app.Deps{
		AutoScaling: p.AutoScaling(), ECS: p.ECS(), Lambda: p.Lambda(), Tagging: p.Tagging(), EC2: p.EC2(), ELB: p.ELB(), Store: p.Store(w.store), Clock: w.clock,
		Account: "111122223333", Region: "us-east-1", Config: o.Config, Progress: o.Progress,
	}, app.Identity{Account: "111122223333", ARN: "arn:aws:iam::111122223333:user/ann"}, nil
}

// want runs a command line that must exit so.
func (w *world) want(exit int, args ...string) answer {
	w.t.Helper()
	a := w.run(args...)
	if a.exit != exit {
		w.t.Fatalf("sidestep %s exits with %d, want %d\n%s%s", strings.Join(args, " "), a.exit, exit, a.stdout, a.stderr)
	}
	return a
}

// document runs a command line with --output json and reads its one document.
func (w *world) document(exit int, args ...string) view.Document {
	w.t.Helper()
	return read[view.Document](w.t, w.want(exit, append(args, "--output", "json")...))
}

// read decodes the one document on stdout.
func read[T any](t *testing.T, a answer) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(a.stdout), &v); err != nil {
		t.Fatalf("stdout is not one JSON document: %v\n%s", err, a.stdout)
	}
	return v
}

// evacuate and recover say yes.
func (w *world) evacuate(exit int, more ...string) view.Document {
	w.t.Helper()
	return w.document(exit, append([]string{"evacuate", "--zone", zone, "--reason", "outage", "--yes"}, more...)...)
}

func (w *world) recover(exit int, more ...string) view.Document {
	w.t.Helper()
	return w.document(exit, append([]string{"recover", "--zone", zone, "--reason", "over", "--yes"}, more...)...)
}

// unchanged runs f, which must leave the region as it is.
func (w *world) unchanged(f func()) {
	w.t.Helper()
	before := w.region.Snapshot()
	f()
	if !reflect.DeepEqual(before, w.region.Snapshot()) {
		w.t.Error("the region was changed")
	}
}

// oneLine checks that an error is told as it must be.
func (a answer) oneLine(t *testing.T) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(a.stderr), "\n")
	told := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !strings.HasPrefix(l, "sidestep: ") })
	if len(told) != 1 || lines[len(lines)-1] != told[0] || !strings.Contains(told[0], "; ") {
		t.Errorf("stderr does not end with its one line of error, what and what next:\n%s", a.stderr)
	}
}

// noTable is a store without a table.
type noTable struct{ ledger.Store }

func (noTable) Write(context.Context, ...ledger.Op) error { return ledger.ErrNoTable }
func (noTable) Get(context.Context, string, string) (ledger.Item, error) {
	return nil, ledger.ErrNoTable
}
func (noTable) Query(context.Context, string, string) ([]ledger.Item, error) {
	return nil, ledger.ErrNoTable
}

package journal

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"

	"sidestep/pkg/awserr"
	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/ledgertest"
)

var name = ledger.Name("111122223333", "us-east-1")

// open opens a journal that is closed with the test.
func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// reopen is what another process finds.
func reopen(t *testing.T, s *Store) *Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, s.path)
}

func put(pk, sk string, n float64) ledger.Op {
	return ledger.Op{Put: ledger.Item{"pk": pk, "sk": sk, "n": n}}
}

func write(t *testing.T, s ledger.Store, ops ...ledger.Op) {
	t.Helper()
	if err := s.Write(t.Context(), ops...); err != nil {
		t.Fatal(err)
	}
}

func itemsOf(t *testing.T, s ledger.Store) []ledger.Item {
	t.Helper()
	items, err := s.Scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// rereading closes the journal before each read and opens it again, so that what
// the suite reads comes from the file.
type rereading struct {
	t *testing.T
	s *Store
}

func (r *rereading) Write(ctx context.Context, ops ...ledger.Op) error {
	return r.s.Write(ctx, ops...)
}

func (r *rereading) Get(ctx context.Context, pk, sk string) (ledger.Item, error) {
	r.s = reopen(r.t, r.s)
	return r.s.Get(ctx, pk, sk)
}

func (r *rereading) Query(ctx context.Context, pk, prefix string) ([]ledger.Item, error) {
	r.s = reopen(r.t, r.s)
	return r.s.Query(ctx, pk, prefix)
}

func (r *rereading) QueryKind(ctx context.Context, kind, zone string) ([]ledger.Item, error) {
	r.s = reopen(r.t, r.s)
	return r.s.QueryKind(ctx, kind, zone)
}

func (r *rereading) Scan(ctx context.Context) ([]ledger.Item, error) {
	r.s = reopen(r.t, r.s)
	return r.s.Scan(ctx)
}

func TestConformance(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T) ledger.Store {
		return &rereading{t, open(t, filepath.Join(t.TempDir(), "a.journal"))}
	})
}

func TestFile(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "a.journal"))
	write(t, s, put("p", "<1>", 1), ledger.Op{Delete: ledger.Item{"pk": "p", "sk": "2", "n": 3.0}}, ledger.Op{Check: ledger.Item{"pk": "p", "sk": "3"}})
	write(t, s, ledger.Op{Check: ledger.Item{"pk": "p", "sk": "3"}})
	if err := s.Write(t.Context(), put("p", "4", 1), ledger.Op{Check: ledger.Item{"pk": "p", "sk": "5"}, If: ledger.Condition{Equals: map[string]any{"a": "b"}}}); !errors.Is(err, ledger.ErrCondition) {
		t.Errorf("a failed condition returned %v", err)
	}
	want := `{"format":"sidestep-journal","schema":1,"ledger":"region#111122223333#us-east-1"}` + "\n" +
		`{"ops":[{"put":{"n":1,"pk":"p","sk":"<1>"}},{"delete":{"pk":"p","sk":"2"}}]}` + "\n"
	got, err := os.ReadFile(s.path)
	if err != nil || string(got) != want {
		t.Errorf("the file holds\n%s, %v", got, err)
	}
	info, err := os.Stat(s.path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
}

// TestTornLine cuts the file off at every byte: what was written before stays, and
// what is written after is there.
func TestTornLine(t *testing.T) {
	folder := t.TempDir()
	s := open(t, filepath.Join(folder, "a.journal"))
	write(t, s, put("p", "1", 1))
	first := s.size
	write(t, s, put("p", "2", 2), put("p", "3", 3))
	whole, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	header := int64(len(headerLine(name)))
	for cut := range int64(len(whole)) {
		for tail, rest := range map[string][]byte{"nothing": nil, "zeros": make([]byte, 40), "a line of zeros": append(make([]byte, 40), '\n')} {
			if cut <= header && rest != nil {
				continue
			}
			path := filepath.Join(folder, "cut.journal")
			if err := os.WriteFile(path, append(bytes.Clone(whole[:cut]), rest...), 0o600); err != nil {
				t.Fatal(err)
			}
			cutOff := open(t, path)
			want := []ledger.Item(nil)
			if cut >= first {
				want = itemsOf(t, s)[:1]
			}
			if got := itemsOf(t, cutOff); !reflect.DeepEqual(got, want) {
				t.Fatalf("cut at %d and then %s: it holds %v, want %v", cut, tail, got, want)
			}
			write(t, cutOff, put("q", "1", 1))
			want = append(want, put("q", "1", 1).Put)
			again := reopen(t, cutOff)
			if got := itemsOf(t, again); !reflect.DeepEqual(got, want) {
				t.Fatalf("cut at %d and then %s, and written to: it holds %v, want %v", cut, tail, got, want)
			}
			_ = again.Close()
		}
	}
}

func TestOneProcessAtATime(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "a.journal"))
	write(t, s, put("p", "1", 1))
	if _, err := Open(s.path, name); !errors.Is(err, ledger.ErrBusy) {
		t.Errorf("opening it a second time gives %v", err)
	}
	view, err := Read(s.path, name)
	if err != nil || len(itemsOf(t, view)) != 1 {
		t.Fatalf("looking at it gives %v", err)
	}
	if err := view.Write(t.Context(), put("p", "2", 1)); err == nil {
		t.Error("a journal that was opened to read was written")
	}
	write(t, reopen(t, s), put("p", "2", 1))
	if err := s.Write(t.Context(), put("p", "3", 1)); err == nil {
		t.Error("a closed journal was written")
	}
}

// failing is a file on a disk that is full, or worse.
type failing struct {
	file
	write, sync, truncate error
}

func (f failing) Write(b []byte) (int, error) {
	if f.write != nil {
		n, _ := f.file.Write(b[:len(b)/2])
		return n, f.write
	}
	return f.file.Write(b)
}

func (f failing) Sync() error { return errors.Join(f.sync, f.file.Sync()) }

func (f failing) Truncate(size int64) error { return errors.Join(f.truncate, f.file.Truncate(size)) }

func TestNothingAfterAFailedWrite(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "a", Err: syscall.ENOSPC}
	for name, f := range map[string]failing{"write": {write: full}, "sync": {sync: full}, "truncate": {truncate: full}} {
		t.Run(name, func(t *testing.T) {
			s := open(t, filepath.Join(t.TempDir(), "a.journal"))
			write(t, s, put("p", "1", 1))
			real := s.file
			f.file, s.torn = real, name == "truncate"
			s.file = f
			err := s.Write(t.Context(), put("p", "2", 1))
			if !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "no space left on device") {
				t.Errorf("the write returned %v", err)
			}
			if class := awserr.Classify(err); class != awserr.Unknown {
				t.Errorf("it reads like AWS's error of class %d", class)
			}
			s.file = real
			if err := s.Write(t.Context(), put("p", "3", 1)); !errors.Is(err, ErrLost) {
				t.Errorf("the next write returned %v", err)
			}
			if _, err := s.Get(t.Context(), "p", "1"); !errors.Is(err, ErrLost) {
				t.Errorf("the next read returned %v", err)
			}
			if got := itemsOf(t, reopen(t, s)); got[0]["sk"] != "1" {
				t.Errorf("the next process finds %v", got)
			}
		})
	}
}

func TestLineThatIsTooLong(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "a.journal"))
	long := ledger.Op{Put: ledger.Item{"pk": "p", "sk": "1", "text": strings.Repeat("x", maxLine)}}
	if err := s.Write(t.Context(), long); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("it returned %v", err)
	}
	write(t, s, put("p", "2", 1)) // which says nothing of the file
	if got := itemsOf(t, s); len(got) != 1 {
		t.Errorf("it holds %v", got)
	}
}

func TestManyWriters(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "a.journal"))
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			for n := range 5 {
				if err := s.Write(context.Background(), put("p", string(rune('a'+i)), float64(n))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	before := itemsOf(t, s)
	if got := itemsOf(t, reopen(t, s)); len(got) != 20 || !reflect.DeepEqual(got, before) {
		t.Errorf("the file holds %v, the store %v", got, before)
	}
}

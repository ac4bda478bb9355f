package journal

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/memory"
)

// out is a write of the zones-out map.
func out(zones ...string) ledger.Op {
	m := map[string]any{}
	for _, z := range zones {
		m[z] = map[string]any{"since": "2026-11-30T02:00:00Z"}
	}
	return ledger.Op{Put: ledger.Item{"pk": name, "sk": "out", "zones": m}}
}

func hold(t *testing.T, folder string) *Machine {
	t.Helper()
	m, err := Hold(folder, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func watch(t *testing.T, m *Machine, s ledger.Store, path string) ledger.Store {
	t.Helper()
	w, err := m.Watch(t.Context(), s, path, name)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func wantOut(t *testing.T, folder string, want map[string]string) {
	t.Helper()
	got, err := Out(folder, name)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("out are %v, %v; want %v", got, err, want)
	}
}

func TestMachineRemembersZones(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new", "sidestep")
	wantOut(t, folder, nil)
	m := hold(t, folder)
	if _, err := Hold(folder, name); !errors.Is(err, ledger.ErrBusy) {
		t.Errorf("holding it a second time gives %v", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "111122223333-us-east-1.lock")); err != nil {
		t.Error(err)
	}
	a, b := watch(t, m, memory.New(), "/a"), watch(t, m, memory.New(), "/b")
	write(t, a, put("p", "s", 1))
	write(t, a, out("use1-az1"))
	write(t, b, out("use1-az2", "use1-az3"), put("p", "s", 1))
	wantOut(t, folder, map[string]string{"use1-az1": "/a", "use1-az2": "/b", "use1-az3": "/b"})
	write(t, b, out("use1-az3"))
	wantOut(t, folder, map[string]string{"use1-az1": "/a", "use1-az3": "/b"})
	_ = m.Close()
	m = hold(t, folder)
	if err := m.Forget("/b"); err != nil {
		t.Fatal(err)
	}
	wantOut(t, folder, map[string]string{"use1-az1": "/a"})
	old := memory.New() // from another machine, with a zone out
	write(t, old, out("use1-az4"))
	watch(t, m, old, "/c")
	wantOut(t, folder, map[string]string{"use1-az1": "/a", "use1-az4": "/c"})
	if m.Err() != nil {
		t.Error(m.Err())
	}
}

// TestMachineIsTooCareful: between noting and writing the process may die.
func TestMachineIsTooCareful(t *testing.T) {
	folder := t.TempDir()
	m := hold(t, folder)
	broken := open(t, filepath.Join(folder, "a.journal"))
	s := watch(t, m, broken, "/a")
	write(t, s, out("use1-az1"))
	_ = broken.Close()
	if err := s.Write(t.Context(), out("use1-az2")); err == nil {
		t.Fatal("a closed journal was written")
	}
	wantOut(t, folder, map[string]string{"use1-az1": "/a", "use1-az2": "/a"})
}

func TestMachineWithoutAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Hold(file, name); err == nil || errors.Is(err, ledger.ErrBusy) {
		t.Errorf("a file in the folder's place gives %v", err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(machineFile(folder, name), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Hold(folder, name); err == nil {
		t.Error("a content that cannot be read is taken for none")
	}
}

// TestMachineAfterACrash: the end of an older content is behind the newer one.
func TestMachineAfterACrash(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(machineFile(folder, name), []byte(`{"out":{"use1-az1":"/a"}}`+"\n"+`az2":"/b"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	wantOut(t, folder, map[string]string{"use1-az1": "/a"})
	hold(t, folder)
	wantOut(t, folder, map[string]string{"use1-az1": "/a"})
}

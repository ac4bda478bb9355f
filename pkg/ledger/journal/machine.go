package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"sidestep/pkg/ledger"
)

// Machine keeps runs apart that do not use the table, as far as one machine can:
// one of them executes at a time, and each knows which zones the others have out.
// It is one small file for an account and region, locked while a run executes.
type Machine struct {
	mu  sync.Mutex
	f   *os.File
	out map[string]string // zone -> the journal that has it out
	err error
}

// content is what the file holds.
type content struct {
	Out map[string]string `json:"out"`
}

func machineFile(folder, name string) string {
	word := strings.ReplaceAll(strings.TrimPrefix(name, "region#"), "#", "-")
	return filepath.Join(folder, word+".lock")
}

// Hold locks the file of the ledger of that name until Close. It returns
// ledger.ErrBusy if another process has it.
func Hold(folder, name string) (*Machine, error) {
	if folder == "" {
		return nil, errors.New("there is no folder for it: neither HOME nor XDG_STATE_HOME names one")
	}
	path := machineFile(folder, name)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of %s: %w", path, err)
	}
	f, err := openLocked(path, 0)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	out, err := readOut(f)
	m := &Machine{f: f, out: out}
	if err == nil {
		err = m.set("", nil) // to know now whether it can be written
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("using %s: %w", path, err), f.Close())
	}
	return m, nil
}

// Out reads which zones the journals of this machine have out, and which journal
// each, without locking.
func Out(folder, name string) (map[string]string, error) {
	if folder == "" {
		return nil, nil
	}
	f, err := openToRead(machineFile(folder, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readOut(f)
}

// readOut reads the first object of a file. A crash may have left the end of an
// older content behind it.
func readOut(f *os.File) (map[string]string, error) {
	var c content
	info, err := f.Stat()
	if err == nil && info.Size() > 0 {
		err = json.NewDecoder(f).Decode(&c)
	}
	if c.Out == nil {
		c.Out = map[string]string{}
	}
	return c.Out, err
}

// Out is which zones the journals of this machine have out, and which journal
// each.
func (m *Machine) Out() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.out)
}

// Err says what kept the file from being written, if anything did.
func (m *Machine) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Close gives the file back.
func (m *Machine) Close() error { return m.f.Close() }

// Forget takes a journal's zones off, once the table knows of them.
func (m *Machine) Forget(path string) error { return m.set(path, nil) }

// set writes that these are the zones the journal has out.
func (m *Machine) set(path string, zones []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.out, func(_, journal string) bool { return journal == path })
	for _, z := range zones {
		m.out[z] = path
	}
	text, err := json.Marshal(content{m.out})
	if err == nil {
		// In place: with another file of the name, the lock would be another one.
		_, err = m.f.WriteAt(append(text, '\n'), 0)
	}
	if err == nil {
		err = m.f.Truncate(int64(len(text)) + 1)
	}
	if err == nil {
		err = m.f.Sync()
	}
	if err != nil {
		m.err = err
	}
	return err
}

// Watch returns the store of a journal, at that path, whose zones the machine
// knows of, those that are out already included. A file that cannot be written
// stops no run: Err tells.
func (m *Machine) Watch(ctx context.Context, s ledger.Store, path, name string) (ledger.Store, error) {
	w := &watched{Store: s, machine: m, path: path, name: name}
	items, err := s.Query(ctx, name, "")
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		if zones, is := w.zones(ledger.Op{Put: item}); is {
			_ = m.set(path, zones)
		}
	}
	return w, nil
}

type watched struct {
	ledger.Store
	machine    *Machine
	path, name string
}

// Write notes zones that go out before they do, and forgets those that are back
// after they are.
func (w *watched) Write(ctx context.Context, ops ...ledger.Op) error {
	zones, changed := w.zones(ops...)
	if changed {
		_ = w.machine.set(w.path, append(w.machine.of(w.path), zones...))
	}
	err := w.Store.Write(ctx, ops...)
	if changed && err == nil {
		_ = w.machine.set(w.path, zones)
	}
	return err
}

// zones are those that a write says are out, and whether it says so at all.
func (w *watched) zones(ops ...ledger.Op) ([]string, bool) {
	for _, op := range ops {
		if op.Put == nil {
			continue
		}
		if out, ok := ledger.ZonesIn(op.Put, w.name); ok {
			var ids []string
			for id := range out {
				ids = append(ids, id)
			}
			return ids, true
		}
	}
	return nil, false
}

// of lists the zones that a journal has out.
func (m *Machine) of(path string) []string {
	var zones []string
	for z, journal := range m.Out() {
		if journal == path {
			zones = append(zones, z)
		}
	}
	return zones
}

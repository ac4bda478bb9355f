// Package journal keeps the ledger's items in an append-only file, for when the
// table does not answer. A write is one line, on the disk before Write returns, so
// that a crash leaves all of it or nothing.
package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/memory"
)

// Errors of a journal.
var (
	// ErrFormat says that a file is no journal, or not one of this ledger.
	ErrFormat = errors.New("not a journal that can be used")
	// ErrLost says that a write to the file failed. What the disk holds of it is not
	// known, so the store refuses everything from then on.
	ErrLost = errors.New("the journal cannot be written any more")
	errRead = errors.New("the journal was opened to be read only")
)

// file is what a Store does with its file.
type file interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

// Store is a ledger.Store in a file. Conditions are judged against the state in
// memory, which is what the file's lines come to.
type Store struct {
	path string

	mu    sync.Mutex
	file  file // nil where the store is read only
	state *memory.Store
	size  int64 // of the lines that count
	torn  bool  // the file goes on behind them: a write that a crash cut off
	lost  error
}

var _ ledger.Store = (*Store)(nil)

// Open opens the journal of the ledger, as ledger.Name calls it, or makes it. The
// file is locked until Close. It returns ledger.ErrBusy if another process has it,
// ledger.ErrSchema if another version wrote it, and ErrFormat, with the line, for
// a file that cannot be used.
func Open(path, name string) (*Store, error) {
	f, err := openLocked(path, os.O_APPEND)
	if err != nil {
		return nil, fmt.Errorf("opening the journal %s: %w", path, err)
	}
	s, err := begin(f, path, name)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// begin reads an open file and, if it is new, writes its header.
func begin(f *os.File, path, name string) (*Store, error) {
	read, err := replay(f, name)
	if err != nil {
		return nil, fmt.Errorf("reading the journal %s: %w", path, err)
	}
	s := &Store{path: path, file: f, state: read.state, size: read.size, torn: read.torn}
	if s.size > 0 {
		return s, nil
	}
	err = s.append(headerLine(name))
	if err == nil {
		err = syncFolder(filepath.Dir(path))
	}
	if err != nil {
		return nil, fmt.Errorf("making the journal %s: %w", path, err)
	}
	return s, nil
}

// Read opens the journal to look at it, also while a process has it open. It is
// the state at this moment; Write fails.
func Read(path, name string) (*Store, error) {
	f, err := openToRead(path)
	if err != nil {
		return nil, fmt.Errorf("opening the journal %s: %w", path, err)
	}
	defer f.Close()
	read, err := replayWritten(f, name)
	if err != nil {
		return nil, fmt.Errorf("reading the journal %s: %w", path, err)
	}
	return &Store{path: path, state: read.state}, nil
}

// Close gives the file and its lock back.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file, s.lost = nil, fmt.Errorf("journal %s: %w", s.path, os.ErrClosed)
	return f.Close()
}

// Write applies all ops or none, and returns when they are on the disk.
func (s *Store) Write(ctx context.Context, ops ...ledger.Op) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.lost != nil:
		return s.lost
	case s.file == nil:
		return fmt.Errorf("journal %s: %w", s.path, errRead)
	}
	text, changes, err := encode(ops)
	if err != nil {
		return fmt.Errorf("journal %s: %w", s.path, err)
	}
	if err := s.state.Write(ctx, ops...); err != nil || !changes {
		return err
	}
	// From here on the state is ahead of the file, until the line is there.
	if err := s.append(text); err != nil {
		s.lost = fmt.Errorf("journal %s: %w", s.path, err)
		return s.lost
	}
	return nil
}

// append writes one line behind those that count. An error is told in words and
// not wrapped: the system's own errors read like a network's to awserr.
func (s *Store) append(text []byte) error {
	var err error
	if s.torn {
		err = s.file.Truncate(s.size)
	}
	if err == nil {
		_, err = s.file.Write(text)
	}
	if err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("%w: %s", ErrLost, err.Error())
	}
	s.torn = false
	s.size += int64(len(text))
	return nil
}

// line is a line of a journal: what one write changed.
type line struct {
	Ops []change `json:"ops"`
}

// change puts an item or deletes one. Conditions are not kept: they held.
type change struct {
	Put    ledger.Item `json:"put,omitempty"`
	Delete ledger.Item `json:"delete,omitempty"`
}

// encode is the line of a write, and whether it changes anything.
func encode(ops []ledger.Op) ([]byte, bool, error) {
	var l line
	for _, op := range ops {
		switch {
		case op.Put != nil:
			l.Ops = append(l.Ops, change{Put: op.Put})
		case op.Delete != nil:
			l.Ops = append(l.Ops, change{Delete: op.Key()})
		}
	}
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(l); err != nil {
		return nil, false, fmt.Errorf("encoding a line: %w", err)
	}
	if text.Len() > maxLine {
		return nil, false, fmt.Errorf("a write of %d bytes is too long for one line, which has %d at most", text.Len(), maxLine)
	}
	return text.Bytes(), len(l.Ops) > 0, nil
}

// reading runs a read of the state, unless what the disk holds is not known.
func reading[T any](s *Store, read func(*memory.Store) (T, error)) (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost != nil {
		var none T
		return none, s.lost
	}
	return read(s.state)
}

// Get reads one item, nil if there is none.
func (s *Store) Get(ctx context.Context, pk, sk string) (ledger.Item, error) {
	return reading(s, func(m *memory.Store) (ledger.Item, error) { return m.Get(ctx, pk, sk) })
}

// Query returns a partition's items by prefix, in order.
func (s *Store) Query(ctx context.Context, pk, prefix string) ([]ledger.Item, error) {
	return reading(s, func(m *memory.Store) ([]ledger.Item, error) { return m.Query(ctx, pk, prefix) })
}

// QueryKind returns the records of a kind.
func (s *Store) QueryKind(ctx context.Context, kind, zone string) ([]ledger.Item, error) {
	return reading(s, func(m *memory.Store) ([]ledger.Item, error) { return m.QueryKind(ctx, kind, zone) })
}

// Scan returns everything.
func (s *Store) Scan(ctx context.Context) ([]ledger.Item, error) {
	return reading(s, func(m *memory.Store) ([]ledger.Item, error) { return m.Scan(ctx) })
}

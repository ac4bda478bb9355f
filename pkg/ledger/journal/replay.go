package journal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/memory"
)

const (
	// format is the first word of a journal, which tells it from other files.
	format = "sidestep-journal"
	// maxLine bounds a line. A transaction of DynamoDB has 4 MB at most.
	maxLine = 8 << 20
)

// header is the first line.
type header struct {
	Format string `json:"format"`
	Schema int    `json:"schema"`
	Ledger string `json:"ledger"` // account and region
}

func headerLine(name string) []byte {
	text, err := json.Marshal(header{format, ledger.SchemaVersion, name})
	if err != nil {
		panic("journal: " + err.Error()) // a plain type always encodes
	}
	return append(text, '\n')
}

// Is reports whether what is about to be read begins as a journal does.
func Is(r *bufio.Reader) bool {
	word := []byte(`{"format":"` + format + `"`)
	begin, err := r.Peek(len(word))
	return err == nil && bytes.Equal(begin, word)
}

// Items reads a journal's last state from anywhere. A last line that was cut off
// does not count.
func Items(ctx context.Context, r io.Reader, name string) ([]ledger.Item, error) {
	read, err := replayWritten(r, name)
	if err != nil {
		return nil, err
	}
	return read.state.Scan(ctx)
}

// replayWritten is replay of what must be there already.
func replayWritten(r io.Reader, name string) (replayed, error) {
	read, err := replay(r, name)
	if err == nil && read.size == 0 {
		err = fmt.Errorf("%w: it is empty", ErrFormat)
	}
	return read, err
}

// replayed is what a file comes to.
type replayed struct {
	state *memory.Store
	size  int64 // of the lines that count
	torn  bool
}

func replay(r io.Reader, name string) (replayed, error) {
	read := replayed{state: memory.New()}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine+1)
	lines.Split(splitLines)
	n := 1
	for ; lines.Scan(); n++ {
		text := lines.Bytes()
		if read.torn {
			return read, fmt.Errorf("%w: line %d: it was cut off, and another follows", ErrFormat, n-1)
		}
		if read.torn = isTorn(text, n, name); read.torn {
			continue
		}
		err := read.take(text, n, name)
		if errors.Is(err, ledger.ErrSchema) {
			return read, err
		}
		if err != nil {
			return read, fmt.Errorf("%w: line %d: %w", ErrFormat, n, err)
		}
		read.size += int64(len(text))
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return read, fmt.Errorf("%w: line %d: it is longer than %d bytes", ErrFormat, n, maxLine)
	}
	return read, lines.Err()
}

// take carries out a line, or checks the first.
func (r *replayed) take(text []byte, n int, name string) error {
	if n == 1 {
		return readHeader(text, name)
	}
	return r.apply(text)
}

// splitLines is bufio.ScanLines that keeps the end of the line, by which a line
// that is whole can be told.
func splitLines(data []byte, atEOF bool) (int, []byte, error) {
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		return end + 1, data[:end+1], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// isTorn reports whether a line is what a crash left of one. Nobody was told that
// it had been written. A machine that lost power may leave zeros in it. The first
// line is either the beginning of what would be written now, or something else's.
func isTorn(text []byte, n int, name string) bool {
	whole := bytes.HasSuffix(text, []byte("\n"))
	if n == 1 {
		return !whole && bytes.HasPrefix(headerLine(name), text)
	}
	return !whole || bytes.IndexByte(text, 0) >= 0
}

func readHeader(text []byte, name string) error {
	// Version first: what else a header holds is that version's business.
	var h header
	if err := json.Unmarshal(text, &h); err != nil || h.Format != format {
		return errors.New("it does not begin as a journal does")
	}
	if h.Schema != ledger.SchemaVersion {
		return fmt.Errorf("%w: the journal has version %d, and this binary writes version %d", ledger.ErrSchema, h.Schema, ledger.SchemaVersion)
	}
	if h.Ledger != name {
		return fmt.Errorf("it is of %s, and this is %s", place(h.Ledger), place(name))
	}
	return nil
}

// place is a ledger's name for people.
func place(name string) string {
	account, region, _ := strings.Cut(strings.TrimPrefix(name, "region#"), "#")
	return "account " + account + ", region " + region
}

// apply carries out a line.
func (r *replayed) apply(text []byte) error {
	var l line
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return fmt.Errorf("reading JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object")
	}
	ops := make([]ledger.Op, len(l.Ops))
	for i, c := range l.Ops {
		if (c.Put == nil) == (c.Delete == nil) {
			return errors.New("a change neither puts nor deletes, or does both")
		}
		ops[i] = ledger.Op{Put: c.Put, Delete: c.Delete}
		if key := ops[i].Key(); key.PK() == "" || key.SK() == "" {
			return errors.New("a change of an item without a key")
		}
	}
	if len(ops) == 0 {
		return errors.New("it changes nothing")
	}
	return r.state.Write(context.Background(), ops...)
}

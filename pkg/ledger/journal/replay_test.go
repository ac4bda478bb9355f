package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sidestep/pkg/ledger"
)

func TestRefused(t *testing.T) {
	head := string(headerLine(name))
	good := `{"ops":[{"put":{"pk":"p","sk":"s"}}]}` + "\n"
	for text, want := range map[string]string{
		"hello\n":                        "line 1: it does not begin as a journal does",
		"hello":                          "line 1: it does not begin as a journal does",
		`{"format":"sidestep-ledger"}`:   "line 1: it does not begin as a journal does",
		"\x00\x01\x02":                   "line 1: it does not begin as a journal does",
		head[:len(head)-1] + "x":         "line 1: it does not begin as a journal does",
		head + "\n" + good:               "line 2: reading JSON",
		head + good + "nonsense\n":       "line 3: reading JSON",
		head + good + "\x00\n" + good:    "line 3: it was cut off, and another follows",
		head + good[:9] + "\n" + good:    "line 2: reading JSON",
		head + `{"ops":[],"a":1}` + "\n": `line 2: reading JSON: json: unknown field "a"`,
		head + `{"ops":[]}` + "\n":       "line 2: it changes nothing",
		head + `{"ops":[{}]}` + "\n":     "line 2: a change neither puts nor deletes",
		head + `{"ops":[{"put":{"pk":"p","sk":"s"},"delete":{"pk":"p","sk":"s"}}]}` + "\n":   "line 2: a change neither puts",
		head + `{"ops":[{"put":{"pk":"p"}}]}` + "\n":                                         "line 2: a change of an item without a key",
		head + `{"ops":[{"put":{"pk":"p","sk":"s"}},{"delete":{"pk":"p","sk":"s"}}]}` + "\n": "line 2: two ops on item",
		head + good[:len(good)-1] + "{}\n":                                                   "line 2: something follows the object",
		head + strings.Repeat("a", maxLine+2) + "\n" + good:                                  "line 2: it is longer than",
		strings.Replace(head, "111122223333", "444455556666", 1):                             "line 1: it is of account 444455556666, region us-east-1, and this is account 111122223333",
		strings.Replace(head, "us-east-1", "eu-west-1", 1):                                   "line 1: it is of account 111122223333, region eu-west-1",
	} {
		path := filepath.Join(t.TempDir(), "a.journal")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for how, open := range map[string]func(string, string) (*Store, error){"open": Open, "read": Read} {
			if _, err := open(path, name); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of %.80q gives %v, want %q", how, text, err, want)
			}
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != text {
			t.Errorf("a refused file was changed: %.80q", text)
		}
	}
}

func TestRefusedWithAnotherError(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.journal")
	other := strings.Replace(string(headerLine(name)), `"schema":1`, `"schema":2,"more":true`, 1)
	if err := os.WriteFile(path, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, name); !errors.Is(err, ledger.ErrSchema) {
		t.Errorf("another version's gives %v", err)
	}
	link, pipe := filepath.Join(folder, "link"), filepath.Join(folder, "pipe")
	if err := errors.Join(os.Symlink(path, link), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{link, pipe, folder, "/dev/null"} {
		if _, err := Open(p, name); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("opening %s gives %v", p, err)
		}
	}
	if _, err := Read(filepath.Join(folder, "none"), name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading no file gives %v", err)
	}
	if _, err := Open(filepath.Join(folder, "none", "a.journal"), name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder gives %v", err)
	}
	if empty := filepath.Join(folder, "empty"); os.WriteFile(empty, nil, 0o600) == nil {
		if _, err := Read(empty, name); !errors.Is(err, ErrFormat) {
			t.Errorf("reading an empty file gives %v", err)
		}
	}
}

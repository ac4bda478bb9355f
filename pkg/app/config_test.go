package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func load(t *testing.T, text string) (Config, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sidestep.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return LoadConfig(file)
}

func TestLoadConfig(t *testing.T) {
	c, err := load(t, "run: {lease: 90s}\nledger: {table: other}\nscope:\n  kinds: [autoscaling-group]\n  tags: {team: shop}\n  name: web-*\n")
	if err != nil {
		t.Fatal(err)
	}
	if c.Run.Lease != 90*time.Second || c.Ledger.Table != "other" || c.Scope.Tags["team"] != "shop" || c.Run.Poll != DefaultConfig().Run.Poll {
		t.Errorf("got %+v", c)
	}
	for _, nothing := range []string{"", "# nothing\n", "\n", "run:\n"} {
		if c, err := load(t, nothing); err != nil || c.Run != DefaultConfig().Run {
			t.Errorf("%q gives %+v, %v", nothing, c, err)
		}
	}
}

func TestLoadConfigRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"run: {leese: 1s}":                 "unknown field",
		"run: {lease: 1}":                  "[1:14]",
		"run: {lease: 1ms}":                "run.lease is 1ms, it must be from 1s to 1h0m0s",
		"run: {concurrency: 0}":            "run.concurrency",
		"ledger: {table: a}":               "ledger.table",
		"scope: {kinds: [pod]}":            "scope.kinds",
		"scope: {name: '['}":               "scope.name",
		"run: [":                           "",
		"hello":                            "",
		strings.Repeat("# long\n", 200000): "bytes",
	} {
		if _, err := load(t, text); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q gives %v, want %q", text, err, want)
		}
	}
	if _, err := LoadConfig(filepath.Join(t.TempDir(), "none")); !errors.Is(err, ErrConfig) {
		t.Errorf("no file gives %v", err)
	}
}

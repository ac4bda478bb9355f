package app

import (
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"time"

	"github.com/goccy/go-yaml"

	"sidestep/pkg/awsclient"
	"sidestep/pkg/engine"
	"sidestep/pkg/resource"
)

// Config is the configuration file. docs/configuration.md describes each key.
type Config struct {
	Run    RunConfig    `yaml:"run"`
	Ledger LedgerConfig `yaml:"ledger"`
	Groups GroupsConfig `yaml:"groups"`
	ECS    ECSConfig    `yaml:"ecs"`
	Lambda LambdaConfig `yaml:"lambda"`
	Scope  ScopeConfig  `yaml:"scope"`
}

// RunConfig holds the times and numbers of a run; see engine.Timing.
type RunConfig struct {
	Lease        time.Duration `yaml:"lease"`
	CallDeadline time.Duration `yaml:"callDeadline"`
	Skew         time.Duration `yaml:"skew"`
	Poll         time.Duration `yaml:"poll"`
	Settle       time.Duration `yaml:"settle"`
	Deadline     time.Duration `yaml:"deadline"`
	Concurrency  int           `yaml:"concurrency"`
	Batch        int           `yaml:"batch"`
	BusyWait     time.Duration `yaml:"busyWait"`
}

// LedgerConfig says where the ledger is.
type LedgerConfig struct {
	Table string `yaml:"table"`
	// Deadline is how long one ledger call may take.
	Deadline time.Duration `yaml:"deadline"`
}

// GroupsConfig holds the choices for Auto Scaling groups.
type GroupsConfig struct {
	// KeepReplacing leaves the replacement of unhealthy instances on under hold.
	KeepReplacing bool `yaml:"keepReplacing"`
}

// ECSConfig holds the choices for ECS services.
type ECSConfig struct {
	// Concurrency is how many services at a time may be in a deployment that we
	// started; 0 is no limit.
	Concurrency int `yaml:"concurrency"`
	// Deadline is how long a deployment may take before it counts as stuck.
	Deadline time.Duration `yaml:"deadline"`
}

// LambdaConfig holds the choices for Lambda functions.
type LambdaConfig struct {
	// UpdatesPerSecond paces the updates below what Lambda allows the account.
	UpdatesPerSecond float64 `yaml:"updatesPerSecond"`
}

// ScopeConfig is the scope of runs that name none on the command line.
type ScopeConfig struct {
	Kinds       []resource.Kind   `yaml:"kinds"`
	Tags        map[string]string `yaml:"tags"`
	ExcludeTags map[string]string `yaml:"excludeTags"`
	Name        string            `yaml:"name"`
}

// ErrConfig says that the configuration cannot be used as it is.
var ErrConfig = errors.New("configuration")

// DefaultConfig is what holds where the file says nothing.
func DefaultConfig() Config {
	t := engine.DefaultTiming()
	return Config{
		Run: RunConfig{
			Lease: t.Lease, CallDeadline: t.CallDeadline, Skew: t.Skew, Poll: t.Poll, Settle: t.Settle,
			Deadline: t.Deadline, Concurrency: t.Concurrency, Batch: t.Batch, BusyWait: t.BusyWait,
		},
		ECS:    ECSConfig{Concurrency: t.Rollouts, Deadline: t.RolloutDeadline},
		Lambda: LambdaConfig{UpdatesPerSecond: 12},
		Ledger: LedgerConfig{Table: "sidestep-ledger", Deadline: 5 * time.Second},
	}
}

// Timing is the engine's part of the configuration.
func (c Config) Timing() engine.Timing {
	return engine.Timing{
		Lease: c.Run.Lease, CallDeadline: c.Run.CallDeadline, Skew: c.Run.Skew, Poll: c.Run.Poll,
		Settle: c.Run.Settle, Deadline: c.Run.Deadline, Concurrency: c.Run.Concurrency, Batch: c.Run.Batch,
		BusyWait: c.Run.BusyWait, Rollouts: c.ECS.Concurrency, RolloutDeadline: c.ECS.Deadline,
	}
}

// maxConfig bounds the file that is read.
const maxConfig = 1 << 20

// LoadConfig reads the file over the defaults, every key checked. It returns
// ErrConfig, with the place, for what it cannot use.
func LoadConfig(file string) (Config, error) {
	c := DefaultConfig()
	info, err := os.Stat(file)
	if err != nil {
		return c, fmt.Errorf("%w: reading %s: %w", ErrConfig, file, err)
	}
	if info.Size() > maxConfig {
		return c, fmt.Errorf("%w: %s has %d bytes, at most %d are read", ErrConfig, file, info.Size(), maxConfig)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return c, fmt.Errorf("%w: reading %s: %w", ErrConfig, file, err)
	}
	// A file of comments alone is YAML's null, which would empty the defaults.
	var content any
	if err := yaml.Unmarshal(b, &content); err == nil && content == nil {
		return c, nil
	}
	if err := yaml.UnmarshalWithOptions(b, &c, yaml.Strict()); err != nil {
		return c, fmt.Errorf("%w: %s: %s", ErrConfig, file, yaml.FormatError(err, false, false))
	}
	if err := c.validate(); err != nil {
		return c, fmt.Errorf("%w: %s: %w", ErrConfig, file, err)
	}
	return c, nil
}

// tableName is what DynamoDB takes for the name of a table.
var tableName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{3,255}$`)

// validate checks ranges.
func (c Config) validate() error {
	for _, d := range []struct {
		key      string
		got      time.Duration
		min, max time.Duration
	}{
		{"run.lease", c.Run.Lease, time.Second, time.Hour},
		{"run.callDeadline", c.Run.CallDeadline, time.Second, 10 * time.Minute},
		{"run.skew", c.Run.Skew, 0, time.Minute},
		{"run.poll", c.Run.Poll, 10 * time.Millisecond, 10 * time.Minute},
		{"run.settle", c.Run.Settle, 0, 2 * time.Hour},
		{"run.deadline", c.Run.Deadline, time.Second, 24 * time.Hour},
		{"run.busyWait", c.Run.BusyWait, 0, time.Hour},
		{"ecs.deadline", c.ECS.Deadline, time.Second, 24 * time.Hour},
		{"ledger.deadline", c.Ledger.Deadline, 100 * time.Millisecond, time.Minute},
	} {
		if d.got < d.min || d.got > d.max {
			return fmt.Errorf("%s is %v, it must be from %v to %v", d.key, d.got, d.min, d.max)
		}
	}
	for _, n := range []struct {
		key           string
		got, min, max float64
	}{
		{"run.concurrency", float64(c.Run.Concurrency), 1, 100},
		{"run.batch", float64(c.Run.Batch), 1, 50},
		{"ecs.concurrency", float64(c.ECS.Concurrency), 0, 1000},
		{"lambda.updatesPerSecond", c.Lambda.UpdatesPerSecond, 0.1, awsclient.LambdaPerSecond},
	} {
		if n.got < n.min || n.got > n.max {
			return fmt.Errorf("%s is %g, it must be from %g to %g", n.key, n.got, n.min, n.max)
		}
	}
	if !tableName.MatchString(c.Ledger.Table) {
		return fmt.Errorf("ledger.table is %q, which is no name of a DynamoDB table", c.Ledger.Table)
	}
	return c.Scope.validate()
}

func (s ScopeConfig) validate() error {
	if _, err := path.Match(s.Name, ""); err != nil {
		return fmt.Errorf("scope.name is %q, which is no pattern: %w", s.Name, err)
	}
	for _, k := range s.Kinds {
		if !slices.Contains(Kinds(), k) {
			return fmt.Errorf("scope.kinds names %q; the kinds are %v", k, Kinds())
		}
	}
	return nil
}

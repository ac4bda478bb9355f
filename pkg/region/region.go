// Package region is one account's view of an AWS region, in memory: stateful,
// with time, throttles and faults. Tests run against it, and `sidestep drill`
// rehearses against it, so nothing here needs the testing package.
//
// Three kinds of callers meet in it. Our own processes call the API through a
// Process, which counts, delays, faults and records every call. Somebody else
// edits through the Region's own methods, at once and past all faults. And time
// does the rest: instances are launched and terminated, services deployed and
// functions updated by the clock, worked out whenever the region is touched.
//
// What the region does not model is refused with the code NotModelled rather
// than ignored.
package region

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"sidestep/pkg/clock"
)

// Config is what a region is made of.
type Config struct {
	// Clock is the time that everything in the region happens by. Required.
	Clock clock.Clock
	// Account is the account's twelve digits.
	Account string
	// Name is the region's name, such as us-east-1.
	Name string
	// Seed decides the identifiers that AWS would make up.
	Seed int64
}

// defaultPage is small so that whoever forgets to page finds out.
const defaultPage = 5

// Region is the region. It is safe for concurrent use.
type Region struct {
	clock         clock.Clock
	account, name string

	mu           sync.Mutex // guards all below; never held while anyone waits
	now          time.Time  // up to when everything has happened
	events       []event
	random       *rand.Rand
	zones        []zone
	subnets      map[string]subnet
	groups       map[string]*group
	balancers    map[string]balancer
	targetGroups map[string]targetGroup
	noCapacity   map[string]bool // by zone ID
	clusters     map[string]bool
	services     map[string]*service // by cluster and name, with a slash between
	managed      map[string]bool     // capacity providers
	rolloutTime  time.Duration
	mostRollouts int
	functions    map[string]*function
	updateTime   time.Duration

	processes  map[string]*Process
	faults     []*fault
	limits     []limit
	latency    time.Duration
	lag        time.Duration
	page       int
	violations []string
}

// New returns an empty region.
func New(c Config) *Region {
	return &Region{
		clock:        c.Clock,
		account:      c.Account,
		name:         c.Name,
		now:          c.Clock.Now(),
		random:       rand.New(rand.NewPCG(uint64(c.Seed), 0)),
		subnets:      map[string]subnet{},
		groups:       map[string]*group{},
		balancers:    map[string]balancer{},
		targetGroups: map[string]targetGroup{},
		noCapacity:   map[string]bool{},
		clusters:     map[string]bool{},
		services:     map[string]*service{},
		managed:      map[string]bool{},
		rolloutTime:  rolloutTime,
		functions:    map[string]*function{},
		updateTime:   updateTime,
		processes:    map[string]*Process{},
		page:         defaultPage,
	}
}

// touch lets everything happen that is due, then calls f with the region locked.
func (r *Region) touch(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.advance()
	f()
}

// Latency makes every call take d before it has an effect.
func (r *Region) Latency(d time.Duration) {
	r.touch(func() { r.latency = d })
}

// SetLag makes describing a group return, for d after each write, its
// configuration as it was before: always, where AWS does so at times.
func (r *Region) SetLag(d time.Duration) {
	r.touch(func() { r.lag = d })
}

// SetPageSize sets the most items that one page holds, whatever was asked for.
// AWS may answer with short pages too; the default is 5.
func (r *Region) SetPageSize(n int) {
	r.touch(func() { r.page = max(n, 1) })
}

// NoCapacity makes every launch of an instance in the zone fail.
func (r *Region) NoCapacity(zoneID string) {
	r.touch(func() { r.noCapacity[zoneID] = true })
}

// RestoreCapacity undoes NoCapacity.
func (r *Region) RestoreCapacity(zoneID string) {
	r.touch(func() {
		delete(r.noCapacity, zoneID)
		r.balanceAll()
	})
}

// Violations lists what no process of ours may ever ask of AWS and one did, and
// edits of things that are not there. A good run leaves it empty.
func (r *Region) Violations() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.violations)
}

// violate notes something that must not happen. The region is locked.
func (r *Region) violate(format string, args ...any) {
	r.violations = append(r.violations, fmt.Sprintf(format, args...))
}

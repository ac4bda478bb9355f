// Package doctor finds out what would fail on the day, by asking alone: whether AWS
// answers, whether the ledger may be written, and what in scope the caller may not
// change. It changes nothing, the ledger included.
package doctor

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"sidestep/pkg/clock"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
	"sidestep/pkg/traffic"
	"sidestep/pkg/zone"
)

// How long a check may take. Each has its own time, so that one service that hangs
// keeps nothing from the others. The shortest leaves room for the client to find
// out that nobody answers, which is an answer.
const (
	callTime = 45 * time.Second
	listTime = 2 * time.Minute // thousands of resources, page by page, at the service's pace
	askTime  = 3 * time.Minute // as many, a batch a call
)

// Doctor examines one account and region. Every field is required but IAM,
// ELB and Progress.
type Doctor struct {
	Account, Region string
	// Caller is the caller's ARN, as STS tells it.
	Caller  string
	Zones   zone.API
	Ledger  *ledger.Ledger
	Drivers []resource.Driver
	// IAM is asked for permissions. Without it they cannot be told.
	IAM IAM
	// ELB is asked what drain asks it.
	ELB   traffic.API
	Clock clock.Clock
	// Progress is told how far an examination is.
	Progress func(step string, done, total int)
}

// kind is one kind of resources under examination.
type kind struct {
	resource.Driver
	listed bool
	found  []resource.Resource
}

// Examine makes every check there is for the scope. It returns an error only if it
// is stopped: what goes wrong is what it is there to report.
func (d Doctor) Examine(ctx context.Context, s resource.Scope) (Report, error) {
	kinds := d.kinds(s)
	var who source
	looks := []probe{d.lookAtZones, d.lookAtLedger, func(ctx context.Context) []Check {
		who = d.source(ctx)
		return nil
	}}
	for _, k := range kinds {
		looks = append(looks, func(ctx context.Context) []Check { return d.lookAtKind(ctx, k, s) })
	}
	checks := append([]Check{d.identity()}, d.all(ctx, "Reading zones, ledger and resources", looks)...)
	checks = append(checks, scopeCheck(kinds))

	denied := make([][]MayNot, len(kinds))
	asks := []probe{func(ctx context.Context) []Check { return d.lookAtTraffic(ctx, kinds) }}
	for i, k := range kinds {
		asks = append(asks, func(ctx context.Context) []Check {
			var found []Check
			found, denied[i] = d.ask(ctx, who, k, s)
			return found
		})
	}
	checks = append(checks, d.all(ctx, "Asking what may be changed", asks)...)
	if err := ctx.Err(); err != nil {
		return Report{}, fmt.Errorf("examining account %s in %s: %w", d.Account, d.Region, err)
	}
	return Report{Checks: checks, MayNotChange: slices.Concat(denied...)}, nil
}

func (d Doctor) kinds(s resource.Scope) []*kind {
	var kinds []*kind
	for _, driver := range d.Drivers {
		if s.Has(driver.Kind()) {
			kinds = append(kinds, &kind{Driver: driver})
		}
	}
	return kinds
}

// probe makes some checks, one after the other.
type probe func(context.Context) []Check

// all runs the probes at once and returns their checks in order.
func (d Doctor) all(ctx context.Context, step string, probes []probe) []Check {
	made := make([][]Check, len(probes))
	var done atomic.Int64
	d.Clock.Each(len(probes), len(probes), func(i int) {
		made[i] = probes[i](ctx)
		if n := int(done.Add(1)); d.Progress != nil {
			d.Progress(step, n, len(probes))
		}
	})
	return slices.Concat(made...)
}

// check makes one check within its time. What f returns of a check that is fine is
// its detail.
func (d Doctor) check(ctx context.Context, name string, limit time.Duration, f func(context.Context) (string, error)) Check {
	ctx, cancel := d.Clock.WithTimeout(ctx, limit)
	defer cancel()
	detail, err := f(ctx)
	switch {
	case err == nil:
		return Check{Name: name, Status: OK, Detail: detail}
	case ctx.Err() != nil:
		return Check{name, Unknown, fmt.Sprintf("not finished within %s", limit), again}
	}
	return failure(name, err)
}

// identity is the check that was made by connecting.
func (d Doctor) identity() Check {
	return Check{Name: Credentials, Status: OK, Detail: fmt.Sprintf("%s, in account %s, region %s", d.Caller, d.Account, d.Region)}
}

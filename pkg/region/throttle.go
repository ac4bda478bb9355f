package region

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"golang.org/x/time/rate"
)

// limit is a token bucket that operations of a service share.
type limit struct {
	service string
	ops     []string // what their names begin with, sorted; empty for all
	bucket  *rate.Limiter
}

func (l limit) covers(q request) bool {
	begins := func(prefix string) bool { return strings.HasPrefix(q.op, prefix) }
	return l.service == q.service && (len(l.ops) == 0 || slices.ContainsFunc(l.ops, begins))
}

// Throttle gives a service a token bucket: burst calls at once, perSecond after
// that. Calls without a token are answered with the service's code for it. A burst
// of zero takes the limit away.
func (r *Region) Throttle(service string, burst int, perSecond float64) {
	r.ThrottleOps(service, nil, burst, perSecond)
}

// ThrottleOps gives some operations of a service, by name or by what their names
// begin with, a token bucket that they share. A call that several buckets are for
// needs a token of each.
func (r *Region) ThrottleOps(service string, ops []string, burst int, perSecond float64) {
	ops = slices.Sorted(slices.Values(ops))
	r.touch(func() {
		r.limits = slices.DeleteFunc(r.limits, func(l limit) bool { return l.service == service && slices.Equal(l.ops, ops) })
		if burst > 0 {
			r.limits = append(r.limits, limit{service, ops, rate.NewLimiter(rate.Limit(perSecond), burst)})
		}
	})
}

// throttle takes the call's tokens, and says so if there is none. The region is
// locked.
func (r *Region) throttle(q request) error {
	for _, l := range r.limits {
		if l.covers(q) && !l.bucket.AllowN(r.now, 1) {
			return throttled(q.service)
		}
	}
	return nil
}

// throttled is a service's way to say that calls come too fast.
func throttled(service string) error {
	const message = "Rate exceeded"
	switch service {
	case ServiceLambda:
		return &types.TooManyRequestsException{Message: new(message), Reason: types.ThrottleReasonCallerRateLimitExceeded}
	case ServiceECS, ServiceTagging:
		return apiError("ThrottlingException", message)
	}
	return apiError("Throttling", message)
}

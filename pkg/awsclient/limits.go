package awsclient

import (
	"slices"
	"strings"
	"time"
)

// Limit is one token bucket that AWS keeps for an account and region.
type Limit struct {
	Service   string   // service ID as the SDK spells it
	Ops       []string // prefixes of operation names; none means all
	PerOp     bool     // a bucket of its own for each operation
	Burst     int      // tokens in a full bucket
	PerSecond float64  // tokens added a second
	Share     float64  // how much of that we take, as others in the account call too; 0 is all
	InFlight  int      // calls under way at once; AWS sets none, this keeps us polite
}

// Service IDs as the SDK spells them.
const (
	AutoScaling = "Auto Scaling"
	EC2         = "EC2"
	ELB         = "Elastic Load Balancing v2"
	ECS         = "ECS"
	Lambda      = "Lambda"
	Tagging     = "Resource Groups Tagging API"
	DynamoDB    = "DynamoDB"
	STS         = "STS"
	IAM         = "IAM"
)

// Limits is the one table of rates. A call takes a token of every row it matches.
//
// Sources: Elastic Load Balancing API throttling (account-wide 40 and 10 a
// second, reads 40/10, changes 20/3); EC2 API throttling (per API, 100 and 20 a
// second for filtered or paged reads); Amazon ECS API throttling, by groups of
// actions; Lambda quotas: GetFunction 100 a second, all other control calls 15 a
// second together. Auto Scaling publishes no rates: 100 and
// 10 a second is an assumption, which throttles correct downwards. DynamoDB's
// on-demand limits are far above these; the row only bounds what is in flight.
var Limits = []Limit{
	{Service: AutoScaling, Burst: 100, PerSecond: 10, InFlight: 10},
	{Service: EC2, Ops: []string{"Describe"}, PerOp: true, Burst: 100, PerSecond: 20, InFlight: 5},
	{Service: ELB, Burst: 40, PerSecond: 10, InFlight: 10},
	{Service: ELB, Ops: []string{"Modify", "Add", "Remove"}, Burst: 20, PerSecond: 3, InFlight: 5},
	{Service: ECS, Ops: []string{"DescribeServices", "ListServices"}, Burst: 100, PerSecond: 20, InFlight: 10},
	{Service: ECS, Ops: []string{"UpdateService"}, Burst: 50, PerSecond: 5, InFlight: 10},
	{Service: ECS, Ops: []string{"ListServiceDeployments"}, Burst: 50, PerSecond: 20, InFlight: 10},
	{Service: ECS, Ops: []string{"ListTasks", "DescribeTasks"}, Burst: 100, PerSecond: 20, InFlight: 10},
	{Service: ECS, Ops: []string{"ListClusters", "DescribeCapacityProviders"}, PerOp: true, Burst: 50, PerSecond: 20, InFlight: 5},
	{Service: Lambda, Ops: []string{"GetFunction"}, Burst: 100, PerSecond: 100, InFlight: 20},
	{Service: Lambda, Ops: []string{"List", "Update"}, Burst: LambdaPerSecond, PerSecond: LambdaPerSecond, Share: 0.8, InFlight: 10},
	{Service: Tagging, Burst: 10, PerSecond: 5, InFlight: 2},
	{Service: DynamoDB, Burst: 1000, PerSecond: 1000, InFlight: 40},
	{Service: STS, Burst: 20, PerSecond: 10, InFlight: 2},
	{Service: IAM, Burst: 5, PerSecond: 5, InFlight: 3}, // doctor's questions; AWS publishes no rate
}

// LambdaPerSecond is how many control calls a second Lambda allows an account,
// GetFunction aside.
// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
const LambdaPerSecond = 15

// WithLambdaUpdates returns the limits with one more: so many function updates a
// second.
func WithLambdaUpdates(limits []Limit, perSecond float64) []Limit {
	return append(slices.Clone(limits), Limit{
		Service: Lambda, Ops: []string{"UpdateFunctionConfiguration"}, Burst: 1, PerSecond: perSecond, InFlight: 10,
	})
}

// Sent is one call.
type Sent struct{ Service, Op string }

// Least is the least time in which the calls can be made by the limits, starting
// with full buckets: that of the bucket which needs longest.
func Least(limits []Limit, calls []Sent) time.Duration {
	var least time.Duration
	for _, l := range limits {
		n := 0
		for _, c := range calls {
			if l.matches(c.Service, c.Op) {
				n++
			}
		}
		seconds := float64(max(n-l.Burst, 0)) / l.PerSecond
		least = max(least, time.Duration(seconds*float64(time.Second)))
	}
	return least
}

// Ours is the part of the limit that we take: burst and rate.
func (l Limit) Ours() (burst int, perSecond float64) {
	if l.Share == 0 {
		return l.Burst, l.PerSecond
	}
	return max(int(float64(l.Burst)*l.Share), 1), l.PerSecond * l.Share
}

func (l Limit) matches(service, op string) bool {
	if l.Service != service {
		return false
	}
	for _, prefix := range l.Ops {
		if strings.HasPrefix(op, prefix) {
			return true
		}
	}
	return len(l.Ops) == 0
}

package awsclient

import (
	"slices"
	"strings"
)

// Limit is one token bucket that AWS keeps for an account and region.
type Limit struct {
	Service   string   // service ID as the SDK spells it
	Ops       []string // prefixes of operation names; none means all
	PerOp     bool     // a bucket of its own for each operation
	Burst     int      // tokens in a full bucket
	PerSecond float64  // tokens added a second
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
)

// Limits is the one table of rates. A call takes a token of every row it matches.
//
// Sources: Elastic Load Balancing API throttling (account-wide 40 and 10 a
// second, reads 40/10, changes 20/3); EC2 API throttling (per API, 100 and 20 a
// second for filtered or paged reads); Amazon ECS API throttling, by groups of
// actions; Lambda quotas: GetFunction 100 a second, all other control calls 15 a
// second together, which others in the account share: we leave them a fifth. Auto Scaling publishes no rates: 100 and
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
	{Service: Lambda, Ops: []string{"List", "Update"}, Burst: LambdaPerSecond, PerSecond: LambdaPerSecond, InFlight: 10},
	{Service: Tagging, Burst: 10, PerSecond: 5, InFlight: 2},
	{Service: DynamoDB, Burst: 1000, PerSecond: 1000, InFlight: 40},
	{Service: STS, Burst: 20, PerSecond: 10, InFlight: 2},
}

// LambdaPerSecond is how many control calls a second we make of Lambda's 15.
const LambdaPerSecond = 12

// WithLambdaUpdates returns the limits with one more: so many function updates a
// second.
func WithLambdaUpdates(limits []Limit, perSecond float64) []Limit {
	return append(slices.Clone(limits), Limit{
		Service: Lambda, Ops: []string{"UpdateFunctionConfiguration"}, Burst: 1, PerSecond: perSecond, InFlight: 10,
	})
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

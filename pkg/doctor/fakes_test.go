package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/aws/smithy-go"

	"sidestep/pkg/clock"
	"sidestep/pkg/kind/autoscalinggroup"
	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/memory"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

const (
	user    = "arn:aws:iam::111122223333:user/ops/ann"
	session = "arn:aws:sts::111122223333:assumed-role/evacuator/ann"
	role    = "arn:aws:iam::111122223333:role/evacuator"
	pathed  = "arn:aws:iam::111122223333:role/ops/evacuator"
)

var errDenied = &smithy.OperationError{ServiceID: "S", OperationName: "Op", Err: &smithy.GenericAPIError{Code: "AccessDenied", Message: "no"}}

// fakeIAM has one role or user, whose policies are a function.
type fakeIAM struct {
	exists  string // ARN of the role or user
	getRole error
	fail    error
	failAt  int // which simulation fails, counted from 1; 0 is all
	decide  func(action, arn string) types.ResourceSpecificResult
	top     types.EvaluationResult // what every result has besides
	page    int                    // results a page
	old     bool                   // a result a resource, as before results for each

	mu    sync.Mutex
	calls int
	asked []iam.SimulatePrincipalPolicyInput // without further pages
}

func (f *fakeIAM) GetRole(_ context.Context, in *iam.GetRoleInput, _ ...func(*iam.Options)) (*iam.GetRoleOutput, error) {
	if f.getRole != nil {
		return nil, f.getRole
	}
	if *in.RoleName != "evacuator" {
		return nil, &types.NoSuchEntityException{}
	}
	return &iam.GetRoleOutput{Role: &types.Role{Arn: &f.exists}}, nil
}

func (f *fakeIAM) SimulatePrincipalPolicy(_ context.Context, in *iam.SimulatePrincipalPolicyInput, _ ...func(*iam.Options)) (*iam.SimulatePrincipalPolicyOutput, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	switch {
	case f.fail != nil && (f.failAt == 0 || f.failAt == f.calls):
		return nil, f.fail
	case *in.PolicySourceArn != f.exists:
		return nil, &types.NoSuchEntityException{Message: aws.String("there is no " + *in.PolicySourceArn)}
	}
	results := f.results(in)
	from := 0
	if in.Marker != nil {
		from, _ = strconv.Atoi(*in.Marker)
	} else {
		f.asked = append(f.asked, *in)
	}
	to := min(from+max(f.page, 1), len(results))
	out := &iam.SimulatePrincipalPolicyOutput{EvaluationResults: results[from:to]}
	if to < len(results) {
		out.IsTruncated, out.Marker = true, aws.String(strconv.Itoa(to))
	}
	return out, nil
}

func (f *fakeIAM) results(in *iam.SimulatePrincipalPolicyInput) []types.EvaluationResult {
	var results []types.EvaluationResult
	for _, action := range in.ActionNames {
		r := f.top
		r.EvalActionName, r.EvalResourceName = aws.String(action), aws.String("arn:${Partition}:s3:::${BucketName}")
		if len(in.ResourceArns) == 0 {
			d := f.decide(action, "")
			r.EvalDecision, r.MissingContextValues, r.EvalResourceName = d.EvalResourceDecision, d.MissingContextValues, aws.String("*")
			results = append(results, r)
			continue
		}
		for _, arn := range in.ResourceArns {
			d := f.decide(action, arn)
			d.EvalResourceName = aws.String(arn)
			if f.old {
				one := r
				one.EvalDecision, one.EvalResourceName = d.EvalResourceDecision, aws.String(arn)
				results = append(results, one)
				continue
			}
			r.ResourceSpecificResults = append(r.ResourceSpecificResults, d)
		}
		if !f.old {
			results = append(results, r)
		}
	}
	return results
}

func decided(d types.PolicyEvaluationDecisionType, missing ...string) types.ResourceSpecificResult {
	return types.ResourceSpecificResult{EvalResourceDecision: d, MissingContextValues: missing}
}

func allowAll(string, string) types.ResourceSpecificResult {
	return decided(types.PolicyEvaluationDecisionTypeAllowed)
}

// world is the sample region with a ledger, and a doctor in it.
type world struct {
	*testing.T
	clock  *clock.Virtual
	region *region.Region
	store  *memory.Store
	iam    *fakeIAM
	doctor Doctor
}

func newWorld(t *testing.T) *world {
	t.Helper()
	c := clock.NewVirtual(time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC))
	r := region.Sample(region.Config{Clock: c, Account: "111122223333", Name: "us-east-1", Seed: 1})
	w := &world{T: t, clock: c, region: r, store: memory.New(), iam: &fakeIAM{exists: user, decide: allowAll, page: 2}}
	p := r.Process("doctor")
	w.doctor = Doctor{
		Account: "111122223333", Region: "us-east-1", Caller: user, Clock: c, IAM: w.iam, Zones: p.EC2(), ELB: p.ELB(),
		Drivers: []resource.Driver{autoscalinggroup.New(p.AutoScaling(), autoscalinggroup.Options{})},
	}
	w.keep(w.store)
	if err := w.doctor.Ledger.Init(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.keep(p.Store(w.store))
	return w
}

// keep has the doctor use that store.
func (w *world) keep(s ledger.Store) {
	w.doctor.Ledger = ledger.New(s, w.clock, "111122223333", "us-east-1", 5*time.Second)
}

func (w *world) examine(s resource.Scope) Report {
	w.Helper()
	report, err := w.doctor.Examine(w.Context(), s)
	if err != nil {
		w.Fatal(err)
	}
	return report
}

// check is the check of that name.
func (w *world) check(r Report, name string) Check {
	w.Helper()
	i := slices.IndexFunc(r.Checks, func(c Check) bool { return c.Name == name })
	if i < 0 {
		w.Fatalf("there is no check %s in %v", name, r.Checks)
	}
	return r.Checks[i]
}

// refuse has the region refuse the nth call of an op, all calls with 0.
func (w *world) refuse(op string, nth int) {
	w.region.Fault(region.Fault{Op: op, Nth: nth, Do: region.Fail(errDenied)})
}

// odd is a kind without a region: it places and explains.
type odd struct {
	resource.Driver
	kind     resource.Kind
	found    []resource.Resource
	hides    bool // Read returns nothing
	place    error
	explain  error
	explains []resource.Resource
}

func (o *odd) Kind() resource.Kind { return o.kind }
func (o *odd) List(context.Context, resource.Scope) ([]resource.Resource, error) {
	return o.found, nil
}
func (o *odd) Read(_ context.Context, ids ...resource.ID) ([]resource.Resource, error) {
	if o.hides {
		return nil, nil
	}
	return o.found[:len(ids)], nil
}
func (o *odd) Place(_ context.Context, read []resource.Resource) ([]resource.Resource, error) {
	return read, o.place
}
func (o *odd) Explain(_ context.Context, r resource.Resource) (resource.Resource, error) {
	o.explains = append(o.explains, r)
	return r, o.explain
}

func resources(k resource.Kind, n int) []resource.Resource {
	var out []resource.Resource
	for i := range n {
		name := fmt.Sprintf("r%02d", i)
		out = append(out, resource.Resource{ID: resource.ID{Kind: k, ARN: "arn:aws:lambda:us-east-1:111122223333:function:" + name, Name: name}})
	}
	return out
}

// anything is a store that takes every write, whatever its condition.
type anything struct{ ledger.Store }

func (anything) Write(context.Context, ...ledger.Op) error { return nil }

// noTable is a store without a table.
type noTable struct{ ledger.Store }

func (noTable) Get(context.Context, string, string) (ledger.Item, error) {
	return nil, fmt.Errorf("reading: %w", ledger.ErrNoTable)
}

var errPlain = errors.New("odd")

package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"

	"sidestep/pkg/resource"
)

const (
	// askBatch is how many resources one simulation is about. AWS documents no
	// limit; others were refused with many more.
	askBatch = 20
	// maxItems is the most results that a page of a simulation holds.
	maxItems = 1000
)

// ask finds out whether the caller may change the kind's resources.
func (d Doctor) ask(ctx context.Context, who source, k *kind, s resource.Scope) ([]Check, []MayNot) {
	name := k.name("change")
	need, known := Needs(k.Kind())
	switch {
	case !k.listed:
		return []Check{unasked(name, k.name("list"))}, nil
	case len(k.found) == 0:
		return nil, nil
	case !known:
		return []Check{{name, Unknown, "not asked: which permissions its changes need is not known here", "look them up in docs/configuration.md"}}, nil
	case who.why != "":
		return []Check{{name, Unknown, who.why, who.next}}, nil
	}
	limited, cancel := d.Clock.WithTimeout(ctx, askTime)
	defer cancel()
	answers, err := d.simulate(limited, who, need, k, s)
	t := k.count(need, answers)
	if err == nil {
		return []Check{t.check(name, need, len(k.found))}, t.denied
	}
	c := Check{Name: name, Status: Unknown}
	if c.Detail, c.Next = who.refused(err); limited.Err() != nil {
		c.Detail, c.Next = fmt.Sprintf("not finished within %s", askTime), again
	}
	if t.ended = c.Detail; len(t.denied) > 0 { // which is known, whatever the rest is
		c = t.check(name, need, len(k.found))
	}
	return []Check{c}, t.denied
}

// simulate asks for all permissions, batch after batch. With an error it returns
// what it had learned by then.
func (d Doctor) simulate(ctx context.Context, who source, need Need, k *kind, s resource.Scope) ([]answer, error) {
	var answers []answer
	for _, q := range questions(need, k.found) {
		q.PolicySourceArn, q.MaxItems = &who.arn, aws.Int32(maxItems)
		q.ContextEntries = d.context(s, len(q.ResourceArns) > 0)
		pages := iam.NewSimulatePrincipalPolicyPaginator(d.IAM, &q)
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				return answers, fmt.Errorf("simulating the policies of %s: %w", who.arn, err)
			}
			for _, r := range page.EvaluationResults {
				answers = append(answers, answersOf(r, q.ResourceArns)...)
			}
		}
	}
	return answers, nil
}

// questions are the requests that ask for the permissions: one for what takes no
// resource, and one a batch of resources. What has no ARN cannot be asked about.
func questions(need Need, found []resource.Resource) []iam.SimulatePrincipalPolicyInput {
	var requests []iam.SimulatePrincipalPolicyInput
	if len(need.Anywhere) > 0 {
		requests = append(requests, iam.SimulatePrincipalPolicyInput{ActionNames: need.Anywhere})
	}
	var arns []string
	for _, r := range found {
		if arn.IsARN(r.ARN) {
			arns = append(arns, r.ARN)
		}
	}
	for batch := range slices.Chunk(arns, askBatch) {
		requests = append(requests, iam.SimulatePrincipalPolicyInput{ActionNames: need.OnResource, ResourceArns: batch})
	}
	return requests
}

// context gives the condition keys whose values are known before the call: the
// region, that it is encrypted, and the tags that all in scope have because the
// scope names them.
func (d Doctor) context(s resource.Scope, onResources bool) []types.ContextEntry {
	entries := []types.ContextEntry{
		entry("aws:RequestedRegion", types.ContextKeyTypeEnumString, d.Region),
		entry("aws:SecureTransport", types.ContextKeyTypeEnumBoolean, "true"),
	}
	if !onResources {
		return entries
	}
	for _, key := range slices.Sorted(maps.Keys(s.Tags)) {
		for _, prefix := range []string{"aws", "autoscaling", "ecs"} {
			entries = append(entries, entry(prefix+":ResourceTag/"+key, types.ContextKeyTypeEnumString, s.Tags[key]))
		}
	}
	return entries
}

func entry(key string, of types.ContextKeyTypeEnum, value string) types.ContextEntry {
	return types.ContextEntry{ContextKeyName: &key, ContextKeyType: of, ContextKeyValues: []string{value}}
}

// check says what the tally means for resources of that number.
func (t tally) check(name string, need Need, total int) Check {
	var parts, next []string
	status := OK
	if open := t.undecided(total); open > 0 {
		status = Unknown
		parts = append(parts, fmt.Sprintf("for %d of %d it cannot be told%s", open, total, t.hangs()))
		next = append(next, t.settle())
	}
	if len(t.denied) > 0 {
		status = Failed
		parts = append([]string{fmt.Sprintf("%d of %d may not be changed: %s", t.refused(total), total, strings.Join(t.because, ", "))}, parts...)
		next = append([]string{"allow the caller these actions, or leave what is listed out of the scope"}, next...)
	}
	if status == OK {
		return Check{Name: name, Status: OK, Detail: fmt.Sprintf("IAM allows %s on all %d", strings.Join(slices.Concat(need.OnResource, need.Anywhere), ", "), total)}
	}
	return Check{name, status, strings.Join(parts, "; "), strings.Join(next, "; ")}
}

// refused is how many resources may not be changed.
func (t tally) refused(total int) int {
	arns := map[string]bool{}
	for _, m := range t.denied {
		arns[m.ARN] = true
	}
	if arns[""] {
		return total
	}
	return len(arns)
}

// undecided is how many resources it cannot be told of.
func (t tally) undecided(total int) int {
	if slices.Contains(t.open, "") {
		return total
	}
	return len(t.open)
}

func (t tally) hangs() string {
	switch {
	case t.ended != "":
		return ": " + t.ended
	case len(t.keys) == 0:
		return ": IAM gave no answer"
	}
	return ", which hangs on " + strings.Join(t.keys, ", ")
}

// settle says what would let it be told.
func (t tally) settle() string {
	for _, key := range t.keys {
		if _, tag, is := strings.Cut(key, ":ResourceTag/"); is {
			return "name the scope by that tag: --tag " + tag + "=VALUE"
		}
	}
	if len(t.keys) > 0 {
		return "compare these conditions of the caller's policies with how it calls on the day"
	}
	return again
}

package doctor

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"
)

// ruling is what a simulation says of one action.
type ruling int

const (
	unsure ruling = iota // also what was not answered
	allowed
	denied
)

// answer is the ruling on one action and resource; without an ARN, on the action
// wherever it is.
type answer struct {
	action, arn string
	ruling      ruling
	// why gives the condition keys that a ruling hangs on, or who denies.
	why []string
}

// rule reads a decision. One that was made without a condition key its policies
// name is none: whichever way it went, the key may turn it around.
func rule(decision types.PolicyEvaluationDecisionType, missing []string, organization *types.OrganizationsDecisionDetail, boundary *types.PermissionsBoundaryDecisionDetail) (ruling, []string) {
	switch {
	case len(missing) > 0:
		return unsure, missing
	case decision == types.PolicyEvaluationDecisionTypeAllowed:
		return allowed, nil
	case organization != nil && !organization.AllowedByOrganizations:
		return denied, []string{"a service control policy does not allow it"}
	case boundary != nil && !boundary.AllowedByPermissionsBoundary:
		return denied, []string{"the permissions boundary does not allow it"}
	case decision == types.PolicyEvaluationDecisionTypeExplicitDeny:
		return denied, []string{"a policy denies it"}
	case decision == types.PolicyEvaluationDecisionTypeImplicitDeny:
		return denied, []string{"no policy allows it"}
	}
	return unsure, nil
}

// answersOf turns one result into answers. The decisions on resources are in the results
// for each; older and emulated IAM has a result a resource instead, which names it.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_EvaluationResult.html
func answersOf(r types.EvaluationResult, asked []string) []answer {
	action := aws.ToString(r.EvalActionName)
	var answers []answer
	for _, s := range r.ResourceSpecificResults {
		a := answer{action: action, arn: aws.ToString(s.EvalResourceName)}
		a.ruling, a.why = rule(s.EvalResourceDecision, s.MissingContextValues, r.OrganizationsDecisionDetail, s.PermissionsBoundaryDecisionDetail)
		answers = append(answers, a)
	}
	name := aws.ToString(r.EvalResourceName)
	if len(answers) > 0 || len(asked) > 0 && !slices.Contains(asked, name) {
		return answers
	}
	a := answer{action: action}
	if len(asked) > 0 {
		a.arn = name
	}
	a.ruling, a.why = rule(r.EvalDecision, r.MissingContextValues, r.OrganizationsDecisionDetail, r.PermissionsBoundaryDecisionDetail)
	return []answer{a}
}

// tally is what the answers on one kind come to.
type tally struct {
	denied []MayNot
	// because says of the denials who denies.
	because []string
	// open are the resources of which an action is unsure, "" for all of them, and
	// keys the condition keys that this hangs on; ended says why not all was asked.
	open  []string
	keys  []string
	ended string
}

// count adds up the answers to what was asked of the kind's resources. What was
// asked and not answered is unsure.
func (k *kind) count(need Need, answers []answer) tally {
	type question struct{ action, arn string }
	given := map[question]answer{}
	for _, a := range answers {
		given[question{strings.ToLower(a.action), a.arn}] = a
	}
	var t tally
	for _, action := range need.Anywhere {
		t.add(given[question{strings.ToLower(action), ""}], MayNot{k.Kind(), "", "(all)", action})
	}
	for _, r := range k.found {
		for _, action := range need.OnResource {
			t.add(given[question{strings.ToLower(action), r.ARN}], MayNot{k.Kind(), r.ARN, r.Name, action})
		}
	}
	return t
}

func (t *tally) add(a answer, m MayNot) {
	switch a.ruling {
	case denied:
		t.denied = append(t.denied, m)
		t.because = join(t.because, a.why)
	case unsure:
		t.open = join(t.open, []string{m.ARN})
		t.keys = join(t.keys, a.why)
	}
}

// join appends what is new.
func join(to, more []string) []string {
	for _, s := range more {
		if !slices.Contains(to, s) {
			to = append(to, s)
		}
	}
	return to
}

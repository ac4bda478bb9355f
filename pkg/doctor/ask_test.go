package doctor

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/aws/smithy-go"

	"sidestep/pkg/resource"
)

const (
	yes  = types.PolicyEvaluationDecisionTypeAllowed
	no   = types.PolicyEvaluationDecisionTypeImplicitDeny
	deny = types.PolicyEvaluationDecisionTypeExplicitDeny
)

func TestSourceOf(t *testing.T) {
	for caller, want := range map[string]source{
		user:    {arn: user},
		session: {arn: role, role: "evacuator"},
		"arn:aws-us-gov:sts::111122223333:assumed-role/AWSReservedSSO_Ops_0123456789abcdef/ann@example.com": {
			arn: "arn:aws-us-gov:iam::111122223333:role/AWSReservedSSO_Ops_0123456789abcdef", role: "AWSReservedSSO_Ops_0123456789abcdef"},
		"arn:aws:iam::111122223333:root":                  {why: "IAM does not simulate the account's root user", next: asRole},
		"arn:aws:sts::111122223333:federated-user/ann":    {why: "IAM does not simulate a federated user's session", next: asRole},
		"arn:aws:sts::111122223333:assumed-role/":         {why: `IAM cannot be asked about the caller "arn:aws:sts::111122223333:assumed-role/"`, next: asRole},
		"arn:aws:iam::111122223333:user":                  {why: `IAM cannot be asked about the caller "arn:aws:iam::111122223333:user"`, next: asRole},
		"arn:aws:rolesanywhere:us-east-1:1:subject/x/y/z": {why: `IAM cannot be asked about the caller "arn:aws:rolesanywhere:us-east-1:1:subject/x/y/z"`, next: asRole},
		"ann": {why: `IAM cannot be asked about the caller "ann"`, next: asRole},
		"":    {why: `IAM cannot be asked about the caller ""`, next: asRole},
	} {
		if got := sourceOf(caller); got != want {
			t.Errorf("%q gives %+v, want %+v", caller, got, want)
		}
	}
}

func TestRule(t *testing.T) {
	outside := &types.OrganizationsDecisionDetail{}
	inside := &types.OrganizationsDecisionDetail{AllowedByOrganizations: true}
	beyond := &types.PermissionsBoundaryDecisionDetail{}
	for _, c := range []struct {
		name         string
		decision     types.PolicyEvaluationDecisionType
		missing      []string
		organization *types.OrganizationsDecisionDetail
		boundary     *types.PermissionsBoundaryDecisionDetail
		want         ruling
		why          string
	}{
		{"allowed", yes, nil, inside, nil, allowed, ""},
		{"allowed here, elsewhere not by the organization", yes, nil, outside, nil, allowed, ""},
		{"not allowed", no, nil, inside, nil, denied, "no policy allows it"},
		{"denied", deny, nil, nil, nil, denied, "a policy denies it"},
		{"by the organization", deny, nil, outside, beyond, denied, "a service control policy does not allow it"},
		{"by the boundary", no, nil, inside, beyond, denied, "the permissions boundary does not allow it"},
		{"allowed, but for a key", yes, []string{"aws:SourceIp"}, nil, nil, unsure, "aws:SourceIp"},
		{"not allowed for want of a key", no, []string{"aws:ResourceTag/team"}, nil, nil, unsure, "aws:ResourceTag/team"},
		{"denied for want of a key", deny, []string{"aws:SourceVpc"}, outside, nil, unsure, "aws:SourceVpc"},
		{"a word of another time", "perhaps", nil, nil, nil, unsure, ""},
	} {
		got, why := rule(c.decision, c.missing, c.organization, c.boundary)
		if got != c.want || strings.Join(why, " ") != c.why {
			t.Errorf("%s: got %v, %q", c.name, got, why)
		}
	}
}

func TestQuestions(t *testing.T) {
	need := Need{OnResource: []string{"a:Do"}}
	both := Need{OnResource: []string{"a:Do"}, Anywhere: []string{"b:See"}}
	nameless := append(resources("k", 21), resource.Resource{ID: resource.ID{Name: "x", ARN: "x"}})
	for _, c := range []struct {
		need  Need
		found []resource.Resource
		want  []int // resources a request
	}{
		{need, nil, nil},
		{need, resources("k", 1), []int{1}},
		{need, resources("k", 20), []int{20}},
		{both, resources("k", 45), []int{0, 20, 20, 5}},
		{both, nameless, []int{0, 20, 1}},
	} {
		var got []int
		for _, q := range questions(c.need, c.found) {
			got = append(got, len(q.ResourceArns))
			if want := map[bool]string{true: "b:See", false: "a:Do"}[len(q.ResourceArns) == 0]; q.ActionNames[0] != want {
				t.Errorf("asks for %v of %d resources", q.ActionNames, len(q.ResourceArns))
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d resources are asked of as %v, want %v", len(c.found), got, c.want)
		}
	}
}

func TestTally(t *testing.T) {
	k := &kind{Driver: &odd{kind: "k"}, found: resources("k", 3)}
	need := Need{OnResource: []string{"a:Do", "a:Undo"}, Anywhere: []string{"b:See"}}
	arn := func(i int) string { return k.found[i].ARN }
	all := []answer{
		{"b:see", "", allowed, nil}, {"a:Do", arn(0), allowed, nil}, {"a:Undo", arn(0), allowed, nil}, {"a:Do", arn(1), allowed, nil},
		{"a:Undo", arn(1), allowed, nil}, {"a:Do", arn(2), allowed, nil}, {"a:Undo", arn(2), allowed, nil},
	}
	change := func(i int, r ruling, why ...string) []answer {
		changed := slices.Clone(all)
		changed[i].ruling, changed[i].why = r, why
		return changed
	}
	for _, c := range []struct {
		name    string
		answers []answer
		ended   string
		want    Check
		denied  []MayNot
	}{
		{"allowed", all, "", Check{"x", OK, "IAM allows a:Do, a:Undo, b:See on all 3", ""}, nil},
		{"one denied", change(1, denied, "no policy allows it"), "", Check{"x", Failed, "1 of 3 may not be changed: no policy allows it", "allow the caller"},
			[]MayNot{{"k", arn(0), "r00", "a:Do"}}},
		{"denied anywhere", change(0, denied, "a policy denies it"), "", Check{"x", Failed, "3 of 3 may not be changed: a policy denies it", "allow the caller"},
			[]MayNot{{"k", "", "(all)", "b:See"}}},
		{"hangs on a tag", change(3, unsure, "aws:ResourceTag/team"), "", Check{"x", Unknown, "for 1 of 3 it cannot be told, which hangs on aws:ResourceTag/team", "--tag team=VALUE"}, nil},
		{"hangs on the caller", change(0, unsure, "aws:SourceIp"), "", Check{"x", Unknown, "for 3 of 3 it cannot be told, which hangs on aws:SourceIp", "compare these conditions"}, nil},
		{"not answered", all[:5], "", Check{"x", Unknown, "for 1 of 3 it cannot be told: IAM gave no answer", again}, nil},
		{"denied, then it ended", change(1, denied, "no policy allows it")[:5], "throttled", Check{"x", Failed,
			"1 of 3 may not be changed: no policy allows it; for 1 of 3 it cannot be told: throttled", "; " + again}, []MayNot{{"k", arn(0), "r00", "a:Do"}}},
		{"nothing answered", nil, "", Check{"x", Unknown, "for 3 of 3 it cannot be told: IAM gave no answer", again}, nil},
	} {
		tally := k.count(need, c.answers)
		tally.ended = c.ended
		got := tally.check("x", need, len(k.found))
		if got.Status != c.want.Status || got.Detail != c.want.Detail || !strings.Contains(got.Next, c.want.Next) || !slices.Equal(tally.denied, c.denied) {
			t.Errorf("%s: got %+v, %+v", c.name, got, tally.denied)
		}
	}
}

func TestWhatMayNotBeChanged(t *testing.T) {
	for _, old := range []bool{false, true} {
		w := newWorld(t)
		w.iam.old = old
		w.iam.decide = func(action, arn string) types.ResourceSpecificResult {
			if action == "autoscaling:ResumeProcesses" && strings.HasSuffix(arn, "/api") {
				return decided(no)
			}
			return decided(yes)
		}
		r := w.examine(resource.Scope{})
		if len(r.MayNotChange) != 1 || r.MayNotChange[0].Name != "api" || r.MayNotChange[0].Action != "autoscaling:ResumeProcesses" || r.Verdict() != NotReady {
			t.Errorf("older IAM %t: %s, %+v", old, r.Verdict(), r.MayNotChange)
		}
	}
}

func TestFunctionsNeedMoreThanTheirOwn(t *testing.T) {
	w := newWorld(t)
	w.doctor.Drivers = []resource.Driver{&odd{kind: resource.LambdaFunction, found: resources(resource.LambdaFunction, 45)}}
	w.iam.decide = func(action, arn string) types.ResourceSpecificResult {
		if action == "ec2:GetSecurityGroupsForVpc" && arn == "" {
			return decided(deny)
		}
		return decided(yes)
	}
	r := w.examine(resource.Scope{Tags: map[string]string{"team": "shop"}})
	if want := []MayNot{{resource.LambdaFunction, "", "(all)", "ec2:GetSecurityGroupsForVpc"}}; !slices.Equal(r.MayNotChange, want) {
		t.Errorf("got %+v", r.MayNotChange)
	}
	var sizes []int
	for _, q := range w.iam.asked {
		sizes = append(sizes, len(q.ResourceArns))
		keys := map[string]string{}
		for _, e := range q.ContextEntries {
			keys[*e.ContextKeyName] = e.ContextKeyValues[0]
		}
		want := map[string]string{"aws:RequestedRegion": "us-east-1", "aws:SecureTransport": "true"}
		if len(q.ResourceArns) > 0 {
			want["aws:ResourceTag/team"], want["autoscaling:ResourceTag/team"], want["ecs:ResourceTag/team"] = "shop", "shop", "shop"
		}
		if !reflect.DeepEqual(keys, want) {
			t.Errorf("the context of %d resources is %v", len(q.ResourceArns), keys)
		}
	}
	if !slices.Equal(sizes, []int{0, 20, 20, 5}) {
		t.Errorf("asked of %v resources", sizes)
	}
}

func TestWhatCannotBeTold(t *testing.T) {
	throttled := &smithy.GenericAPIError{Code: "Throttling", Message: "Rate exceeded"}
	for _, c := range []struct {
		name         string
		breaks       func(w *world)
		status       Status
		detail, next string
	}{
		{"nobody to ask", func(w *world) { w.doctor.IAM = nil }, Unknown, "IAM is not asked here", ""},
		{"root", func(w *world) { w.doctor.Caller = "arn:aws:iam::111122223333:root" }, Unknown, "root user", asRole},
		{"simulation denied", func(w *world) { w.iam.fail = errDenied }, Unknown, "AccessDenied", "allow iam:SimulatePrincipalPolicy"},
		{"throttled", func(w *world) { w.iam.fail = throttled }, Unknown, "Throttling", again},
		{"a role", func(w *world) { w.doctor.Caller, w.iam.exists = session, pathed }, OK, "IAM allows", ""},
		{"a role that may not be looked up", func(w *world) { w.doctor.Caller, w.iam.exists, w.iam.getRole = session, role, errDenied }, OK, "IAM allows", ""},
		{"nor has it no path", func(w *world) { w.doctor.Caller, w.iam.exists, w.iam.getRole = session, pathed, errDenied }, Unknown, "role evacuator has a path", "allow iam:GetRole"},
		{"IAM does not know the role", func(w *world) { w.doctor.Caller, w.iam.getRole = session, throttled }, Unknown, "cannot be looked up: ", again},
		{"a user that is gone", func(w *world) { w.iam.exists = role }, Unknown, "NoSuchEntity", "check"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			c.breaks(w)
			r := w.examine(resource.Scope{})
			got := w.check(r, "change/autoscaling-group")
			if got.Status != c.status || !strings.Contains(got.Detail, c.detail) || !strings.Contains(got.Next, c.next) {
				t.Errorf("got %+v", got)
			}
			if want := map[Status]Verdict{OK: Ready, Unknown: CannotTell}[c.status]; r.Verdict() != want {
				t.Errorf("the verdict is %s, want %s", r.Verdict(), want)
			}
		})
	}
}

func TestADenialCountsWhateverComesAfter(t *testing.T) {
	w := newWorld(t)
	w.doctor.Drivers = []resource.Driver{&odd{kind: resource.ECSService, found: resources(resource.ECSService, 25)}}
	w.iam.fail, w.iam.failAt = fmt.Errorf("simulating: %w", errDenied), 2
	w.iam.decide = func(_, arn string) types.ResourceSpecificResult {
		return decided(map[bool]types.PolicyEvaluationDecisionType{true: no, false: yes}[strings.HasSuffix(arn, "r07")])
	}
	c := w.check(w.examine(resource.Scope{}), "change/ecs-service")
	if c.Status != Failed || !strings.Contains(c.Detail, "1 of 25 may not be changed") || !strings.Contains(c.Detail, "for 5 of 25 it cannot be told: ") {
		t.Errorf("got %+v", c)
	}
}

package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"

	"sidestep/pkg/awserr"
)

// IAM is what this package asks of IAM. *iam.Client fits.
type IAM interface {
	GetRole(context.Context, *iam.GetRoleInput, ...func(*iam.Options)) (*iam.GetRoleOutput, error)
	SimulatePrincipalPolicy(context.Context, *iam.SimulatePrincipalPolicyInput, ...func(*iam.Options)) (*iam.SimulatePrincipalPolicyOutput, error)
}

// source is the user or role whose policies are simulated for the caller.
type source struct {
	arn string
	// role is the name of the role whose session the caller is.
	role string
	// why says why there is no such user or role, and next what to do.
	why, next string
}

const asRole = "ask as a role or a user, with --profile"

// sourceOf reads a caller's ARN. A session names its role without the role's path:
// the ARN is right only for a role that has none.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-arns
func sourceOf(caller string) source {
	a, _ := arn.Parse(caller) // of what is no ARN, nothing fits
	what, rest, _ := strings.Cut(a.Resource, "/")
	name, _, _ := strings.Cut(rest, "/")
	switch sort := a.Service + ":" + what; {
	case sort == "iam:user" && name != "":
		return source{arn: caller}
	case sort == "sts:assumed-role" && name != "":
		role := arn.ARN{Partition: a.Partition, Service: "iam", AccountID: a.AccountID, Resource: "role/" + name}
		return source{arn: role.String(), role: name}
	case sort == "iam:root":
		return source{why: "IAM does not simulate the account's root user", next: asRole}
	case sort == "sts:federated-user":
		return source{why: "IAM does not simulate a federated user's session", next: asRole}
	}
	return source{why: fmt.Sprintf("IAM cannot be asked about the caller %q", caller), next: asRole}
}

// source finds the user or role whose policies are the caller's. A role that IAM
// does not let us look up is taken to have no path: names of roles are unique in an
// account, so if there is one of that ARN, it is the right one.
func (d Doctor) source(ctx context.Context) source {
	s := sourceOf(d.Caller)
	switch {
	case d.IAM == nil:
		return source{why: "IAM is not asked here"}
	case s.role == "":
		return s
	}
	ctx, cancel := d.Clock.WithTimeout(ctx, callTime)
	defer cancel()
	out, err := d.IAM.GetRole(ctx, &iam.GetRoleInput{RoleName: &s.role})
	switch {
	case err == nil && out.Role != nil && aws.ToString(out.Role.Arn) != "":
		s.arn = *out.Role.Arn
	case err != nil && awserr.Classify(err) != awserr.Access:
		return source{why: "the caller's role cannot be looked up: " + awserr.Brief(err), next: failure("", err).Next}
	}
	return s
}

// refused is what a simulation that failed means, and what to do.
func (s source) refused(err error) (detail, next string) {
	_, missing := errors.AsType[*types.NoSuchEntityException](err)
	switch {
	case missing && s.role != "":
		return fmt.Sprintf("role %s has a path, which its session does not tell", s.role), "allow iam:GetRole on the caller's own role"
	case awserr.Classify(err) == awserr.Access:
		return awserr.Brief(err), "allow iam:SimulatePrincipalPolicy and iam:GetRole on the caller's own role or user"
	}
	return awserr.Brief(err), failure("", err).Next
}

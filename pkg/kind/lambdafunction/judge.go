package lambdafunction

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"sidestep/pkg/resource"
)

// Judge compares a fresh reading with what the change wants, and says what became
// of it where that is final.
func (d *Driver) Judge(r resource.Resource, c resource.Change) resource.Progress {
	p := resource.Compare(r, c)
	if r.Underway != "" || !slices.ContainsFunc(c.Edits, func(e resource.Edit) bool { return e.Field == resource.SubnetsField }) {
		return p
	}
	if outcome, reason := gaveUp(r, p.Reached); outcome != "" {
		p.Reached, p.Undone = false, []string{resource.SubnetsField}
		p.Outcome, p.Reason = outcome, reason
		return p
	}
	if c.Direction == resource.Evacuate && p.Reached {
		p.Outcome, p.Reason = left(r, c)
	}
	return p
}

// causes are the reasons for which a change of subnets comes to nothing.
// https://docs.aws.amazon.com/lambda/latest/api/API_FunctionConfiguration.html
var causes = map[types.LastUpdateStatusReasonCode]resource.Outcome{
	types.LastUpdateStatusReasonCodeInsufficientRolePermissions:      resource.FailedRole,
	types.LastUpdateStatusReasonCodeSubnetOutOfIPAddresses:           resource.HeldNoCapacity,
	types.LastUpdateStatusReasonCodeEniLimitExceeded:                 resource.HeldNoCapacity,
	types.LastUpdateStatusReasonCodeEC2RequestLimitExceeded:          resource.FailedBusy,
	types.LastUpdateStatusReasonCodeInternalError:                    resource.FailedUnreachable,
	types.LastUpdateStatusReasonCodeInvalidSubnet:                    resource.FailedInvalid,
	types.LastUpdateStatusReasonCodeInvalidSecurityGroup:             resource.FailedInvalid,
	types.LastUpdateStatusReasonCodeInvalidConfiguration:             resource.FailedInvalid,
	types.LastUpdateStatusReasonCodeDisallowedByVpcEncryptionControl: resource.FailedInvalid,
	types.LastUpdateStatusReasonCodeEFSIOError:                       resource.FailedInvalid,
	types.LastUpdateStatusReasonCodeEFSMountConnectivityError:        resource.FailedInvalid,
	types.LastUpdateStatusReasonCodeEFSMountFailure:                  resource.FailedInvalid,
	types.LastUpdateStatusReasonCodeEFSMountTimeout:                  resource.FailedInvalid,
}

// gaveUp says why the last update failed, if it did. The function then goes on with
// what it had before. Whether a reading shows that, or what was asked for, is not
// documented: where the change shows, a failure that subnets cannot cause is that of
// somebody's later update.
// https://docs.aws.amazon.com/lambda/latest/dg/functions-states.html
func gaveUp(r resource.Resource, shows bool) (resource.Outcome, string) {
	code, failed := r.Traits[traitFailed]
	if !failed {
		return "", ""
	}
	outcome, ours := causes[types.LastUpdateStatusReasonCode(code)]
	switch {
	case !ours && shows:
		return "", ""
	case !ours:
		outcome = resource.FailedInvalid
	}
	parts := []string{"AWS gave the update up", code, short(r.Traits[traitWhy])}
	return outcome, strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")
}

// maxWhy is how much of what AWS says is passed on.
const maxWhy = 200

// short cuts a text off where it gets long.
func short(text string) string {
	if runes := []rune(text); len(runes) > maxWhy {
		return string(runes[:maxWhy]) + "..."
	}
	return text
}

// left says which published versions still have what the change removed.
func left(r resource.Resource, c resource.Change) (resource.Outcome, string) {
	versions := published(r, func(subnets []string) bool {
		return slices.ContainsFunc(subnets, func(id string) bool { return slices.Contains(c.Removed, id) })
	})
	if len(versions) == 0 {
		return "", ""
	}
	return resource.NotEvacuated, stays(r, versions)
}

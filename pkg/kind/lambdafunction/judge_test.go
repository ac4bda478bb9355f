package lambdafunction_test

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"sidestep/pkg/resource"
)

func failed(code types.LastUpdateStatusReasonCode, why string) func(*types.FunctionConfiguration) {
	return func(f *types.FunctionConfiguration) {
		f.LastUpdateStatus, f.LastUpdateStatusReasonCode = types.LastUpdateStatusFailed, code
		if why != "" {
			f.LastUpdateStatusReason = aws.String(why)
		}
	}
}

// TestFR49AnUpdateThatAWSGaveUp: accepted is not done, and the old network serves on.
func TestFR49AnUpdateThatAWSGaveUp(t *testing.T) {
	evacuation := resource.Change{Direction: resource.Evacuate, Zone: impaired, Edits: []resource.Edit{closed}, Removed: []string{"subnet-1a"}}
	recovery := resource.Change{Direction: resource.Recover, Zone: impaired, Edits: []resource.Edit{reopened}}
	long := strings.Repeat("ü", 300)
	for name, tt := range map[string]struct {
		fail    func(*types.FunctionConfiguration)
		outcome resource.Outcome
		reason  string
	}{
		"role":           {failed("InsufficientRolePermissions", "ec2:CreateNetworkInterface"), resource.FailedRole, "InsufficientRolePermissions: ec2:CreateNetworkInterface"},
		"no addresses":   {failed("SubnetOutOfIPAddresses", ""), resource.HeldNoCapacity, "SubnetOutOfIPAddresses"},
		"no interfaces":  {failed("EniLimitExceeded", ""), resource.HeldNoCapacity, "EniLimitExceeded"},
		"throttled":      {failed("EC2RequestLimitExceeded", ""), resource.FailedBusy, "EC2RequestLimitExceeded"},
		"AWS's fault":    {failed("InternalError", ""), resource.FailedUnreachable, "InternalError"},
		"subnet":         {failed("InvalidSubnet", ""), resource.FailedInvalid, "InvalidSubnet"},
		"encryption":     {failed("DisallowedByVpcEncryptionControl", ""), resource.FailedInvalid, "DisallowedByVpcEncryptionControl"},
		"file system":    {failed("EFSMountTimeout", ""), resource.FailedInvalid, "EFSMountTimeout"},
		"something else": {failed("ImageDeleted", ""), resource.FailedInvalid, "ImageDeleted"},
		"no code":        {failed("", "because"), resource.FailedInvalid, "because"},
		"many words":     {failed("InvalidSubnet", long), resource.FailedInvalid, "InvalidSubnet: " + long[:2*200] + "..."},
	} {
		for _, c := range []resource.Change{evacuation, recovery} {
			r := read(t, aFunction("f", tt.fail, in(c.Edits[0].From...)))
			want := resource.Progress{Undone: []string{"subnets"}, Outcome: tt.outcome, Reason: "AWS gave the update up: " + tt.reason}
			if p := driver().Judge(r, c); !reflect.DeepEqual(p, want) {
				t.Errorf("%s, %s: %+v, want %+v", name, c.Direction, p, want)
			}
		}
	}
}

// TestFR49AFailureIsSomebodyElses: what has nothing to do with the change does not
// count against it.
func TestFR49AFailureIsSomebodyElses(t *testing.T) {
	evacuation := resource.Change{Direction: resource.Evacuate, Zone: impaired, Edits: []resource.Edit{closed}, Removed: []string{"subnet-1a"}}
	for name, tt := range map[string]struct {
		function types.FunctionConfiguration
		c        resource.Change
		want     resource.Progress
	}{
		"their code, since": {aFunction("f", in(healthy...), failed("ImageDeleted", "")), evacuation, resource.Progress{Reached: true}},
		"no change of ours": {aFunction("f", failed("InvalidSubnet", "")), resource.Change{Direction: resource.Evacuate, Zone: impaired}, resource.Progress{Reached: true}},
		"a new update": {
			aFunction("f", failed("InvalidSubnet", ""), func(f *types.FunctionConfiguration) { f.LastUpdateStatus = types.LastUpdateStatusInProgress }),
			evacuation, resource.Progress{Undone: []string{"subnets"}},
		},
		"ours, and it shows all the same": {
			aFunction("f", in(healthy...), failed("EniLimitExceeded", "")), evacuation,
			resource.Progress{Undone: []string{"subnets"}, Outcome: resource.HeldNoCapacity, Reason: "AWS gave the update up: EniLimitExceeded"},
		},
	} {
		if p := driver().Judge(read(t, tt.function), tt.c); !reflect.DeepEqual(p, tt.want) {
			t.Errorf("%s: %+v, want %+v", name, p, tt.want)
		}
	}
}

// TestNothingFinalIsSaidOfWhatIsUnderWay, nor of versions on the way back.
func TestNothingFinalIsSaidOfWhatIsUnderWay(t *testing.T) {
	stale := map[string]string{"version/7": "subnet-1a"}
	evacuation := resource.Change{Direction: resource.Evacuate, Zone: impaired, Edits: []resource.Edit{closed}, Removed: []string{"subnet-1a"}}
	recovery := resource.Change{Direction: resource.Recover, Zone: impaired, Edits: []resource.Edit{reopened}, Removed: []string{"subnet-1a"}}
	broken := maps.Clone(stale)
	broken["update-failed"] = "InvalidSubnet"
	for name, tt := range map[string]struct {
		r resource.Resource
		c resource.Change
	}{
		"evacuation under way":  {resource.Resource{Fields: map[string][]string{"subnets": healthy}, Traits: stale, Underway: "update in progress"}, evacuation},
		"being set up":          {resource.Resource{Fields: map[string][]string{"subnets": healthy}, Traits: broken, Underway: "being set up"}, evacuation},
		"recovered":             {resource.Resource{Fields: map[string][]string{"subnets": everywhere}, Traits: stale}, recovery},
		"somebody added others": {resource.Resource{Fields: map[string][]string{"subnets": append([]string{"subnet-x"}, healthy...)}}, evacuation},
	} {
		if p := driver().Judge(tt.r, tt.c); !p.Reached || p.Outcome != "" || p.Reason != "" {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

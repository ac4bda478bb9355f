package lambdafunction

import (
	"maps"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"sidestep/pkg/resource"
)

// Fields that this kind reads. Of these only the subnets are ever edited; the others
// go back to Lambda with them. A function in no VPC has none.
const (
	groupsField = "security-groups"
	ipv6Field   = "ipv6"
)

// Traits that plans and judgements depend on.
const (
	traitRevision = "revision"
	traitProvider = "capacity-provider"     // of the Lambda Managed Instances it runs on
	traitMaster   = "edge-master"           // the Lambda@Edge function that it replicates
	traitStack    = "cloudformation-stack"  // the stack that declares it
	traitFailed   = "update-failed"         // the reason code, where the last update failed
	traitWhy      = "update-failed-because" // what AWS says on it
	versionPrefix = "version/"              // the subnets of a published version, from Place
	aliasPrefix   = "alias/"                // the versions an alias runs, from Explain
)

// latest is the unpublished version, the one that an update is about.
const latest = "$LATEST"

// arnParts are those of a function's ARN without a version at its end.
const arnParts = 7

// arn is the ARN of the function, whichever version of it f is.
func arn(f types.FunctionConfiguration) string {
	parts := strings.Split(aws.ToString(f.FunctionArn), ":")
	return strings.Join(parts[:min(arnParts, len(parts))], ":")
}

func translate(f types.FunctionConfiguration, tags map[string]string) resource.Resource {
	return resource.Resource{
		ID: resource.ID{
			Kind: resource.LambdaFunction,
			ARN:  arn(f),
			Name: aws.ToString(f.FunctionName),
		},
		Fields:   fields(f),
		Traits:   traits(f, tags),
		Underway: underway(f),
	}
}

func fields(f types.FunctionConfiguration) map[string][]string {
	all := map[string][]string{}
	vpc := attached(f)
	if vpc == nil {
		return all
	}
	all[resource.SubnetsField] = vpc.SubnetIds
	if len(vpc.SecurityGroupIds) > 0 {
		all[groupsField] = vpc.SecurityGroupIds
	}
	if vpc.Ipv6AllowedForDualStack != nil {
		all[ipv6Field] = []string{strconv.FormatBool(*vpc.Ipv6AllowedForDualStack)}
	}
	return all
}

// attached is a function's, or a version's, place in a VPC, nil where it has none.
// One that was taken out of its VPC keeps a configuration, of which all is empty.
func attached(f types.FunctionConfiguration) *types.VpcConfigResponse {
	if f.VpcConfig == nil || aws.ToString(f.VpcConfig.VpcId) == "" || len(f.VpcConfig.SubnetIds) == 0 {
		return nil
	}
	return f.VpcConfig
}

func traits(f types.FunctionConfiguration, tags map[string]string) map[string]string {
	t := map[string]string{}
	set := func(key, value string) {
		if value != "" {
			t[key] = value
		}
	}
	set(traitRevision, aws.ToString(f.RevisionId))
	set(traitProvider, provider(f))
	set(traitMaster, aws.ToString(f.MasterArn))
	set(traitStack, tags["aws:cloudformation:stack-name"])
	if f.LastUpdateStatus == types.LastUpdateStatusFailed {
		t[traitFailed] = string(f.LastUpdateStatusReasonCode)
		set(traitWhy, aws.ToString(f.LastUpdateStatusReason))
	}
	return t
}

// with returns a copy of traits with more in it.
func with(traits, more map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, traits)
	maps.Copy(all, more)
	return all
}

// provider is the name of the capacity provider whose instances the function runs
// on, or nothing.
func provider(f types.FunctionConfiguration) string {
	if f.CapacityProviderConfig == nil || f.CapacityProviderConfig.LambdaManagedInstancesCapacityProviderConfig == nil {
		return ""
	}
	id := aws.ToString(f.CapacityProviderConfig.LambdaManagedInstancesCapacityProviderConfig.CapacityProviderArn)
	return id[strings.LastIndex(id, ":")+1:]
}

// underway says that Lambda refuses changes for now. A list of functions does not
// hold what it is told from.
// https://docs.aws.amazon.com/lambda/latest/dg/functions-states.html
func underway(f types.FunctionConfiguration) string {
	switch {
	case f.LastUpdateStatus == types.LastUpdateStatusInProgress:
		return "update in progress"
	case f.State == types.StatePending:
		return "being set up"
	}
	return ""
}

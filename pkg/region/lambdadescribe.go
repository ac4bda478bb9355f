package region

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// qualified is a function as one of its versions, by number or alias.
type qualified struct {
	function  *function
	qualifier string
}

// key sorts by name, then number, what is not published first.
func (v qualified) key() string {
	if v.qualifier == latest {
		return v.function.name + " "
	}
	return fmt.Sprintf("%s %20s", v.function.name, v.qualifier)
}

// all lists a function's versions in the order of their keys.
func (f *function) all() []qualified {
	all := []qualified{{f, latest}}
	for _, v := range f.versions {
		all = append(all, qualified{f, v.number})
	}
	slices.SortFunc(all, func(a, b qualified) int { return strings.Compare(a.key(), b.key()) })
	return all
}

// listVersion is a version of a function as lists have it: without its state and
// what became of the last update, which only reading it tells. The region is
// locked.
// https://docs.aws.amazon.com/lambda/latest/api/API_ListFunctions.html
func (r *Region) listVersion(v qualified) types.FunctionConfiguration {
	f := v.function
	number, c, _ := f.at(v.qualifier)
	listed := types.FunctionConfiguration{
		FunctionName: new(f.name), FunctionArn: new(r.functionARN(f.name + ":" + number)), Version: new(number),
		LastModified: new(f.modified.UTC().Format("2006-01-02T15:04:05.000-0700")),
		RevisionId:   new(f.revision), VpcConfig: c.describe(),
		PackageType: types.PackageTypeZip, Runtime: types.RuntimePython312, Handler: new("main.handler"),
	}
	if number != latest {
		listed.RevisionId = new(f.name + "-" + number) // a version's never changes
	}
	if c.CapacityProvider != "" {
		listed.CapacityProviderConfig = &types.CapacityProviderConfig{
			LambdaManagedInstancesCapacityProviderConfig: &types.LambdaManagedInstancesCapacityProviderConfig{
				CapacityProviderArn: new(r.providerARN(c.CapacityProvider)),
			},
		}
	}
	return listed
}

// getFunction is a version of a function with all there is to read, called as it
// was asked for.
func (r *Region) getFunction(v qualified) types.FunctionConfiguration {
	f := v.function
	c := r.listVersion(v)
	if v.qualifier == "" {
		c.FunctionArn = new(r.functionARN(f.name))
	} else {
		c.FunctionArn = new(r.functionARN(f.name + ":" + v.qualifier))
	}
	c.State, c.LastUpdateStatus = types.StateActive, types.LastUpdateStatusSuccessful
	if *c.Version == latest {
		c.LastUpdateStatus, c.LastUpdateStatusReasonCode = f.status, f.code
		if f.code != "" {
			c.LastUpdateStatusReason = new("the update failed with " + string(f.code))
		}
	}
	return c
}

// describe is the network of a configuration, nil where there never was one.
func (c FunctionConfig) describe() *types.VpcConfigResponse {
	if len(c.Subnets) == 0 && !c.EmptyVPC {
		return nil
	}
	return &types.VpcConfigResponse{
		SubnetIds: append([]string{}, c.Subnets...), SecurityGroupIds: append([]string{}, c.SecurityGroups...),
		Ipv6AllowedForDualStack: new(c.IPv6), VpcId: new(c.VPC),
	}
}

func (r *Region) providerARN(nameOrARN string) string {
	if strings.HasPrefix(nameOrARN, "arn:") {
		return nameOrARN
	}
	return fmt.Sprintf("arn:aws:lambda:%s:%s:capacity-provider:%s", r.name, r.account, nameOrARN)
}

// updated is the answer to an update: the function as it is read.
func (r *Region) updated(f *function) *lambda.UpdateFunctionConfigurationOutput {
	c := r.getFunction(qualified{f, ""})
	return &lambda.UpdateFunctionConfigurationOutput{
		FunctionName: c.FunctionName, FunctionArn: c.FunctionArn, Version: c.Version, LastModified: c.LastModified,
		RevisionId: c.RevisionId, VpcConfig: c.VpcConfig, State: c.State, LastUpdateStatus: c.LastUpdateStatus,
		PackageType: c.PackageType, Runtime: c.Runtime, Handler: c.Handler, CapacityProviderConfig: c.CapacityProviderConfig,
	}
}

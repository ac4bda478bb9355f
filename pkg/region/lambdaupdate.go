package region

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// UpdateFunctionConfiguration sets the network of what is not published. Any other
// field is none of our processes' business: it is a violation and refused.
func (a LambdaAPI) UpdateFunctionConfiguration(ctx context.Context, in *lambda.UpdateFunctionConfigurationInput, _ ...func(*lambda.Options)) (*lambda.UpdateFunctionConfigurationOutput, error) {
	u := functionUpdateOf(given(in))
	q := request{service: ServiceLambda, op: "UpdateFunctionConfiguration", id: u.function, mutating: true, wrong: u.wrong()}
	return do(ctx, a.p, q, func() (*lambda.UpdateFunctionConfigurationOutput, error) {
		return a.p.region.updateConfiguration(a.p, u)
	})
}

// functionUpdate is what an UpdateFunctionConfiguration asks for.
type functionUpdate struct {
	function, qualifier string
	revision            string // empty to take whatever is there
	network             *FunctionConfig
	beyond              bool // asks for more than the region models
}

func functionUpdateOf(in lambda.UpdateFunctionConfigurationInput) functionUpdate {
	u := functionUpdate{revision: value(in.RevisionId)}
	u.function, u.qualifier = functionName(value(in.FunctionName))
	if c := in.VpcConfig; c != nil {
		u.network = &FunctionConfig{Subnets: slices.Clone(c.SubnetIds), SecurityGroups: slices.Clone(c.SecurityGroupIds)}
		if c.Ipv6AllowedForDualStack != nil {
			u.network.IPv6 = *c.Ipv6AllowedForDualStack
		}
	}
	in.FunctionName, in.RevisionId, in.VpcConfig = nil, nil, nil
	u.beyond = !reflect.DeepEqual(in, lambda.UpdateFunctionConfigurationInput{})
	return u
}

// wrong says why nobody may send the update, empty if it is fine.
func (u functionUpdate) wrong() string {
	switch {
	case u.network != nil && len(u.network.Subnets) == 0:
		return "carries an empty list of subnets, which takes the function out of its VPC"
	case u.network != nil && len(u.network.SecurityGroups) == 0:
		return "carries an empty list of security groups, which takes the function out of its VPC"
	case u.beyond:
		return "sets a field other than the network"
	case u.revision == "":
		return "names no revision, and may undo what somebody else has just changed"
	}
	return ""
}

// updateConfiguration carries one out for a process. The region is locked.
func (r *Region) updateConfiguration(p *Process, u functionUpdate) (*lambda.UpdateFunctionConfigurationOutput, error) {
	f, ok := r.functions[u.function]
	if !ok {
		return nil, r.noFunction(u.function)
	}
	if u.beyond {
		return nil, notModelled("this field of UpdateFunctionConfiguration")
	}
	if err := f.updatable(u); err != nil {
		return nil, err
	}
	next := r.whole(f.config)
	if u.network != nil {
		if err := r.attachable(*u.network); err != nil {
			return nil, err
		}
		f.compare(p, *u.network)
		next.attach(*u.network)
		next.EmptyVPC = true // whole takes it back where there are subnets
	}
	r.updateFunction(f, next)
	return r.updated(f), nil
}

// updatable says why a function cannot be updated now.
func (f *function) updatable(u functionUpdate) error {
	switch {
	case u.qualifier != "" && u.qualifier != latest:
		return invalidLambda("%s:%s is published and cannot be updated", f.name, u.qualifier)
	case f.status == types.LastUpdateStatusInProgress:
		return &types.ResourceConflictException{Message: new("The operation cannot be performed at this time. An update is in progress for resource: " + f.name)}
	case u.revision != "" && u.revision != f.revision:
		return &types.PreconditionFailedException{Message: new("The RevisionId provided does not match the latest one. Call the GetFunction API to retrieve the latest RevisionId for your resource.")}
	}
	return nil
}

// attachable says why no function can have this network. Without subnets and
// without security groups it has none.
func (r *Region) attachable(n FunctionConfig) error {
	if (len(n.Subnets) == 0) != (len(n.SecurityGroups) == 0) {
		return invalidLambda("SubnetIds and SecurityGroupIds must coexist or be both empty lists.")
	}
	for _, id := range n.Subnets {
		if _, ok := r.subnets[id]; !ok {
			return invalidLambda("Error occurred while DescribeSubnets. The subnet ID '%s' does not exist", id)
		}
	}
	return nil
}

// compare notes what a process of ours should have carried over: a function loses
// what the request leaves out. Lists that are empty were noted before.
func (f *function) compare(p *Process, n FunctionConfig) {
	wrong := func(format string, args ...any) {
		p.violate("UpdateFunctionConfiguration of " + f.name + " " + fmt.Sprintf(format, args...))
	}
	if len(n.SecurityGroups) > 0 && !slices.Equal(n.SecurityGroups, f.config.SecurityGroups) {
		wrong("changes the security groups from %v to %v", f.config.SecurityGroups, n.SecurityGroups)
	}
	if n.IPv6 != f.config.IPv6 {
		wrong("changes whether IPv6 is allowed from %t to %t", f.config.IPv6, n.IPv6)
	}
}

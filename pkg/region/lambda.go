package region

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// functionPage is the most that a page of Lambda's lists holds, whatever was asked
// for.
const functionPage = 50

// LambdaAPI is a process's way to Lambda.
type LambdaAPI struct{ p *Process }

// Lambda is the process's way to Lambda.
func (p *Process) Lambda() LambdaAPI { return LambdaAPI{p} }

// ListFunctions answers with a page of what is not published of all functions or,
// if asked, of every version of them.
func (a LambdaAPI) ListFunctions(ctx context.Context, in *lambda.ListFunctionsInput, _ ...func(*lambda.Options)) (*lambda.ListFunctionsOutput, error) {
	asked := given(in)
	q := request{service: ServiceLambda, op: "ListFunctions"}
	return do(ctx, a.p, q, func() (*lambda.ListFunctionsOutput, error) {
		if asked.MasterRegion != nil {
			return nil, notModelled("functions at the edge")
		}
		r := a.p.region
		every := asked.FunctionVersion == types.FunctionVersionAll
		var all []qualified
		for _, name := range slices.Sorted(maps.Keys(r.functions)) {
			if f := r.functions[name]; every {
				all = append(all, f.all()...)
			} else {
				all = append(all, qualified{f, latest})
			}
		}
		cut, next, err := functionsPage(r, all, qualified.key, asked.Marker, asked.MaxItems)
		out := &lambda.ListFunctionsOutput{NextMarker: next}
		for _, v := range cut {
			listed := r.listVersion(v)
			if !every {
				listed.FunctionArn = new(r.functionARN(v.function.name))
			}
			out.Functions = append(out.Functions, listed)
		}
		return out, err
	})
}

// ListVersionsByFunction answers with a page of a function's versions, what is not
// published among them.
func (a LambdaAPI) ListVersionsByFunction(ctx context.Context, in *lambda.ListVersionsByFunctionInput, _ ...func(*lambda.Options)) (*lambda.ListVersionsByFunctionOutput, error) {
	asked := given(in)
	name, _ := functionName(value(asked.FunctionName))
	q := request{service: ServiceLambda, op: "ListVersionsByFunction", id: name}
	return do(ctx, a.p, q, func() (*lambda.ListVersionsByFunctionOutput, error) {
		r := a.p.region
		f, ok := r.functions[name]
		if !ok {
			return nil, r.noFunction(name)
		}
		cut, next, err := functionsPage(r, f.all(), qualified.key, asked.Marker, asked.MaxItems)
		out := &lambda.ListVersionsByFunctionOutput{NextMarker: next}
		for _, v := range cut {
			out.Versions = append(out.Versions, r.listVersion(v))
		}
		return out, err
	})
}

// ListAliases answers with a page of a function's aliases, of all or of those that
// point to one version.
func (a LambdaAPI) ListAliases(ctx context.Context, in *lambda.ListAliasesInput, _ ...func(*lambda.Options)) (*lambda.ListAliasesOutput, error) {
	asked := given(in)
	name, _ := functionName(value(asked.FunctionName))
	q := request{service: ServiceLambda, op: "ListAliases", id: name}
	return do(ctx, a.p, q, func() (*lambda.ListAliasesOutput, error) {
		r := a.p.region
		f, ok := r.functions[name]
		if !ok {
			return nil, r.noFunction(name)
		}
		var found []string
		for _, alias := range slices.Sorted(maps.Keys(f.aliases)) {
			if matches(value(asked.FunctionVersion), f.aliases[alias]) {
				found = append(found, alias)
			}
		}
		cut, next, err := functionsPage(r, found, itself, asked.Marker, asked.MaxItems)
		out := &lambda.ListAliasesOutput{NextMarker: next}
		for _, alias := range cut {
			out.Aliases = append(out.Aliases, types.AliasConfiguration{
				Name: new(alias), FunctionVersion: new(f.aliases[alias]), AliasArn: new(r.functionARN(name + ":" + alias)),
			})
		}
		return out, err
	})
}

// GetFunction answers with one function, or with a version of it by number or
// alias.
func (a LambdaAPI) GetFunction(ctx context.Context, in *lambda.GetFunctionInput, _ ...func(*lambda.Options)) (*lambda.GetFunctionOutput, error) {
	asked := given(in)
	name, qualifier := functionName(value(asked.FunctionName))
	if asked.Qualifier != nil {
		qualifier = *asked.Qualifier
	}
	q := request{service: ServiceLambda, op: "GetFunction", id: name}
	return do(ctx, a.p, q, func() (*lambda.GetFunctionOutput, error) {
		r := a.p.region
		f, ok := r.functions[name]
		if !ok {
			return nil, r.noFunction(name)
		}
		if _, _, ok := f.at(qualifier); !ok {
			return nil, r.noFunction(name + ":" + qualifier)
		}
		return &lambda.GetFunctionOutput{
			Configuration: new(r.getFunction(qualified{f, qualifier})), Tags: maps.Clone(f.config.Tags),
		}, nil
	})
}

// functionName takes apart a name, an ARN or a part of one, with or without a
// version or alias at its end.
func functionName(given string) (name, qualifier string) {
	if _, after, ok := strings.Cut(given, "function:"); ok {
		given = after
	}
	name, qualifier, _ = strings.Cut(given, ":")
	return name, qualifier
}

// functionsPage cuts a page of one of Lambda's lists.
func functionsPage[T any](r *Region, items []T, key func(T) string, marker *string, asked *int32) ([]T, *string, error) {
	if asked != nil && *asked < 1 {
		return nil, nil, invalidLambda("MaxItems must be at least 1")
	}
	return page(items, key, marker, min(r.pageSize(asked, functionPage), functionPage))
}

func (r *Region) noFunction(name string) error {
	return &types.ResourceNotFoundException{Message: new("Function not found: " + r.functionARN(name))}
}

func invalidLambda(format string, args ...any) error {
	return &types.InvalidParameterValueException{Message: new(fmt.Sprintf(format, args...))}
}

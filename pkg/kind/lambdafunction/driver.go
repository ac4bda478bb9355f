// Package lambdafunction is the kind of Lambda functions in a VPC: the subnets of
// the unpublished version. Published versions keep theirs for good, and are told of.
package lambdafunction

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"

	"sidestep/pkg/clock"
	"sidestep/pkg/resource"
)

const (
	// pageSize is what Lambda answers at most, whatever is asked for.
	// https://docs.aws.amazon.com/lambda/latest/api/API_ListFunctions.html
	pageSize = 50
	// tagPageSize is the most that GetResources takes.
	// https://docs.aws.amazon.com/resourcegroupstagging/latest/APIReference/API_GetResources.html
	tagPageSize = 100
	// atOnce is how many functions are asked about at a time.
	atOnce = 10
)

// Driver drives Lambda functions.
type Driver struct {
	api   API
	tags  TagsAPI
	clock clock.Clock
}

// New returns the driver. The clock starts what runs side by side.
func New(api API, tags TagsAPI, c clock.Clock) *Driver {
	return &Driver{api: api, tags: tags, clock: c}
}

// Kind is lambda-function.
func (d *Driver) Kind() resource.Kind { return resource.LambdaFunction }

// List returns the functions in scope, those in no VPC among them.
func (d *Driver) List(ctx context.Context, s resource.Scope) ([]resource.Resource, error) {
	if !s.Has(d.Kind()) {
		return nil, nil
	}
	var all []types.FunctionConfiguration
	err := d.functions(ctx, &lambda.ListFunctionsInput{}, func(f types.FunctionConfiguration) { all = append(all, f) })
	if err != nil {
		return nil, err
	}
	// Tags come after: those of a function that is made in between are there too.
	tags, err := d.allTags(ctx)
	if err != nil {
		return nil, err
	}
	var found []resource.Resource
	for _, f := range all {
		t := tags[arn(f)]
		if s.Match(aws.ToString(f.FunctionName), t) {
			found = append(found, translate(f, t))
		}
	}
	return found, nil
}

// functions pages through functions, or through all versions of all functions.
func (d *Driver) functions(ctx context.Context, in *lambda.ListFunctionsInput, f func(types.FunctionConfiguration)) error {
	in.MaxItems = aws.Int32(pageSize)
	pages := lambda.NewListFunctionsPaginator(d.api, in)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("listing functions: %w", err)
		}
		for _, found := range page.Functions {
			f(found)
		}
	}
	return nil
}

// allTags reads the tags of all functions, by ARN. A page may be short, or empty,
// and others follow.
func (d *Driver) allTags(ctx context.Context) (map[string]map[string]string, error) {
	all := map[string]map[string]string{}
	pages := resourcegroupstaggingapi.NewGetResourcesPaginator(d.tags, &resourcegroupstaggingapi.GetResourcesInput{
		ResourceTypeFilters: []string{"lambda:function"},
		ResourcesPerPage:    aws.Int32(tagPageSize),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading the tags of functions: %w", err)
		}
		for _, tagged := range page.ResourceTagMappingList {
			tags := map[string]string{}
			for _, t := range tagged.Tags {
				tags[aws.ToString(t.Key)] = aws.ToString(t.Value)
			}
			all[aws.ToString(tagged.ResourceARN)] = tags
		}
	}
	return all, nil
}

// Read describes the functions, several at a time. GetFunction has a limit of its
// own, of 100 a second. GetFunctionConfiguration, and the waiter that polls it, use
// up the 15 a second that all other control calls share, updates among them.
// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
func (d *Driver) Read(ctx context.Context, ids ...resource.ID) ([]resource.Resource, error) {
	read := make([]*resource.Resource, len(ids))
	err := clock.Try(d.clock, len(ids), atOnce, func(i int) error {
		out, err := d.api.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: aws.String(ids[i].ARN)})
		if isGone(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading function %s: %w", ids[i].Name, err)
		}
		if out.Configuration != nil && arn(*out.Configuration) == ids[i].ARN {
			r := translate(*out.Configuration, out.Tags)
			read[i] = &r
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var found []resource.Resource
	for _, r := range slices.DeleteFunc(read, func(r *resource.Resource) bool { return r == nil }) {
		found = append(found, *r)
	}
	return found, nil
}

// isGone reports whether an error says that the function does not exist.
func isGone(err error) bool {
	var gone *types.ResourceNotFoundException
	return errors.As(err, &gone)
}

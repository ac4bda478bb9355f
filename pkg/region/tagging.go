package region

import (
	"context"
	"fmt"
	"maps"
	"slices"

	tagging "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"
	"github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi/types"
)

// Limits of GetResources.
const (
	resourcePage    = 50
	resourcePageMax = 100
)

// TaggingAPI is a process's way to the Resource Groups Tagging API.
type TaggingAPI struct{ p *Process }

// Tagging is the process's way to the Resource Groups Tagging API.
func (p *Process) Tagging() TaggingAPI { return TaggingAPI{p} }

// GetResources answers with a page of the Lambda functions that have tags or had
// some: what never had any is not there. The last page's token is empty, not nil.
func (a TaggingAPI) GetResources(ctx context.Context, in *tagging.GetResourcesInput, _ ...func(*tagging.Options)) (*tagging.GetResourcesOutput, error) {
	asked := given(in)
	q := request{service: ServiceTagging, op: "GetResources"}
	return do(ctx, a.p, q, func() (*tagging.GetResourcesOutput, error) {
		if err := gettable(asked); err != nil {
			return nil, err
		}
		r := a.p.region
		var found []*function
		for _, name := range slices.Sorted(maps.Keys(r.functions)) {
			if f := r.functions[name]; f.tagged && filtered(asked.TagFilters, f.config.Tags) {
				found = append(found, f)
			}
		}
		token := asked.PaginationToken
		if value(token) == "" {
			token = nil
		}
		cut, next, err := page(found, func(f *function) string { return f.name }, token, r.pageSize(asked.ResourcesPerPage, resourcePage))
		out := &tagging.GetResourcesOutput{PaginationToken: new(value(next))}
		for _, f := range cut {
			out.ResourceTagMappingList = append(out.ResourceTagMappingList, r.mapping(f))
		}
		return out, err
	})
}

// gettable says what is wrong with a request for tags.
func gettable(asked tagging.GetResourcesInput) error {
	n := asked.ResourcesPerPage
	switch {
	case n != nil && (*n < 1 || *n > resourcePageMax):
		return &types.InvalidParameterException{Message: new(fmt.Sprintf("ResourcesPerPage must be between 1 and %d", resourcePageMax))}
	case !slices.Equal(asked.ResourceTypeFilters, []string{"lambda:function"}):
		return notModelled("tags of anything but functions")
	case len(asked.ResourceARNList) > 0, asked.TagsPerPage != nil, asked.IncludeComplianceDetails != nil, asked.ExcludeCompliantResources != nil:
		return notModelled("this field of GetResources")
	}
	return nil
}

// filtered reports whether tags pass every filter: each names a key and the values
// it may have, any if it names none.
func filtered(filters []types.TagFilter, tags map[string]string) bool {
	for _, f := range filters {
		got, ok := tags[value(f.Key)]
		if !ok || !chosen(f.Values, got) {
			return false
		}
	}
	return true
}

func (r *Region) mapping(f *function) types.ResourceTagMapping {
	described := types.ResourceTagMapping{ResourceARN: new(r.functionARN(f.name)), Tags: []types.Tag{}}
	for _, key := range slices.Sorted(maps.Keys(f.config.Tags)) {
		described.Tags = append(described.Tags, types.Tag{Key: new(key), Value: new(f.config.Tags[key])})
	}
	return described
}

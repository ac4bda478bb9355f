package region_test

import (
	"fmt"
	"testing"

	tagging "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"
	"github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi/types"

	"sidestep/pkg/region"
)

// tagged is the small region with four functions, one of which lost its tags and
// one never had any.
func tagged() *region.Region {
	r, _ := small()
	for name, tags := range map[string]map[string]string{
		"cart": {"team": "shop", "stage": "prod"}, "pay": {"team": "shop"}, "old": {"team": "mail"}, "plain": nil,
	} {
		r.AddFunction(region.Function{Name: name, FunctionConfig: region.FunctionConfig{Tags: tags}})
	}
	r.EditFunction("old", func(c *region.FunctionConfig) { c.Tags = nil })
	return r
}

func TestTagsAreRead(t *testing.T) {
	for name, test := range map[string]struct {
		filters []types.TagFilter
		want    map[string]int // number of tags
	}{
		"all":             {want: map[string]int{"cart": 2, "pay": 1, "old": 0}},
		"a key":           {filters: []types.TagFilter{{Key: new("stage")}}, want: map[string]int{"cart": 2}},
		"a value":         {filters: []types.TagFilter{{Key: new("team"), Values: []string{"mail", "shop"}}}, want: map[string]int{"cart": 2, "pay": 1}},
		"another value":   {filters: []types.TagFilter{{Key: new("team"), Values: []string{"mail"}}}, want: map[string]int{}},
		"two filters":     {filters: []types.TagFilter{{Key: new("team")}, {Key: new("stage"), Values: []string{"prod"}}}, want: map[string]int{"cart": 2}},
		"one that is not": {filters: []types.TagFilter{{Key: new("team")}, {Key: new("owner")}}, want: map[string]int{}},
	} {
		for _, size := range []int{1, 1000} {
			t.Run(fmt.Sprint(name, ", pages of ", size), func(t *testing.T) {
				r := tagged()
				r.SetPageSize(size)
				in := &tagging.GetResourcesInput{ResourceTypeFilters: []string{"lambda:function"}, ResourcesPerPage: new(int32(100)), TagFilters: test.filters}
				got := map[string]int{}
				for pages := tagging.NewGetResourcesPaginator(r.Process("p").Tagging(), in); pages.HasMorePages(); {
					page, err := pages.NextPage(ctx)
					expect(t, "error", err, nil)
					for _, m := range page.ResourceTagMappingList {
						got[(*m.ResourceARN)[len("arn:aws:lambda:us-east-1:111122223333:function:"):]] = len(m.Tags)
					}
				}
				expect(t, "tags", got, test.want)
			})
		}
	}
}

func TestTheLastPageOfTagsHasAnEmptyToken(t *testing.T) {
	out, err := tagged().Process("p").Tagging().GetResources(ctx, &tagging.GetResourcesInput{
		ResourceTypeFilters: []string{"lambda:function"}, PaginationToken: new(""),
	})
	expect(t, "error", err, nil)
	expect(t, "token", out.PaginationToken, new(""))
	expect(t, "in order, tags too", out.ResourceTagMappingList[0], types.ResourceTagMapping{
		ResourceARN: new("arn:aws:lambda:us-east-1:111122223333:function:cart"),
		Tags:        []types.Tag{{Key: new("stage"), Value: new("prod")}, {Key: new("team"), Value: new("shop")}},
	})
}

func TestWhatTheTaggingAPIRefuses(t *testing.T) {
	api := tagged().Process("p").Tagging()
	functions := []string{"lambda:function"}
	for name, test := range map[string]struct {
		in   *tagging.GetResourcesInput
		want string
	}{
		"everything":    {nil, "NotModelled"},
		"another type":  {&tagging.GetResourcesInput{ResourceTypeFilters: []string{"ecs:service"}}, "NotModelled"},
		"by ARN":        {&tagging.GetResourcesInput{ResourceTypeFilters: functions, ResourceARNList: []string{"x"}}, "NotModelled"},
		"pages by tags": {&tagging.GetResourcesInput{ResourceTypeFilters: functions, TagsPerPage: new(int32(100))}, "NotModelled"},
		"an empty page": {&tagging.GetResourcesInput{ResourceTypeFilters: functions, ResourcesPerPage: new(int32(0))}, "InvalidParameterException"},
		"a large page":  {&tagging.GetResourcesInput{ResourceTypeFilters: functions, ResourcesPerPage: new(int32(101))}, "InvalidParameterException"},
	} {
		expect(t, name, failed(api.GetResources(ctx, test.in)), test.want)
	}
}

package region_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	tagging "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"

	"sidestep/pkg/region"
)

// outcomes makes each of the calls in turn, and answers with their codes.
func outcomes(p *region.Process, calls ...string) []string {
	var got []string
	for _, call := range calls {
		switch call {
		case "ListClusters":
			got = append(got, failed(p.ECS().ListClusters(ctx, nil)))
		case "ListServices":
			got = append(got, failed(p.ECS().ListServices(ctx, &ecs.ListServicesInput{Cluster: new("shop")})))
		case "DescribeServices":
			got = append(got, failed(p.ECS().DescribeServices(ctx, &ecs.DescribeServicesInput{Cluster: new("shop"), Services: []string{"web"}})))
		case "ListFunctions":
			got = append(got, failed(p.Lambda().ListFunctions(ctx, nil)))
		case "GetFunction":
			got = append(got, failed(p.Lambda().GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: new("resize")})))
		case "GetResources":
			got = append(got, failed(p.Tagging().GetResources(ctx, &tagging.GetResourcesInput{ResourceTypeFilters: []string{"lambda:function"}})))
		}
	}
	return got
}

func TestOperationsShareABucket(t *testing.T) {
	r, c := withService(nil)
	p := r.Process("p")
	r.ThrottleOps(region.ServiceECS, []string{"ListServices", "DescribeServices"}, 2, 1)
	expect(t, "two at once", outcomes(p, "ListServices", "DescribeServices", "ListServices", "DescribeServices", "ListClusters"),
		[]string{"", "", "ThrottlingException", "ThrottlingException", ""})
	sleep(c, time.Second)
	expect(t, "one a second", outcomes(p, "DescribeServices", "ListServices"), []string{"", "ThrottlingException"})
	r.ThrottleOps(region.ServiceECS, []string{"DescribeServices", "ListServices"}, 0, 0)
	expect(t, "without a limit", outcomes(p, "DescribeServices", "ListServices"), []string{"", ""})
}

func TestACallNeedsATokenOfEveryBucket(t *testing.T) {
	r, _ := withFunction()
	p := r.Process("p")
	r.Throttle(region.ServiceLambda, 3, 0)
	r.ThrottleOps(region.ServiceLambda, []string{"List", "Update"}, 1, 0)
	expect(t, "answers", outcomes(p, "ListFunctions", "ListFunctions", "GetFunction", "GetFunction"),
		[]string{"", "TooManyRequestsException", "", "TooManyRequestsException"})
	r.Throttle(region.ServiceLambda, 0, 0)
	expect(t, "one limit left", outcomes(p, "GetFunction", "ListFunctions"), []string{"", "TooManyRequestsException"})
}

func TestServicesThrottleInTheirOwnWords(t *testing.T) {
	r, _ := withFunction()
	for service, test := range map[string]struct{ call, code string }{
		region.ServiceECS:     {"ListClusters", "ThrottlingException"},
		region.ServiceLambda:  {"GetFunction", "TooManyRequestsException"},
		region.ServiceTagging: {"GetResources", "ThrottlingException"},
	} {
		r.Throttle(service, 1, 0)
		expect(t, service, outcomes(r.Process("p"), test.call, test.call), []string{"", test.code})
	}
}

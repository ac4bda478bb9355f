package region_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"sidestep/pkg/region"
)

// listed tells of listed functions: version and subnets by ARN.
func listed(t *testing.T, r *region.Region, in *lambda.ListFunctionsInput) map[string]string {
	t.Helper()
	told := map[string]string{}
	for pages := lambda.NewListFunctionsPaginator(r.Process("p").Lambda(), in); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range page.Functions {
			told[(*f.FunctionArn)[len(r.FunctionARN("resize"))-len("resize"):]] = *f.Version + " " + subnetsOf(f)
			expect(t, "what only reading tells", string(f.State)+string(f.LastUpdateStatus), "")
		}
	}
	return told
}

func subnetsOf(f types.FunctionConfiguration) string {
	if f.VpcConfig == nil {
		return "none"
	}
	return fmt.Sprint(f.VpcConfig.SubnetIds)
}

func TestFunctionsAreListed(t *testing.T) {
	r, _ := withFunction()
	r.AddFunction(region.Function{Name: "resize-2"})
	for _, size := range []int{1, 2, 1000} {
		r.SetPageSize(size)
		expect(t, "functions", listed(t, r, &lambda.ListFunctionsInput{}), map[string]string{
			"resize": "$LATEST [c a b]", "resize-2": "$LATEST none",
		})
		expect(t, "versions", listed(t, r, &lambda.ListFunctionsInput{FunctionVersion: types.FunctionVersionAll}), map[string]string{
			"resize:$LATEST": "$LATEST [c a b]", "resize:1": "1 none", "resize:2": "2 [a b]", "resize:10": "10 [b]",
			"resize-2:$LATEST": "$LATEST none",
		})
	}
}

func TestAPageOfFunctionsHoldsFifty(t *testing.T) {
	r, _ := small()
	r.SetPageSize(1000)
	for i := range 60 {
		r.AddFunction(region.Function{Name: fmt.Sprint(i)})
	}
	out, err := r.Process("p").Lambda().ListFunctions(ctx, &lambda.ListFunctionsInput{MaxItems: new(int32(100))})
	expect(t, "error", err, nil)
	expect(t, "functions", len(out.Functions), 50)
}

func TestVersionsAndAliasesAreListed(t *testing.T) {
	r, _ := withFunction()
	r.SetPageSize(1)
	api := r.Process("p").Lambda()
	var versions, aliases []string
	for pages := lambda.NewListVersionsByFunctionPaginator(api, &lambda.ListVersionsByFunctionInput{FunctionName: new("resize")}); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		expect(t, "error", err, nil)
		versions = append(versions, *page.Versions[0].Version+" "+subnetsOf(page.Versions[0]))
	}
	for pages := lambda.NewListAliasesPaginator(api, &lambda.ListAliasesInput{FunctionName: new(r.FunctionARN("resize"))}); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		expect(t, "error", err, nil)
		aliases = append(aliases, *page.Aliases[0].Name+" "+*page.Aliases[0].FunctionVersion)
	}
	expect(t, "versions", versions, []string{"$LATEST [c a b]", "1 none", "2 [a b]", "10 [b]"})
	expect(t, "aliases", aliases, []string{"beta 10", "live 2", "next $LATEST"})
	out, err := api.ListAliases(ctx, &lambda.ListAliasesInput{FunctionName: new("resize"), FunctionVersion: new("2")})
	expect(t, "error", err, nil)
	expect(t, "aliases of a version", len(out.Aliases), 1)
}

func TestFunctionsAreReadByWhateverNamesThem(t *testing.T) {
	r, _ := withFunction()
	arn := r.FunctionARN("resize")
	for name, want := range map[string]string{
		"resize": "$LATEST [c a b]", arn: "$LATEST [c a b]", arn + ":2": "2 [a b]", arn + ":live": "2 [a b]", "resize:$LATEST": "$LATEST [c a b]", "resize:next": "$LATEST [c a b]",
	} {
		f := readFunction(t, r.Process("p"), name)
		expect(t, name, *f.Version+" "+subnetsOf(f), want)
		expect(t, "VPC of "+name, *f.VpcConfig.VpcId, "vpc")
	}
	out, err := r.Process("p").Lambda().GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: new("resize"), Qualifier: new("10")})
	expect(t, "error", err, nil)
	expect(t, "by qualifier", *out.Configuration.FunctionArn, arn+":10")
}

func TestPublishedVersionsStayAsTheyAre(t *testing.T) {
	r, _ := withFunction()
	p := r.Process("p")
	expect(t, "update", moveFunction(ctx, p, revision(t, p), "b"), nil)
	f := readFunction(t, p, "resize:live")
	expect(t, "subnets", f.VpcConfig.SubnetIds, []string{"a", "b"})
	expect(t, "status", f.LastUpdateStatus, types.LastUpdateStatusSuccessful)
}

func TestWhatElseIsRead(t *testing.T) {
	r, _ := small()
	r.AddFunction(region.Function{Name: "managed", FunctionConfig: region.FunctionConfig{CapacityProvider: "spare", Tags: map[string]string{"team": "shop"}}})
	r.AddFunction(region.Function{Name: "left", FunctionConfig: region.FunctionConfig{EmptyVPC: true}})
	out, err := r.Process("p").Lambda().GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: new("managed")})
	expect(t, "error", err, nil)
	expect(t, "tags", out.Tags, map[string]string{"team": "shop"})
	expect(t, "network", out.Configuration.VpcConfig == nil, true)
	expect(t, "capacity provider", *out.Configuration.CapacityProviderConfig.LambdaManagedInstancesCapacityProviderConfig.CapacityProviderArn,
		"arn:aws:lambda:us-east-1:111122223333:capacity-provider:spare")
	const arn = "arn:aws:lambda:us-east-1:111122223333:capacity-provider:other"
	r.EditFunction("managed", func(c *region.FunctionConfig) { c.CapacityProvider = arn })
	managed := readFunction(t, r.Process("p"), "managed").CapacityProviderConfig.LambdaManagedInstancesCapacityProviderConfig
	expect(t, "by ARN", *managed.CapacityProviderArn, arn)
	left := readFunction(t, r.Process("p"), "left")
	expect(t, "an empty network", *left.VpcConfig.VpcId+subnetsOf(left), "[]")
}

func TestWhatLambdaRefuses(t *testing.T) {
	r, _ := withFunction()
	api := r.Process("p").Lambda()
	unknown, zero := new("unknown"), new(int32(0))
	for name, test := range map[string]struct{ got, want string }{
		"an unknown function":      {failed(api.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: unknown})), "ResourceNotFoundException"},
		"no function":              {failed(api.GetFunction(ctx, nil)), "ResourceNotFoundException"},
		"an unknown version":       {failed(api.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: new("resize"), Qualifier: new("9")})), "ResourceNotFoundException"},
		"an unknown one's":         {failed(api.ListVersionsByFunction(ctx, &lambda.ListVersionsByFunctionInput{FunctionName: unknown})), "ResourceNotFoundException"},
		"an unknown one's aliases": {failed(api.ListAliases(ctx, &lambda.ListAliasesInput{FunctionName: unknown})), "ResourceNotFoundException"},
		"an empty page":            {failed(api.ListFunctions(ctx, &lambda.ListFunctionsInput{MaxItems: zero})), "InvalidParameterValueException"},
		"the edge":                 {failed(api.ListFunctions(ctx, &lambda.ListFunctionsInput{MasterRegion: new("ALL")})), "NotModelled"},
	} {
		expect(t, name, test.got, test.want)
	}
}

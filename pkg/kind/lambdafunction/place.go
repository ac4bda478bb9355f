package lambdafunction

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"sidestep/pkg/clock"
	"sidestep/pkg/resource"
)

// fewFunctions is up to how many functions are asked for their versions one by one.
// Beyond that, one scan of all versions of the account takes fewer calls.
const fewFunctions = 50

// Place returns the readings with the subnets of their published versions, which no
// update of the function changes. Where the environments run that Lambda has for
// them it does not say: a function has no places.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-versions.html
func (d *Driver) Place(ctx context.Context, read []resource.Resource) ([]resource.Resource, error) {
	versions, err := d.versions(ctx, read)
	if err != nil {
		return nil, err
	}
	placed := slices.Clone(read)
	for i := range placed {
		placed[i].Traits = with(read[i].Traits, versions[i])
	}
	return placed, nil
}

// versions are the traits that tell of the functions' published versions. One that
// is in no VPC by now may have some from when it was.
func (d *Driver) versions(ctx context.Context, read []resource.Resource) ([]map[string]string, error) {
	found := make([]map[string]string, len(read))
	if len(read) <= fewFunctions {
		err := clock.Try(d.clock, len(read), atOnce, func(i int) error {
			var err error
			found[i], err = d.versionsOf(ctx, read[i].ID)
			return err
		})
		return found, err
	}
	byARN := map[string]map[string]string{}
	for i, r := range read {
		found[i] = map[string]string{}
		byARN[r.ARN] = found[i]
	}
	err := d.functions(ctx, &lambda.ListFunctionsInput{FunctionVersion: types.FunctionVersionAll}, func(f types.FunctionConfiguration) {
		if t := byARN[arn(f)]; t != nil {
			note(t, f)
		}
	})
	return found, err
}

// versionsOf asks for one function's versions. One that is gone has none.
func (d *Driver) versionsOf(ctx context.Context, id resource.ID) (map[string]string, error) {
	found := map[string]string{}
	pages := lambda.NewListVersionsByFunctionPaginator(d.api, &lambda.ListVersionsByFunctionInput{
		FunctionName: aws.String(id.ARN), MaxItems: aws.Int32(pageSize),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if isGone(err) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("listing versions of function %s: %w", id.Name, err)
		}
		for _, f := range page.Versions {
			note(found, f)
		}
	}
	return found, nil
}

// note sets the trait of one version that is published and in a VPC.
func note(traits map[string]string, f types.FunctionConfiguration) {
	version := aws.ToString(f.Version)
	if vpc := attached(f); vpc != nil && version != "" && version != latest {
		traits[versionPrefix+version] = strings.Join(vpc.SubnetIds, ",")
	}
}

// Explain asks which versions the function's aliases run, where it has published
// some. While an update is under way that tells nothing yet, and the call would be
// one of the 15 a second that updates share.
func (d *Driver) Explain(ctx context.Context, r resource.Resource) (resource.Resource, error) {
	all := func([]string) bool { return true }
	if r.Underway != "" || len(published(r, all)) == 0 {
		return r, nil
	}
	aliases := map[string]string{}
	pages := lambda.NewListAliasesPaginator(d.api, &lambda.ListAliasesInput{FunctionName: aws.String(r.ARN)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return resource.Resource{}, fmt.Errorf("listing aliases of function %s: %w", r.Name, err)
		}
		for _, a := range page.Aliases {
			aliases[aliasPrefix+aws.ToString(a.Name)] = strings.Join(runs(a), ",")
		}
	}
	r.Traits = with(r.Traits, aliases)
	return r, nil
}

// runs lists the versions that an alias runs, the one it is named for first.
// https://docs.aws.amazon.com/lambda/latest/dg/configuring-alias-routing.html
func runs(a types.AliasConfiguration) []string {
	var more []string
	if a.RoutingConfig != nil {
		for version := range a.RoutingConfig.AdditionalVersionWeights {
			more = append(more, version)
		}
	}
	slices.SortFunc(more, byNumber)
	return append([]string{aws.ToString(a.FunctionVersion)}, more...)
}

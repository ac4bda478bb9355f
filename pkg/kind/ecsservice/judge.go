package ecsservice

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"sidestep/pkg/resource"
)

// newestFew is how many deployments are asked for to find the newest. ECS answers
// newest first, and does not promise it.
const newestFew = 10

// Explain asks what became of the service's newest deployment. Its status tells
// what the service does not: that AWS rolled a change back, or is about to.
// https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_ServiceDeployment.html
func (d *Driver) Explain(ctx context.Context, r resource.Resource) (resource.Resource, error) {
	cluster, service, _ := strings.Cut(r.Name, "/")
	out, err := d.api.ListServiceDeployments(ctx, &ecs.ListServiceDeploymentsInput{
		Cluster: &cluster, Service: &service, MaxResults: aws.Int32(newestFew),
	})
	if err != nil {
		return resource.Resource{}, fmt.Errorf("listing deployments of service %s of cluster %s: %w", service, cluster, err)
	}
	if len(out.ServiceDeployments) == 0 {
		return r, nil
	}
	newest := slices.MaxFunc(out.ServiceDeployments, func(a, b types.ServiceDeploymentBrief) int {
		return aws.ToTime(a.CreatedAt).Compare(aws.ToTime(b.CreatedAt))
	})
	traits := map[string]string{}
	maps.Copy(traits, r.Traits)
	traits[traitDeployment], traits[traitWhy] = string(newest.Status), aws.ToString(newest.StatusReason)
	traits[traitSince] = aws.ToTime(newest.CreatedAt).UTC().Format(time.RFC3339Nano)
	r.Traits = traits
	r.Underway = underwayBy(newest.Status, r.Underway)
	return r, nil
}

// underwayBy is what is under way, given the status of the newest deployment and
// what the reading says.
func underwayBy(status types.ServiceDeploymentStatus, read string) string {
	switch status {
	case types.ServiceDeploymentStatusRollbackRequested, types.ServiceDeploymentStatusRollbackInProgress:
		return "rollback in progress"
	case types.ServiceDeploymentStatusStopRequested:
		return "deployment is being stopped"
	case types.ServiceDeploymentStatusPending, types.ServiceDeploymentStatusInProgress:
		if read == "" {
			return "deployment in progress"
		}
	}
	return read
}

// Judge compares a fresh reading with what the change wants, and says what became
// of it where that is final.
func (d *Driver) Judge(r resource.Resource, c resource.Change) resource.Progress {
	c = held(r, c)
	p := resource.Compare(r, c)
	switch {
	case stays(c) && p.Reached:
		p.Outcome, p.Reason = resource.HeldRedeploys, left(r, p)
	case r.Underway == "" && redeployed(c):
		p.Outcome, p.Reason = rollout(r, c, slices.Contains(p.Undone, resource.SubnetsField))
	}
	return p
}

// held is the change as a hold wants it: a drain before it may have removed subnets
// that are back, as after a rollback, and those stay then.
func held(r resource.Resource, c resource.Change) resource.Change {
	isBack := func(id string) bool { return slices.Contains(r.Fields[resource.SubnetsField], id) }
	if c.Direction != resource.Evacuate || c.Policy != resource.Hold || !slices.ContainsFunc(c.Removed, isBack) {
		return c
	}
	c.Edits = slices.DeleteFunc(slices.Clone(c.Edits), func(e resource.Edit) bool { return e.Field == resource.SubnetsField })
	c.Removed = nil
	return c
}

// stays reports whether a change keeps the service in the zone. A drain that a hold
// follows took its subnets out already.
func stays(c resource.Change) bool {
	return c.Direction == resource.Evacuate && c.Policy == resource.Hold && len(c.Removed) == 0
}

// redeployed reports whether the change is one that ECS deploys. Of any other, no
// deployment tells anything.
func redeployed(c resource.Change) bool {
	return slices.ContainsFunc(c.Edits, func(e resource.Edit) bool { return e.Field == resource.SubnetsField })
}

// left says what a service that is held still has in the zone.
func left(r resource.Resource, p resource.Progress) string {
	if r.Places == nil {
		return redeploys(r)
	}
	return plural(resource.Count(p.Left)) + " in the zone; " + redeploys(r)
}

// rollout says how the deployment of a change ended, if it ended badly. A
// deployment that is rolled back takes the old subnets back in; one that fails
// without a rollback keeps the new ones, with tasks of both.
// https://docs.aws.amazon.com/AmazonECS/latest/developerguide/deployment-circuit-breaker.html
func rollout(r resource.Resource, c resource.Change, undone bool) (resource.Outcome, string) {
	status, why := types.ServiceDeploymentStatus(r.Traits[traitDeployment]), r.Traits[traitWhy]
	if isOlder(r, c) {
		status = ""
	}
	failed, hasFailed := r.Traits[traitFailed]
	halfway := status == types.ServiceDeploymentStatusStopped || status == types.ServiceDeploymentStatusRollbackFailed
	switch {
	case undone && (halfway || status == types.ServiceDeploymentStatusRollbackSuccessful):
		return resource.RolledBack, because("the deployment was undone, and the old subnets are back", string(status), why)
	case undone:
		return "", ""
	case hasFailed:
		return resource.Stuck, because("the deployment failed and was not rolled back", failed)
	case halfway:
		return resource.Stuck, because("the deployment did not come to its end", string(status), why)
	}
	return "", ""
}

// clockSkew is how far our clock may be from that of ECS.
const clockSkew = time.Minute

// isOlder reports whether the newest deployment that is known was there before the
// change was sent: ours has not shown yet, and that one's fate says nothing of it.
func isOlder(r resource.Resource, c resource.Change) bool {
	since, err := time.Parse(time.RFC3339Nano, r.Traits[traitSince])
	return err == nil && !c.SentAt.IsZero() && since.Before(c.SentAt.Add(-clockSkew))
}

// because joins what happened and what AWS says on it, where it says something.
func because(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")
}

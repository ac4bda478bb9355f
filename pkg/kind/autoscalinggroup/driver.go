// Package autoscalinggroup is the kind of EC2 Auto Scaling groups: their subnets,
// and the processes that would move or replace instances while a zone is out.
package autoscalinggroup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"

	"sidestep/pkg/resource"
)

// Pages and batches of the API: a page holds at most 100 groups, and a request
// may name 50 unless it raises MaxRecords.
// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_DescribeAutoScalingGroups.html
const (
	pageSize  = 100
	batchSize = 50
)

// Options are the choices the configuration leaves for groups.
type Options struct {
	// KeepReplacing leaves the replacement of unhealthy instances on while the
	// zone is held.
	KeepReplacing bool
}

// Driver drives Auto Scaling groups.
type Driver struct {
	api     API
	options Options
}

// New returns the driver.
func New(api API, o Options) *Driver { return &Driver{api: api, options: o} }

// Kind is autoscaling-group.
func (d *Driver) Kind() resource.Kind { return resource.AutoScalingGroup }

// List returns the groups in scope.
func (d *Driver) List(ctx context.Context, s resource.Scope) ([]resource.Resource, error) {
	if !s.Has(d.Kind()) {
		return nil, nil
	}
	var found []resource.Resource
	pages := autoscaling.NewDescribeAutoScalingGroupsPaginator(d.api, &autoscaling.DescribeAutoScalingGroupsInput{
		MaxRecords: aws.Int32(pageSize),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("listing Auto Scaling groups: %w", err)
		}
		for _, g := range page.AutoScalingGroups {
			if s.Match(aws.ToString(g.AutoScalingGroupName), tags(g)) {
				found = append(found, translate(g))
			}
		}
	}
	return found, nil
}

// Read describes the groups by name. A group that was deleted and made again
// under its name is another one, and left out.
func (d *Driver) Read(ctx context.Context, ids ...resource.ID) ([]resource.Resource, error) {
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id.ARN] = true
	}
	var found []resource.Resource
	for batch := range slices.Chunk(ids, batchSize) {
		names := make([]string, len(batch))
		for i, id := range batch {
			names[i] = id.Name
		}
		pages := autoscaling.NewDescribeAutoScalingGroupsPaginator(d.api, &autoscaling.DescribeAutoScalingGroupsInput{
			AutoScalingGroupNames: names,
			MaxRecords:            aws.Int32(pageSize),
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				return nil, fmt.Errorf("describing %d Auto Scaling groups from %s on: %w", len(names), names[0], err)
			}
			for _, g := range page.AutoScalingGroups {
				if wanted[aws.ToString(g.AutoScalingGroupARN)] {
					found = append(found, translate(g))
				}
			}
		}
	}
	return found, nil
}

// Apply sends the edits that are missing, in their order: evacuating, processes
// are suspended before subnets go, so that nothing starts to move; recovering,
// they are resumed after.
func (d *Driver) Apply(ctx context.Context, live resource.Resource, c resource.Change) (resource.Receipt, error) {
	missing, err := c.Missing(live)
	if err != nil {
		return nil, err
	}
	for len(missing) > 0 {
		n := 1
		for n < len(missing) && alike(missing[0], missing[n]) {
			n++
		}
		if err := d.send(ctx, c.Name, missing[:n]); err != nil {
			return nil, err
		}
		missing = missing[n:]
	}
	return nil, nil
}

// alike reports whether two edits go into one call.
func alike(a, b resource.Edit) bool {
	_, first := process(a.Field)
	_, second := process(b.Field)
	return first && second && slices.Equal(a.To, b.To)
}

// send sends one edit, or several of processes that go the same way.
func (d *Driver) send(ctx context.Context, name string, edits []resource.Edit) error {
	if edits[0].Field == resource.SubnetsField {
		return d.setSubnets(ctx, name, edits[0].To)
	}
	var names []string
	for _, e := range edits {
		if p, ok := process(e.Field); ok && len(e.To) == 1 {
			names = append(names, p)
		}
	}
	// Auto Scaling takes an empty list for "all processes".
	if len(names) == 0 {
		return fmt.Errorf("processes of group %s: %w", name, resource.ErrEmpty)
	}
	if edits[0].To[0] == suspended {
		_, err := d.api.SuspendProcesses(ctx, &autoscaling.SuspendProcessesInput{AutoScalingGroupName: &name, ScalingProcesses: names})
		if err != nil {
			return fmt.Errorf("suspending %s of group %s: %w", strings.Join(names, ", "), name, err)
		}
		return nil
	}
	_, err := d.api.ResumeProcesses(ctx, &autoscaling.ResumeProcessesInput{AutoScalingGroupName: &name, ScalingProcesses: names})
	if err != nil {
		return fmt.Errorf("resuming %s of group %s: %w", strings.Join(names, ", "), name, err)
	}
	return nil
}

func (d *Driver) setSubnets(ctx context.Context, name string, subnets []string) error {
	if len(subnets) == 0 {
		return fmt.Errorf("subnets of group %s: %w", name, resource.ErrEmpty)
	}
	_, err := d.api.UpdateAutoScalingGroup(ctx, &autoscaling.UpdateAutoScalingGroupInput{
		AutoScalingGroupName: &name,
		VPCZoneIdentifier:    aws.String(strings.Join(subnets, ",")),
	})
	if err != nil {
		return fmt.Errorf("setting the subnets of group %s: %w", name, err)
	}
	return nil
}

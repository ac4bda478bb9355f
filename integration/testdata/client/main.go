// Command client stands in for sidestep where the harness tests itself: it
// suspends a process of each group it is named, one after the other.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
)

func main() {
	if err := suspend(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func suspend(ctx context.Context, groups []string) error {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	api := autoscaling.NewFromConfig(cfg)
	for _, name := range groups {
		if _, err := api.DescribeAutoScalingGroups(ctx, &autoscaling.DescribeAutoScalingGroupsInput{
			AutoScalingGroupNames: []string{name},
		}); err != nil {
			return err
		}
		if _, err := api.SuspendProcesses(ctx, &autoscaling.SuspendProcessesInput{
			AutoScalingGroupName: &name, ScalingProcesses: []string{"AZRebalance"},
		}); err != nil {
			return err
		}
		fmt.Println(name)
	}
	return nil
}

package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"

	"sidestep/pkg/awsclient"
	"sidestep/pkg/awserr"
	"sidestep/pkg/clock"
	"sidestep/pkg/ledger/dynamo"
)

// ConnectOptions say where to connect to, and how.
type ConnectOptions struct {
	// Region and Profile may be empty: then the environment and the shared
	// configuration say, as for every AWS tool.
	Region, Profile string
	Config          Config
	Clock           clock.Clock
	Progress        func(step string, done, total int)
}

// Identity is who AWS says is calling.
type Identity struct {
	Account string
	ARN     string
}

// ConnectError says why there is no connection, before anything was changed.
type ConnectError struct {
	Why  string
	Next string // what to do about it
	Err  error
}

func (e *ConnectError) Error() string { return e.Why + "; " + e.Next }

// Unwrap gives the cause.
func (e *ConnectError) Unwrap() error { return e.Err }

// Connect finds region and credentials, asks AWS whose they are, and returns all
// that an engine needs. What is wrong with any of that is a *ConnectError, known
// within a minute however the network fails.
func Connect(ctx context.Context, o ConnectOptions) (Deps, Identity, error) {
	limits := awsclient.WithLambdaUpdates(awsclient.Limits, o.Config.Lambda.UpdatesPerSecond)
	pacer := awsclient.NewPacer(o.Clock, awsclient.CallTimeout, limits)
	cfg, err := awsclient.Load(ctx, pacer, o.Region, o.Profile)
	if err != nil {
		return Deps{}, Identity{}, explain(ctx, err)
	}
	// A client of STS made this way asks the region's own endpoint: the global one
	// lives in a region that may be the one in trouble.
	caller, err := sts.NewFromConfig(cfg).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return Deps{}, Identity{}, explain(ctx, err)
	}
	who := Identity{Account: aws.ToString(caller.Account), ARN: aws.ToString(caller.Arn)}
	table := o.Config.Ledger.Table
	db := dynamodb.NewFromConfig(cfg)
	return Deps{
		AutoScaling: autoscaling.NewFromConfig(cfg),
		ECS:         ecs.NewFromConfig(cfg),
		Lambda:      lambda.NewFromConfig(cfg),
		Tagging:     resourcegroupstaggingapi.NewFromConfig(cfg),
		EC2:         ec2.NewFromConfig(cfg),
		ELB:         elb.NewFromConfig(cfg),
		IAM:         iam.NewFromConfig(cfg),
		Store:       dynamo.New(db, table),
		CreateTable: func(ctx context.Context) error { return dynamo.Create(ctx, db, table, o.Clock) },
		Clock:       o.Clock,
		Account:     who.Account,
		Region:      cfg.Region,
		Config:      o.Config,
		Progress:    o.Progress,
	}, who, nil
}

// explain says what a failure to connect means to the one at the keyboard.
func explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("connecting to AWS: %w", context.Cause(ctx))
	}
	if profile, ok := errors.AsType[config.SharedConfigProfileNotExistError](err); ok {
		return &ConnectError{"there is no AWS profile " + profile.Profile, "check --profile and AWS_PROFILE", err}
	}
	if errors.Is(err, awsclient.ErrNoRegion) {
		return &ConnectError{"no AWS region given", "say --region, or set AWS_REGION", err}
	}
	if errors.Is(err, awsclient.ErrNoCredentials) {
		return &ConnectError{noCredentials(err), "log in (such as `aws sso login`), or set --profile or AWS_PROFILE", err}
	}
	switch awserr.Classify(err) {
	case awserr.Access:
		return &ConnectError{"AWS refuses these credentials: " + awserr.Brief(err), "log in again, or check --profile", err}
	case awserr.Unreachable, awserr.AtFault, awserr.Throttled:
		return &ConnectError{"AWS cannot be reached: " + awserr.Brief(err), "check the network, --region and AWS_ENDPOINT_URL", err}
	}
	return &ConnectError{"no connection to AWS: " + awserr.Brief(err), "check --region, --profile and AWS_ENDPOINT_URL", err}
}

// noCredentials adds the cause where there is one. The instance metadata service
// is only the last place that is looked at: that it is not there says nothing.
func noCredentials(err error) string {
	op, ok := errors.AsType[*smithy.OperationError](err)
	if ok && strings.EqualFold(op.Service(), "ec2imds") {
		return "no AWS credentials found"
	}
	return awserr.Brief(err)
}

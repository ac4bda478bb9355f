package awsclient

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Errors of Load.
var (
	// ErrNoCredentials says that no credentials were found, or that they cannot be
	// had.
	ErrNoCredentials = errors.New("no AWS credentials")
	// ErrNoRegion says that no region was given.
	ErrNoRegion = errors.New("no AWS region")
)

// credentialsTimeout bounds the search for credentials, which ends with asking
// an instance metadata service that is often not there.
const credentialsTimeout = 15 * time.Second

// Load finds region and credentials as every AWS tool does (flags given here,
// environment, profile, instance role), and paces all calls made with the
// result. It returns ErrNoRegion or ErrNoCredentials.
func Load(ctx context.Context, p *Pacer, region, profile string) (aws.Config, error) {
	client := awshttp.NewBuildableClient().WithDialerOptions(func(d *net.Dialer) { d.Timeout = 5 * time.Second })
	cfg, err := config.LoadDefaultConfig(ctx,
		config.WithRegion(region),
		config.WithSharedConfigProfile(profile),
		config.WithHTTPClient(client),
		config.WithLogger(logging.Nop{}), // its warnings would stand between our own lines
		config.WithRetryer(func() aws.Retryer { return aws.NopRetryer{} }),
		config.WithAPIOptions([]func(*middleware.Stack) error{p.attach}),
	)
	if err != nil {
		return aws.Config{}, fmt.Errorf("loading the AWS configuration: %w", err)
	}
	if cfg.Region == "" {
		return aws.Config{}, ErrNoRegion
	}
	ctx, cancel := context.WithTimeout(ctx, credentialsTimeout)
	defer cancel()
	if cfg.Credentials == nil {
		return aws.Config{}, ErrNoCredentials
	}
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		return aws.Config{}, fmt.Errorf("%w: %w", ErrNoCredentials, err)
	}
	return cfg, nil
}

// attach puts the pacer where the SDK's retryer is, outside of signing, so that
// each attempt is signed anew.
func (p *Pacer) attach(stack *middleware.Stack) error {
	return stack.Finalize.Insert(middleware.FinalizeMiddlewareFunc("SidestepPacer", p.finalize), "Retry", middleware.Before)
}

func (p *Pacer) finalize(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (out middleware.FinalizeOutput, meta middleware.Metadata, err error) {
	request, ok := in.Request.(*smithyhttp.Request)
	if !ok {
		return next.HandleFinalize(ctx, in)
	}
	err = p.Do(ctx, awsmiddleware.GetServiceID(ctx), awsmiddleware.GetOperationName(ctx), func(ctx context.Context) error {
		if err := request.RewindStream(); err != nil {
			return fmt.Errorf("rewinding the request: %w", err)
		}
		var err error
		out, meta, err = next.HandleFinalize(ctx, middleware.FinalizeInput{Request: request.Clone()})
		return err
	})
	return out, meta, err
}

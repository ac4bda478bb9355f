package integration

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

const testRegion = "us-east-1"

// sidestepNeeds are the services that every run of the binary asks; seedNeeds has
// also what seeding functions takes, and what a drain may ask.
var (
	sidestepNeeds = []string{"autoscaling", "ec2", "ecs", "lambda", "tagging", "dynamodb", "sts"}
	seedNeeds     = append([]string{"iam", "elbv2"}, sidestepNeeds...)
)

// world is one test's AWS: an account of its own where the endpoint can keep
// accounts apart (moto, LocalStack), else a name prefix of its own.
type world struct {
	endpoint string
	region   string
	creds    aws.Credentials
	cfg      aws.Config
	// prefix starts the name of everything the test makes. Empty in an account
	// of its own.
	prefix string
	// services are those the test may use; the observer looks at no others.
	services []string
}

// newWorld gives the test a world that has the services, or counts the test as
// not run.
func newWorld(t *testing.T, services ...string) world {
	t.Helper()
	return worldAt(t, endpoint(t), services...)
}

func worldAt(t *testing.T, endpoint string, services ...string) world {
	t.Helper()
	base := worldWith(endpoint, aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"})
	needs(t, base, services...)
	if own, ok := ownAccount(t.Context(), base); ok {
		own.services = services
		return own
	}
	base.services = services
	base.prefix = fmt.Sprintf("wire-%08x-", rand.Uint32())
	return base
}

func worldWith(endpoint string, creds aws.Credentials) world {
	return world{
		endpoint: endpoint,
		region:   testRegion,
		creds:    creds,
		cfg: aws.Config{
			Region:       testRegion,
			BaseEndpoint: &endpoint,
			Credentials:  credentials.StaticCredentialsProvider{Value: creds},
		},
	}
}

// ownAccount assumes a role in an account nobody has used. The keys that come
// back belong to that account, unless the endpoint knows only one.
func ownAccount(ctx context.Context, base world) (world, bool) {
	account := fmt.Sprint(100_000_000_000 + rand.Int64N(900_000_000_000))
	got, err := sts.NewFromConfig(base.cfg).AssumeRole(ctx, &sts.AssumeRoleInput{
		RoleArn:         aws.String("arn:aws:iam::" + account + ":role/wire-test"),
		RoleSessionName: aws.String("wire-test"),
	})
	if err != nil {
		return world{}, false
	}
	own := worldWith(base.endpoint, aws.Credentials{
		AccessKeyID:     aws.ToString(got.Credentials.AccessKeyId),
		SecretAccessKey: aws.ToString(got.Credentials.SecretAccessKey),
		SessionToken:    aws.ToString(got.Credentials.SessionToken),
	})
	id, err := sts.NewFromConfig(own.cfg).GetCallerIdentity(ctx, nil)
	return own, err == nil && aws.ToString(id.Account) == account
}

// through is the same world, reached by way of another address.
func (w world) through(p *proxy) world {
	other := w
	other.endpoint = p.url
	other.cfg.BaseEndpoint = &p.url
	return other
}

// name is what something is called in this world. A service and its cluster each
// have the prefix, since a name on the command line is a service's without its
// cluster.
func (w world) name(thing string) string {
	if cluster, service, ok := strings.Cut(thing, "/"); ok {
		return w.prefix + cluster + "/" + w.prefix + service
	}
	return w.prefix + thing
}

// service splits a service's name into what ECS takes.
func (w world) service(name string) (cluster, service string) {
	cluster, service, _ = strings.Cut(w.name(name), "/")
	return cluster, service
}

// cleanup runs f at the end of the test where the world is shared with others.
func (w world) cleanup(t *testing.T, f func(ctx context.Context) error) {
	if w.prefix == "" {
		return
	}
	t.Cleanup(func() {
		// The test's own context is done by now.
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := f(ctx); err != nil {
			t.Errorf("cleaning up: %v", err)
		}
	})
}

// probes is one cheap call a service. A test names services by these keys.
var probes = map[string]func(context.Context, aws.Config) error{
	"autoscaling": func(ctx context.Context, cfg aws.Config) error {
		_, err := autoscaling.NewFromConfig(cfg).DescribeAutoScalingGroups(ctx, nil)
		return err
	},
	"dynamodb": func(ctx context.Context, cfg aws.Config) error {
		_, err := dynamodb.NewFromConfig(cfg).ListTables(ctx, nil)
		return err
	},
	"ecs": func(ctx context.Context, cfg aws.Config) error {
		_, err := ecs.NewFromConfig(cfg).ListClusters(ctx, nil)
		return err
	},
	"ec2": func(ctx context.Context, cfg aws.Config) error {
		_, err := ec2.NewFromConfig(cfg).DescribeAvailabilityZones(ctx, nil)
		return err
	},
	"elbv2": func(ctx context.Context, cfg aws.Config) error {
		_, err := elasticloadbalancingv2.NewFromConfig(cfg).DescribeTargetGroups(ctx, nil)
		return err
	},
	"iam": func(ctx context.Context, cfg aws.Config) error {
		_, err := iam.NewFromConfig(cfg).ListRoles(ctx, &iam.ListRolesInput{MaxItems: aws.Int32(1)})
		return err
	},
	"lambda": func(ctx context.Context, cfg aws.Config) error {
		_, err := lambda.NewFromConfig(cfg).ListFunctions(ctx, nil)
		return err
	},
	"sts": func(ctx context.Context, cfg aws.Config) error {
		_, err := sts.NewFromConfig(cfg).GetCallerIdentity(ctx, nil)
		return err
	},
	"tagging": func(ctx context.Context, cfg aws.Config) error {
		_, err := resourcegroupstaggingapi.NewFromConfig(cfg).GetResources(ctx, nil)
		return err
	},
}

// probed remembers what each service answered, so that it is asked once.
var probed sync.Map // service -> func() error

// needs counts the test as run, or as not run for want of a service and ends it.
func needs(t *testing.T, w world, services ...string) {
	t.Helper()
	var lacking []string
	for _, service := range services {
		if err := probe(t, w, service); err != nil {
			// An endpoint that is down lacks nothing: it is broken.
			var answered *awshttp.ResponseError
			if !errors.As(err, &answered) || answered.HTTPStatusCode() == 0 {
				t.Fatalf("%s does not answer: %v", w.endpoint, err)
			}
			t.Logf("%s: %v", service, err)
			lacking = append(lacking, service)
		}
	}
	suite.mu.Lock()
	defer suite.mu.Unlock()
	if len(lacking) > 0 {
		names := strings.Join(lacking, "+")
		suite.notRun[names]++
		t.Skipf("not run: %s has no %s", w.endpoint, names)
	}
	suite.run++
}

func probe(t *testing.T, w world, service string) error {
	t.Helper()
	f, known := probes[service]
	if !known {
		t.Fatalf("there is no probe for the service %q: add one to probes", service)
	}
	once, _ := probed.LoadOrStore(service, sync.OnceValue(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		cfg := w.cfg.Copy()
		cfg.Retryer = func() aws.Retryer { return aws.NopRetryer{} }
		return f(ctx, cfg)
	}))
	return once.(func() error)()
}

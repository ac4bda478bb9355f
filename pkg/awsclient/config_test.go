package awsclient_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"sidestep/pkg/awsclient"
	"sidestep/pkg/awserr"
	"sidestep/pkg/clock"
)

// answer is one answer of the server.
type answer struct {
	status int
	body   string
}

// received is what the server got.
type received struct{ body, signature, date, attempt string }

// alone keeps the test from the machine's own AWS configuration.
func alone(t *testing.T) {
	t.Helper()
	nowhere := filepath.Join(t.TempDir(), "none")
	for _, name := range []string{"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_MAX_ATTEMPTS",
		"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", nowhere)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", nowhere)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
}

// serve answers with these in turn, the last one again and again, and returns a
// configuration that leads there, and what was received so far.
func serve(t *testing.T, c clock.Clock, answers ...answer) (aws.Config, func() []received) {
	t.Helper()
	var got []received // the calls come one after the other
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, received{string(body), r.Header.Get("Authorization"), r.Header.Get("X-Amz-Date"), r.Header.Get("Amz-Sdk-Request")})
		a := answers[min(len(got), len(answers))-1]
		// The SDK signs with the server's time, so that the next signature has another
		// time without anyone waiting for it.
		w.Header().Set("Date", time.Now().Add(time.Duration(len(got))*time.Hour).UTC().Format(http.TimeFormat))
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.body)
	}))
	t.Cleanup(server.Close)
	alone(t)
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	cfg, err := awsclient.Load(t.Context(), awsclient.NewPacer(c, time.Minute, awsclient.Limits), "us-east-1", "")
	if err != nil {
		t.Fatal(err)
	}
	return cfg, func() []received { return got }
}

func fault(code string) string {
	return "<ErrorResponse><Error><Type>Sender</Type><Code>" + code + "</Code><Message>m</Message></Error></ErrorResponse>"
}

const updated = "<UpdateAutoScalingGroupResponse><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></UpdateAutoScalingGroupResponse>"

func update(ctx context.Context, cfg aws.Config) error {
	_, err := autoscaling.NewFromConfig(cfg).UpdateAutoScalingGroup(ctx, &autoscaling.UpdateAutoScalingGroupInput{
		AutoScalingGroupName: aws.String("web"), VPCZoneIdentifier: aws.String("subnet-a,subnet-b"),
	})
	return err
}

// TestEachAttemptIsWholeAndSignedAnew over the wire, through the SDK.
func TestEachAttemptIsWholeAndSignedAnew(t *testing.T) {
	cfg, got := serve(t, clock.Real{}, answer{500, fault("InternalFailure")}, answer{400, fault("Throttling")}, answer{200, updated})
	if err := update(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	attempts := got()
	if len(attempts) != 3 {
		t.Fatalf("%d attempts, want 3", len(attempts))
	}
	for i, a := range attempts {
		if a.body != attempts[0].body || a.body == "" {
			t.Errorf("attempt %d carries %q, the first %q", i+1, a.body, attempts[0].body)
		}
		if i > 0 && (a.signature == attempts[i-1].signature || a.date == attempts[i-1].date) {
			t.Errorf("attempt %d is signed as the one before: %s", i+1, a.signature)
		}
	}
}

// TestTheSDKDoesNotRetryToo: else every bound here is multiplied. The SDK counts
// its attempts in a header.
func TestTheSDKDoesNotRetryToo(t *testing.T) {
	for name, tt := range map[string]struct {
		answers []answer
		want    int
		class   awserr.Class
	}{
		"at fault":   {[]answer{{500, fault("InternalFailure")}, {503, "<html>"}, {200, updated}}, 3, awserr.None},
		"validation": {[]answer{{400, fault("ValidationError")}}, 1, awserr.Invalid},
		"denied":     {[]answer{{403, fault("AccessDenied")}}, 1, awserr.Access},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, got := serve(t, clock.Real{}, tt.answers...)
			t.Setenv("AWS_MAX_ATTEMPTS", "7")
			err := update(t.Context(), cfg)
			if n := len(got()); n != tt.want || awserr.Classify(err) != tt.class {
				t.Errorf("%d attempts and %v, want %d", n, err, tt.want)
			}
			for _, r := range got() {
				if !strings.HasPrefix(r.attempt, "attempt=1;") {
					t.Errorf("the SDK sent %q", r.attempt)
				}
			}
		})
	}
}

// TestAnAnswerThatBreaksOffIsAskedForAgain.
func TestAnAnswerThatBreaksOffIsAskedForAgain(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if requests++; requests == 1 {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "<DescribeAutoScalingGroupsResponse><DescribeAutoScalingGroupsResult>")
			return
		}
		_, _ = io.WriteString(w, "<DescribeAutoScalingGroupsResponse><DescribeAutoScalingGroupsResult><AutoScalingGroups/></DescribeAutoScalingGroupsResult></DescribeAutoScalingGroupsResponse>")
	}))
	defer server.Close()
	cfg, _ := serve(t, clock.Real{}, answer{})
	cfg.BaseEndpoint = &server.URL
	_, err := autoscaling.NewFromConfig(cfg).DescribeAutoScalingGroups(t.Context(), &autoscaling.DescribeAutoScalingGroupsInput{})
	if err != nil || requests != 2 {
		t.Errorf("%d requests and %v, want 2", requests, err)
	}
}

// TestACancelledTransaction is sent again for a conflict, and not for a condition.
func TestACancelledTransaction(t *testing.T) {
	cancelled := func(code string) answer {
		return answer{400, `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","message":"cancelled",` +
			`"CancellationReasons":[{"Code":"None"},{"Code":"` + code + `"}]}`}
	}
	for code, want := range map[string]int{"TransactionConflict": 2, "ThrottlingError": 2, "ConditionalCheckFailed": 1} {
		t.Run(code, func(t *testing.T) {
			cfg, got := serve(t, clock.Real{}, cancelled(code), answer{200, "{}"})
			item := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "p"}}
			_, err := dynamodb.NewFromConfig(cfg).TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{
				TransactItems: []types.TransactWriteItem{{Put: &types.Put{TableName: aws.String("t"), Item: item}}},
			})
			if n := len(got()); n != want || (err == nil) != (want == 2) {
				t.Errorf("%d attempts and %v, want %d", n, err, want)
			}
		})
	}
}

func TestLoadRefuses(t *testing.T) {
	p := awsclient.NewPacer(clock.Real{}, time.Minute, awsclient.Limits)
	alone(t)
	if _, err := awsclient.Load(t.Context(), p, "", ""); !errors.Is(err, awsclient.ErrNoRegion) {
		t.Errorf("without a region: %v", err)
	}
	if _, err := awsclient.Load(t.Context(), p, "us-east-1", ""); !errors.Is(err, awsclient.ErrNoCredentials) {
		t.Errorf("without credentials: %v", err)
	}
	if _, err := awsclient.Load(t.Context(), p, "us-east-1", "nobody"); err == nil {
		t.Error("a profile that does not exist is taken")
	}
}

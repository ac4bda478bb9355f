package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sidestep/pkg/clock"
)

// isolate gives the test an environment in which the SDK finds nothing but what
// is in env.
func isolate(t *testing.T, env map[string]string) {
	t.Helper()
	nowhere := filepath.Join(t.TempDir(), "none")
	for name, value := range map[string]string{
		"HOME": nowhere, "AWS_CONFIG_FILE": nowhere, "AWS_SHARED_CREDENTIALS_FILE": nowhere, "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_PROFILE": "", "AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "", "AWS_ACCESS_KEY_ID": "test",
		"AWS_SECRET_ACCESS_KEY": "test", "AWS_SESSION_TOKEN": "", "AWS_ENDPOINT_URL": "",
	} {
		t.Setenv(name, value)
	}
	for name, value := range env {
		t.Setenv(name, value)
	}
}

// serve is an STS that answers everything so.
func serve(t *testing.T, status int, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/xml")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func connect(ctx context.Context, profile string) (Deps, Identity, error) {
	return Connect(ctx, ConnectOptions{Profile: profile, Config: DefaultConfig(), Clock: clock.Real{}})
}

func TestConnect(t *testing.T) {
	url := serve(t, http.StatusOK, `<GetCallerIdentityResponse><GetCallerIdentityResult>
		<Arn>arn:aws:iam::111122223333:user/ann</Arn><Account>111122223333</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`)
	isolate(t, map[string]string{"AWS_ENDPOINT_URL": url})
	d, who, err := connect(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if want := (Identity{"111122223333", "arn:aws:iam::111122223333:user/ann"}); who != want || d.Account != want.Account || d.Region != "us-east-1" {
		t.Errorf("got %+v in account %s, region %s", who, d.Account, d.Region)
	}
}

func TestConnectSaysWhyNot(t *testing.T) {
	refusal := func(code string) string {
		return serve(t, http.StatusForbidden, "<ErrorResponse><Error><Code>"+code+"</Code><Message>no</Message></Error></ErrorResponse>")
	}
	for _, c := range []struct {
		name    string
		env     map[string]string
		profile string
		want    string
	}{
		{"no credentials", map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "", "no AWS credentials found; log in"},
		{"no region", map[string]string{"AWS_REGION": ""}, "", "no AWS region given; say --region"},
		{"no such profile", nil, "ops", "there is no AWS profile ops; check"},
		{"expired", map[string]string{"AWS_ENDPOINT_URL": refusal("ExpiredToken")}, "", "AWS refuses these credentials: STS GetCallerIdentity: ExpiredToken: no; log in again"},
		{"refused", map[string]string{"AWS_ENDPOINT_URL": refusal("InvalidClientTokenId")}, "", "AWS refuses these credentials"},
		{"nobody there", map[string]string{"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, "", "AWS cannot be reached: STS GetCallerIdentity: 127.0.0.1:1 does not answer: connection refused; check the network"},
		{"somebody else there", map[string]string{"AWS_ENDPOINT_URL": serve(t, http.StatusNotFound, "<html>")}, "", "no connection to AWS"},
	} {
		t.Run(c.name, func(t *testing.T) {
			isolate(t, c.env)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			_, _, err := connect(ctx, c.profile)
			if _, ok := errors.AsType[*ConnectError](err); !ok || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestConnectStops(t *testing.T) {
	isolate(t, map[string]string{"AWS_ENDPOINT_URL": "http://127.0.0.1:1"})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := connect(ctx, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

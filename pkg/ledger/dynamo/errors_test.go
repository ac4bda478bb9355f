package dynamo

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"sidestep/pkg/ledger"
)

func cancelled(codes ...string) error {
	err := &types.TransactionCanceledException{}
	for _, code := range codes {
		err.CancellationReasons = append(err.CancellationReasons, types.CancellationReason{Code: aws.String(code)})
	}
	return err
}

func TestClassify(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want error  // of the ledger's, nil for none
		code string // what a client or a caller sees
	}{
		"condition":             {&types.ConditionalCheckFailedException{}, ledger.ErrCondition, "ConditionalCheckFailedException"},
		"condition of one":      {cancelled("None", "ConditionalCheckFailed"), ledger.ErrCondition, "TransactionCanceledException"},
		"condition, conflict":   {cancelled("TransactionConflict", "ConditionalCheckFailed"), ledger.ErrCondition, "TransactionCanceledException"},
		"conflict":              {cancelled("None", "TransactionConflict"), nil, "TransactionConflictException"},
		"throttled":             {cancelled("ThrottlingError", "None"), nil, "ThrottlingException"},
		"throughput":            {cancelled("ProvisionedThroughputExceeded"), nil, "ProvisionedThroughputExceededException"},
		"conflict, invalid":     {cancelled("TransactionConflict", "ValidationError"), nil, "TransactionCanceledException"},
		"invalid":               {cancelled("ValidationError", "None"), nil, "TransactionCanceledException"},
		"no reasons":            {cancelled(), nil, "TransactionCanceledException"},
		"none but None":         {cancelled("None"), nil, "TransactionCanceledException"},
		"conflict of one write": {&types.TransactionConflictException{}, nil, "TransactionConflictException"},
		"no table":              {&types.ResourceNotFoundException{}, ledger.ErrNoTable, "ResourceNotFoundException"},
		"server":                {&types.InternalServerError{}, nil, "InternalServerError"},
	} {
		t.Run(name, func(t *testing.T) {
			got := classify(fmt.Errorf("operation error: %w", c.err))
			for _, of := range []error{ledger.ErrCondition, ledger.ErrNoTable} {
				if errors.Is(got, of) != (of == c.want) {
					t.Errorf("%v: is %q: %t", got, of, errors.Is(got, of))
				}
			}
			if !errors.Is(got, c.err) {
				t.Errorf("%v lost its cause", got)
			}
			if api, ok := errors.AsType[smithy.APIError](got); !ok || api.ErrorCode() != c.code {
				t.Errorf("%v has not the code %s", got, c.code)
			}
			if again := nameContention(nameContention(got)); again.Error() != got.Error() {
				t.Errorf("naming it again gave %v, want %v", again, got)
			}
		})
	}
}

// answers is an HTTP client that answers with these bodies, then with success.
type answers struct {
	bodies []string
	calls  int
}

func (a *answers) Do(*http.Request) (*http.Response, error) {
	a.calls++
	status, body := http.StatusOK, "{}"
	if a.calls <= len(a.bodies) {
		status, body = http.StatusBadRequest, a.bodies[a.calls-1]
	}
	header := http.Header{"Content-Type": {"application/x-amz-json-1.0"}}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func cancelledBody(code string) string {
	return `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","message":"cancelled",` +
		`"CancellationReasons":[{"Code":"None"},{"Code":"` + code + `"}]}`
}

// TestClientRetriesContention shows that a client's rules for conflicts hold for
// transactions, with the SDK's own retryer in the place of ours.
func TestClientRetriesContention(t *testing.T) {
	for name, c := range map[string]struct {
		bodies []string
		calls  int
		want   error
	}{
		"conflict":  {[]string{cancelledBody("TransactionConflict")}, 2, nil},
		"throttle":  {[]string{cancelledBody("ThrottlingError"), cancelledBody("TransactionConflict")}, 3, nil},
		"condition": {[]string{cancelledBody("ConditionalCheckFailed")}, 1, ledger.ErrCondition},
	} {
		t.Run(name, func(t *testing.T) {
			http := &answers{bodies: c.bodies}
			client := dynamodb.New(dynamodb.Options{
				Region:      "us-east-1",
				Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
				HTTPClient:  http,
				Retryer: retry.AddWithErrorCodes(
					retry.AddWithMaxBackoffDelay(retry.NewStandard(), 1), "TransactionConflictException"),
			})
			err := New(client, "ledger").Write(t.Context(),
				ledger.Op{Put: ledger.Item{"pk": "p", "sk": "1"}}, ledger.Op{Put: ledger.Item{"pk": "p", "sk": "2"}})
			if !errors.Is(err, c.want) || http.calls != c.calls {
				t.Errorf("%d calls and %v, want %d and %v", http.calls, err, c.calls, c.want)
			}
		})
	}
}

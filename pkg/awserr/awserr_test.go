package awserr_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	asgtypes "github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"sidestep/pkg/awserr"
	"sidestep/pkg/resource"
)

func code(c string) error {
	return &smithy.GenericAPIError{Code: c, Message: "text that says Throttling"}
}

// answered wraps a cause as the SDK does what came with an HTTP status.
func answered(status int, cause error) error {
	return &smithy.OperationError{ServiceID: "S", OperationName: "Op", Err: &awshttp.ResponseError{
		ResponseError: &smithyhttp.ResponseError{
			Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}}, Err: cause,
		},
		RequestID: "1",
	}}
}

// unsent wraps a cause as the SDK does what never got an answer.
func unsent(cause error) error {
	return &smithy.OperationError{ServiceID: "S", OperationName: "Op", Err: &smithyhttp.RequestSendError{
		Err: &url.Error{Op: "Post", URL: "https://example.com", Err: cause},
	}}
}

func cancelled(reasons ...string) error {
	err := &types.TransactionCanceledException{}
	for _, r := range reasons {
		reason := types.CancellationReason{Code: aws.String(r)}
		if r == "" {
			reason.Code = nil
		}
		err.CancellationReasons = append(err.CancellationReasons, reason)
	}
	return answered(http.StatusBadRequest, err)
}

func TestClassify(t *testing.T) {
	for name, tt := range map[string]struct {
		err  error
		want awserr.Class
	}{
		"nil": {nil, awserr.None},

		"a code alone":         {code("Throttling"), awserr.Throttled},
		"Auto Scaling's":       {answered(400, code("RateExceeded")), awserr.Throttled},
		"EC2's":                {answered(503, code("RequestLimitExceeded")), awserr.Throttled},
		"DynamoDB's":           {answered(400, &types.ProvisionedThroughputExceededException{}), awserr.Throttled},
		"contention, as a 500": {answered(500, &asgtypes.ResourceContentionFault{}), awserr.Busy},
		"activity, as a 400":   {answered(400, &asgtypes.ScalingActivityInProgressFault{}), awserr.Busy},
		"in use":               {answered(400, &asgtypes.ResourceInUseFault{}), awserr.Busy},
		"conflict":             {answered(400, &types.TransactionConflictException{}), awserr.Busy},
		"in progress":          {answered(400, &types.TransactionInProgressException{}), awserr.Busy},
		"role":                 {answered(500, &asgtypes.ServiceLinkedRoleFailure{}), awserr.Role},
		"no target group":      {answered(400, &elbtypes.TargetGroupNotFoundException{}), awserr.NotFound},
		"no table":             {answered(400, &types.ResourceNotFoundException{}), awserr.NotFound},
		"validation":           {answered(400, code("ValidationError")), awserr.Invalid},
		"denied, as a 400":     {answered(400, code("AccessDeniedException")), awserr.Access},
		"expired":              {answered(400, code("ExpiredToken")), awserr.Access},
		"at fault":             {answered(500, &types.InternalServerError{}), awserr.AtFault},
		"unavailable":          {answered(503, code("ServiceUnavailable")), awserr.AtFault},
		"service's timeout":    {answered(400, code("RequestTimeout")), awserr.Unreachable},

		"400 of a new code": {answered(400, code("NewCode")), awserr.Invalid},
		"401":               {answered(401, errors.New("html")), awserr.Access},
		"403 of a new code": {answered(403, code("NewCode")), awserr.Access},
		"404":               {answered(404, errors.New("html")), awserr.NotFound},
		"408":               {answered(408, errors.New("html")), awserr.Unreachable},
		"429":               {answered(429, errors.New("html")), awserr.Throttled},
		"500":               {answered(500, code("NewCode")), awserr.AtFault},
		"503 of a proxy":    {answered(503, &smithy.DeserializationError{Err: errors.New("html")}), awserr.AtFault},
		"200 of a portal":   {answered(200, &smithy.DeserializationError{Err: errors.New("html")}), awserr.Unknown},

		"200 that broke off":   {answered(200, &smithy.DeserializationError{Err: io.ErrUnexpectedEOF}), awserr.Unreachable},
		"200 that was reset":   {answered(200, &smithy.DeserializationError{Err: &net.OpError{Op: "read", Err: syscall.ECONNRESET}}), awserr.Unreachable},
		"200 that hung":        {answered(200, &smithy.DeserializationError{Err: context.DeadlineExceeded}), awserr.Unreachable},
		"200 that was stopped": {answered(200, &smithy.DeserializationError{Err: context.Canceled}), awserr.Stopped},

		"no such host":    {unsent(&net.DNSError{Err: "no such host"}), awserr.Unreachable},
		"refused":         {unsent(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), awserr.Unreachable},
		"sent in vain":    {&smithyhttp.RequestSendError{Err: errors.New("odd")}, awserr.Unreachable},
		"no answer":       {unsent(context.DeadlineExceeded), awserr.Unreachable},
		"deadline":        {fmt.Errorf("waiting: %w", context.DeadlineExceeded), awserr.Unreachable},
		"stopped":         {unsent(context.Canceled), awserr.Stopped},
		"stopped, by SDK": {&smithy.OperationError{Err: &aws.RequestCanceledError{Err: context.Canceled}}, awserr.Stopped},

		"drifted":         {fmt.Errorf("subnets: %w", resource.ErrDrifted), awserr.Drifted},
		"drifted, joined": {errors.Join(code("Throttling"), resource.ErrDrifted), awserr.Drifted},
		"wrapped":         {fmt.Errorf("setting web: %w", fmt.Errorf("again: %w", answered(400, code("Throttling")))), awserr.Throttled},

		"transaction: conflict":             {cancelled("None", "TransactionConflict"), awserr.Busy},
		"transaction: throttled":            {cancelled("ThrottlingError", ""), awserr.Throttled},
		"transaction: conflict, throughput": {cancelled("TransactionConflict", "ProvisionedThroughputExceeded"), awserr.Throttled},
		"transaction: throughput, conflict": {cancelled("ProvisionedThroughputExceeded", "TransactionConflict"), awserr.Throttled},
		"transaction: condition":            {cancelled("TransactionConflict", "ConditionalCheckFailed"), awserr.Invalid},
		"transaction: too large":            {cancelled("TransactionConflict", "ItemCollectionSizeLimitExceeded"), awserr.Invalid},
		"transaction: invalid":              {cancelled("ValidationError"), awserr.Invalid},
		"transaction: no reason":            {cancelled(), awserr.Invalid},
		"transaction: none":                 {cancelled("None", ""), awserr.Invalid},

		"a text that says so": {errors.New("Throttling: Rate exceeded"), awserr.Unknown},
		"a code nobody knows": {code("NewCode"), awserr.Unknown},
	} {
		if got := awserr.Classify(tt.err); got != tt.want {
			t.Errorf("%s: class %d, want %d", name, got, tt.want)
		}
	}
}

func TestWhatClassesMean(t *testing.T) {
	for class, want := range map[awserr.Class]struct {
		retry   bool
		outcome resource.Outcome
	}{
		awserr.Throttled:   {true, resource.FailedUnreachable},
		awserr.Busy:        {true, resource.FailedBusy},
		awserr.AtFault:     {true, resource.FailedUnreachable},
		awserr.Unreachable: {true, resource.FailedUnreachable},
		awserr.Access:      {false, resource.FailedAccess},
		awserr.Role:        {false, resource.FailedRole},
		awserr.NotFound:    {false, resource.FailedInvalid},
		awserr.Invalid:     {false, resource.FailedInvalid},
		awserr.Drifted:     {false, resource.Drifted},
		awserr.Stopped:     {false, resource.FailedUnreachable},
		awserr.Unknown:     {false, resource.FailedInvalid},
	} {
		if class.Retryable() != want.retry || class.Outcome() != want.outcome {
			t.Errorf("class %d: retry %t and %s, want %t and %s", class, class.Retryable(), class.Outcome(), want.retry, want.outcome)
		}
	}
	if awserr.None.Retryable() {
		t.Error("success is sent again")
	}
}

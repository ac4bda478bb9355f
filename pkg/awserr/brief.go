package awserr

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Brief is an error in as few words as say what happened: what the SDK's chain of
// operation, transport and response says is cut down to the service, the call and
// AWS's answer. All that our own code says around it stays. It is one line.
func Brief(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	if op, ok := errors.AsType[*smithy.OperationError](err); ok {
		text = strings.Replace(text, op.Error(), op.Service()+" "+op.Operation()+": "+cause(op), 1)
	}
	return strings.Join(strings.Fields(text), " ")
}

// cause is the innermost thing that a call's error says.
func cause(op *smithy.OperationError) string {
	if api, ok := errors.AsType[smithy.APIError](op); ok {
		return strings.TrimSuffix(api.ErrorCode()+": "+api.ErrorMessage(), ": ")
	}
	if sent, ok := errors.AsType[*url.Error](op); ok {
		return unanswered(sent)
	}
	if response, ok := errors.AsType[*smithyhttp.ResponseError](op); ok && response.HTTPStatusCode() != 0 {
		return "an answer that is not AWS's, with HTTP status " + strconv.Itoa(response.HTTPStatusCode())
	}
	if errors.Is(op, context.DeadlineExceeded) {
		return "no answer in time"
	}
	return op.Err.Error()
}

// unanswered says who did not answer a request, and why.
func unanswered(e *url.Error) string {
	host := e.URL
	if u, err := url.Parse(e.URL); err == nil {
		host = u.Host
	}
	if dns, ok := errors.AsType[*net.DNSError](e); ok {
		return host + " does not answer: " + dns.Err
	}
	if e.Timeout() || errors.Is(e, context.DeadlineExceeded) {
		return host + " does not answer in time"
	}
	if op, ok := errors.AsType[*net.OpError](e); ok {
		return host + " does not answer: " + innermost(op.Err).Error()
	}
	return host + " does not answer: " + e.Err.Error()
}

func innermost(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}

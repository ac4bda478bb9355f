package awserr

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"testing"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// operation is an error as the SDK's clients return it.
func operation(err error) error {
	return &smithy.OperationError{ServiceID: "EC2", OperationName: "DescribeSubnets", Err: err}
}

func answered(status int, err error) error {
	return &awshttp.ResponseError{RequestID: "1234", ResponseError: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}}, Err: err,
	}}
}

func unsent(err error) error {
	return &smithyhttp.RequestSendError{Err: &url.Error{Op: "Post", URL: "https://ec2.example.com/", Err: err}}
}

func TestBrief(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"none", nil, ""},
		{"not AWS's", errors.New("two\nlines"), "two lines"},
		{"answer", operation(answered(403, &smithy.GenericAPIError{Code: "AuthFailure", Message: "no"})), "EC2 DescribeSubnets: AuthFailure: no"},
		{"answer without message", operation(&smithy.GenericAPIError{Code: "AuthFailure"}), "EC2 DescribeSubnets: AuthFailure"},
		{"our words around", fmt.Errorf("describing subnets: %w (twice)", operation(&smithy.GenericAPIError{Code: "X", Message: "y"})),
			"describing subnets: EC2 DescribeSubnets: X: y (twice)"},
		{"refused", operation(unsent(refused)), "EC2 DescribeSubnets: ec2.example.com does not answer: connection refused"},
		{"unknown host", operation(unsent(&net.DNSError{Err: "no such host", Name: "ec2.example.com"})), "EC2 DescribeSubnets: ec2.example.com does not answer: no such host"},
		{"too late", operation(unsent(context.DeadlineExceeded)), "EC2 DescribeSubnets: ec2.example.com does not answer in time"},
		{"deadline before it was sent", operation(context.DeadlineExceeded), "EC2 DescribeSubnets: no answer in time"},
		{"a proxy's page", operation(answered(502, errors.New("deserialization failed, <html>"))), "EC2 DescribeSubnets: an answer that is not AWS's, with HTTP status 502"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Brief(c.err); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

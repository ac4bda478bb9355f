// Package awserr sorts what AWS calls return into the few classes that callers
// act on. It is the one place that knows error codes, and nothing in Sidestep
// reads an error's text.
package awserr

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"sidestep/pkg/resource"
)

// Class is what an error means for the caller.
type Class int

// The classes.
const (
	None        Class = iota
	Throttled         // slow down and send again
	Busy              // the resource is being changed: send again
	AtFault           // the service answers that it is at fault: send again
	Unreachable       // no answer: send again, a few times
	Access            // the caller may not
	Role              // a role that the service would assume is broken
	NotFound          // no such thing
	Invalid           // AWS refuses the request as it is
	Outdated          // the resource has changed since it was read: read it and plan again
	Drifted           // not an AWS error: the resource changed meanwhile
	Stopped           // not an AWS error: the caller was told to stop
	Unknown
)

// codes lists the error codes that mean something other than their HTTP status
// says. Sources: the services' API references, and for throttles the list in the
// AWS SDK for Go (aws/retry). Auto Scaling documents RateExceeded and sends
// Throttling.
var codes = map[string]Class{
	"Throttling": Throttled, "ThrottlingException": Throttled, "ThrottledException": Throttled,
	"RateExceeded": Throttled, "RequestLimitExceeded": Throttled, "RequestThrottled": Throttled,
	"RequestThrottledException": Throttled, "TooManyRequestsException": Throttled,
	"LimitExceededException": Throttled, "SlowDown": Throttled, "EC2ThrottledException": Throttled,
	"ProvisionedThroughputExceededException": Throttled, "BandwidthLimitExceeded": Throttled,
	"PriorRequestNotComplete": Throttled,

	"ResourceContention": Busy, "ScalingActivityInProgress": Busy, "ResourceInUse": Busy,
	"ResourceInUseException": Busy, "ResourceConflictException": Busy, "ConflictException": Busy,
	"TransactionInProgressException": Busy, "TransactionConflictException": Busy,

	"AccessDenied": Access, "AccessDeniedException": Access, "UnauthorizedOperation": Access,
	"AuthFailure": Access, "UnrecognizedClientException": Access, "InvalidClientTokenId": Access,
	"SignatureDoesNotMatch": Access, "ExpiredToken": Access, "ExpiredTokenException": Access,
	"OptInRequired": Access, "MissingAuthenticationToken": Access, "IncompleteSignature": Access,

	"ServiceLinkedRoleFailure": Role, "InvalidRole": Role,

	"ResourceNotFoundException": NotFound, "TargetGroupNotFound": NotFound, "LoadBalancerNotFound": NotFound,
	"ClusterNotFoundException": NotFound, "ServiceNotFoundException": NotFound,
	"InvalidSubnetID.NotFound": NotFound,

	"PreconditionFailedException": Outdated,

	"ValidationError": Invalid, "ValidationException": Invalid, "InvalidParameterException": Invalid,
	"InvalidConfigurationRequest": Invalid, "InvalidParameterValue": Invalid,

	"RequestTimeout": Unreachable, "RequestTimeoutException": Unreachable,
	"InternalFailure": AtFault, "InternalError": AtFault, "ServiceUnavailable": AtFault,
	"InternalServerError": AtFault, "ServerException": AtFault, "ServiceException": AtFault,
}

// Classify sorts an error; nil is None.
func Classify(err error) Class {
	if err == nil {
		return None
	}
	if errors.Is(err, resource.ErrDrifted) {
		return Drifted
	}
	if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		return byReasons(cancelled.CancellationReasons)
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		if class, known := codes[api.ErrorCode()]; known {
			return class
		}
	}
	// An answer that says success and yet is an error broke off on its way, or is
	// not AWS's: what broke it says more.
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && response.HTTPStatusCode() >= http.StatusBadRequest {
		return byStatus(response.HTTPStatusCode())
	}
	return byCause(err)
}

// byCause sorts what came without an answer, or with part of one.
func byCause(err error) Class {
	if errors.Is(err, context.Canceled) {
		return Stopped
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return Unreachable
	}
	if _, ok := errors.AsType[*smithyhttp.RequestSendError](err); ok {
		return Unreachable
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.ErrUnexpectedEOF) {
		return Unreachable
	}
	return Unknown
}

// byReasons tells a transaction that a condition ended, which is an answer, from
// one that met another on the same item (the run lock's heartbeat does) or a
// throttle, which is worth sending again. There is a reason for each of its items.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
func byReasons(reasons []types.CancellationReason) Class {
	class := Invalid
	for _, r := range reasons {
		switch aws.ToString(r.Code) {
		case "", "None":
		case "ThrottlingError", "ProvisionedThroughputExceeded":
			class = Throttled
		case "TransactionConflict":
			if class == Invalid {
				class = Busy
			}
		default:
			return Invalid // sent again, it would fail by this one
		}
	}
	return class
}

func byStatus(status int) Class {
	switch {
	case status == http.StatusTooManyRequests:
		return Throttled
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return Access
	case status == http.StatusNotFound:
		return NotFound
	case status >= 500:
		return AtFault
	case status == http.StatusRequestTimeout:
		return Unreachable
	case status >= 400:
		return Invalid
	}
	return Unknown
}

// Retryable reports whether the same request may succeed if sent again.
func (c Class) Retryable() bool {
	return c == Throttled || c == Busy || c == AtFault || c == Unreachable
}

// Outcome is the code under which a failed change is reported.
func (c Class) Outcome() resource.Outcome {
	switch c {
	case Access:
		return resource.FailedAccess
	case Busy, Outdated:
		return resource.FailedBusy
	case Role:
		return resource.FailedRole
	case Throttled, AtFault, Unreachable, Stopped:
		return resource.FailedUnreachable
	case Drifted:
		return resource.Drifted
	default:
		return resource.FailedInvalid
	}
}

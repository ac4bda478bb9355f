// Package awserr sorts what AWS calls return into the few classes that callers
// act on. It is the one place that knows error codes, and nothing in Sidestep
// reads an error's text.
package awserr

import (
	"context"
	"errors"
	"net"

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
	Unreachable       // no answer, or the service is at fault: send again
	Access            // the caller may not
	Role              // a role that the service would assume is broken
	NotFound          // no such thing
	Invalid           // AWS refuses the request as it is
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

	"ValidationError": Invalid, "ValidationException": Invalid, "InvalidParameterException": Invalid,
	"InvalidConfigurationRequest": Invalid, "InvalidParameterValue": Invalid,

	"RequestTimeout": Unreachable, "RequestTimeoutException": Unreachable,
	"InternalFailure": Unreachable, "InternalError": Unreachable, "ServiceUnavailable": Unreachable,
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
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok {
		return byStatus(response.HTTPStatusCode())
	}
	if errors.Is(err, context.Canceled) {
		return Stopped
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return Unreachable
	}
	if _, ok := errors.AsType[*smithyhttp.RequestSendError](err); ok {
		return Unreachable
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return Unreachable
	}
	return Unknown
}

// byReasons tells a transaction that a condition ended, which is an answer, from
// one that met another on the same item (the run lock's heartbeat does), which is
// worth sending again.
func byReasons(reasons []types.CancellationReason) Class {
	class := Busy
	for _, r := range reasons {
		if r.Code == nil {
			continue
		}
		switch *r.Code {
		case "ConditionalCheckFailed", "ValidationError":
			return Invalid
		case "ThrottlingError", "ProvisionedThroughputExceeded":
			class = Throttled
		}
	}
	return class
}

func byStatus(status int) Class {
	switch {
	case status == 429:
		return Throttled
	case status == 401 || status == 403:
		return Access
	case status == 404:
		return NotFound
	case status >= 500:
		return Unreachable
	case status >= 400:
		return Invalid
	}
	return Unknown
}

// Retryable reports whether the same request may succeed if sent again.
func (c Class) Retryable() bool {
	return c == Throttled || c == Busy || c == Unreachable
}

// Outcome is the code under which a failed change is reported.
func (c Class) Outcome() resource.Outcome {
	switch c {
	case Access:
		return resource.FailedAccess
	case Busy:
		return resource.FailedBusy
	case Role:
		return resource.FailedRole
	case Throttled, Unreachable, Stopped:
		return resource.FailedUnreachable
	case Drifted:
		return resource.Drifted
	default:
		return resource.FailedInvalid
	}
}

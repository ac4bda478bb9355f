package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"sidestep/pkg/ledger"
)

// The codes of a cancelled transaction's reasons, one for each of its items.
const (
	reasonNone      = "None"
	reasonCondition = "ConditionalCheckFailed"
)

// contention gives, for the reasons that pass with time, the code that the same
// trouble has outside of a transaction.
var contention = map[string]string{
	"TransactionConflict":           "TransactionConflictException",
	"ProvisionedThroughputExceeded": "ProvisionedThroughputExceededException",
	"ThrottlingError":               "ThrottlingException",
}

// classify adds the ledger's error to what DynamoDB answered. All that it does
// not know stays as it is.
func classify(err error) error {
	if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		// A failed condition decides, whatever else happened to other items: sent
		// again, the transaction would fail by it.
		for _, r := range cancelled.CancellationReasons {
			if aws.ToString(r.Code) == reasonCondition {
				return fmt.Errorf("%w (%w)", ledger.ErrCondition, err)
			}
		}
		return nameContention(err)
	}
	if _, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return fmt.Errorf("%w (%w)", ledger.ErrCondition, err)
	}
	if _, ok := errors.AsType[*types.ResourceNotFoundException](err); ok {
		return fmt.Errorf("%w (%w)", ledger.ErrNoTable, err)
	}
	return err
}

// nameContention puts the code of a conflict or a throttle before the error of a
// transaction that was cancelled for nothing else. A cancelled transaction has
// one code whatever the reason, which tells a client that it is in vain to send
// it again.
func nameContention(err error) error {
	if _, named := errors.AsType[*contended](err); named {
		return err
	}
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok {
		return err
	}
	code := ""
	for _, r := range cancelled.CancellationReasons {
		reason := aws.ToString(r.Code)
		if reason == "" || reason == reasonNone {
			continue
		}
		if contention[reason] == "" {
			return err
		}
		code = contention[reason]
	}
	if code == "" {
		return err
	}
	return &contended{code: code, err: err}
}

// contended is a transaction that was cancelled because others were at the same
// items, or too many at the table. The same one may succeed later.
type contended struct {
	code string
	err  error
}

var _ smithy.APIError = (*contended)(nil)

func (c *contended) Error() string                 { return c.code + ": " + c.err.Error() }
func (c *contended) Unwrap() error                 { return c.err }
func (c *contended) ErrorCode() string             { return c.code }
func (c *contended) ErrorMessage() string          { return c.err.Error() }
func (c *contended) ErrorFault() smithy.ErrorFault { return smithy.FaultClient }

// namingContention makes the client itself see the names, so that whatever it has
// for conflicts and throttles applies: the heartbeat of a lock meets the
// transactions that check the lock all the time.
func namingContention(o *dynamodb.Options) {
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("LedgerContention",
			func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
				out, metadata, err := next.HandleDeserialize(ctx, in)
				return out, metadata, nameContention(err)
			}), middleware.Before)
	})
}

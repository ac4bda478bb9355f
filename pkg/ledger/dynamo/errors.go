package dynamo

import (
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"sidestep/pkg/ledger"
)

// reasonCondition is the code of a cancelled transaction's item whose condition
// failed. awserr knows the codes that are worth another attempt.
const reasonCondition = "ConditionalCheckFailed"

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
		return err
	}
	if _, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return fmt.Errorf("%w (%w)", ledger.ErrCondition, err)
	}
	if _, ok := errors.AsType[*types.ResourceNotFoundException](err); ok {
		return fmt.Errorf("%w (%w)", ledger.ErrNoTable, err)
	}
	return err
}

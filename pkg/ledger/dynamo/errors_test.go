package dynamo

import (
	"errors"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
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
		code string // what a caller sees
	}{
		"condition":             {&types.ConditionalCheckFailedException{}, ledger.ErrCondition, "ConditionalCheckFailedException"},
		"condition of one":      {cancelled("None", "ConditionalCheckFailed"), ledger.ErrCondition, "TransactionCanceledException"},
		"condition, conflict":   {cancelled("TransactionConflict", "ConditionalCheckFailed"), ledger.ErrCondition, "TransactionCanceledException"},
		"conflict":              {cancelled("None", "TransactionConflict"), nil, "TransactionCanceledException"},
		"throttled":             {cancelled("ThrottlingError", "None"), nil, "TransactionCanceledException"},
		"throughput":            {cancelled("ProvisionedThroughputExceeded"), nil, "TransactionCanceledException"},
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
				if errors.Is(got, of) != errors.Is(c.want, of) {
					t.Errorf("%v: is %q: %t", got, of, errors.Is(got, of))
				}
			}
			if !errors.Is(got, c.err) {
				t.Errorf("%v lost its cause", got)
			}
			if api, ok := errors.AsType[smithy.APIError](got); !ok || api.ErrorCode() != c.code {
				t.Errorf("%v has not the code %s", got, c.code)
			}
		})
	}
}

package dynamo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"sidestep/pkg/clock"
)

// ErrOtherTable says that a table of the name exists and is not built as a ledger.
var ErrOtherTable = errors.New("the table exists and is not a ledger's")

// Times of Create. A table takes about ten seconds; minutes are seen when many
// are made at once.
const (
	createDeadline = 5 * time.Minute
	createPoll     = 2 * time.Second
)

// Create makes the table as it is deployed: on demand, with the index of records
// by kind, protected against deletion and with point-in-time recovery. It returns
// when the table can be used. A table that is there already is checked, and
// finished if an earlier Create was not; ErrOtherTable says that it is none of
// ours.
func Create(ctx context.Context, api TableAPI, table string, clk clock.Clock) error {
	ctx, cancel := clk.WithTimeout(ctx, createDeadline)
	defer cancel()
	if err := create(ctx, api, table); err != nil {
		return fmt.Errorf("creating table %s: %w", table, err)
	}
	err := poll(ctx, clk, func() (bool, error) { return active(ctx, api, table) })
	if err != nil {
		return fmt.Errorf("waiting for table %s to become active: %w", table, err)
	}
	err = poll(ctx, clk, func() (bool, error) { return recoverable(ctx, api, table) })
	if err != nil {
		return fmt.Errorf("enabling point-in-time recovery of table %s: %w", table, err)
	}
	return nil
}

// create asks for the table where there is none. It looks first: that it exists is
// an error which our client takes for a passing one.
func create(ctx context.Context, api TableAPI, table string) error {
	_, err := api.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	if _, missing := errors.AsType[*types.ResourceNotFoundException](err); !missing {
		return err
	}
	_, err = api.CreateTable(ctx, layout(table))
	if _, exists := errors.AsType[*types.ResourceInUseException](err); exists {
		return nil // somebody else makes it at this moment
	}
	return err
}

func layout(table string) *dynamodb.CreateTableInput {
	return &dynamodb.CreateTableInput{
		TableName: &table,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String(partitionKey), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String(sortKey), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String(kind), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: keySchema(partitionKey, sortKey),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String(byKind),
			KeySchema:  keySchema(kind, partitionKey),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}},
		BillingMode:               types.BillingModePayPerRequest,
		DeletionProtectionEnabled: aws.Bool(true),
		Tags:                      []types.Tag{{Key: aws.String("app"), Value: aws.String("sidestep")}},
	}
}

func keySchema(hash, sort string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: &hash, KeyType: types.KeyTypeHash},
		{AttributeName: &sort, KeyType: types.KeyTypeRange},
	}
}

// poll calls done until it says so, or until ctx ends.
func poll(ctx context.Context, clk clock.Clock, done func() (bool, error)) error {
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		if err := clk.Sleep(ctx, createPoll); err != nil {
			return err
		}
	}
}

// active reports whether the table and its index may be used, once it has
// verified that they are a ledger's.
func active(ctx context.Context, api TableAPI, table string) (bool, error) {
	out, err := api.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	if _, ok := errors.AsType[*types.ResourceNotFoundException](err); ok {
		return false, nil // made a moment ago, and not known everywhere
	}
	if err != nil {
		return false, err
	}
	index, err := verify(out.Table)
	if err != nil {
		return false, err
	}
	return out.Table.TableStatus == types.TableStatusActive && index.IndexStatus == types.IndexStatusActive, nil
}

// verify compares keys and index with layout's and returns the index.
func verify(table *types.TableDescription) (types.GlobalSecondaryIndexDescription, error) {
	none := types.GlobalSecondaryIndexDescription{}
	attributes := map[string]types.ScalarAttributeType{}
	for _, a := range table.AttributeDefinitions {
		attributes[aws.ToString(a.AttributeName)] = a.AttributeType
	}
	if err := verifyKeys(table.KeySchema, attributes, partitionKey, sortKey); err != nil {
		return none, fmt.Errorf("its key: %w", err)
	}
	for _, index := range table.GlobalSecondaryIndexes {
		if aws.ToString(index.IndexName) != byKind {
			continue
		}
		if err := verifyKeys(index.KeySchema, attributes, kind, partitionKey); err != nil {
			return none, fmt.Errorf("the key of its index %s: %w", byKind, err)
		}
		if index.Projection == nil || index.Projection.ProjectionType != types.ProjectionTypeAll {
			return none, fmt.Errorf("its index %s does not hold whole items: %w", byKind, ErrOtherTable)
		}
		return index, nil
	}
	return none, fmt.Errorf("it has no index %s: %w", byKind, ErrOtherTable)
}

func verifyKeys(schema []types.KeySchemaElement, attributes map[string]types.ScalarAttributeType, hash, sort string) error {
	got := map[types.KeyType]string{}
	for _, k := range schema {
		got[k.KeyType] = aws.ToString(k.AttributeName)
	}
	if want := map[types.KeyType]string{types.KeyTypeHash: hash, types.KeyTypeRange: sort}; !maps.Equal(got, want) {
		return fmt.Errorf("it is %v, a ledger's is %v: %w", got, want, ErrOtherTable)
	}
	for _, name := range []string{hash, sort} {
		if attributes[name] != types.ScalarAttributeTypeS {
			return fmt.Errorf("%s is of type %q, a ledger's is S: %w", name, attributes[name], ErrOtherTable)
		}
	}
	return nil
}

// recoverable enables point-in-time recovery. It reports false while the table is
// too new for it.
func recoverable(ctx context.Context, api TableAPI, table string) (bool, error) {
	_, err := api.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{
		TableName:                        &table,
		PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)},
	})
	if _, ok := errors.AsType[*types.ContinuousBackupsUnavailableException](err); ok {
		return false, nil
	}
	if _, ok := errors.AsType[*types.TableNotFoundException](err); ok {
		return false, nil
	}
	return err == nil, err
}

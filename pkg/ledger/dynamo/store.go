// Package dynamo keeps the ledger's items in one DynamoDB table.
package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"sidestep/pkg/ledger"
)

// Names in the table.
const (
	partitionKey = "pk"
	sortKey      = "sk"
	kind         = "kind"
	// byKind is the index of records by kind and zone.
	byKind = "by-kind"
)

// Store is a ledger.Store over one table. Sending a call again is up to the
// client it is given.
type Store struct {
	api   API
	table string
}

var _ ledger.Store = (*Store)(nil)

// New returns the store that keeps its items in the table.
func New(api API, table string) *Store { return &Store{api: api, table: table} }

// Write applies all ops or none. One op alone is a plain conditional write, at
// half the cost of a transaction.
func (s *Store) Write(ctx context.Context, ops ...ledger.Op) error {
	var items []types.TransactWriteItem
	for _, op := range ops {
		if op.Check != nil && unconditional(op.If) {
			continue // holds always, and DynamoDB takes no check without a condition
		}
		item, err := s.transactItem(op)
		if err != nil {
			return fmt.Errorf("encoding item %s / %s: %w", op.Key().PK(), op.Key().SK(), err)
		}
		items = append(items, item)
	}
	if len(items) == 0 {
		return nil
	}
	if err := s.send(ctx, items); err != nil {
		first := ops[0].Key()
		return fmt.Errorf("writing %d items from %s / %s to table %s: %w", len(items), first.PK(), first.SK(), s.table, classify(err))
	}
	return nil
}

func (s *Store) send(ctx context.Context, items []types.TransactWriteItem) error {
	var err error
	switch first := items[0]; {
	case len(items) == 1 && first.Put != nil:
		_, err = s.api.PutItem(ctx, &dynamodb.PutItemInput{
			TableName:                 first.Put.TableName,
			Item:                      first.Put.Item,
			ConditionExpression:       first.Put.ConditionExpression,
			ExpressionAttributeNames:  first.Put.ExpressionAttributeNames,
			ExpressionAttributeValues: first.Put.ExpressionAttributeValues,
		})
	case len(items) == 1 && first.Delete != nil:
		_, err = s.api.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName:                 first.Delete.TableName,
			Key:                       first.Delete.Key,
			ConditionExpression:       first.Delete.ConditionExpression,
			ExpressionAttributeNames:  first.Delete.ExpressionAttributeNames,
			ExpressionAttributeValues: first.Delete.ExpressionAttributeValues,
		})
	default:
		_, err = s.api.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items})
	}
	return err
}

var errNoItem = errors.New("the op names no item")

func (s *Store) transactItem(op ledger.Op) (types.TransactWriteItem, error) {
	when, err := condition(op.If)
	if err != nil {
		return types.TransactWriteItem{}, err
	}
	if op.Put != nil {
		item, err := encode(op.Put)
		return types.TransactWriteItem{Put: &types.Put{
			TableName: &s.table, Item: item,
			ConditionExpression: when.text, ExpressionAttributeNames: when.names, ExpressionAttributeValues: when.values,
		}}, err
	}
	key := key(op.Key().PK(), op.Key().SK())
	switch {
	case op.Delete != nil:
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName: &s.table, Key: key,
			ConditionExpression: when.text, ExpressionAttributeNames: when.names, ExpressionAttributeValues: when.values,
		}}, nil
	case op.Check != nil:
		return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName: &s.table, Key: key,
			ConditionExpression: when.text, ExpressionAttributeNames: when.names, ExpressionAttributeValues: when.values,
		}}, nil
	}
	return types.TransactWriteItem{}, errNoItem
}

// Get reads one item, nil if there is none.
func (s *Store) Get(ctx context.Context, pk, sk string) (ledger.Item, error) {
	out, err := s.api.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.table, Key: key(pk, sk), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return nil, fmt.Errorf("reading item %s / %s of table %s: %w", pk, sk, s.table, classify(err))
	}
	if len(out.Item) == 0 {
		return nil, nil
	}
	return decode(out.Item)
}

// Query returns a partition's items by prefix, in order, all pages.
func (s *Store) Query(ctx context.Context, pk, prefix string) ([]ledger.Item, error) {
	when := expression{}
	when.and("# = :", partitionKey, text(pk))
	if prefix != "" { // DynamoDB takes no empty string for a key
		when.and("begins_with(#, :)", sortKey, text(prefix))
	}
	items, err := s.query(ctx, &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: when.text, ExpressionAttributeNames: when.names, ExpressionAttributeValues: when.values,
	})
	if err != nil {
		return nil, fmt.Errorf("querying items %s / %s* of table %s: %w", pk, prefix, s.table, classify(err))
	}
	return items, nil
}

// QueryKind returns the records of a kind, from the index, all pages.
func (s *Store) QueryKind(ctx context.Context, of, zone string) ([]ledger.Item, error) {
	when := expression{}
	when.and("# = :", kind, text(of))
	if zone != "" {
		when.and("# = :", partitionKey, text(zone))
	}
	items, err := s.query(ctx, &dynamodb.QueryInput{
		TableName: &s.table, IndexName: aws.String(byKind),
		KeyConditionExpression: when.text, ExpressionAttributeNames: when.names, ExpressionAttributeValues: when.values,
	})
	if err != nil {
		return nil, fmt.Errorf("querying records of kind %s in zone %q of table %s: %w", of, zone, s.table, classify(err))
	}
	var records []ledger.Item
	for _, item := range items {
		if ledger.IsRecord(item) { // the index takes in whatever has a kind
			records = append(records, item)
		}
	}
	return records, nil
}

func (s *Store) query(ctx context.Context, in *dynamodb.QueryInput) ([]ledger.Item, error) {
	var items []ledger.Item
	for pages := dynamodb.NewQueryPaginator(s.api, in); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		if items, err = decodeAll(items, page.Items); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// Scan returns everything, all pages. It reads consistently: an export that
// misses what was written a moment ago is none.
func (s *Store) Scan(ctx context.Context) ([]ledger.Item, error) {
	var items []ledger.Item
	in := &dynamodb.ScanInput{TableName: &s.table, ConsistentRead: aws.Bool(true)}
	for pages := dynamodb.NewScanPaginator(s.api, in); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err == nil {
			items, err = decodeAll(items, page.Items)
		}
		if err != nil {
			return nil, fmt.Errorf("scanning table %s: %w", s.table, classify(err))
		}
	}
	return items, nil
}

func key(pk, sk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{partitionKey: text(pk), sortKey: text(sk)}
}

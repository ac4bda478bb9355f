package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
)

// Item is one row: `pk` and `sk`, and attributes of JSON's types. It is the same
// in DynamoDB, in an export and in a journal.
type Item map[string]any

// PK is the partition key.
func (i Item) PK() string { s, _ := i["pk"].(string); return s }

// SK is the sort key.
func (i Item) SK() string { s, _ := i["sk"].(string); return s }

// Op is one part of a write: exactly one of Put, Delete and Check.
type Op struct {
	// Put writes the whole item.
	Put Item
	// Delete and Check name an item by pk and sk; Check only tests the condition.
	Delete, Check Item
	// If is the condition on the item as it is stored.
	If Condition
}

// Key names the item the op is about.
func (o Op) Key() Item {
	for _, i := range []Item{o.Put, o.Delete, o.Check} {
		if i != nil {
			return Item{"pk": i.PK(), "sk": i.SK()}
		}
	}
	return nil
}

// Condition is what must hold of the stored item. The zero Condition holds
// always.
type Condition struct {
	// Absent: there is no such item.
	Absent bool
	// Equals: the item exists and these attributes have these values.
	Equals map[string]any
}

// Holds reports whether the condition holds of an item, nil for none.
func (c Condition) Holds(stored Item) bool {
	if c.Absent && stored != nil {
		return false
	}
	for k, v := range c.Equals {
		if stored == nil || !reflect.DeepEqual(stored[k], v) {
			return false
		}
	}
	return true
}

// MaxOps is the most ops that one Write takes: DynamoDB's limit for a
// transaction.
const MaxOps = 100

// Errors of a Store. Drivers wrap them.
var (
	// ErrCondition says that a condition did not hold; nothing was written.
	ErrCondition = errors.New("condition does not hold")
	// ErrNoTable says that the table does not exist.
	ErrNoTable = errors.New("the ledger table does not exist")
)

// Store keeps items. It is dumb on purpose: what a record or a lock means is in
// Ledger, once.
type Store interface {
	// Write applies all ops, at most MaxOps and no two on one item, or none. It
	// returns ErrCondition if a condition does not hold. An error of any other
	// kind may have taken effect.
	Write(ctx context.Context, ops ...Op) error
	// Get reads one item, strongly consistent; nil if there is none.
	Get(ctx context.Context, pk, sk string) (Item, error)
	// Query returns all items of a partition whose sort key starts with prefix, in
	// order of the sort key, strongly consistent.
	Query(ctx context.Context, pk, prefix string) ([]Item, error)
	// QueryKind returns the records of one kind in all zones, or in the one zone,
	// from an index that may lag behind.
	QueryKind(ctx context.Context, kind, zone string) ([]Item, error)
	// Scan returns everything, in no order.
	Scan(ctx context.Context) ([]Item, error)
}

// encode turns a value into the attributes of an item with that key.
func encode(pk, sk string, v any) Item {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("ledger: encoding %T: %v", v, err)) // our own plain types always encode
	}
	item := Item{}
	if err := json.Unmarshal(b, &item); err != nil {
		panic(fmt.Sprintf("ledger: %T is no object: %v", v, err))
	}
	item["pk"], item["sk"] = pk, sk
	return item
}

// decode fills v from an item.
func decode(item Item, v any) error {
	attributes := maps.Clone(item)
	b, err := json.Marshal(attributes)
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		return fmt.Errorf("reading ledger item %s / %s: %w", item.PK(), item.SK(), err)
	}
	return nil
}

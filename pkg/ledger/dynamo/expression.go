package dynamo

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"sidestep/pkg/ledger"
)

// expression is a condition in DynamoDB's language. Names and values are always
// passed beside the text: hundreds of plain words (name, state, zone, values) are
// reserved, and an attribute's name may hold any character.
type expression struct {
	text   *string
	names  map[string]string
	values map[string]types.AttributeValue
}

// and joins a clause about one attribute, in which # stands for its name and :
// for the value, if there is one.
func (e *expression) and(clause, name string, value types.AttributeValue) {
	if e.names == nil {
		e.names = map[string]string{}
	}
	n := len(e.names)
	e.names[fmt.Sprintf("#n%d", n)] = name
	if value != nil {
		if e.values == nil {
			e.values = map[string]types.AttributeValue{}
		}
		e.values[fmt.Sprintf(":v%d", n)] = value
	}
	clause = strings.NewReplacer("#", fmt.Sprintf("#n%d", n), ":", fmt.Sprintf(":v%d", n)).Replace(clause)
	if e.text != nil {
		clause = *e.text + " AND " + clause
	}
	e.text = aws.String(clause)
}

func unconditional(c ledger.Condition) bool { return !c.Absent && len(c.Equals) == 0 }

// condition writes a ledger's condition. The zero Condition gives no text.
func condition(c ledger.Condition) (expression, error) {
	e := expression{}
	if c.Absent {
		e.and("attribute_not_exists(#)", partitionKey, nil)
	}
	null := false
	for _, name := range slices.Sorted(maps.Keys(c.Equals)) {
		value, err := encodeValue(c.Equals[name])
		if err != nil {
			return expression{}, fmt.Errorf("attribute %s of the condition: %w", name, err)
		}
		if c.Equals[name] != nil {
			e.and("# = :", name, value)
			continue
		}
		e.and("(attribute_not_exists(#) OR # = :)", name, value)
		null = true
	}
	if null { // null and missing are the same to a ledger, but there must be an item
		e.and("attribute_exists(#)", partitionKey, nil)
	}
	return e, nil
}

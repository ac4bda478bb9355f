package dynamo

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"sidestep/pkg/ledger"
)

var errType = errors.New("a type that the ledger does not use")

// encode turns an item into DynamoDB's attributes. Lists, those of strings
// included, are L: sets have no order.
func encode(item ledger.Item) (map[string]types.AttributeValue, error) {
	return encodeMap(item)
}

func encodeMap(m map[string]any) (map[string]types.AttributeValue, error) {
	out := make(map[string]types.AttributeValue, len(m))
	for name, v := range m {
		value, err := encodeValue(v)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		out[name] = value
	}
	return out, nil
}

func encodeValue(v any) (types.AttributeValue, error) {
	switch v := v.(type) {
	case nil:
		return &types.AttributeValueMemberNULL{Value: true}, nil
	case string:
		return text(v), nil
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}, nil
	case float64:
		return encodeNumber(v)
	case []any:
		list := make([]types.AttributeValue, len(v))
		for i := range v {
			value, err := encodeValue(v[i])
			if err != nil {
				return nil, fmt.Errorf("element %d: %w", i, err)
			}
			list[i] = value
		}
		return &types.AttributeValueMemberL{Value: list}, nil
	case map[string]any:
		m, err := encodeMap(v)
		return &types.AttributeValueMemberM{Value: m}, err
	}
	return nil, fmt.Errorf("%T: %w", v, errType)
}

// encodeNumber writes integers in digits alone, as people read them in the
// console, up to where JSON changes to an exponent.
func encodeNumber(f float64) (types.AttributeValue, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("number %v: %w", f, errType)
	}
	format := byte('g')
	if f == math.Trunc(f) && math.Abs(f) < 1e21 {
		format = 'f'
	}
	return &types.AttributeValueMemberN{Value: strconv.FormatFloat(f, format, -1, 64)}, nil
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// decode turns DynamoDB's attributes into an item.
func decode(attributes map[string]types.AttributeValue) (ledger.Item, error) {
	m, err := decodeMap(attributes)
	if err != nil {
		return nil, fmt.Errorf("decoding an item: %w", err)
	}
	return m, nil
}

// decodeAll appends the items of a page.
func decodeAll(items []ledger.Item, page []map[string]types.AttributeValue) ([]ledger.Item, error) {
	for _, attributes := range page {
		item, err := decode(attributes)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

func decodeMap(attributes map[string]types.AttributeValue) (map[string]any, error) {
	out := make(map[string]any, len(attributes))
	for name, value := range attributes {
		v, err := decodeValue(value)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		out[name] = v
	}
	return out, nil
}

func decodeValue(value types.AttributeValue) (any, error) {
	switch v := value.(type) {
	case *types.AttributeValueMemberNULL:
		return nil, nil
	case *types.AttributeValueMemberS:
		return v.Value, nil
	case *types.AttributeValueMemberBOOL:
		return v.Value, nil
	case *types.AttributeValueMemberN:
		return strconv.ParseFloat(v.Value, 64)
	case *types.AttributeValueMemberL:
		list := make([]any, len(v.Value))
		for i := range v.Value {
			element, err := decodeValue(v.Value[i])
			if err != nil {
				return nil, fmt.Errorf("element %d: %w", i, err)
			}
			list[i] = element
		}
		return list, nil
	case *types.AttributeValueMemberM:
		return decodeMap(v.Value)
	}
	return nil, fmt.Errorf("%T: %w", value, errType)
}

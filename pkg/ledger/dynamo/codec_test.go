package dynamo

import (
	"errors"
	"math"
	"reflect"
	"regexp"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"sidestep/pkg/ledger"
)

func TestCodec(t *testing.T) {
	number := func(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }
	list := func(v ...types.AttributeValue) types.AttributeValue { return &types.AttributeValueMemberL{Value: v} }
	for name, c := range map[string]struct {
		value any
		want  types.AttributeValue
	}{
		"null":         {nil, &types.AttributeValueMemberNULL{Value: true}},
		"string":       {"a", text("a")},
		"empty string": {"", text("")},
		"true":         {true, &types.AttributeValueMemberBOOL{Value: true}},
		"false":        {false, &types.AttributeValueMemberBOOL{Value: false}},
		"zero":         {0.0, number("0")},
		"integer":      {1e15, number("1000000000000000")},
		"large":        {1e20, number("100000000000000000000")},
		"larger":       {1e21, number("1e+21")},
		"negative":     {-12.0, number("-12")},
		"fraction":     {0.25, number("0.25")},
		"small":        {1e-9, number("1e-09")},
		"strings":      {[]any{"b", "a", "b"}, list(text("b"), text("a"), text("b"))},
		"empty list":   {[]any{}, &types.AttributeValueMemberL{Value: []types.AttributeValue{}}},
		"mixed list":   {[]any{nil, 1.0}, list(&types.AttributeValueMemberNULL{Value: true}, number("1"))},
		"map": {map[string]any{"use1-az1": map[string]any{"phase": "out"}}, &types.AttributeValueMemberM{
			Value: map[string]types.AttributeValue{"use1-az1": &types.AttributeValueMemberM{
				Value: map[string]types.AttributeValue{"phase": text("out")},
			}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := encodeValue(c.value)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("encoded %#v as %#v, %v, want %#v", c.value, got, err, c.want)
			}
			back, err := decodeValue(c.want)
			if err != nil || !reflect.DeepEqual(back, c.value) {
				t.Errorf("decoded %#v, %v, want %#v", back, err, c.value)
			}
		})
	}
}

func TestCodecRefusesOtherTypes(t *testing.T) {
	for _, v := range []any{1, int64(1), []string{"a"}, math.NaN(), math.Inf(-1), struct{}{}, ledger.Item{}} {
		for _, in := range []any{v, []any{v}, map[string]any{"in": v}} {
			if _, err := encode(ledger.Item{"a": in}); !errors.Is(err, errType) {
				t.Errorf("encoding %#v returned %v, want %v", in, err, errType)
			}
		}
	}
	for _, v := range []types.AttributeValue{
		&types.AttributeValueMemberSS{Value: []string{"a"}}, &types.AttributeValueMemberB{}, &types.UnknownUnionMember{}, nil,
	} {
		in := map[string]types.AttributeValue{"a": &types.AttributeValueMemberL{Value: []types.AttributeValue{v}}}
		if _, err := decode(in); !errors.Is(err, errType) {
			t.Errorf("decoding %#v returned %v, want %v", v, err, errType)
		}
	}
	if _, err := decodeValue(&types.AttributeValueMemberN{Value: "many"}); err == nil {
		t.Error("a number without digits was decoded")
	}
}

// value draws any JSON value, nested up to depth.
func value(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		last := 4
		if depth > 0 {
			last = 6
		}
		switch rapid.IntRange(0, last).Draw(t, "type") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return float64(rapid.Int64().Draw(t, "integer"))
		case 3:
			return rapid.Float64().Draw(t, "number")
		case 4:
			return rapid.String().Draw(t, "string")
		case 5:
			return append([]any{}, rapid.SliceOfN(value(depth-1), 0, 4).Draw(t, "list")...)
		default:
			return rapid.MapOfN(rapid.String(), value(depth-1), 0, 4).Draw(t, "map")
		}
	})
}

func TestCodecRoundTrip(t *testing.T) {
	digits := regexp.MustCompile(`^-?\d+$`)
	rapid.Check(t, func(t *rapid.T) {
		item := ledger.Item(rapid.MapOfN(rapid.String(), value(3), 0, 6).Draw(t, "item"))
		attributes, err := encode(item)
		if err != nil {
			t.Fatal(err)
		}
		back, err := decode(attributes)
		if err != nil || !reflect.DeepEqual(back, item) {
			t.Fatalf("came back as %#v, %v", back, err)
		}
		f := float64(rapid.Int64().Draw(t, "integer"))
		n, err := encodeNumber(f)
		if s := n.(*types.AttributeValueMemberN).Value; err != nil || !digits.MatchString(s) {
			t.Fatalf("integer %v is written %q, %v", f, s, err)
		}
	})
}

func TestCondition(t *testing.T) {
	for name, c := range map[string]struct {
		when ledger.Condition
		want string
	}{
		"absent":  {ledger.Condition{Absent: true}, "attribute_not_exists(#n0)"},
		"equals":  {ledger.Condition{Equals: map[string]any{"b": 1.0, "a": "x"}}, "#n0 = :v0 AND #n1 = :v1"},
		"null":    {ledger.Condition{Equals: map[string]any{"a": nil}}, "(attribute_not_exists(#n0) OR #n0 = :v0) AND attribute_exists(#n1)"},
		"neither": {ledger.Condition{Equals: map[string]any{}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := condition(c.when)
			if err != nil {
				t.Fatal(err)
			}
			// DynamoDB takes nil for none, and refuses what is there and empty.
			if c.want == "" {
				if e.text != nil || e.names != nil || e.values != nil {
					t.Errorf("the empty condition is %+v", e)
				}
				return
			}
			if *e.text != c.want {
				t.Errorf("condition is %q, want %q", *e.text, c.want)
			}
		})
	}
}

func TestConditionNamesEveryAttribute(t *testing.T) {
	e, err := condition(ledger.Condition{Equals: map[string]any{"b": 1.0, "a": "x"}})
	wantNames := map[string]string{"#n0": "a", "#n1": "b"}
	wantValues := map[string]types.AttributeValue{":v0": text("x"), ":v1": &types.AttributeValueMemberN{Value: "1"}}
	if err != nil || !reflect.DeepEqual(e.names, wantNames) || !reflect.DeepEqual(e.values, wantValues) {
		t.Errorf("names are %v and values %v, %v", e.names, e.values, err)
	}
	if _, err := condition(ledger.Condition{Equals: map[string]any{"a": 1}}); !errors.Is(err, errType) {
		t.Errorf("a condition on an int returned %v, want %v", err, errType)
	}
}

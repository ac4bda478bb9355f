package asl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// object is a JSON object of a definition, with its fields in their order, so that
// problems are told in the order of the file.
type object []member

type member struct {
	key   string
	value any
}

// parse reads a definition. A field that is given twice is refused: which of the two
// counts is a matter of the reader.
func parse(definition []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(definition))
	d.UseNumber()
	v, err := parseValue(d, "")
	if err != nil {
		return nil, fmt.Errorf("reading the definition: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("reading the definition: more follows after its end")
	}
	return v, nil
}

func parseValue(d *json.Decoder, place string) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return parseObject(d, place)
	case json.Delim('['):
		return parseArray(d, place)
	}
	return token, nil
}

func parseObject(d *json.Decoder, place string) (any, error) {
	out := object{}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		key := token.(string) // the decoder lets no other key pass
		if seen[key] {
			return nil, fmt.Errorf("%s: given twice", join(place, key))
		}
		seen[key] = true
		v, err := parseValue(d, join(place, key))
		if err != nil {
			return nil, err
		}
		out = append(out, member{key, v})
	}
	_, err := d.Token()
	return out, err
}

func parseArray(d *json.Decoder, place string) (any, error) {
	out := []any{}
	for d.More() {
		v, err := parseValue(d, fmt.Sprintf("%s[%d]", place, len(out)))
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	_, err := d.Token()
	return out, err
}

func join(place, key string) string {
	if place == "" {
		return key
	}
	return place + "." + key
}

// plain turns a value of a definition into one of a document.
func plain(v any) any {
	switch v := v.(type) {
	case object:
		out := make(map[string]any, len(v))
		for _, m := range v {
			out[m.key] = plain(m.value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plain(v[i])
		}
		return out
	}
	return v
}

// show is a value as the definition has it, for a message.
func show(v any) string {
	text, err := encode(plain(v))
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(text) > 80 {
		return text[:80] + "..."
	}
	return text
}

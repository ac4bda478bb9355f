package asl

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// document is what goes from state to state: a JSON value and its text. Values are
// shared between documents and never changed.
type document struct {
	value any
	text  string
}

// newDocument is the value as a document; one that is too large is a failure.
func newDocument(value any, of string) (document, error) {
	text, err := encode(value)
	if err != nil {
		return document{}, err
	}
	if len(text) > MaxPayload {
		return document{}, tooLarge(of)
	}
	return document{value, text}, nil
}

func encode(value any) (string, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // as AWS counts bytes
	if err := e.Encode(value); err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(out.Bytes(), []byte("\n"))), nil
}

// decode reads a JSON value and leaves its numbers as they are written.
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more follows after the value")
	}
	return v, nil
}

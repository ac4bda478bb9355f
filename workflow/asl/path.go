package asl

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
)

// path is a reference path: $, or $.a.b, which names one place in a document.
// https://docs.aws.amazon.com/step-functions/latest/dg/amazon-states-language-paths.html
type path struct {
	text  string
	steps []string
	null  bool // the field was null: no input, no output, or a result that is dropped
}

var pathPattern = regexp.MustCompile(`^\$(\.[A-Za-z_][A-Za-z0-9_-]*)*$`)

// parsePath reads a whole path. Filters, slices, indexes and intrinsic functions are
// no whole paths: a step computes what they would.
func parsePath(text string) (path, error) {
	if !pathPattern.MatchString(text) {
		return path{}, fmt.Errorf("%q is not a whole path, $ or $.a.b", text)
	}
	return path{text: text, steps: strings.Split(text, ".")[1:]}, nil
}

func (p path) String() string {
	if p.text == "" {
		return "$"
	}
	return p.text
}

// given reports whether the definition had the path.
func (p path) given() bool { return p.text != "" || p.null }

// misfit is why a document does not fit what the definition expects of it. It ends an
// execution as States.Runtime, which nothing catches.
type misfit string

func (m misfit) Error() string { return string(m) }

func misfitf(format string, args ...any) error { return misfit(fmt.Sprintf(format, args...)) }

// find is get that tells whether the place exists.
func (p path) find(doc any) (any, bool) {
	for _, step := range p.steps {
		m, ok := doc.(map[string]any)
		if !ok {
			return nil, false
		}
		if doc, ok = m[step]; !ok {
			return nil, false
		}
	}
	return doc, true
}

// get returns what is at the path. A null path and one that was not given are for
// whoever asks.
func (p path) get(doc any) (any, error) {
	v, ok := p.find(doc)
	if !ok {
		return nil, misfitf("Invalid path '%s': it leads nowhere", p.text)
	}
	return v, nil
}

// filter is what InputPath and OutputPath make of a document: what is at the path, all
// where there is no path, and nothing where it is null.
func (p path) filter(doc any) (any, error) {
	if p.null {
		return map[string]any{}, nil
	}
	return p.get(doc)
}

// put returns the document with the value at the path, on the way making the objects
// that are missing. The document itself stays as it is.
func (p path) put(doc, value any) (any, error) {
	if p.null {
		return doc, nil
	}
	return p.putAt(doc, value, p.steps)
}

func (p path) putAt(doc, value any, steps []string) (any, error) {
	if len(steps) == 0 {
		return value, nil
	}
	m, ok := doc.(map[string]any)
	if !ok {
		return nil, &failure{
			name:  ResultPathMatchFailure,
			cause: fmt.Sprintf("Unable to apply path '%s' to the state's input: it is not an object there.", p.text),
		}
	}
	inner, ok := m[steps[0]]
	if !ok {
		inner = map[string]any{}
	}
	inner, err := p.putAt(inner, value, steps[1:])
	if err != nil {
		return nil, err
	}
	out := maps.Clone(m)
	out[steps[0]] = inner
	return out, nil
}

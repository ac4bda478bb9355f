package asl

import (
	"fmt"
	"strings"
)

// The paths into the context object that a template may have.
// https://docs.aws.amazon.com/step-functions/latest/dg/input-output-contextobject.html
const (
	contextID         = "$$.Execution.Id"
	contextName       = "$$.Execution.Name"
	contextItem       = "$$.Map.Item.Value"
	contextIndex      = "$$.Map.Item.Index"
	contextRetryCount = "$$.State.RetryCount"
)

// template is a JSON value in which fields named x.$ are replaced by what is at their
// path. https://docs.aws.amazon.com/step-functions/latest/dg/input-output-inputpath-params.html
type template struct {
	object  map[string]*template
	array   []*template
	path    *path
	context string // one of the paths above
	literal any
}

// scope is what a template reads.
type scope struct {
	doc     any
	context map[string]any
}

func (t *template) fill(s scope) (any, error) {
	switch {
	case t.path != nil:
		return t.path.get(s.doc)
	case t.context != "":
		v, ok := s.context[t.context]
		if !ok {
			return nil, misfitf("Invalid path '%s': the context has no such value here", t.context)
		}
		return v, nil
	case t.object != nil:
		return t.fillObject(s)
	case t.array != nil:
		return t.fillArray(s)
	}
	return t.literal, nil
}

func (t *template) fillObject(s scope) (any, error) {
	out := make(map[string]any, len(t.object))
	for key, inner := range t.object {
		v, err := inner.fill(s)
		if err != nil {
			return nil, err
		}
		out[key] = v
	}
	return out, nil
}

func (t *template) fillArray(s scope) (any, error) {
	out := make([]any, len(t.array))
	for i, inner := range t.array {
		v, err := inner.fill(s)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// contexts says which context paths a template may have, by where it stands.
type contexts struct {
	retries bool // of a state that can be retried
	item    bool // within a Map
}

func (c contexts) check(text string) error {
	switch text {
	case contextID, contextName:
		return nil
	case contextItem, contextIndex:
		if !c.item {
			return fmt.Errorf("%s means something within a Map only", text)
		}
		return nil
	case contextRetryCount:
		if !c.retries {
			return fmt.Errorf("%s means something in a Task, Map or Parallel state only", text)
		}
		return nil
	}
	return fmt.Errorf("%q is not one of %s, %s, %s, %s, %s", text,
		contextID, contextName, contextItem, contextIndex, contextRetryCount)
}

// template reads a template.
func (l *loader) template(place string, v any, c contexts) *template {
	switch v := v.(type) {
	case object:
		t := &template{object: map[string]*template{}}
		for _, m := range v {
			key, isPath := strings.CutSuffix(m.key, ".$")
			if _, twice := t.object[key]; twice {
				l.refuse(join(place, m.key), "%s is given both as a value and as a path", key)
			}
			if isPath {
				t.object[key] = l.templatePath(join(place, m.key), m.value, c)
			} else {
				t.object[key] = l.template(join(place, m.key), m.value, c)
			}
		}
		return t
	case []any:
		t := &template{array: make([]*template, len(v))}
		for i := range v {
			t.array[i] = l.template(fmt.Sprintf("%s[%d]", place, i), v[i], c)
		}
		return t
	}
	return &template{literal: v}
}

func (l *loader) templatePath(place string, v any, c contexts) *template {
	text, ok := v.(string)
	if !ok {
		l.refuse(place, "%s is not a path", show(v))
		return &template{}
	}
	if strings.HasPrefix(text, "$$") {
		if err := c.check(text); err != nil {
			l.refuse(place, "%v", err)
		}
		return &template{context: text}
	}
	p, err := parsePath(text)
	if err != nil {
		l.refuse(place, "%v", err)
	}
	return &template{path: &p}
}

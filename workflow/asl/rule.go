package asl

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// rule is a condition of a Choice state.
// https://docs.aws.amazon.com/step-functions/latest/dg/state-choice.html
type rule struct {
	next     string
	operator string
	inner    []rule // of And, Or and Not
	variable path
	value    any
	number   float64
}

// The operators of the profile, by what they compare with.
const (
	and = "And"
	or  = "Or"
	not = "Not"
)

func booleanOperators() []string { return []string{"BooleanEquals", "IsPresent", "IsNull"} }

func numericOperators() map[string]func(order int) bool {
	return map[string]func(int) bool{
		"NumericEquals":            func(order int) bool { return order == 0 },
		"NumericLessThan":          func(order int) bool { return order < 0 },
		"NumericLessThanEquals":    func(order int) bool { return order <= 0 },
		"NumericGreaterThan":       func(order int) bool { return order > 0 },
		"NumericGreaterThanEquals": func(order int) bool { return order >= 0 },
	}
}

// readRule reads a condition, which has just one operator.
func readRule(f *fields) rule {
	var found []rule
	for _, m := range f.all {
		if r, ok := readOperator(f, m); ok {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		names := make([]string, len(found))
		for i := range found {
			names[i] = found[i].operator
		}
		f.get("Variable") // or it would be refused too
		f.l.refuse(f.place, "a rule has one operator, and this one has %d%s", len(found), optional(names))
		return rule{}
	}
	r := found[0]
	if r.inner == nil {
		if _, ok := f.must("Variable"); ok {
			r.variable = f.path("Variable", false)
		}
	}
	return r
}

func optional(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ": " + strings.Join(names, ", ")
}

func readOperator(f *fields, m member) (rule, bool) {
	r := rule{operator: m.key, value: m.value}
	_, numeric := numericOperators()[m.key]
	var ok bool
	switch {
	case m.key == and || m.key == or || m.key == not:
		return readCombination(f, m.key), true
	case m.key == "StringEquals":
		_, ok = m.value.(string)
	case numeric:
		r.number, ok = toNumber(m.value)
	case slices.Contains(booleanOperators(), m.key):
		_, ok = m.value.(bool)
	default:
		return rule{}, false
	}
	f.get(m.key)
	if !ok {
		f.refuse(m.key, "%s is nothing that it can compare with", show(m.value))
	}
	return r, true
}

func readCombination(f *fields, key string) rule {
	r := rule{operator: key, inner: []rule{}}
	add := func(inner *fields) { r.inner = append(r.inner, readRule(inner)) }
	if key != not {
		f.each(key, "a condition", add)
		return r
	}
	v, _ := f.get(not)
	if inner, ok := f.l.fields(f.at(not), "a condition", v); ok {
		add(inner)
		inner.done()
	}
	return r
}

func toNumber(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	number, err := n.Float64()
	return number, err == nil
}

// holds tests the condition. What an And or an Or does not need is not looked at, so
// that IsPresent can guard what follows it.
func (r *rule) holds(doc any) (bool, error) {
	switch r.operator {
	case and, or:
		for i := range r.inner {
			if ok, err := r.inner[i].holds(doc); err != nil || ok == (r.operator == or) {
				return ok, err
			}
		}
		return r.operator == and, nil
	case not:
		ok, err := r.inner[0].holds(doc)
		return !ok, err
	case "IsPresent":
		_, ok := r.variable.find(doc)
		return ok == r.value, nil
	}
	v, ok := r.variable.find(doc)
	if !ok {
		return false, misfitf("Invalid path '%s': The choice state's condition path references an invalid value.", r.variable.text)
	}
	return r.compare(v), nil
}

// compare is false for values of another type.
func (r *rule) compare(v any) bool {
	switch r.operator {
	case "IsNull":
		return (v == nil) == r.value
	case "StringEquals", "BooleanEquals":
		return v == r.value // comparable: r.value is a string or a boolean
	}
	number, ok := toNumber(v)
	return ok && numericOperators()[r.operator](cmp.Compare(number, r.number))
}

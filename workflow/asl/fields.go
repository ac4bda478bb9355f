package asl

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// loader collects what is wrong with a definition.
type loader struct {
	problems  []error
	names     map[string]string // the place of each state, by name
	functions map[string]bool
}

func (l *loader) refuse(place, format string, args ...any) {
	l.problems = append(l.problems, fmt.Errorf("%s: %s", place, fmt.Sprintf(format, args...)))
}

// fields reads an object field by field. Whatever was not asked for when done is
// called is refused, so a field is known by being read.
type fields struct {
	l     *loader
	place string
	what  string // for messages: a Pass state
	all   object
	asked []string
}

func (l *loader) fields(place, what string, v any) (*fields, bool) {
	o, ok := v.(object)
	if !ok {
		l.refuse(place, "%s is not an object", show(v))
		return nil, false
	}
	f := &fields{l: l, place: place, what: what, all: o}
	f.text("Comment")
	return f, true
}

func (f *fields) at(key string) string { return join(f.place, key) }

func (f *fields) refuse(key, format string, args ...any) { f.l.refuse(f.at(key), format, args...) }

func (f *fields) get(key string) (any, bool) {
	f.asked = append(f.asked, key)
	i := slices.IndexFunc(f.all, func(m member) bool { return m.key == key })
	if i < 0 {
		return nil, false
	}
	return f.all[i].value, true
}

// must is get of a field that has to be there.
func (f *fields) must(key string) (any, bool) {
	v, ok := f.get(key)
	if !ok {
		f.refuse(key, "it is missing")
	}
	return v, ok
}

func (f *fields) done() {
	for _, m := range f.all {
		if !slices.Contains(f.asked, m.key) {
			f.refuse(m.key, "%s has no such field here", f.what)
		}
	}
}

func (f *fields) text(key string) string {
	v, ok := f.get(key)
	if !ok {
		return ""
	}
	s, ok := v.(string)
	if !ok {
		f.refuse(key, "%s is not a string", show(v))
	}
	return s
}

func (f *fields) mustText(key string) string {
	s := f.text(key)
	if _, ok := f.must(key); ok && s == "" {
		f.refuse(key, "it is empty")
	}
	return s
}

// oneOf is a text with few values; the last is what an absent field means.
func (f *fields) oneOf(key string, values ...string) string {
	v, ok := f.get(key)
	if !ok {
		return values[len(values)-1]
	}
	s, _ := v.(string)
	if !slices.Contains(values, s) {
		f.refuse(key, "%s is not %s", show(v), strings.Join(values, " or "))
	}
	return s
}

func (f *fields) isTrue(key string) bool {
	v, ok := f.get(key)
	if ok && v != true {
		f.refuse(key, "%s is not true", show(v))
	}
	return ok
}

// whole is a whole number within bounds, or what an absent field means.
func (f *fields) whole(key string, least, most, absent int) int {
	v, ok := f.get(key)
	if !ok {
		return absent
	}
	number, _ := v.(json.Number)
	n, err := strconv.Atoi(number.String())
	if err != nil || n < least || n > most {
		f.refuse(key, "%s is not a whole number from %d to %d", show(v), least, most)
		return absent
	}
	return n
}

// path is a whole path, or null where that means something.
func (f *fields) path(key string, orNull bool) path {
	v, ok := f.get(key)
	if !ok {
		return path{}
	}
	if v == nil && orNull {
		return path{null: true}
	}
	s, ok := v.(string)
	if !ok {
		f.refuse(key, "%s is not a path", show(v))
		return path{}
	}
	p, err := parsePath(s)
	if err != nil {
		f.refuse(key, "%v", err)
	}
	return p
}

// list is an array that is not empty.
func (f *fields) list(key string) []any {
	v, ok := f.must(key)
	if !ok {
		return nil
	}
	items, _ := v.([]any)
	if len(items) == 0 {
		f.refuse(key, "%s is not an array with something in it", show(v))
	}
	return items
}

// each calls read for the objects of an array that need not be there.
func (f *fields) each(key, what string, read func(*fields)) {
	if _, ok := f.get(key); !ok {
		return
	}
	for i, v := range f.list(key) {
		if inner, ok := f.l.fields(fmt.Sprintf("%s[%d]", f.at(key), i), what, v); ok {
			read(inner)
			inner.done()
		}
	}
}

// template is an object with paths.
func (f *fields) template(key string, c contexts) *template {
	v, ok := f.get(key)
	if !ok {
		return nil
	}
	if _, ok := v.(object); !ok {
		f.refuse(key, "%s is not an object", show(v))
	}
	return f.l.template(f.at(key), v, c)
}

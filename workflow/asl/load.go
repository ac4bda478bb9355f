package asl

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// longest is the largest number of seconds that a definition may have.
const longest = 99_999_999

func (l *loader) machine(source any) *Machine {
	f, ok := l.fields("", "a state machine", source)
	if !ok {
		return &Machine{}
	}
	if v, ok := f.must("QueryLanguage"); ok && v != "JSONPath" {
		f.refuse("QueryLanguage", "%s is not JSONPath", show(v))
	}
	f.oneOf("Version", "1.0")
	m := &Machine{timeout: time.Duration(f.whole("TimeoutSeconds", 1, longest, 0)) * time.Second}
	m.program = l.program(f, false)
	f.done()
	return m
}

// program reads StartAt and States.
func (l *loader) program(f *fields, inMap bool) *program {
	p := &program{startAt: f.mustText("StartAt"), states: map[string]*state{}}
	v, ok := f.must("States")
	if !ok {
		return p
	}
	states, ok := v.(object)
	if !ok || len(states) == 0 {
		f.refuse("States", "%s is not an object with something in it", show(v))
		return p
	}
	for _, m := range states {
		place := f.at("States") + "." + m.key
		l.name(place, m.key)
		if s := l.state(place, m.key, m.value, inMap); s != nil {
			p.states[m.key] = s
		}
	}
	if len(p.states) == len(states) { // else the graph has holes, which were told of
		l.graph(f, p)
	}
	return p
}

// name refuses a state's name that is too long or not its own. Names are unique in
// the whole machine, since a history tells states by their names.
func (l *loader) name(place, name string) {
	if n := utf8.RuneCountInString(name); n == 0 || n > 80 {
		l.refuse(place, "a state's name has 1 to 80 characters")
	}
	if other, ok := l.names[name]; ok {
		l.refuse(place, "%s has this name already", other)
	}
	l.names[name] = place
}

func (l *loader) state(place, name string, v any, inMap bool) *state {
	f, ok := l.fields(place, "a state", v)
	if !ok {
		return nil
	}
	s := &state{name: name, kind: kind(f.mustText("Type"))}
	readers := map[kind]func(*fields, *state, bool){
		kindTask: l.task, kindMap: l.mapState, kindParallel: l.parallel, kindPass: l.pass,
		kindChoice: l.choice, kindWait: l.wait, kindSucceed: l.succeed, kindFail: l.fail,
	}
	read, ok := readers[s.kind]
	if !ok {
		known := slices.Sorted(maps.Keys(readers))
		names := make([]string, len(known))
		for i := range known {
			names[i] = string(known[i])
		}
		f.refuse("Type", "%q is not one of %s", string(s.kind), strings.Join(names, ", "))
		return nil
	}
	f.what = "a " + string(s.kind) + " state"
	read(f, s, inMap)
	f.done()
	return s
}

// edges reads InputPath and OutputPath.
func edges(f *fields, s *state) {
	s.inputPath, s.outputPath = f.path("InputPath", true), f.path("OutputPath", true)
}

// onward reads Next or End.
func onward(f *fields, s *state) {
	next, ends := f.text("Next"), f.isTrue("End")
	switch {
	case ends && next != "":
		f.refuse("End", "it is given together with Next")
	case !ends && next == "":
		f.refuse("Next", "neither it nor End is given")
	}
	s.next = next
}

// handled reads what Task, Map and Parallel have in common.
func handled(f *fields, s *state, inMap bool) {
	edges(f, s)
	onward(f, s)
	s.resultPath = f.path("ResultPath", true)
	s.resultSelector = f.template("ResultSelector", contexts{retries: true, item: inMap})
	f.each("Retry", "a retrier", func(f *fields) { s.retry = append(s.retry, readRetrier(f)) })
	f.each("Catch", "a catcher", func(f *fields) { s.catch = append(s.catch, readCatcher(f)) })
	checkOrder(f, "Retry", len(s.retry), func(i int) []string { return s.retry[i].errorEquals })
	checkOrder(f, "Catch", len(s.catch), func(i int) []string { return s.catch[i].errorEquals })
}

func (l *loader) pass(f *fields, s *state, inMap bool) {
	edges(f, s)
	onward(f, s)
	s.resultPath = f.path("ResultPath", true)
	s.parameters = f.template("Parameters", contexts{item: inMap})
	var result any
	if result, s.hasResult = f.get("Result"); s.hasResult {
		s.result = plain(result)
	}
}

func (l *loader) succeed(f *fields, s *state, _ bool) { edges(f, s) }

func (l *loader) fail(f *fields, s *state, _ bool) {
	s.failure = failure{name: f.text("Error"), cause: f.text("Cause")}
	s.errorPath, s.causePath = f.path("ErrorPath", false), f.path("CausePath", false)
	eitherOr(f, "Error", s.errorPath)
	eitherOr(f, "Cause", s.causePath)
}

// eitherOr refuses a constant beside a path.
func eitherOr(f *fields, key string, p path) {
	if _, constant := f.get(key); constant && p.given() {
		f.refuse(key, "it is given together with %sPath", key)
	}
}

const lambdaInvoke = "arn:aws:states:::lambda:invoke"

var functionPattern = regexp.MustCompile(`^\$\{([A-Za-z][A-Za-z0-9]*)\}$`)

func (l *loader) task(f *fields, s *state, inMap bool) {
	handled(f, s, inMap)
	if resource := f.mustText("Resource"); resource != "" && resource != lambdaInvoke {
		f.refuse("Resource", "%q is not %s", resource, lambdaInvoke)
	}
	s.timeout = time.Duration(f.whole("TimeoutSeconds", 1, longest, longest)) * time.Second
	v, ok := f.must("Parameters")
	if !ok {
		return
	}
	if p, ok := l.fields(f.at("Parameters"), "lambda:invoke", v); ok {
		l.invocation(p, s, contexts{retries: true, item: inMap})
		p.done()
	}
}

// invocation reads the parameters of lambda:invoke.
// https://docs.aws.amazon.com/step-functions/latest/dg/connect-lambda.html
func (l *loader) invocation(p *fields, s *state, c contexts) {
	if name := p.mustText("FunctionName"); name != "" {
		match := functionPattern.FindStringSubmatch(name)
		if match == nil {
			p.refuse("FunctionName", "%q is not ${Name}, which is replaced when the definition is deployed", name)
		} else {
			s.function = match[1]
			l.functions[s.function] = true
		}
	}
	payload, literal := p.get("Payload")
	chosen, byPath := p.get("Payload.$")
	switch {
	case literal == byPath:
		p.refuse("Payload", "give either it or Payload.$")
	case literal:
		s.parameters = l.template(p.at("Payload"), payload, c)
	default:
		s.parameters = l.templatePath(p.at("Payload.$"), chosen, c)
	}
}

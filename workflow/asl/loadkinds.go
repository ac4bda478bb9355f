package asl

import (
	"fmt"
	"time"
)

// mapState reads an inline Map.
// https://docs.aws.amazon.com/step-functions/latest/dg/state-map-inline.html
func (l *loader) mapState(f *fields, s *state, inMap bool) {
	handled(f, s, inMap)
	s.itemsPath = f.path("ItemsPath", false)
	s.parameters = f.template("ItemSelector", contexts{retries: true, item: true})
	s.concurrency = f.whole("MaxConcurrency", 1, MaxConcurrency, 0)
	s.concurrencyPath = f.path("MaxConcurrencyPath", false)
	_, constant := f.get("MaxConcurrency")
	if constant == s.concurrencyPath.given() {
		f.refuse("MaxConcurrency", "give either it or MaxConcurrencyPath")
	}
	v, ok := f.must("ItemProcessor")
	if !ok {
		return
	}
	p, ok := l.fields(f.at("ItemProcessor"), "an ItemProcessor", v)
	if !ok {
		return
	}
	if v, ok := p.get("ProcessorConfig"); ok {
		if c, ok := l.fields(p.at("ProcessorConfig"), "a ProcessorConfig", v); ok {
			c.oneOf("Mode", "INLINE")
			c.done()
		}
	}
	s.programs = []*program{l.program(p, true)}
	p.done()
}

func (l *loader) parallel(f *fields, s *state, inMap bool) {
	handled(f, s, inMap)
	for i, v := range f.list("Branches") {
		if b, ok := l.fields(fmt.Sprintf("%s[%d]", f.at("Branches"), i), "a branch", v); ok {
			s.programs = append(s.programs, l.program(b, inMap))
			b.done()
		}
	}
}

// wait reads a Wait state, which has one of four fields that say until when.
// https://docs.aws.amazon.com/step-functions/latest/dg/state-wait.html
func (l *loader) wait(f *fields, s *state, _ bool) {
	edges(f, s)
	onward(f, s)
	s.seconds = time.Duration(f.whole("Seconds", 0, longest, 0)) * time.Second
	if at, ok := f.get("Timestamp"); ok {
		text, _ := at.(string)
		until, err := parseTime(text)
		if err != nil {
			f.refuse("Timestamp", "%s is not a time such as 2026-01-31T12:00:00Z", show(at))
		}
		s.until = until
	}
	given := 0
	for _, key := range []string{"Seconds", "Timestamp", "SecondsPath", "TimestampPath"} {
		if _, ok := f.get(key); ok {
			given++
		}
	}
	if given != 1 {
		f.refuse("Seconds", "a Wait state has one of Seconds, SecondsPath, Timestamp, TimestampPath, and this one has %d", given)
	}
	for _, key := range []string{"SecondsPath", "TimestampPath"} {
		if p := f.path(key, false); p.given() {
			s.waitPath, s.pathIsFor = p, key
		}
	}
}

func (l *loader) choice(f *fields, s *state, _ bool) {
	edges(f, s)
	s.next = f.text("Default")
	if _, ok := f.must("Choices"); !ok {
		return
	}
	f.each("Choices", "a choice rule", func(f *fields) {
		r := readRule(f)
		r.next = f.mustText("Next")
		s.rules = append(s.rules, r)
	})
}

// parseTime reads a timestamp as Step Functions does, which wants the T and either
// the Z or an offset.
func parseTime(text string) (time.Time, error) { return time.Parse(time.RFC3339Nano, text) }

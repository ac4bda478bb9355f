package main

import (
	"strings"
	"testing"
	"time"

	"sidestep/pkg/clock"
)

func TestProgressDoesNotFlood(t *testing.T) {
	var out strings.Builder
	c := clock.NewVirtual(time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC))
	p := newProgress(&out, c, false)
	p.show("Reading", 0, 0)
	for i := 1; i <= 230; i++ {
		p.show("Closing", i, 230)
		if err := c.Sleep(t.Context(), 100*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	p.show("Closing", 229, 230) // a straggler
	want := "Reading\nClosing: 1 of 230\nClosing: 101 of 230\nClosing: 201 of 230\nClosing: 230 of 230\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestProgressBarGoesAway(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, clock.Real{}, true)
	p.show("Waiting", 0, 0)
	for i := range 11 {
		p.show("Closing", i, 10)
	}
	p.done()
	if strings.Contains(out.String(), "\n") || !strings.HasSuffix(out.String(), "\r") {
		t.Errorf("got %q", out.String())
	}
}

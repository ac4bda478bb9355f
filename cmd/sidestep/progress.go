package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"sidestep/pkg/clock"
)

// quiet is how long nothing is said of a step that goes on, where what is said
// stays: in a log.
const quiet = 10 * time.Second

// progress tells on stderr what a run is doing: as a bar on a terminal, else as a
// line for each step and one now and then.
type progress struct {
	w     io.Writer
	clock clock.Clock
	bars  bool
	stamp bool // lines carry the time

	mu   sync.Mutex
	step string
	last time.Time
	// complete: the step's last line was said.
	complete bool
	bar      *progressbar.ProgressBar
}

func newProgress(w io.Writer, c clock.Clock, bars bool) *progress {
	return &progress{w: w, clock: c, bars: bars}
}

// show is what engines call, from many goroutines.
func (p *progress) show(step string, done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bars {
		p.draw(step, done, total)
		return
	}
	now := p.clock.Now()
	complete := total > 0 && done >= total
	if step == p.step && (p.complete || now.Sub(p.last) < quiet && !complete) {
		return
	}
	p.step, p.last, p.complete = step, now, complete
	line := step
	if total > 0 {
		line += fmt.Sprintf(": %d of %d", done, total)
	}
	if p.stamp {
		line = now.UTC().Format(time.TimeOnly) + "  " + line
	}
	fmt.Fprintln(p.w, line)
}

// draw moves the bar, or begins a new one.
func (p *progress) draw(step string, done, total int) {
	if step != p.step || p.bar == nil {
		p.clear()
		p.step = step
		p.bar = progressbar.NewOptions(bounds(total),
			progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(step),
			progressbar.OptionSetWidth(30), progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetTheme(progressbar.Theme{Saucer: "=", SaucerPadding: " ", BarStart: "[", BarEnd: "]"}),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	// An error is one of drawing on the terminal, which stops no evacuation.
	_ = p.bar.Set(min(done, max(total, 0)))
}

// bounds is a bar's length; -1 is for a bar that only shows life.
func bounds(total int) int {
	if total <= 0 {
		return -1
	}
	return total
}

// clear takes the bar off the terminal, so that something else can be written.
func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}

// done ends the progress.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.step = ""
}

package matrix

import (
	"context"
	"testing"
	"time"

	"sidestep/pkg/app"
	"sidestep/pkg/awsclient"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
)

// BenchmarkThousandGroups evacuates and recovers 1,000 groups in virtual time, at
// the assumed rate of Auto Scaling. Each metric is a ratio: the time a run takes
// to the least that its changes alone would take, and calls to groups.
func BenchmarkThousandGroups(b *testing.B) {
	for b.Loop() {
		w := thousand()
		for _, d := range []resource.Direction{resource.Evacuate, resource.Recover} {
			_ = w.clock.Sleep(context.Background(), time.Minute) // the bucket is full, the last run's calls have landed
			w.pace(string(d))
			begun := w.clock.Now()
			if err := w.acceptedOnly(d); err != nil {
				b.Fatal(err)
			}
			w.measure(b, string(d), w.clock.Now().Sub(begun))
		}
	}
}

const bulk = 1000

// thousand is the sample region with 1,000 groups more, which throttles as
// assumed.
func thousand() *memoryWorld {
	w := bulkWorld(bulk)
	w.region.SetPageSize(100)
	w.region.Throttle(region.ServiceAutoScaling, 100, 10)
	w.region.Latency(50 * time.Millisecond)
	return w
}

// acceptedOnly runs until AWS has accepted every change.
func (w *memoryWorld) acceptedOnly(d resource.Direction) error {
	req := w.request(d, leaving, resource.Hold)
	req.NoWait = true
	e := w.engine(string(d), app.DefaultConfig())
	if d == resource.Evacuate {
		_, err := e.Evacuate(context.Background(), req)
		return err
	}
	_, err := e.Recover(context.Background(), req)
	return err
}

// measure reports the metrics of one run.
func (w *memoryWorld) measure(b *testing.B, process string, took time.Duration) {
	b.Helper()
	changes, calls, throttled := 0, 0, 0
	for _, call := range w.region.Process(process).Calls() {
		switch {
		case call.Service != region.ServiceAutoScaling:
			continue
		case call.Err != nil:
			throttled++
		case call.Mutating:
			changes++
		}
		calls++
	}
	least := float64(changes-100) / 10
	b.ReportMetric(took.Seconds()/least, process+"-time/least")
	b.ReportMetric(float64(calls)/bulk, process+"-calls/group")
	b.ReportMetric(float64(throttled)/float64(calls), process+"-throttled/call")
}

// pace has a process's calls of Auto Scaling go through the pacer, as the SDK's
// do.
func (w *memoryWorld) pace(process string) {
	pacer := awsclient.NewPacer(w.clock, awsclient.CallTimeout, awsclient.Limits)
	w.region.Process(process).SetPace(func(ctx context.Context, service, op string, send func(context.Context) error) error {
		if service != region.ServiceAutoScaling {
			return send(ctx)
		}
		return pacer.Do(ctx, awsclient.AutoScaling, op, send)
	})
}

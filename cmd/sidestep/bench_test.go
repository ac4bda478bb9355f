package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"sidestep/cmd/sidestep/view"
)

// The fleet that speed is measured with, and what it may take.
const (
	benchFleet = "1000" // groups, services and functions, each
	maxRatio   = 1.15   // of the least time that the changes take
	maxCPU     = 5.0    // s
	maxMemory  = 150    // MB
)

// BenchmarkBinary evacuates and recovers 1,000 groups, 1,000 services and 1,000
// functions with the built binary, in a region in memory that throttles at AWS's
// published rates: `drain`, without waiting at the end and with no limit on
// services in deployment. The time is the region's own, CPU and memory are real.
func BenchmarkBinary(b *testing.B) {
	dir := b.TempDir()
	binary := filepath.Join(dir, "sidestep")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		b.Fatalf("building: %v\n%s", err, out)
	}
	config := filepath.Join(dir, "bench.yaml")
	if err := os.WriteFile(config, []byte("ecs: {concurrency: 0}\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		cmd := exec.Command(binary, "drill", "--fleet", benchFleet, "--policy", "drain", "--no-wait", "--output", "json", "--config", config)
		out, err := cmd.Output()
		if err != nil {
			b.Fatalf("%v", err)
		}
		var d view.DrillDocument
		if err := json.Unmarshal(out, &d); err != nil {
			b.Fatal(err)
		}
		measure(b, d, cmd.ProcessState)
	}
}

// measure reports each figure as a ratio to its bound where there is one.
func measure(b *testing.B, d view.DrillDocument, state *os.ProcessState) {
	b.Helper()
	if len(d.Paces) != 2 {
		b.Fatalf("the drill measured %d runs", len(d.Paces))
	}
	for i, run := range []string{"evacuate", "recover"} {
		p := d.Paces[i]
		b.ReportMetric(p.Ratio, run+"-time/least")
		b.ReportMetric(float64(p.Throttled), run+"-throttled")
		for service, n := range p.Calls {
			b.ReportMetric(float64(n)/1000, run+"-"+service+"-calls/resource")
		}
		if p.Ratio > maxRatio || p.Throttled > 0 {
			b.Errorf("%s took %.2f times the least, at most %.2f, with %d calls throttled", run, p.Ratio, maxRatio, p.Throttled)
		}
	}
	cpu := (state.UserTime() + state.SystemTime()).Seconds()
	b.ReportMetric(cpu/maxCPU, "cpu/5s")
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return
	}
	memory := float64(usage.Maxrss) / 1024 // Linux gives KB
	b.ReportMetric(memory/maxMemory, "memory/150MB")
	if cpu > maxCPU || memory > maxMemory {
		b.Errorf("%.1f s CPU and %.0f MB, at most %.0f s and %d MB", cpu, memory, maxCPU, maxMemory)
	}
}

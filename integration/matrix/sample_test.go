package matrix

import (
	"testing"

	"sidestep/pkg/resource"
)

func TestEvacuateAndRecoverTheSample(t *testing.T) {
	for _, p := range []resource.Policy{resource.Hold, resource.Drain} {
		t.Run(string(p), func(t *testing.T) {
			w := newMemoryWorld(t)
			before := w.region.Snapshot()
			out := w.evacuate(t, "evacuate", "use1-az1", p)
			for _, i := range out.Items {
				t.Logf("%-28s %-24s %s %v", i.Name, i.Outcome, i.Reason, i.Left)
			}
			t.Logf("%s after %v", out.Run.Status, out.Run.EndedAt.Sub(out.Run.StartedAt))
			back := w.recover(t, "recover", "use1-az1")
			for _, i := range back.Items {
				t.Logf("%-28s %-24s %s", i.Name, i.Outcome, i.Reason)
			}
			w.wantSnapshot(t, before)
		})
	}
}

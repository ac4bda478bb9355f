package integration

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// wantNothingOpen checks that the ledger has no record and no zone out.
func wantNothingOpen(t *testing.T, o observation) {
	t.Helper()
	if o.Ledger == nil {
		t.Error("there is no ledger")
	}
	for _, item := range o.Ledger {
		pk, _ := item["pk"].(string)
		if _, isRecord := item["state"]; isRecord && !strings.HasPrefix(pk, "run#") {
			t.Errorf("record left: %s", text(item))
		}
		if zones, ok := item["zones"].(map[string]any); ok && len(zones) > 0 {
			t.Errorf("zones out: %s", text(zones))
		}
	}
}

// event is one line of an audit trail.
type event struct {
	Type  string `json:"type"`
	Actor string `json:"actor"`
	Name  string `json:"name"`
	Edits []struct{ Field string }
}

// trail is what audit prints of a run.
func trail(o operator, id string) []event {
	o.t.Helper()
	r := run(o.t, o.w, o.args("audit", id)...)
	var told struct {
		Events []event `json:"events"`
	}
	if err := json.Unmarshal([]byte(r.Stdout), &told); err != nil {
		o.t.Fatalf("audit: %v\n%s\n%s", err, r.Stdout, r.Stderr)
	}
	return told.Events
}

// tell counts by resource what the events say of its change: that it began, from
// what to what, and that AWS took it.
func tell(t *testing.T, events []event) map[string]int {
	t.Helper()
	told := map[string]int{}
	for _, e := range events {
		if e.Actor == "" {
			t.Errorf("event %s names nobody", e.Type)
		}
		if e.Type == "change.started" && len(e.Edits) > 0 || e.Type == "change.accepted" {
			told[e.Name]++
		}
	}
	return told
}

// about are the events that concern one resource.
func about(events []event, name string) []event {
	return slices.DeleteFunc(slices.Clone(events), func(e event) bool { return e.Name != name })
}

// wantTrail checks that a run's trail has each resource's change, with what was
// before and after.
func wantTrail(t *testing.T, o operator, d document) {
	t.Helper()
	events := trail(o, d.Run.ID)
	told := tell(t, events)
	changed := 0
	for _, res := range d.Resources {
		if !isChange(res.Outcome) || res.Outcome == "held-redeploys" && len(res.Before) == 0 {
			continue
		}
		changed++
		if told[res.Name] < 2 {
			t.Errorf("the trail of %s does not tell of %s, %s: %s", d.Run.ID, res.Name, res.Outcome, text(about(events, res.Name)))
		}
	}
	if changed == 0 || len(events) == 0 || events[len(events)-1].Type != "run.ended" {
		t.Errorf("%s: %d changes, %d events", d.Run.ID, changed, len(events))
	}
}

// isChange says whether an outcome is one of a change that AWS took. What is held
// may need none.
func isChange(outcome string) bool {
	return slices.Contains([]string{"settled", "not-evacuated", "held-redeploys", "restored"}, outcome)
}

// wantAsPlanned checks that the evacuation did exactly what the plan said.
func wantAsPlanned(t *testing.T, plan, out document) {
	t.Helper()
	if len(plan.Resources) != len(out.Resources) {
		t.Errorf("%d resources planned, %d reported", len(plan.Resources), len(out.Resources))
	}
	for i, p := range plan.Resources {
		did := out.Resources[i]
		if p.ARN != did.ARN || !reflect.DeepEqual(p.Before, did.Before) || !reflect.DeepEqual(p.After, did.After) ||
			!reflect.DeepEqual(p.RemovedSubnets, did.RemovedSubnets) {
			t.Errorf("planned %s\ndid     %s", text(p), text(did))
		}
		if (p.Outcome == "planned") != isChange(did.Outcome) && p.Outcome != did.Outcome {
			t.Errorf("%s was planned as %s and is %s", p.Name, p.Outcome, did.Outcome)
		}
	}
}

package resourcetest

import (
	"fmt"
	"strings"

	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

var zonesChecks = []check{
	{"TwoZonesOut", checkTwoZones},
	{"APartPutBackGoesOutAgain", checkPartPutBack},
}

// schedules are ways for two zones, A and B, to go out (upper case) and come back
// (lower case), evacuations of what is out already among them.
var schedules = []string{"ABab", "ABba", "BAab", "BAba", "AABBab", "ABAba", "ABaAba", "ABbBab", "ABaAbBab"}

func checkTwoZones(t *trial) error {
	for _, s := range schedules {
		again, err := t.again()
		if err != nil {
			return err
		}
		if err := again.follow(s); err != nil {
			return fmt.Errorf("zones out and back as %s: %w", s, err)
		}
	}
	return nil
}

func (t *trial) follow(schedule string) error {
	want := t.World.Snapshot()
	for i, step := range schedule {
		z := t.Zone
		if strings.ToUpper(string(step)) == "B" {
			z = t.Other
		}
		d := resource.Recover
		if step < 'a' {
			d = resource.Evacuate
		}
		if _, err := t.reach(d, z); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		if err := t.stayOut(t.Zone, t.Other); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return same("recovered", t.World.Snapshot(), want)
}

// stayOut sees that what was taken from a zone that is out is not back.
func (t *trial) stayOut(zones ...zone.Zone) error {
	r, err := t.read()
	if err != nil {
		return err
	}
	for _, z := range zones {
		rec := t.records[z.ID]
		if rec == nil {
			continue
		}
		if _, edits := rec.Edit(resource.SubnetsField); !edits {
			continue
		}
		if in, _, _ := t.World.Subnets().Split(r.Fields[resource.SubnetsField], z.ID); len(in) > 0 {
			return fmt.Errorf("%s is out, and %v are back in it", z.ID, in)
		}
	}
	return nil
}

// checkPartPutBack has somebody put one of the zone's subnets back while both
// zones are out, and evacuates again: the order of all of them must survive.
func checkPartPutBack(t *trial) error {
	want := t.World.Snapshot()
	r, err := t.read()
	if err != nil {
		return err
	}
	original := r.Fields[resource.SubnetsField]
	for _, z := range []zone.Zone{t.Zone, t.Other} {
		if _, err := t.reach(resource.Evacuate, z); err != nil {
			return err
		}
	}
	removed := t.records[t.Zone.ID].RemovedSubnets
	if _, edits := t.records[t.Zone.ID].Edit(resource.SubnetsField); !edits {
		return nil
	}
	if r, err = t.read(); err != nil {
		return err
	}
	t.Someone.SetSubnets(t.sample, resource.Merge(r.Fields[resource.SubnetsField], original, removed[:1]))
	if _, err := t.out(); err != nil {
		return err
	}
	for _, z := range []zone.Zone{t.Other, t.Zone} {
		if _, err := t.reach(resource.Recover, z); err != nil {
			return err
		}
	}
	return same("recovered", t.World.Snapshot(), want)
}

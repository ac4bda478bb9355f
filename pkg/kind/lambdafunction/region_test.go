package lambdafunction_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"sidestep/pkg/awserr"
	"sidestep/pkg/kind/lambdafunction"
	"sidestep/pkg/region"
	"sidestep/pkg/resource"
	"sidestep/pkg/resource/resourcetest"
)

// evacuee is a function of the sample region on its way out of the zone.
type evacuee struct {
	resourcetest.Harness
	w    *world
	name string
}

func anEvacuee(t *testing.T, name string) evacuee {
	t.Helper()
	h := open(t)
	return evacuee{h, h.World.(*world), name}
}

func (e evacuee) read(t *testing.T) resource.Resource {
	t.Helper()
	found, err := e.Driver.Read(t.Context(), resource.ID{ARN: e.w.r.FunctionARN(e.name), Name: e.name})
	if err != nil || len(found) != 1 {
		t.Fatalf("read %v and %v", found, err)
	}
	return found[0]
}

func (e evacuee) plan(r resource.Resource) resource.Change {
	return e.Driver.Plan(r, resource.Goal{
		Direction: resource.Evacuate, Zone: e.Zone, Policy: resource.Hold, Zones: e.Zones, Subnets: e.w.Subnets(),
	})
}

// send reads, plans and applies.
func (e evacuee) send(t *testing.T) resource.Change {
	t.Helper()
	r := e.read(t)
	c := e.plan(r)
	if _, err := e.Driver.Apply(t.Context(), r, c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFR49AForeignUpdateInBetween: what was read is out of date, and the update goes
// out on a fresh reading, once theirs is over, with all that they set.
func TestFR49AForeignUpdateInBetween(t *testing.T) {
	e := anEvacuee(t, "mail")
	stale := e.read(t)
	e.w.r.EditFunction("mail", func(c *region.FunctionConfig) { c.SecurityGroups = []string{"sg-theirs"} })
	if r := e.read(t); r.Underway == "" {
		t.Error("somebody's update does not show")
	}
	if _, err := e.Driver.Apply(context.Background(), stale, e.plan(stale)); awserr.Classify(err) != awserr.Busy {
		t.Errorf("while their update is under way: %v", err)
	}
	e.w.Settle()
	if _, err := e.Driver.Apply(context.Background(), stale, e.plan(stale)); awserr.Classify(err) != awserr.Outdated {
		t.Errorf("on what was read before their update: %v", err)
	}
	c := e.send(t)
	if p := e.Driver.Judge(e.read(t), c); !p.Reached || p.Outcome != "" || e.read(t).Underway == "" {
		t.Errorf("just sent, it is judged %+v", p)
	}
	e.w.Settle()
	want := []string{"sg-theirs"}
	if r := e.read(t); !e.Driver.Judge(r, c).Reached || r.Underway != "" || !slices.Equal(r.Fields["security-groups"], want) {
		t.Errorf("then it is %+v", r)
	}
}

// TestFR49AnUpdateThatFails: the old subnets serve on, and sent again it succeeds.
func TestFR49AnUpdateThatFails(t *testing.T) {
	e := anEvacuee(t, "mail")
	e.w.r.FailUpdates("mail", "InsufficientRolePermissions")
	c := e.send(t)
	e.w.Settle()
	p := e.Driver.Judge(e.read(t), c)
	if p.Reached || p.Outcome != resource.FailedRole || !strings.Contains(p.Reason, "InsufficientRolePermissions") {
		t.Errorf("judged %+v", p)
	}
	e.w.r.FailUpdates("mail", "")
	c = e.send(t)
	e.w.Settle()
	if p := e.Driver.Judge(e.read(t), c); !p.Reached || p.Outcome != "" {
		t.Errorf("sent again, it is judged %+v", p)
	}
}

// TestFR33AnAliasOnAnOldVersion: that the function itself is out is not enough, and
// the version in use is named.
func TestFR33AnAliasOnAnOldVersion(t *testing.T) {
	e := anEvacuee(t, "published")
	d := e.Driver.(*lambdafunction.Driver)
	c := e.send(t)
	e.w.Settle()
	placed, err := d.Place(t.Context(), []resource.Resource{e.read(t)})
	if err != nil {
		t.Fatal(err)
	}
	if p := d.Judge(placed[0], c); p.Outcome != resource.NotEvacuated || !strings.Contains(p.Reason, "versions 1, 2;") {
		t.Errorf("judged %+v", p)
	}
	told, err := d.Explain(t.Context(), placed[0])
	if p := d.Judge(told, c); err != nil || !p.Reached || !strings.Contains(p.Reason, "alias live runs version 1, and version 2;") {
		t.Errorf("judged %+v (%v)", p, err)
	}
}

// TestAFailedPlaceFails: what is not known must not look like nothing.
func TestAFailedPlaceFails(t *testing.T) {
	e := anEvacuee(t, "published")
	r := e.read(t)
	d := e.Driver.(*lambdafunction.Driver)
	for n, read := range [][]resource.Resource{{r}, slices.Repeat([]resource.Resource{r}, 51)} {
		before, _ := e.w.Calls()
		if _, err := d.Place(t.Context(), read); err != nil {
			t.Fatal(err)
		}
		after, _ := e.w.Calls()
		for nth := 1; nth <= after-before; nth++ {
			e.w.Fail(nth, false)
			if _, err := d.Place(t.Context(), read); err == nil || errors.Unwrap(err) == nil {
				t.Errorf("%d: call %d of %d fails, and it returns %v", n, nth, after-before, err)
			}
		}
	}
}

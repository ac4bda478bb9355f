package resourcetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"sidestep/pkg/resource"
)

var worldChecks = []check{{"Samples", checkSamples}}

// checkSamples is about the harness: samples that are too plain let anything
// pass.
func checkSamples(t *trial) error {
	if len(t.Policies) == 0 || len(t.Samples.Evacuable) == 0 {
		return errors.New("the harness has no policies or no evacuable samples")
	}
	if err := same("opened again", t.open().World.Snapshot(), t.World.Snapshot()); err != nil {
		return err
	}
	if err := t.checkEvacuable(); err != nil {
		return err
	}
	list, err := t.subnetsOf(t.Samples.Alone)
	if err != nil {
		return err
	}
	if zones := t.World.Subnets().Zones(list); !slices.Equal(zones, []string{t.Zone.ID}) {
		return fmt.Errorf("%s lies in %v, want %s alone", t.Samples.Alone, zones, t.Zone.ID)
	}
	return nil
}

func (t *trial) checkEvacuable() error {
	spread, unsorted := false, false
	for _, name := range t.Samples.Evacuable {
		list, err := t.subnetsOf(name)
		if err != nil {
			return err
		}
		if zones := t.World.Subnets().Zones(list); len(zones) < 3 || len(resource.Without([]string{t.Zone.ID, t.Other.ID}, zones)) > 0 {
			return fmt.Errorf("%s lies in %v, want %s, %s and a third", name, zones, t.Zone.ID, t.Other.ID)
		}
		spread = spread || t.apart(list)
		unsorted = unsorted || !slices.IsSorted(list)
	}
	if !spread || !unsorted {
		return errors.New("no evacuable sample lists two subnets of the zone apart, or all are in alphabetical order")
	}
	return nil
}

// apart: the list has subnets of the zone with another between them.
func (t *trial) apart(list []string) bool {
	in, _, _ := t.World.Subnets().Split(list, t.Zone.ID)
	n := len(in)
	return n > 1 && slices.Index(list, in[n-1])-slices.Index(list, in[0]) >= n
}

func (t *trial) subnetsOf(name string) ([]string, error) {
	id, err := t.find(name)
	if err != nil {
		return nil, err
	}
	r, err := t.readOne(id)
	return r.Fields[resource.SubnetsField], err
}

var readChecks = []check{
	{"ListsAll", checkListsAll},
	{"ListsWhatIsInScope", checkScope},
	{"AFailedPageFailsTheList", checkFailedPage},
	{"ReadsMany", checkReadsMany},
	{"ReadLeavesOutWhatIsNotThere", checkReadMissing},
	{"ReadOfNothingAsksNothing", checkReadNothing},
	{"AFailedReadFails", checkFailedRead},
}

func (t *trial) list(s resource.Scope) ([]string, error) {
	listed, err := t.Driver.List(context.Background(), s)
	var names []string
	for _, r := range listed {
		id := r.ID
		if id.Kind != t.Driver.Kind() || id.ARN == "" {
			return nil, fmt.Errorf("listed as %+v", id)
		}
		names = append(names, id.Name)
	}
	return names, err
}

func checkListsAll(t *trial) error {
	ids, err := t.ids()
	if err != nil {
		return err
	}
	if calls, _ := t.World.Calls(); calls < 2 {
		return errors.New("listed with one call: the world must hold more than a page")
	}
	listed := map[string]bool{}
	for _, id := range ids {
		if listed[id.ARN] {
			return fmt.Errorf("%s is listed twice", id.Name)
		}
		if id.Name == t.Samples.Excluded {
			return fmt.Errorf("%s is listed, and has the tag %s", id.Name, resource.ExcludeTag)
		}
		listed[id.ARN] = true
	}
	if there := len(t.World.Snapshot()) - 1; len(listed) != there {
		return fmt.Errorf("%d are listed, there are %d beside the excluded one", len(listed), there)
	}
	return nil
}

func checkScope(t *trial) error {
	s := t.Samples
	all, err := t.list(resource.Scope{})
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(slices.Clone(all), func(n string) bool { return n == s.Tagged })
	tag := map[string]string{s.TagKey: s.TagValue}
	for name, tt := range map[string]struct {
		scope resource.Scope
		want  []string
	}{
		"its kind":            {resource.Scope{Kinds: []resource.Kind{"another", t.Driver.Kind()}}, all},
		"another kind":        {resource.Scope{Kinds: []resource.Kind{"another"}}, nil},
		"a tag":               {resource.Scope{Tags: tag}, []string{s.Tagged}},
		"a tag's other value": {resource.Scope{Tags: map[string]string{s.TagKey: s.TagValue + "x"}}, nil},
		"two tags":            {resource.Scope{Tags: map[string]string{s.TagKey: s.TagValue, "none": ""}}, nil},
		"without a tag":       {resource.Scope{Exclude: tag}, others},
		"a name":              {resource.Scope{Name: s.Tagged}, []string{s.Tagged}},
		"a glob":              {resource.Scope{Name: s.Tagged[:len(s.Tagged)-1] + "?"}, []string{s.Tagged}},
		"no name":             {resource.Scope{Name: s.Tagged + "?"}, nil},
		"the excluded one":    {resource.Scope{Name: s.Excluded}, nil},
	} {
		got, err := t.list(tt.scope)
		if err != nil {
			return err
		}
		if !slices.Equal(got, tt.want) {
			return fmt.Errorf("scope of %s lists %v, want %v", name, got, tt.want)
		}
	}
	return nil
}

func checkFailedPage(t *trial) error {
	if _, err := t.Driver.List(context.Background(), resource.Scope{}); err != nil {
		return err
	}
	pages, _ := t.World.Calls()
	for nth := 1; nth <= pages; nth++ {
		again := t.open()
		again.World.Fail(nth, false)
		if ids, err := again.Driver.List(context.Background(), resource.Scope{}); err == nil || len(ids) > 0 {
			return fmt.Errorf("call %d of %d fails, and List returns %d resources (error: %t)", nth, pages, len(ids), err != nil)
		}
	}
	return nil
}

func (t *trial) readAll() ([]resource.Resource, error) {
	ids, err := t.ids()
	if err != nil {
		return nil, err
	}
	return t.Driver.Read(context.Background(), ids...)
}

// checkReadsMany reads all at once, one at a time and in another order.
func checkReadsMany(t *trial) error {
	all, err := t.readAll()
	if err != nil {
		return err
	}
	ids, err := t.ids()
	if err != nil {
		return err
	}
	if len(all) != len(ids) {
		return fmt.Errorf("read %d of %d", len(all), len(ids))
	}
	byARN := map[string]resource.Resource{}
	for _, r := range all {
		byARN[r.ARN] = r
	}
	slices.Reverse(ids)
	for _, id := range ids {
		one, err := t.readOne(id)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(one, byARN[id.ARN]) {
			return fmt.Errorf("%s reads alone as %+v, among many as %+v", id.Name, one, byARN[id.ARN])
		}
	}
	return nil
}

func checkReadMissing(t *trial) error {
	ids, err := t.ids()
	if err != nil {
		return err
	}
	gone := ids[len(ids)/2]
	never := gone
	never.ARN, never.Name = gone.ARN+"-never", gone.Name+"-never"
	t.Someone.Delete(gone.Name)
	found, err := t.Driver.Read(context.Background(), append(ids, never)...)
	if err != nil {
		return fmt.Errorf("reading, with two that are not there: %w", err)
	}
	left := map[string]bool{}
	for _, r := range found {
		left[r.ARN] = true
	}
	if left[gone.ARN] || left[never.ARN] || len(left) != len(ids)-1 {
		return fmt.Errorf("of %d, two of them not there, were read %v", len(ids)+1, slices.Sorted(maps.Keys(left)))
	}
	return nil
}

func checkReadNothing(t *trial) error {
	before, _ := t.World.Calls()
	found, err := t.Driver.Read(context.Background())
	after, _ := t.World.Calls()
	if len(found) > 0 || after != before {
		return fmt.Errorf("reading nothing took %d calls and gave %d resources", after-before, len(found))
	}
	return err
}

func checkFailedRead(t *trial) error {
	ids, err := t.ids()
	if err != nil {
		return err
	}
	before, _ := t.World.Calls()
	if _, err := t.Driver.Read(context.Background(), ids...); err != nil {
		return err
	}
	after, _ := t.World.Calls()
	for nth := 1; nth <= after-before; nth++ {
		t.World.Fail(nth, false)
		if _, err := t.Driver.Read(context.Background(), ids...); err == nil {
			return fmt.Errorf("call %d of %d fails, and Read says nothing of it", nth, after-before)
		}
	}
	return nil
}

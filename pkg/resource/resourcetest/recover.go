package resourcetest

import (
	"fmt"
	"slices"
	"strings"

	"sidestep/pkg/resource"
)

var recoverChecks = []check{
	{"UndisturbedRecoveryIsExact", checkExact},
	{"ThePolicyMayChange", checkPolicyChange},
}

// checkExact: the order of subnets is part of it. FR-74: a stack compares them as
// text.
func checkExact(t *trial) error {
	want := t.World.Snapshot()
	for range 2 {
		if _, err := t.out(); err != nil {
			return err
		}
		if _, err := t.back(); err != nil {
			return err
		}
		if err := same("recovered", t.World.Snapshot(), want); err != nil {
			return err
		}
	}
	return nil
}

// checkPolicyChange evacuates further, or less far, what is out already.
func checkPolicyChange(t *trial) error {
	want, first := t.World.Snapshot(), t.policy
	for _, p := range t.Policies {
		for _, policy := range []resource.Policy{first, p, first} {
			t.policy = policy
			if _, err := t.reach(resource.Evacuate, t.Zone); err != nil {
				return fmt.Errorf("%s, then %s: %w", first, p, err)
			}
		}
		if _, err := t.back(); err != nil {
			return err
		}
		if err := same(fmt.Sprintf("recovered from %s, %s, %s", first, p, first), t.World.Snapshot(), want); err != nil {
			return err
		}
	}
	return nil
}

var meanwhileChecks = []check{
	{"RecoveryKeepsASubnetSomebodyAdded", checkAdded},
	{"RecoveryKeepsOutASubnetSomebodyRemoved", checkTakenOut},
	{"RecoveryTouchesOnlyWhatItOwns", checkUnowned},
	{"RecoveryAfterSomebodyPutItBack", checkPutBack},
	{"ADeletedSubnetIsNotPutBack", checkDeletedSubnet},
}

// meanwhile evacuates, has somebody choose other subnets, and recovers. It
// returns the subnets before, those chosen, and those after; nothing where the
// change is not about subnets.
func (t *trial) meanwhile(choose func(left []string) ([]string, error)) (before, after []string, err error) {
	r, err := t.read()
	if err != nil {
		return nil, nil, err
	}
	before = r.Fields[resource.SubnetsField]
	c, err := t.out()
	if err != nil {
		return nil, nil, err
	}
	e, edits := edit(c, resource.SubnetsField)
	if !edits {
		return nil, nil, nil
	}
	chosen, err := choose(slices.Clone(e.To))
	if err != nil {
		return nil, nil, err
	}
	t.Someone.SetSubnets(t.sample, chosen)
	if _, err := t.back(); err != nil {
		return nil, nil, err
	}
	r, err = t.read()
	return before, r.Fields[resource.SubnetsField], err
}

func checkAdded(t *trial) error {
	extra := ""
	before, after, err := t.meanwhile(func(left []string) ([]string, error) {
		r, err := t.read()
		if err != nil {
			return nil, err
		}
		extra, err = t.spare(r)
		return slices.Insert(left, 1, extra), err
	})
	if err != nil || before == nil {
		return err
	}
	if !slices.Contains(after, extra) || !slices.Equal(resource.Without(after, []string{extra}), before) {
		return fmt.Errorf("somebody added %s to %v meanwhile; recovery made %v", extra, before, after)
	}
	return nil
}

func checkTakenOut(t *trial) error {
	gone := ""
	before, after, err := t.meanwhile(func(left []string) ([]string, error) {
		gone = left[0]
		return left[1:], nil
	})
	if err != nil || before == nil {
		return err
	}
	if !slices.Equal(after, resource.Without(before, []string{gone})) {
		return fmt.Errorf("somebody took %s out of %v meanwhile; recovery made %v", gone, before, after)
	}
	return nil
}

// checkUnowned compares with a world in which nothing happened but the change by
// somebody else.
func checkUnowned(t *trial) error {
	undisturbed := t.World.Snapshot()
	other, err := t.again()
	if err != nil {
		return err
	}
	other.Someone.Disturb(t.sample)
	want := other.World.Snapshot()
	if same("", want, undisturbed) == nil {
		return fmt.Errorf("the harness's Disturb of %s changes nothing", t.sample)
	}
	if _, err := t.out(); err != nil {
		return err
	}
	t.Someone.Disturb(t.sample)
	if _, err := t.back(); err != nil {
		return err
	}
	return same("recovered, with somebody's change", t.World.Snapshot(), want)
}

func checkPutBack(t *trial) error {
	want := t.World.Snapshot()
	r, err := t.read()
	if err != nil {
		return err
	}
	c, err := t.out()
	if err != nil {
		return err
	}
	if _, edits := edit(c, resource.SubnetsField); !edits {
		return nil
	}
	t.Someone.SetSubnets(t.sample, r.Fields[resource.SubnetsField])
	c, err = t.back()
	if err != nil {
		return err
	}
	if e, edits := edit(c, resource.SubnetsField); edits {
		return fmt.Errorf("somebody put the subnets back, and recovery still sends %v", e)
	}
	if len(c.Edits) == 0 && c.Outcome != resource.AlreadyDone {
		return fmt.Errorf("somebody put the subnets back: %s, want %s", c.Outcome, resource.AlreadyDone)
	}
	return same("recovered", t.World.Snapshot(), want)
}

func checkDeletedSubnet(t *trial) error {
	r, err := t.read()
	if err != nil {
		return err
	}
	c, err := t.out()
	if err != nil {
		return err
	}
	if _, edits := edit(c, resource.SubnetsField); !edits {
		return nil
	}
	gone := c.Removed[0]
	t.Someone.DeleteSubnet(gone)
	if c, err = t.back(); err != nil {
		return err
	}
	if !slices.ContainsFunc(c.Notes, func(n string) bool { return strings.Contains(n, gone) }) {
		return fmt.Errorf("%s was deleted meanwhile, and the notes %q do not say so", gone, c.Notes)
	}
	before := r.Fields[resource.SubnetsField]
	if r, err = t.read(); err != nil {
		return err
	}
	if want := resource.Without(before, []string{gone}); !slices.Equal(r.Fields[resource.SubnetsField], want) {
		return fmt.Errorf("%s was deleted meanwhile; the subnets are %v, want %v", gone, r.Fields[resource.SubnetsField], want)
	}
	return nil
}

package resourcetest

import (
	"testing"

	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

func openToys(f faults) Harness {
	w := newToys()
	all := []zone.Zone{{ID: "az1", Name: "c"}, {ID: "az2", Name: "a"}, {ID: "az3", Name: "b"}}
	return Harness{
		Driver: toyDriver{w: w, f: f, planned: new(int)},
		Zone:   all[0], Other: all[1], Zones: zone.Zones{Region: "toyland", All: all},
		Policies: []resource.Policy{resource.Hold, resource.Drain},
		Samples: Samples{
			Evacuable: []string{"plain", "wide"}, Alone: "alone",
			Tagged: "tagged", TagKey: "k", TagValue: "v", Excluded: "excluded",
		},
		World: w, Someone: w,
	}
}

func TestTheToyPasses(t *testing.T) {
	Run(t, func(*testing.T) Harness { return openToys(faults{}) })
}

// TestTheSuiteFindsWhatIsBroken breaks the toy in one way at a time and names the
// checks that must see it.
func TestTheSuiteFindsWhatIsBroken(t *testing.T) {
	seen := map[string]bool{"Samples": true} // see below
	for name, tt := range map[string]struct {
		f    faults
		want []string
	}{
		"lists one page":           {faults{firstPage: true}, []string{"ListsAll"}},
		"lists what it got":        {faults{partOfList: true}, []string{"AFailedPageFailsTheList"}},
		"lists every kind":         {faults{ignoresScope: true}, []string{"ListsWhatIsInScope"}},
		"lists names alone":        {faults{listsBare: true}, []string{"PlansFromTheListAsFromReading"}},
		"lists the excluded":       {faults{ignoresExclude: true}, []string{"ListsAll", "ListsWhatIsInScope"}},
		"reads all for nothing":    {faults{readsAll: true}, []string{"ReadOfNothingAsksNothing"}},
		"reads what is not there":  {faults{inventsMissing: true}, []string{"ReadLeavesOutWhatIsNotThere"}},
		"calls while planning":     {faults{writesInPlan: true}, []string{"PlanningAsksNothing"}},
		"changes what it is given": {faults{mutates: true}, []string{"PlanningIsPure"}},
		"plans another way":        {faults{random: true}, []string{"PlanningIsPure"}},
		"empties":                  {faults{empties: true}, []string{"WhatLivesInTheZoneAloneIsSkipped", "EmptyIsRefused", "PlansAreSound"}},
		"guesses zones":            {faults{guesses: true}, []string{"UnknownSubnetsAreSkipped"}},
		"leaves a subnet":          {faults{removesLess: true}, []string{"PlansAreSound", "EvacuationIsReached"}},
		"loses the order":          {faults{sorts: true}, []string{"UndisturbedRecoveryIsExact"}},
		"ignores drift":            {faults{ignoresDrift: true}, []string{"DriftIsRefused", "AppliedTwiceIsWrittenOnce"}},
		"writes twice":             {faults{sendsAll: true}, []string{"AppliedTwiceIsWrittenOnce"}},
		"hides failures":           {faults{hidesFailure: true}, []string{"HalfDoneIsCompleted", "AFailedReadFails"}},
		"writes what is not its":   {faults{setsNote: true}, []string{"UndisturbedRecoveryIsExact", "RecoveryTouchesOnlyWhatItOwns"}},
		"overwrites":               {faults{overwrites: true}, []string{"RecoveryKeepsASubnetSomebodyAdded", "RecoveryKeepsOutASubnetSomebodyRemoved", "ADeletedSubnetIsNotPutBack", "TwoZonesOut"}},
		"refills the other zone":   {faults{refills: true}, []string{"TwoZonesOut", "RecoveryKeepsOutASubnetSomebodyRemoved"}},
		"forgets a switch":         {faults{forgetsLock: true}, []string{"ThePolicyMayChange", "RecoveryAfterSomebodyPutItBack"}},
		"restores the deleted":     {faults{restoresDeleted: true}, []string{"ADeletedSubnetIsNotPutBack"}},
		"takes sending for done":   {faults{alwaysReached: true}, []string{"EvacuationIsReached"}},
		"is never done":            {faults{neverReached: true}, []string{"EvacuationIsReached"}},
		"reads one of many":        {faults{readsOne: true}, []string{"ReadsMany"}},
		"records a new order":      {faults{reorders: true}, []string{"APartPutBackGoesOutAgain"}},
		"touches others":           {faults{touchesOthers: true}, []string{"OthersAreLeftAlone"}},
	} {
		t.Run(name, func(t *testing.T) {
			failed := map[string]bool{}
			for _, c := range cases(openToys(tt.f)) {
				if c.try(func() Harness { return openToys(tt.f) }) != nil {
					failed[c.check.name] = true
				}
			}
			for _, want := range tt.want {
				seen[want] = true
				if !failed[want] {
					t.Errorf("%s did not see it; of all checks these did: %v", want, failed)
				}
			}
		})
	}
	for _, c := range concat(onceChecks, changeChecks) {
		if !seen[c.name] {
			t.Errorf("nothing here shows that %s can fail", c.name)
		}
	}
}

// TestPlainSamplesAreRefused: with samples that are too plain the suite would
// pass whatever it is given.
func TestPlainSamplesAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(*Harness){
		"no policy":           func(h *Harness) { h.Policies = nil },
		"no sample":           func(h *Harness) { h.Samples.Evacuable = nil },
		"two zones":           func(h *Harness) { h.Samples.Evacuable = []string{"elsewhere", "wide"} },
		"one subnet a zone":   func(h *Harness) { h.Samples.Evacuable = []string{"plain"} },
		"in alphabetic order": func(h *Harness) { h.Someone.SetSubnets("wide", []string{"1a", "1b", "2a", "3a"}) },
		"alone is not":        func(h *Harness) { h.Samples.Alone = "plain" },
		"nobody of that name": func(h *Harness) { h.Samples.Alone = "nobody" },
	} {
		open := func() Harness {
			h := openToys(faults{})
			spoil(&h)
			return h
		}
		if err := (testCase{check: worldChecks[0]}).try(open); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

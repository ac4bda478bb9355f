package main

import (
	"strings"
	"testing"

	"sidestep/cmd/sidestep/view"
)

func TestDrill(t *testing.T) {
	for _, policy := range []string{"hold", "drain"} {
		for _, z := range []string{zone, "use1-az2", "us-east-1a"} {
			t.Run(policy+" "+z, func(t *testing.T) {
				args := []string{"drill", "--policy", policy, "--zone", z, "--seed", "7"}
				first := newWorld(t).want(exitDone, args...)
				if second := newWorld(t).want(exitDone, args...); first != second {
					t.Errorf("the same seed gives\n%s%s\nand then\n%s%s", first.stdout, first.stderr, second.stdout, second.stderr)
				}
				if !strings.Contains(first.stdout, "configuration equal to before: yes") {
					t.Errorf("the drill says\n%s", first.stdout)
				}
			})
		}
	}
}

func TestDrillMovesInstancesUnderDrainAlone(t *testing.T) {
	left := map[string]int{}
	for _, policy := range []string{"hold", "drain"} {
		d := read[view.DrillDocument](t, newWorld(t).want(exitDone, "drill", "--policy", policy, "--output", "json"))
		for _, g := range d.Instances {
			if g.Group == "web" {
				left[policy] = g.Out[zone]
			}
		}
	}
	if left["hold"] != 3 || left["drain"] != 0 {
		t.Errorf("of web's 3 instances in the zone %d stay under hold and %d under drain", left["hold"], left["drain"])
	}
}

func TestDrillRefuses(t *testing.T) {
	newWorld(t).want(exitRefused, "drill", "--zone", "use1-az9").oneLine(t)
	newWorld(t).want(exitUsage, "drill", "--policy", "shift").oneLine(t)
}

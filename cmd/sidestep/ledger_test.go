package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sidestep/cmd/sidestep/view"
	"sidestep/pkg/ledger/memory"
	"sidestep/pkg/region"
)

func TestLedgerMoves(t *testing.T) {
	w := ready(t)
	before := w.region.Snapshot()
	out := w.evacuate(exitPartial)
	file := filepath.Join(t.TempDir(), "ledger.jsonl")
	w.want(exitDone, "ledger", "export", file)
	exported, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	w.store = memory.New() // the table is lost
	w.want(exitDone, "ledger", "init")
	got := read[importDocument](t, w.want(exitDone, "ledger", "import", file, "--output", "json"))
	if got.Import.Created != 8 || got.Import.Merged != 0 || got.Import.Runs != 1 {
		t.Errorf("the import counts %+v", got.Import)
	}
	w.typed = string(exported)
	again := read[importDocument](t, w.want(exitDone, "ledger", "import", "--output", "json"))
	if again.Import.Unchanged != 8 || again.Import.Created+again.Import.Merged+again.Import.Runs+again.Import.Events != 0 {
		t.Errorf("the second import counts %+v", again.Import)
	}
	if a := w.want(exitDone, "audit", out.Run.ID); !strings.Contains(a.stdout, "change.accepted") {
		t.Errorf("the trail is\n%s", a.stdout)
	}
	w.recover(exitDone)
	if !reflect.DeepEqual(before, w.region.Snapshot()) {
		t.Error("the configuration is not as before")
	}
	w.document(exitPartial, "evacuate", "--zone", "use1-az2", "--reason", "r", "--yes")
	w.want(exitRefused, "ledger", "import", file).oneLine(t) // another zone is out
}

func TestLedgerListAndShow(t *testing.T) {
	w := ready(t)
	w.evacuate(exitPartial)
	if a := w.want(exitDone, "ledger", "list"); !strings.HasPrefix(a.stdout, "use1-az1: 8 open records\n") {
		t.Errorf("list says\n%s", a.stdout)
	}
	if a := w.want(exitDone, "ledger", "list", "--runs"); !strings.Contains(a.stdout, "partial  evacuate-use1-az1-") {
		t.Errorf("list --runs says\n%s", a.stdout)
	}
	got := read[view.Records](t, w.want(exitDone, "ledger", "show", w.region.ARN("api"), "--output", "json"))
	if len(got.Records) != 1 || got.Records[0].Zone != zone || got.Records[0].Name != "api" || len(got.Records[0].RemovedSubnets) != 1 {
		t.Errorf("show says %+v", got)
	}
	if a := w.want(exitDone, "ledger", "show", "api"); !strings.Contains(a.stdout, "removed subnets: subnet-1a") {
		t.Errorf("show says\n%s", a.stdout)
	}
}

func TestLedgerRepair(t *testing.T) {
	w := ready(t)
	w.evacuate(exitPartial)
	args := []string{"ledger", "repair", "--zone", zone}
	if a := w.want(exitDone, args...); !strings.HasPrefix(a.stdout, "NOTHING TO REPAIR") {
		t.Errorf("repair says\n%s", a.stdout)
	}
	w.region.EditGroup("api", func(c *region.GroupConfig) { // someone put it back by hand
		c.Subnets, c.Suspended = []string{"subnet-2a", "subnet-1a", "subnet-3a"}, nil
	})
	w.unchanged(func() {
		a := w.want(exitUsage, args...) // nobody to ask, but shown all the same
		a.oneLine(t)
		if !strings.Contains(a.stdout, "WOULD REPAIR 1 record") {
			t.Errorf("repair says\n%s", a.stdout)
		}
		w.terminal, w.typed = true, zone+"\n"
		if a := w.want(exitDone, args...); !strings.Contains(a.stdout, "REPAIRED: 1 of 1 records") {
			t.Errorf("repair says\n%s", a.stdout)
		}
	})
	if a := w.want(exitDone, "ledger", "list"); !strings.HasPrefix(a.stdout, "use1-az1: 7 open records\n") {
		t.Errorf("list says\n%s", a.stdout)
	}
}

// Package ledgertest is what every ledger.Store must pass: the semantics of the
// store itself, and the ledger's protocol on top of it.
package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"sidestep/pkg/clock"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// Where the suite's records and locks are.
const (
	account   = "111122223333"
	region    = "us-east-1"
	zoneID    = "use1-az1"
	otherZone = "use1-az2"
)

// test is one case; it gets a store of its own that nobody has written to.
type test struct {
	name string
	run  func(t *testing.T, s ledger.Store)
}

// Run runs the suite. open returns an empty store, a new one each time, and
// clears it away in the test's Cleanup if that is needed.
func Run(t *testing.T, open func(t *testing.T) ledger.Store) {
	parts := []struct {
		name  string
		tests []test
	}{
		{"Write", writeTests},
		{"Read", readTests},
		{"Lock", lockTests},
		{"Records", recordTests},
		{"LostAnswer", lostTests},
		{"Trail", trailTests},
	}
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) {
			for _, tt := range part.tests {
				t.Run(tt.name, func(t *testing.T) { tt.run(t, open(t)) })
			}
		})
	}
}

// newClock stands still unless a test moves it, so that a test decides which of
// two times is later. It starts at the present: deadlines set by it are also
// looked at by network code, which knows the machine's time alone.
func newClock() *clock.Virtual { return clock.NewVirtual(time.Now().UTC().Round(0)) }

func newLedger(s ledger.Store, c clock.Clock) *ledger.Ledger {
	return ledger.New(s, c, account, region, 5*time.Minute)
}

// locked returns a ledger and the lock that its run "run-1" took.
func locked(t *testing.T, s ledger.Store) (*ledger.Ledger, ledger.Lock) {
	t.Helper()
	l := newLedger(s, newClock())
	lock, err := l.Acquire(t.Context(), ledger.Lock{}, "run-1", "ann")
	must(t, err)
	return l, lock
}

// takeOver gives the lock to the run and returns it.
func takeOver(t *testing.T, l *ledger.Ledger, run string) ledger.Lock {
	t.Helper()
	seen, err := l.Lock(t.Context())
	must(t, err)
	lock, err := l.Acquire(t.Context(), seen, run, "bob")
	must(t, err)
	return lock
}

// planned is a new record of a group.
func planned(zone, name string) ledger.Record {
	return ledger.Record{
		Zone: zone,
		ARN:  "arn:aws:autoscaling:" + region + ":" + account + ":autoScalingGroup:1:autoScalingGroupName/" + name,
		Kind: resource.AutoScalingGroup,
		Name: name,
		Recorded: resource.Recorded{
			Edits: []resource.Edit{{
				Field: "subnets",
				From:  []string{"subnet-c", "subnet-a", "subnet-b"},
				To:    []string{"subnet-c", "subnet-b"},
			}},
			RemovedSubnets: []string{"subnet-a"},
			Receipt:        resource.Receipt{"activity": "1234"},
		},
		State:   ledger.Planned,
		Policy:  resource.Hold,
		Outcome: resource.Planned,
	}
}

// create writes one new record and returns it as written.
func create(t *testing.T, l *ledger.Ledger, lock ledger.Lock, r ledger.Record) ledger.Record {
	t.Helper()
	created, err := l.Create(t.Context(), lock, []ledger.Record{r})
	must(t, err)
	if len(created) != 1 {
		t.Fatalf("creating one record returned %d", len(created))
	}
	return created[0]
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error is %v, want %v", err, want)
	}
}

// wantItem compares what is stored under the key of want with it.
func wantItem(t *testing.T, s ledger.Store, want ledger.Item) {
	t.Helper()
	got, err := s.Get(t.Context(), want.PK(), want.SK())
	must(t, err)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("stored is %v, want %v", got, want)
	}
}

func wantNone(t *testing.T, s ledger.Store, pk, sk string) {
	t.Helper()
	got, err := s.Get(t.Context(), pk, sk)
	must(t, err)
	if got != nil {
		t.Errorf("stored is %v, want no item", got)
	}
}

// wantRecords compares a zone's records, in order of their ARNs, as they are
// written: a time that went through the ledger is the same without being equal.
func wantRecords(t *testing.T, l *ledger.Ledger, zone string, want ...ledger.Record) {
	t.Helper()
	got, err := l.Records(t.Context(), zone)
	must(t, err)
	if len(got) != len(want) {
		t.Fatalf("%s has %d records, want %d", zone, len(got), len(want))
	}
	for i := range want {
		if g, w := ledger.ItemOf(got[i]), ledger.ItemOf(want[i]); !reflect.DeepEqual(g, w) {
			t.Errorf("record %d is %v, want %v", i, g, w)
		}
	}
}

// item returns an item with the attributes.
func item(pk, sk string, attributes map[string]any) ledger.Item {
	i := ledger.Item{"pk": pk, "sk": sk}
	maps.Copy(i, attributes)
	return i
}

// putAll writes items in as many writes as it takes.
func putAll(t *testing.T, s ledger.Store, items []ledger.Item) {
	t.Helper()
	for chunk := range slices.Chunk(items, ledger.MaxOps) {
		ops := make([]ledger.Op, len(chunk))
		for i := range chunk {
			ops[i] = ledger.Op{Put: chunk[i]}
		}
		must(t, s.Write(t.Context(), ops...))
	}
}

// keys lists the items' keys.
func keys(items []ledger.Item) []string {
	names := make([]string, len(items))
	for i, it := range items {
		names[i] = it.PK() + " / " + it.SK()
	}
	return names
}

// eventually waits for what an index shows late.
func eventually(t *testing.T, check func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for {
		err := check(ctx)
		if err == nil {
			return
		}
		if (clock.Real{}).Sleep(ctx, 20*time.Millisecond) != nil {
			t.Fatal(fmt.Errorf("still so after 5 s: %w", err))
		}
	}
}

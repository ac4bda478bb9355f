package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

const (
	// few is how many resources of a kind are read one by one: the calls are the
	// same for all of them.
	few = 3
	// enoughZones is how many zones there must be for one to go out.
	enoughZones = 2
)

// lookAtZones reads zones and subnets, which every run begins with.
func (d Doctor) lookAtZones(ctx context.Context) []Check {
	return []Check{
		d.check(ctx, zonesName, callTime, func(ctx context.Context) (string, error) {
			zones, err := zone.ReadZones(ctx, d.Zones, d.Region)
			if err != nil {
				return "", err
			}
			return zonesFound(zones)
		}),
		d.check(ctx, subnetsName, callTime, func(ctx context.Context) (string, error) {
			subnets, err := zone.ReadSubnets(ctx, d.Zones)
			if err != nil {
				return "", err
			}
			return subnetsFound(subnets)
		}),
	}
}

func zonesFound(zones zone.Zones) (string, error) {
	var names []string
	for _, z := range zones.All {
		names = append(names, z.String())
	}
	text := fmt.Sprintf("%d in %s: %s", len(names), zones.Region, strings.Join(names, ", "))
	if len(names) < enoughZones {
		return "", &finding{Failed, text + "; with one out, none is left", "check --region"}
	}
	return text, nil
}

func subnetsFound(subnets zone.Subnets) (string, error) {
	var ids []string
	for id := range subnets {
		ids = append(ids, id)
	}
	in := subnets.Zones(ids)
	text := fmt.Sprintf("%d, in %d zones", len(ids), len(in))
	if len(in) < enoughZones {
		return "", &finding{Failed, text + ": what runs there has no other zone to go on in", "check --region and --profile"}
	}
	return text, nil
}

// lookAtLedger finds out whether the ledger is there, of our schema, and open to
// what a run does with it.
func (d Doctor) lookAtLedger(ctx context.Context) []Check {
	there := d.check(ctx, ledgerName, callTime, func(ctx context.Context) (string, error) {
		return fmt.Sprintf("there, with schema %d", ledger.SchemaVersion), d.Ledger.Check(ctx)
	})
	if there.Status != OK {
		return []Check{there, unasked(readName, ledgerName), unasked(writeName, ledgerName)}
	}
	return []Check{
		there,
		d.check(ctx, readName, callTime, func(ctx context.Context) (string, error) {
			_, err := d.Ledger.Store().Query(ctx, probePartition, "")
			return "may be read and queried", err
		}),
		d.check(ctx, writeName, callTime, func(ctx context.Context) (string, error) {
			return "may be written, asked with writes whose condition cannot hold", tryWrites(ctx, d.Ledger.Store())
		}),
	}
}

// The item that writes are tried on. There is none of that key, so that no
// condition on its attributes can hold.
const (
	probePartition = "schema"
	probeSort      = "doctor"
)

// tryWrites asks for each way in which a run writes, with a condition that cannot
// hold. DynamoDB looks at the permission before the condition, so that a condition
// that fails is a write that was allowed, and nothing is written.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ConditionExpressions.html
func tryWrites(ctx context.Context, store ledger.Store) error {
	item := ledger.Item{"pk": probePartition, "sk": probeSort}
	never := ledger.Condition{Equals: map[string]any{"never": "holds"}}
	for _, op := range []ledger.Op{{Put: item, If: never}, {Delete: item, If: never}, {Check: item, If: never}} {
		switch err := store.Write(ctx, op); {
		case err == nil:
			return &finding{Failed, "it took a write whose condition does not hold", "use DynamoDB: a ledger rests on its conditions"}
		case !errors.Is(err, ledger.ErrCondition):
			return err
		}
	}
	return nil
}

// lookAtKind makes each read call that a run makes of the kind.
func (d Doctor) lookAtKind(ctx context.Context, k *kind, s resource.Scope) []Check {
	list := d.check(ctx, k.name("list"), listTime, func(ctx context.Context) (string, error) {
		start := d.Clock.Now()
		var err error
		k.found, err = k.List(ctx, s)
		return fmt.Sprintf("%d in scope, in %s", len(k.found), d.Clock.Now().Sub(start).Round(time.Millisecond)), err
	})
	k.listed = list.Status == OK
	if len(k.found) == 0 {
		return []Check{list}
	}
	var read []resource.Resource
	checks := []Check{list, d.check(ctx, k.name("read"), callTime, func(ctx context.Context) (string, error) {
		var err error
		read, err = k.Read(ctx, ids(k.found, few)...)
		return readFound(len(read), min(len(k.found), few), err)
	})}
	if len(read) == 0 {
		read = k.found
	}
	return append(checks, d.lookFurther(ctx, k, read[0])...)
}

func readFound(got, asked int, err error) (string, error) {
	if err == nil && got < asked {
		return "", &finding{Unknown, fmt.Sprintf("AWS returned %d of %d", got, asked), again}
	}
	return fmt.Sprintf("%d read one by one", got), err
}

// lookFurther makes the calls that only some kinds have, for one resource.
func (d Doctor) lookFurther(ctx context.Context, k *kind, r resource.Resource) []Check {
	var checks []Check
	if placer, can := k.Driver.(resource.Placer); can {
		checks = append(checks, d.check(ctx, k.name("place"), callTime, func(ctx context.Context) (string, error) {
			_, err := placer.Place(ctx, []resource.Resource{r})
			return "what runs where can be read", err
		}))
	}
	if explainer, can := k.Driver.(resource.Explainer); can {
		checks = append(checks, d.check(ctx, k.name("explain"), callTime, func(ctx context.Context) (string, error) {
			_, err := explainer.Explain(ctx, r)
			return "what became of a change can be read", err
		}))
	}
	return checks
}

// scopeCheck fails where a run would refuse: nothing is in scope.
func scopeCheck(kinds []*kind) Check {
	total, listed := 0, true
	for _, k := range kinds {
		total += len(k.found)
		listed = listed && k.listed
	}
	switch {
	case total > 0:
		return Check{Name: scopeName, Status: OK, Detail: fmt.Sprintf("resources: %d, kinds: %d", total, len(kinds))}
	case !listed:
		return unasked(scopeName, "what could not be listed")
	}
	return Check{scopeName, Failed, "nothing is in scope: an evacuation would refuse", "widen the scope, or check --region and --profile"}
}

func (k *kind) name(check string) string { return check + "/" + string(k.Kind()) }

// ids are those of the first resources, at most n.
func ids(resources []resource.Resource, n int) []resource.ID {
	var out []resource.ID
	for _, r := range resources[:min(len(resources), n)] {
		out = append(out, r.ID)
	}
	return out
}

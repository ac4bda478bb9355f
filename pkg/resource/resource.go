// Package resource is the vocabulary that the engine and the kinds share: what a
// resource is, what a change is, and the one interface a kind implements.
package resource

import (
	"slices"

	"sidestep/pkg/zone"
)

// Kind names a resource type with an adapter.
type Kind string

// The kinds. A service's name is its cluster's and its own, with a slash between:
// the old form of a service's ARN does not tell the cluster.
const (
	AutoScalingGroup Kind = "autoscaling-group"
	ECSService       Kind = "ecs-service"
	LambdaFunction   Kind = "lambda-function"
)

// SubnetsField is the field of a resource's subnets, the same for every kind.
const SubnetsField = "subnets"

// ID identifies one resource.
type ID struct {
	Kind Kind   `json:"kind"`
	ARN  string `json:"arn"` // the ledger's sort key; a name where AWS gives no ARN
	Name string `json:"name"`
}

// Resource is one resource as it was read.
type Resource struct {
	ID
	// Fields is the configuration this kind owns, by field: `subnets`, a list in
	// AWS's order, or a switch such as `process/AZRebalance` with one value.
	// A field that is absent is one this resource does not have.
	Fields map[string][]string
	// Traits are facts that a plan depends on, by the kind's own names, with
	// their detail: who operates the resource, which stack declares it.
	Traits map[string]string
	// Zones are the zones, by ID or by name, that a resource names itself.
	Zones []string
	// Places counts what runs, by zone and state. A kind that is a Placer leaves
	// them to Place.
	Places []Place
	// Underway says what AWS is still doing to the resource, whoever asked for it;
	// empty where it is at rest.
	Underway string
	// TargetGroups are the ARNs of the target groups its capacity serves.
	TargetGroups []string
}

// Place counts what of one resource runs in one zone in one state.
type Place struct {
	Zone  string `json:"zone"`  // zone ID, or a zone name that has no ID here
	State string `json:"state"` // the cause why it may stay: in-service, protected, standby, ...
	Count int    `json:"count"`
}

// In returns the places that lie in the zone.
func In(places []Place, z zone.Zone) []Place {
	var in []Place
	for _, p := range places {
		if p.Zone == z.ID || p.Zone == z.Name {
			in = append(in, p)
		}
	}
	return in
}

// Count adds up the places.
func Count(places []Place) int {
	n := 0
	for _, p := range places {
		n += p.Count
	}
	return n
}

// Direction is which way a run goes.
type Direction string

// The two directions.
const (
	Evacuate Direction = "evacuate"
	Recover  Direction = "recover"
)

// Policy says how far an evacuation goes.
type Policy string

// The policies, least first: traffic only; also closed for new placement, with
// nothing that runs moved; also capacity moved out.
const (
	Shift Policy = "shift"
	Hold  Policy = "hold"
	Drain Policy = "drain"
)

// Goal is what a plan is to reach, and all it may depend on beside the resource.
type Goal struct {
	Direction Direction
	Zone      zone.Zone
	Policy    Policy
	Zones     zone.Zones
	Subnets   zone.Subnets
	// Out are the IDs of the other zones that are out: what is left there is not
	// left anywhere.
	Out []string
	// Recorded is what this zone's record holds, nil without one.
	Recorded *Recorded
	// Others is what the records of other zones hold on the same resource, where
	// a change was sent. The last zone to come back undoes what two zones share.
	Others []Recorded
	// Unmoved gives, for target groups that still send this zone its share, why:
	// taking capacity away beneath them overloads what is left.
	Unmoved map[string]string
}

// Remaining returns the zone IDs that the subnets lie in, but for the goal's and
// those of zones that are out.
// Local and Wavelength Zones do not count: they cannot stand in for one.
func (g Goal) Remaining(subnets []string) []string {
	var left []string
	for _, id := range g.Subnets.Zones(subnets) {
		full := slices.ContainsFunc(g.Zones.All, func(z zone.Zone) bool { return z.ID == id })
		if full && id != g.Zone.ID && !slices.Contains(g.Out, id) {
			left = append(left, id)
		}
	}
	return left
}

// Recorded is the part of a ledger record that plans read and engines write.
type Recorded struct {
	// Edits holds, by field, the original (From) and what the zone's evacuation
	// made of it (To). A From is never overwritten once a change was sent.
	Edits []Edit `json:"edits,omitempty"`
	// RemovedSubnets are all that were taken from the resource for this zone, in
	// the order they were met. It only grows while the zone is out.
	RemovedSubnets []string `json:"removedSubnets,omitempty"`
	// Order is the subnet list with every zone in it, where another zone was out
	// before this one. Recovery puts subnets back in this order.
	Order []string `json:"order,omitempty"`
	// Receipt is what AWS gave for the change.
	Receipt Receipt `json:"receipt,omitempty"`
}

// Edit returns the recorded edit of a field.
func (r *Recorded) Edit(field string) (Edit, bool) {
	if r == nil {
		return Edit{}, false
	}
	i := slices.IndexFunc(r.Edits, func(e Edit) bool { return e.Field == field })
	if i < 0 {
		return Edit{}, false
	}
	return r.Edits[i], true
}

// Grow takes a further change into the record: new fields come in whole, known
// ones keep their original and take the new To, removed subnets are joined.
func (r Recorded) Grow(c Change) Recorded {
	grown := Recorded{
		Edits:          slices.Clone(r.Edits),
		RemovedSubnets: slices.Clone(r.RemovedSubnets),
		Order:          r.Order,
		Receipt:        r.Receipt,
	}
	for _, e := range c.Edits {
		i := slices.IndexFunc(grown.Edits, func(old Edit) bool { return old.Field == e.Field })
		if i < 0 {
			grown.Edits = append(grown.Edits, e)
			continue
		}
		// A field on its way back to its original stays ours until AWS has taken the
		// change (Done): a run that dies before must still know what it had set.
		if !slices.Equal(e.To, grown.Edits[i].From) {
			grown.Edits[i].To = e.To
		}
	}
	for _, id := range c.Removed {
		if !slices.Contains(grown.RemovedSubnets, id) {
			grown.RemovedSubnets = append(grown.RemovedSubnets, id)
		}
	}
	if len(grown.Order) == 0 {
		grown.Order = c.Order
	}
	return grown
}

// Done is the record once the fields of edits are at their To.
func (r Recorded) Done(edits []Edit) Recorded {
	r.Edits = slices.Clone(r.Edits)
	for _, e := range edits {
		if i := slices.IndexFunc(r.Edits, func(old Edit) bool { return old.Field == e.Field }); i >= 0 {
			r.Edits[i].To = e.To
		}
	}
	return r
}

// Receipt is what AWS returned for a change and recovery needs: a shift's ID and
// expiry, say.
type Receipt map[string]string

package ecsservice

import "sidestep/pkg/resource"

// rebalancing moves tasks between the zones by itself. Where it is on, the service
// may have it; anywhere else the field is never sent, as ECS refuses a request that
// has it for a service that may not.
// https://docs.aws.amazon.com/AmazonECS/latest/developerguide/service-rebalancing.html
var rebalancing = resource.Switch{Field: rebalancingField, On: enabled, Off: disabled}

// resumeOurs enables what this zone's evacuation disabled. A service that may not
// have it any more is left without, and a note says so.
func resumeOurs(r resource.Resource, g resource.Goal) (edits []resource.Edit, notes []string) {
	edits = rebalancing.TurnOn(r, g)
	if why, ok := r.Traits[traitUnbalanceable]; ok && len(edits) > 0 {
		return nil, []string{"zone rebalancing stays off: " + why}
	}
	return edits, nil
}

package ecsservice

import (
	"fmt"
	"strconv"

	"sidestep/pkg/resource"
)

// number reads a trait that is a number.
func number(r resource.Resource, trait string) int {
	n, _ := strconv.Atoi(r.Traits[trait]) // translate writes nothing else
	return n
}

func plural(tasks int) string {
	if tasks == 1 {
		return "1 task"
	}
	return fmt.Sprintf("%d tasks", tasks)
}

// redeploys says why a service that is held stays in the zone.
func redeploys(r resource.Resource) string {
	all := "all " + plural(number(r, traitDesired)) + ", in every zone"
	if number(r, traitDesired) == 1 {
		all = "its only task"
	}
	return "leaving the zone would redeploy " + all + "; --policy drain does it a few services at a time"
}

// deploymentNotes are what a person should know before a service's subnets change.
func deploymentNotes(r resource.Resource) []string {
	desired, are := number(r, traitDesired), "are"
	if desired == 1 {
		are = "is"
	}
	n := []string{"full redeployment: " + plural(desired) + " in all zones " + are + " replaced"}
	if strategy, ok := r.Traits[traitStrategy]; ok {
		return append(n, "deployed by strategy "+strategy+": its bake time and lifecycle hooks run")
	}
	if _, ok := r.Traits[traitEndless]; ok {
		n = append(n, "no circuit breaker and no deployment alarms: a deployment whose tasks fail never ends by itself")
	}
	return n
}

// cramped says why a rolling deployment of the service could not replace a single
// task, or nothing. The other strategies run a second set of tasks beside the
// first.
func cramped(r resource.Resource) string {
	if _, ok := r.Traits[traitStrategy]; ok {
		return ""
	}
	desired, minimum, maximum := number(r, traitDesired), number(r, traitMinimum), number(r, traitMaximum)
	raise, ok := room(desired, minimum, maximum)
	if ok {
		return ""
	}
	return fmt.Sprintf("a minimum of %d%% and a maximum of %d%% of %s leave no room to replace one; raise the maximum percent to %d",
		minimum, maximum, plural(desired), raise)
}

// room reports whether a rolling deployment can move: ECS rounds the minimum of
// healthy tasks up and the maximum of tasks down, and with nothing between them it
// can neither start a new task nor stop an old one. Where it cannot, raise is the
// least maximum with which it could.
// https://docs.aws.amazon.com/AmazonECS/latest/developerguide/deployment-type-ecs.html
func room(desired, minimum, maximum int) (raise int, ok bool) {
	const percent = 100
	least := (desired*minimum + percent - 1) / percent
	most := desired * maximum / percent
	if desired == 0 || most > least {
		return 0, true
	}
	return ((least+1)*percent + desired - 1) / desired, false
}

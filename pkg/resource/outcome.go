package resource

// Outcome is what became of one resource: a stable code that users and programs
// hold on to. Codes are added, never renamed.
type Outcome string

// The outcomes.
const (
	Planned         Outcome = "planned"
	Applied         Outcome = "applied"
	Settled         Outcome = "settled"
	Restored        Outcome = "restored"
	Restoring       Outcome = "restoring"
	AlreadyDone     Outcome = "already-done"
	RestoredByOther Outcome = "restored-by-other"
	Orphaned        Outcome = "orphaned"
	Drifted         Outcome = "drifted"
	Contested       Outcome = "contested"

	SkippedSingleZone   Outcome = "skipped-single-zone"
	SkippedNotInZone    Outcome = "skipped-not-in-zone"
	SkippedNoSubnets    Outcome = "skipped-no-subnets"
	SkippedUnknownZone  Outcome = "skipped-unknown-zone"
	SkippedManagedByEKS Outcome = "skipped-managed-by-eks"
	SkippedClusterNodes Outcome = "skipped-cluster-nodes"
	SkippedOperator     Outcome = "skipped-operator"
	SkippedZonalShift   Outcome = "skipped-zonal-shift"

	SkippedNoVPC              Outcome = "skipped-no-vpc"
	SkippedCodeDeploy         Outcome = "skipped-code-deploy"
	SkippedExternalController Outcome = "skipped-external-controller"
	SkippedHostNetwork        Outcome = "skipped-host-network"
	SkippedDaemon             Outcome = "skipped-daemon"
	SkippedExpress            Outcome = "skipped-express"
	SkippedManagedInstances   Outcome = "skipped-managed-instances"
	SkippedDeploymentConfig   Outcome = "skipped-deployment-config"

	HeldTraffic    Outcome = "held-traffic"
	HeldRedeploys  Outcome = "held-redeploys"
	HeldNoCapacity Outcome = "held-no-capacity"
	NotEvacuated   Outcome = "not-evacuated"

	FailedAccess      Outcome = "failed-access"
	FailedBusy        Outcome = "failed-busy"
	FailedRole        Outcome = "failed-role"
	FailedInvalid     Outcome = "failed-invalid"
	FailedUnreachable Outcome = "failed-unreachable"
	RolledBack        Outcome = "rolled-back"
	Stuck             Outcome = "stuck"
)

// Weight is what an outcome means for the run.
type Weight int

// The weights, heaviest last.
const (
	Good      Weight = iota // nothing left to do
	OnPurpose               // still uses the zone, as the policy asked for
	Open                    // under way; `watch` or the next run closes it
	Exposed                 // still uses the zone, or is not back: needs a person
	Failed                  // something went wrong
)

// weights is the whole list of outcomes; one that is missing here is Failed, so
// that a forgotten code is seen.
var weights = map[Outcome]Weight{
	Planned: Open, Applied: Open, Restoring: Open,
	Settled: Good, Restored: Good, AlreadyDone: Good, SkippedNotInZone: Good, SkippedNoVPC: Good,
	HeldRedeploys:     OnPurpose,
	SkippedSingleZone: Exposed, SkippedNoSubnets: Exposed, SkippedUnknownZone: Exposed,
	SkippedManagedByEKS: Exposed, SkippedClusterNodes: Exposed, SkippedOperator: Exposed,
	SkippedZonalShift: Exposed, SkippedCodeDeploy: Exposed, SkippedExternalController: Exposed,
	SkippedHostNetwork: Exposed, SkippedDaemon: Exposed, SkippedExpress: Exposed,
	SkippedManagedInstances: Exposed, SkippedDeploymentConfig: Exposed,
	HeldTraffic: Exposed, HeldNoCapacity: Exposed, NotEvacuated: Exposed,
	RestoredByOther: Exposed, Orphaned: Exposed, Drifted: Exposed, Contested: Exposed,
	FailedAccess: Failed, FailedBusy: Failed, FailedRole: Failed, FailedInvalid: Failed,
	FailedUnreachable: Failed, RolledBack: Failed, Stuck: Failed,
}

// Known reports whether the outcome is one of the list.
func (o Outcome) Known() bool {
	_, ok := weights[o]
	return ok
}

// Weight classifies the outcome of a run in the direction: what somebody else put
// back is as it should be on the way back, and exposed on the way out.
func (o Outcome) Weight(d Direction) Weight {
	if o == RestoredByOther && d == Recover {
		return Good
	}
	if w, ok := weights[o]; ok {
		return w
	}
	return Failed
}

package doctor

import (
	"cmp"
	"errors"

	"sidestep/pkg/awserr"
	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// Names of checks. Those made for each kind are followed by a slash and the kind.
const (
	Credentials = "credentials"
	zonesName   = "zones"
	subnetsName = "subnets"
	ledgerName  = "ledger"
	readName    = "ledger-read"
	writeName   = "ledger-write"
	scopeName   = "scope"
	trafficName = "traffic"
)

// Status is what became of a check.
type Status string

// The statuses. Unknown is what could not be asked: it is not fine, and not known
// to fail either.
const (
	OK      Status = "ok"
	Failed  Status = "failed"
	Unknown Status = "unknown"
)

// Check is one thing that was looked at.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Detail string `json:"detail"`
	Next   string `json:"next"` // what to do about it
}

// MayNot is a change that the caller may not make. Where it concerns all resources
// of a kind, the ARN is empty and the name "(all)".
type MayNot struct {
	Kind   resource.Kind `json:"kind"`
	ARN    string        `json:"arn"`
	Name   string        `json:"name"`
	Action string        `json:"action"`
}

// Report is what an examination found.
type Report struct {
	Checks       []Check
	MayNotChange []MayNot
}

// Verdict is the report in a word.
type Verdict string

// The verdicts.
const (
	Ready      Verdict = "ready"
	NotReady   Verdict = "not-ready"
	CannotTell Verdict = "cannot-tell"
)

// Verdict is not-ready if anything is known to fail, else cannot-tell if anything
// could not be asked.
func (r Report) Verdict() Verdict {
	verdict := Ready
	for _, c := range r.Checks {
		switch {
		case c.Status == Failed:
			return NotReady
		case c.Status != OK:
			verdict = CannotTell
		}
	}
	return verdict
}

// Unconnected is the report where there are no credentials to ask with, or nobody
// to ask.
func Unconnected(why, next string) Report {
	return Report{Checks: []Check{{Credentials, Failed, why, next}}}
}

// finding is an error that says all of a check itself.
type finding struct {
	status       Status
	detail, next string
}

func (f *finding) Error() string { return f.detail }

// What to do, where there is no more to say than that.
const (
	again      = "run doctor again; if it stays so, see the AWS Health Dashboard"
	permission = "get the permission that the message names, or check --profile"
	network    = "check the network and AWS_ENDPOINT_URL, then run doctor again"
)

// causes is what errors mean for a check. The first that fits counts.
var causes = []struct {
	is     func(error) bool
	status Status
	what   string // in place of the error's own words
	next   string
}{
	{is(ledger.ErrNoTable), Failed, "the ledger table does not exist", "`sidestep ledger init` makes it; check --table, --region and --profile first"},
	{is(ledger.ErrSchema), Failed, "", "use the version of sidestep that wrote it, or `sidestep ledger init` if it is new"},
	{class(awserr.Access), Failed, "", permission},
	{class(awserr.Unreachable), Failed, "", network},
	{class(awserr.AtFault), Failed, "", again},
	{class(awserr.Throttled), Unknown, "", again}, // others call too; it says nothing of the day
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func class(c awserr.Class) func(error) bool {
	return func(err error) bool { return awserr.Classify(err) == c }
}

// failure is the check that an error ended.
func failure(name string, err error) Check {
	if f, ok := errors.AsType[*finding](err); ok {
		return Check{name, f.status, f.detail, f.next}
	}
	for _, c := range causes {
		if c.is(err) {
			return Check{name, c.status, cmp.Or(c.what, awserr.Brief(err)), c.next}
		}
	}
	return Check{name, Failed, awserr.Brief(err), "check --region, --profile and AWS_ENDPOINT_URL"}
}

// unasked is the check that another's failure kept from being made.
func unasked(name, because string) Check {
	return Check{name, Unknown, "not asked: see " + because, ""}
}

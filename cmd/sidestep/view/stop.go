package view

import (
	"fmt"

	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
)

// Stopped is a run that was asked to stop, and has let the run lock go.
type Stopped struct {
	Run  ledger.Run `json:"run"`
	Next string     `json:"next"` // how to go on
}

// NewStopped makes the document.
func NewStopped(p Place, run ledger.Run) Stopped {
	next := "go on with `" + Again(p, run) + "`"
	if run.Direction == resource.Evacuate {
		next += ", or undo it with `sidestep recover --zone " + run.Zone + " --reason TEXT" + p.Flags + "`"
	}
	return Stopped{Run: run, Next: next}
}

// Text is the document for a person. A run may have come to its own end just before.
func (s Stopped) Text() string {
	verdict := "STOPPED"
	if s.Run.Status != ledger.Stopped {
		verdict = "ENDED BY ITSELF, " + string(s.Run.Status)
	}
	return fmt.Sprintf("%s: run %s (%s of zone %s).\nIt changes nothing further, and what it changed is in the ledger.\nNext: %s.\n",
		verdict, s.Run.ID, s.Run.Direction, s.Run.Zone, s.Next)
}

package engine

import (
	"context"
	"errors"
	"strings"

	"sidestep/pkg/ledger"
	"sidestep/pkg/resource"
	"sidestep/pkg/zone"
)

// importing is the direction of a run that only joins a file into the ledger.
const importing resource.Direction = "import"

// Import joins a file, read by the ledger, into the ledger under the run lock. It
// asks nothing of the zones and nothing of the resources. It returns a *Refusal
// if a zone is out that the file knows nothing of.
func (e *Engine) Import(ctx context.Context, req Request, t *ledger.Transfer) (Result, ledger.ImportResult, error) {
	var imported ledger.ImportResult
	if err := e.Ledger.Check(ctx); err != nil {
		return Result{}, imported, err
	}
	req.Direction, req.floor = importing, t.Fence()
	z := zone.Zone{ID: strings.Join(t.Zones(), ","), Name: "from a file"}
	s, err := e.open(ctx, req, &world{zone: z})
	if err != nil {
		return Result{Zone: z}, imported, err
	}
	imported, err = e.Ledger.Import(s.acting(), s.holding(), t)
	if other, ok := errors.AsType[*ledger.OtherZoneError](err); ok {
		err = &Refusal{
			Why:  other.Error() + ", and nothing was imported",
			Next: "recover " + other.Zone + " first; one zone is out at a time",
		}
	}
	result, err := s.close(err)
	return result, imported, err
}

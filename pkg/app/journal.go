package app

import (
	"context"
	"errors"
	"fmt"

	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/journal"
)

// OpenJournal opens the journal of the account and region, to write to, or makes
// it. Unlike a table it is made by whoever needs it: it is where its path says and
// nowhere else.
func OpenJournal(ctx context.Context, d Deps, path string) (*journal.Store, error) {
	s, err := journal.Open(path, ledger.Name(d.Account, d.Region))
	if err != nil {
		return nil, err
	}
	if err := journalLedger(d, s).Begin(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("beginning the journal: %w", err), s.Close())
	}
	return s, nil
}

// ReadJournal opens a journal that is there, to look at it.
func ReadJournal(d Deps, path string) (*journal.Store, error) {
	return journal.Read(path, ledger.Name(d.Account, d.Region))
}

// JournalHas reports whether a journal has the zone out. It returns an error where
// it cannot be read.
func JournalHas(ctx context.Context, d Deps, path, zone string) (bool, error) {
	s, err := ReadJournal(d, path)
	if err != nil {
		return false, err
	}
	out, err := journalLedger(d, s).ZonesOut(ctx)
	_, isOut := out[zone]
	return isOut, err
}

func journalLedger(d Deps, s *journal.Store) *ledger.Ledger {
	return ledger.New(s, d.Clock, d.Account, d.Region, d.Config.Ledger.Deadline)
}

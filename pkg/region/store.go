package region

import (
	"context"
	"strings"

	"sidestep/pkg/ledger"
)

// Store wraps a ledger's store so that this process's calls to it are counted,
// faulted and recorded with those to AWS, under ServiceLedger and the ops Write,
// Get, Query, QueryKind and Scan.
func (p *Process) Store(s ledger.Store) ledger.Store { return &store{p, s} }

type store struct {
	p     *Process
	inner ledger.Store
}

func ledgerRequest(op, id string) request {
	return request{service: ServiceLedger, op: op, id: id, mutating: op == "Write", outside: true}
}

// Write is one call, however many ops.
func (s *store) Write(ctx context.Context, ops ...ledger.Op) error {
	keys := make([]string, len(ops))
	for i, op := range ops {
		keys[i] = op.Key().PK() + "/" + op.Key().SK()
	}
	_, err := do(ctx, s.p, ledgerRequest("Write", strings.Join(keys, ", ")), func() (*struct{}, error) {
		return nil, s.inner.Write(ctx, ops...)
	})
	return err
}

// Get reads one item.
func (s *store) Get(ctx context.Context, pk, sk string) (ledger.Item, error) {
	item, err := do(ctx, s.p, ledgerRequest("Get", pk+"/"+sk), func() (*ledger.Item, error) {
		item, err := s.inner.Get(ctx, pk, sk)
		return &item, err
	})
	if err != nil {
		return nil, err
	}
	return *item, nil
}

// Query reads a partition by prefix.
func (s *store) Query(ctx context.Context, pk, prefix string) ([]ledger.Item, error) {
	return s.items(ctx, "Query", pk+"/"+prefix, func() ([]ledger.Item, error) { return s.inner.Query(ctx, pk, prefix) })
}

// QueryKind reads the records of one kind.
func (s *store) QueryKind(ctx context.Context, kind, zone string) ([]ledger.Item, error) {
	return s.items(ctx, "QueryKind", kind+"/"+zone, func() ([]ledger.Item, error) { return s.inner.QueryKind(ctx, kind, zone) })
}

// Scan reads everything.
func (s *store) Scan(ctx context.Context) ([]ledger.Item, error) {
	return s.items(ctx, "Scan", "", func() ([]ledger.Item, error) { return s.inner.Scan(ctx) })
}

func (s *store) items(ctx context.Context, op, id string, read func() ([]ledger.Item, error)) ([]ledger.Item, error) {
	items, err := do(ctx, s.p, ledgerRequest(op, id), func() (*[]ledger.Item, error) {
		items, err := read()
		return &items, err
	})
	if err != nil {
		return nil, err
	}
	return *items, nil
}

package region_test

import (
	"errors"
	"testing"
	"time"

	"sidestep/pkg/ledger"
	"sidestep/pkg/ledger/memory"
	"sidestep/pkg/region"
)

func item(sk string) ledger.Op { return ledger.Op{Put: ledger.Item{"pk": "az", "sk": sk}} }

func TestStoreCallsAreCalls(t *testing.T) {
	r, c := small()
	r.Latency(time.Second)
	p := r.Process("p")
	s := p.Store(memory.New())
	expect(t, "write", s.Write(ctx, item("1"), item("2")), nil)
	got, err := s.Get(ctx, "az", "1")
	expect(t, "get", got, ledger.Item{"pk": "az", "sk": "1"})
	expect(t, "error", err, nil)
	missing, err := s.Get(ctx, "az", "3")
	expect(t, "get of none", missing == nil, true)
	expect(t, "error", err, nil)
	found, err := s.Query(ctx, "az", "2")
	expect(t, "query", []any{len(found), err}, []any{1, nil})
	found, err = s.QueryKind(ctx, "kind", "")
	expect(t, "query of kind", []any{len(found), err}, []any{0, nil})
	found, err = s.Scan(ctx)
	expect(t, "scan", []any{len(found), err}, []any{2, nil})
	err = s.Write(ctx, ledger.Op{Put: ledger.Item{"pk": "az", "sk": "1"}, If: ledger.Condition{Absent: true}})
	expect(t, "condition", errors.Is(err, ledger.ErrCondition), true)

	var ops []string
	for _, call := range p.Calls() {
		ops = append(ops, call.Service+":"+call.Op+" "+call.ID)
	}
	expect(t, "calls", ops, []string{
		"dynamodb:Write az/1, az/2", "dynamodb:Get az/1", "dynamodb:Get az/3", "dynamodb:Query az/2",
		"dynamodb:QueryKind kind/", "dynamodb:Scan ", "dynamodb:Write az/1",
	})
	expect(t, "mutating", []bool{p.Calls()[0].Mutating, p.Calls()[1].Mutating}, []bool{true, false})
	expect(t, "took", c.Now().Sub(start), 7*time.Second)
}

func TestStoreFaults(t *testing.T) {
	for name, test := range map[string]struct {
		do      region.Effect
		err     error
		written bool
	}{
		"fail":         {do: region.Fail(errScripted), err: errScripted},
		"fail after":   {do: region.FailAfter(errScripted), err: errScripted, written: true},
		"no-op":        {do: region.NoOp()},
		"never late":   {do: region.Late(time.Minute, errScripted), written: true},
		"die before":   {do: region.DieBefore(), err: region.ErrDead},
		"die after":    {do: region.DieAfter(), err: region.ErrDead, written: true},
		"other's edit": {do: region.Foreign(func(r *region.Region) { r.SetGroupSubnets("web", "a") }), written: true},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := small()
			inner := memory.New()
			r.Fault(region.Fault{Service: region.ServiceLedger, Op: "Write", Nth: 1, Do: test.do})
			expect(t, "error", r.Process("p").Store(inner).Write(ctx, item("1")), test.err)
			got, _ := inner.Get(ctx, "az", "1")
			expect(t, "written", got != nil, test.written)
		})
	}
}

func TestReadingIsFaultedToo(t *testing.T) {
	r, _ := small()
	r.Fault(region.Fault{Service: region.ServiceLedger, Do: region.Fail(errScripted)})
	s := r.Process("p").Store(memory.New())
	_, err := s.Get(ctx, "az", "1")
	expect(t, "get", err, errScripted)
	_, err = s.Scan(ctx)
	expect(t, "scan", err, errScripted)
}

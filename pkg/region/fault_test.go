package region_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling"

	"sidestep/pkg/region"
)

var errScripted = errors.New("scripted")

func TestEffects(t *testing.T) {
	for name, test := range map[string]struct {
		do      region.Effect
		err     error
		changed bool // the call took effect
		dead    bool
		took    time.Duration
	}{
		"fail":         {do: region.Fail(errScripted), err: errScripted},
		"fail after":   {do: region.FailAfter(errScripted), err: errScripted, changed: true},
		"delay":        {do: region.Delay(7 * time.Second), changed: true, took: 7 * time.Second},
		"past timeout": {do: region.Delay(time.Hour), err: context.DeadlineExceeded, took: time.Minute},
		"no-op":        {do: region.NoOp()},
		"late":         {do: region.Late(time.Minute, errScripted), err: errScripted},
		"die before":   {do: region.DieBefore(), err: region.ErrDead, dead: true},
		"die after":    {do: region.DieAfter(), err: region.ErrDead, changed: true, dead: true},
		"killed meanwhile": {
			do:  region.Foreign(func(r *region.Region) { r.Process("p").Kill() }),
			err: region.ErrDead, dead: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, c := small()
			r.Fault(region.Fault{Service: region.ServiceAutoScaling, Op: "UpdateAutoScalingGroup", Nth: 1, Do: test.do})
			p := r.Process("p")
			limited, cancel := c.WithTimeout(ctx, time.Minute)
			defer cancel()

			err := setSubnets(limited, p, "a,b")
			if !errors.Is(err, test.err) {
				t.Errorf("error %v, want %v", err, test.err)
			}
			expect(t, "changed", len(r.Snapshot()["web"].Subnets) == 2, test.changed)
			expect(t, "dead", p.Dead(), test.dead)
			expect(t, "took", c.Now().Sub(start), test.took)
			expect(t, "unfired", len(r.Unfired()), 0)

			calls := p.Calls()
			expect(t, "calls", len(calls), 1)
			expect(t, "recorded error", calls[0].Err, err)
			expect(t, "recorded end", calls[0].Done, c.Now())
		})
	}
}

func TestALateCallLandsEvenAfterDeath(t *testing.T) {
	r, c := small()
	r.Fault(region.Fault{Op: "UpdateAutoScalingGroup", Do: region.Late(time.Minute, errScripted)})
	p := r.Process("p")
	expect(t, "error", setSubnets(ctx, p, "a,b"), errScripted)
	p.Kill()
	sleep(c, 59*time.Second)
	expect(t, "subnets before", len(r.Snapshot()["web"].Subnets), 3)
	sleep(c, time.Second)
	expect(t, "subnets after", len(r.Snapshot()["web"].Subnets), 2)
}

func TestForeignChangeComesRightBeforeTheCall(t *testing.T) {
	r, _ := small()
	r.Fault(region.Fault{Op: "SuspendProcesses", Do: region.Foreign(func(r *region.Region) { r.SetSuspended("web", "Launch") })})
	_, err := r.Process("p").AutoScaling().SuspendProcesses(ctx, &autoscaling.SuspendProcessesInput{
		AutoScalingGroupName: new("web"), ScalingProcesses: []string{"AZRebalance"},
	})
	expect(t, "error", err, nil)
	expect(t, "suspended", r.Snapshot()["web"].Suspended, []string{"AZRebalance", "Launch"})
}

func TestSeveralFaultsOnOneCallAllHappen(t *testing.T) {
	r, c := small()
	r.Fault(region.Fault{Do: region.Delay(time.Second)})
	r.Fault(region.Fault{Do: region.Delay(2 * time.Second)})
	r.Fault(region.Fault{Do: region.FailAfter(errScripted)})
	expect(t, "error", setSubnets(ctx, r.Process("p"), "a,b"), errScripted)
	expect(t, "took", c.Now().Sub(start), 3*time.Second)
	expect(t, "subnets", len(r.Snapshot()["web"].Subnets), 2)
}

func TestFaultsChooseTheirCalls(t *testing.T) {
	for name, test := range map[string]struct {
		fault   region.Fault
		want    string // of calls p, p, q, p: those that fail
		unfired int
	}{
		"every":           {fault: region.Fault{}, want: "xxxx"},
		"first of each":   {fault: region.Fault{Nth: 1}, want: "x.x."},
		"third":           {fault: region.Fault{Nth: 3}, want: "...x"},
		"of one process":  {fault: region.Fault{Process: "q"}, want: "..x."},
		"another service": {fault: region.Fault{Service: region.ServiceEC2}, want: "....", unfired: 1},
		"another op":      {fault: region.Fault{Op: "DescribeSubnets"}, want: "....", unfired: 1},
		"never reached":   {fault: region.Fault{Nth: 4}, want: "....", unfired: 1},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := small()
			test.fault.Do = region.Fail(errScripted)
			r.Fault(test.fault)
			got := ""
			for _, name := range []string{"p", "p", "q", "p"} {
				if err := setSubnets(ctx, r.Process(name), "a,b"); err != nil {
					got += "x"
				} else {
					got += "."
				}
			}
			expect(t, "failed", got, test.want)
			expect(t, "unfired", len(r.Unfired()), test.unfired)
			r.ClearFaults()
			expect(t, "after clearing", setSubnets(ctx, r.Process("p"), "a"), nil)
		})
	}
}

func TestDeadProcessesDoNothingMore(t *testing.T) {
	r, _ := small()
	p := r.Process("p")
	p.Kill()
	expect(t, "update", setSubnets(ctx, p, "a,b"), region.ErrDead)
	_, err := p.EC2().DescribeSubnets(ctx, nil)
	expect(t, "describe", err, region.ErrDead)
	expect(t, "calls", len(p.Calls()), 0)
	expect(t, "subnets", len(r.Snapshot()["web"].Subnets), 3)
	expect(t, "another process", setSubnets(ctx, r.Process("q"), "a,b"), nil)
}

func TestACallThatIsOverNeverLeaves(t *testing.T) {
	r, _ := small()
	over, cancel := context.WithCancel(ctx)
	cancel()
	p := r.Process("p")
	expect(t, "error", setSubnets(over, p, "a,b"), context.Canceled)
	expect(t, "calls", len(p.Calls()), 0)
}

func TestCallsAreRecorded(t *testing.T) {
	r, c := small()
	p := r.Process("p")
	sleep(c, time.Second)
	_ = setSubnets(ctx, p, "a,b")
	sleep(c, time.Second)
	_ = read(t, p, "web")
	expect(t, "calls", p.Calls(), []region.Call{
		{Service: "autoscaling", Op: "UpdateAutoScalingGroup", ID: "web", Mutating: true, At: start.Add(time.Second), Done: start.Add(time.Second)},
		{Service: "autoscaling", Op: "DescribeAutoScalingGroups", ID: "web", At: start.Add(2 * time.Second), Done: start.Add(2 * time.Second)},
	})
	expect(t, "name", p.Name(), "p")
}

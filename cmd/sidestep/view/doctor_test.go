package view

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"sidestep/pkg/doctor"
	"sidestep/pkg/resource"
)

func TestDoctor(t *testing.T) {
	fine := doctor.Check{Name: "zones", Status: doctor.OK, Detail: "3 in us-east-1: use1-az1 (us-east-1b), use1-az2 (us-east-1c), use1-az3 (us-east-1a)"}
	open := func(kind string) doctor.Check {
		return doctor.Check{Name: "change/" + kind, Status: doctor.Unknown, Detail: "IAM does not simulate the account's root user", Next: "ask as a role"}
	}
	failed := doctor.Check{Name: "ledger", Status: doctor.Failed, Detail: "the ledger table does not exist", Next: "`sidestep ledger init` makes it; check --table, --region and --profile first"}
	var barred []doctor.MayNot
	for i := range 12 {
		barred = append(barred, doctor.MayNot{Kind: resource.AutoScalingGroup, ARN: fmt.Sprintf("arn:%d", i), Name: fmt.Sprintf("web-%d", i), Action: "autoscaling:UpdateAutoScalingGroup"})
	}
	barred = append(barred, doctor.MayNot{Kind: resource.LambdaFunction, Name: "(all)", Action: "ec2:DescribeVpcs"})
	for _, c := range []struct {
		name string
		r    doctor.Report
		want string
	}{
		{"ready", doctor.Report{Checks: []doctor.Check{fine, {Name: "ledger", Status: doctor.OK, Detail: "there"}}}, `
READY in account 111122223333, region us-east-1, as far as AWS can be asked

CHECKED
  zones   3 in us-east-1: use1-az1 (us-east-1b), use1-az2 (us-east-1c), use1-az3
          (us-east-1a)
  ledger  there
`},
		{"cannot tell", doctor.Report{Checks: []doctor.Check{open("ecs-service"), open("lambda-function")}}, `
CANNOT TELL in account 111122223333, region us-east-1:
nothing is known to fail, and 2 checks could not be made

NOT KNOWN
  change/ecs-service, change/lambda-function
      IAM does not simulate the account's root user
   -> ask as a role
`},
		{"not ready", doctor.Report{Checks: []doctor.Check{failed, {Name: "ledger-read", Status: doctor.Unknown, Detail: "not asked: see ledger"}}, MayNotChange: barred}, `
NOT READY in account 111122223333, region us-east-1: 1 check failed

WOULD FAIL
  ledger
      the ledger table does not exist
   -> ` + "`sidestep ledger init`" + ` makes it; check --table, --region and --profile
      first

MAY NOT CHANGE
  autoscaling-group, autoscaling:UpdateAutoScalingGroup (12)
      web-0, web-1, web-2, web-3, web-4, web-5, web-6, web-7, web-8, web-9 and 2
      more (--output json names all)
  lambda-function, ec2:DescribeVpcs (1)
      (all)

NOT KNOWN
  ledger-read
      not asked: see ledger
`},
	} {
		got := NewDoctor(place, "arn:x", c.r).Text()
		if got != strings.TrimPrefix(c.want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestHang(t *testing.T) {
	got := hang("  -> ", "a\tb \x1b[31m "+strings.Repeat("word ", 40))
	for line := range strings.Lines(got) {
		if utf8.RuneCountInString(line) > narrow+1 || strings.Contains(line, "\x1b") || !strings.HasPrefix(line, "  ") {
			t.Errorf("got %q", line)
		}
	}
	if hang("x  ", "") != "x  \n" || !strings.HasPrefix(hang("x  ", strings.Repeat("y", 200)), "x  yyy") {
		t.Error("what cannot be broken is lost")
	}
}

func TestDoctorsDocument(t *testing.T) {
	r := doctor.Report{
		Checks:       []doctor.Check{{Name: "change/ecs-service", Status: doctor.Failed, Detail: "d", Next: "n"}},
		MayNotChange: []doctor.MayNot{{Kind: resource.ECSService, ARN: "arn:s", Name: "shop/s", Action: "ecs:UpdateService"}},
	}
	want := `{"verdict":"not-ready","account":"111122223333","caller":"arn:x","region":"us-east-1",` +
		`"checks":[{"name":"change/ecs-service","status":"failed","detail":"d","next":"n"}],` +
		`"mayNotChange":[{"kind":"ecs-service","arn":"arn:s","name":"shop/s","action":"ecs:UpdateService"}]}`
	if got, err := json.Marshal(NewDoctor(place, "arn:x", r)); err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

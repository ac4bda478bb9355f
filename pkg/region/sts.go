package region

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// STSAPI is a process's way to STS.
type STSAPI struct{ p *Process }

// STS is the process's way to STS.
func (p *Process) STS() STSAPI { return STSAPI{p} }

// GetCallerIdentity names the account, and the process as a role's session.
func (a STSAPI) GetCallerIdentity(ctx context.Context, _ *sts.GetCallerIdentityInput, _ ...func(*sts.Options)) (*sts.GetCallerIdentityOutput, error) {
	q := request{service: ServiceSTS, op: "GetCallerIdentity"}
	return do(ctx, a.p, q, func() (*sts.GetCallerIdentityOutput, error) {
		account := a.p.region.account
		return &sts.GetCallerIdentityOutput{
			Account: new(account),
			Arn:     new(fmt.Sprintf("arn:aws:sts::%s:assumed-role/sidestep/%s", account, a.p.name)),
			UserId:  new("AROAEXAMPLE:" + a.p.name),
		}, nil
	})
}

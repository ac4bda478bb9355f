package doctor

import "sidestep/pkg/resource"

// Need is what changing resources of a kind asks of the caller.
type Need struct {
	// OnResource are the actions that a policy may allow for some resources only.
	OnResource []string
	// Anywhere are actions that take no resource, and that AWS checks with the
	// change.
	Anywhere []string
}

// Needs are the permissions for the changes of a kind, and whether they are known.
// Every kind must be here: of one that is not, the doctor cannot tell.
//
// Sources: the service authorization reference, for which action takes a resource,
// and for what Lambda needs of who puts a function into subnets, its guide.
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2autoscaling.html
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonelasticcontainerservice.html
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_awslambda.html
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
func Needs(k resource.Kind) (Need, bool) {
	switch k {
	case resource.AutoScalingGroup:
		return Need{OnResource: []string{
			"autoscaling:UpdateAutoScalingGroup", "autoscaling:SuspendProcesses", "autoscaling:ResumeProcesses",
		}}, true
	case resource.ECSService:
		return Need{OnResource: []string{"ecs:UpdateService"}}, true
	case resource.LambdaFunction:
		return Need{
			OnResource: []string{"lambda:UpdateFunctionConfiguration"},
			Anywhere: []string{
				"ec2:DescribeSecurityGroups", "ec2:DescribeSubnets", "ec2:DescribeVpcs", "ec2:GetSecurityGroupsForVpc",
			},
		}, true
	}
	return Need{}, false
}

package region

// AddSampleServices adds ECS services to the sample region, of every sort that a
// plan treats in its own way: one a sort, named after it, in two clusters.
func (r *Region) AddSampleServices() {
	shared := r.sampleTargetGroup("web", "application", "use_load_balancer_configuration")
	for _, s := range sampleServices(shared) {
		s.SecurityGroups = []string{"sg-tasks", "sg-metrics"}
		if len(s.Subnets) == 0 {
			s.SecurityGroups = nil
		}
		r.AddService(s)
	}
}

// sampleServices are the sample's services. shared is a target group with
// cross-zone balancing on.
func sampleServices(shared string) []Service {
	everywhere := []string{"subnet-2a", "subnet-1a", "subnet-3a"}
	return []Service{
		{"prod", "web", ServiceConfig{Subnets: []string{"subnet-3a", "subnet-1b", "subnet-2a", "subnet-1a"}, Desired: 6,
			Rebalancing: "ENABLED", CircuitBreaker: true, TargetGroups: []string{shared}, CapacityProviders: []string{"FARGATE"}}},
		{"prod", "worker", ServiceConfig{Subnets: everywhere, PublicIP: "ENABLED", Desired: 3, MinPercent: 50, MaxPercent: 150}},
		{"prod", "first-zone", ServiceConfig{Subnets: []string{"subnet-1b", "subnet-1a"}, Desired: 2, Rebalancing: "ENABLED"}},
		{"prod", "healthy-zones", ServiceConfig{Subnets: []string{"subnet-3b", "subnet-2a"}, Desired: 2, Rebalancing: "ENABLED"}},
		{"prod", "code-deploy", ServiceConfig{Subnets: everywhere, Desired: 3, Controller: "CODE_DEPLOY"}},
		{"prod", "external", ServiceConfig{Subnets: everywhere, Desired: 3, Controller: "EXTERNAL"}},
		{"prod", "host-network", ServiceConfig{Desired: 3, Rebalancing: "ENABLED"}},
		{"prod", "daemon", ServiceConfig{Subnets: everywhere, Desired: 3, Scheduling: "DAEMON"}},
		{"tools", "shop", ServiceConfig{Subnets: []string{"subnet-3b", "subnet-2b", "subnet-1b"}, Desired: 3, Rebalancing: "ENABLED",
			CircuitBreaker: true, LaunchType: "FARGATE", Tags: map[string]string{"team": "shop"}}},
		{"tools", "excluded", ServiceConfig{Subnets: everywhere, Desired: 3, Tags: map[string]string{"sidestep:exclude": "true"}}},
		{"tools", "cramped", ServiceConfig{Subnets: everywhere, Desired: 1, MinPercent: 100, MaxPercent: 100}},
	}
}

// AddSampleFunctions adds Lambda functions to the sample region, of every sort that
// a plan treats in its own way: one a sort, named after it.
func (r *Region) AddSampleFunctions() {
	for _, f := range sampleFunctions() {
		f.SecurityGroups = []string{"sg-functions", "sg-metrics"}
		if len(f.Subnets) == 0 {
			f.SecurityGroups = nil
		}
		r.AddFunction(f)
	}
}

func sampleFunctions() []Function {
	everywhere := []string{"subnet-2a", "subnet-1a", "subnet-3a"}
	return []Function{
		{Name: "resize", FunctionConfig: FunctionConfig{Subnets: []string{"subnet-3a", "subnet-1b", "subnet-2a", "subnet-1a"}}},
		{Name: "mail", FunctionConfig: FunctionConfig{Subnets: everywhere}},
		{Name: "dual-stack", FunctionConfig: FunctionConfig{Subnets: everywhere, IPv6: true}},
		{Name: "published", FunctionConfig: FunctionConfig{Subnets: everywhere},
			Versions: []FunctionVersion{{"1", []string{"subnet-1a", "subnet-1b"}}, {"2", everywhere}}, Aliases: map[string]string{"live": "1"}},
		{Name: "first-zone", FunctionConfig: FunctionConfig{Subnets: []string{"subnet-1b", "subnet-1a"}}},
		{Name: "healthy-zones", FunctionConfig: FunctionConfig{Subnets: []string{"subnet-3b", "subnet-2a"}}},
		{Name: "shop", FunctionConfig: FunctionConfig{Subnets: []string{"subnet-3b", "subnet-2b", "subnet-1b"}, Tags: map[string]string{"team": "shop"}}},
		{Name: "excluded", FunctionConfig: FunctionConfig{Subnets: everywhere, Tags: map[string]string{"sidestep:exclude": "true"}}},
		{Name: "no-vpc"},
		{Name: "left-vpc", FunctionConfig: FunctionConfig{EmptyVPC: true}},
	}
}

package region

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// Function describes a Lambda function to add.
type Function struct {
	Name string
	// FunctionConfig is of what is not published.
	FunctionConfig
	Versions []FunctionVersion
	// Aliases are versions' numbers by alias.
	Aliases map[string]string
}

// FunctionVersion is a published version: all but its subnets is the function's,
// as it is added, and nothing of it ever changes.
type FunctionVersion struct {
	Number  string
	Subnets []string
}

// FunctionConfig is everything about a function that can be configured. Lists and
// maps without elements are nil, so that equal configurations are deeply equal.
type FunctionConfig struct {
	// Subnets and SecurityGroups are in order.
	Subnets, SecurityGroups []string
	IPv6                    bool
	// VPC is the first subnet's.
	VPC string
	// EmptyVPC is true of a function without subnets that is described with a VPC
	// block all the same: empty, as of one that left its VPC.
	EmptyVPC bool
	// CapacityProvider is the name or ARN of the one the function runs on.
	CapacityProvider string
	Tags             map[string]string
}

// whole copies a configuration and brings it into its one form. The region is
// locked.
func (r *Region) whole(c FunctionConfig) FunctionConfig {
	c.Subnets = append([]string(nil), c.Subnets...)
	c.SecurityGroups = append([]string(nil), c.SecurityGroups...)
	c.Tags = maps.Clone(c.Tags)
	if len(c.Tags) == 0 {
		c.Tags = nil
	}
	if len(c.Subnets) == 0 {
		c.VPC = ""
		return c
	}
	c.EmptyVPC = false
	if first, ok := r.subnets[c.Subnets[0]]; ok {
		c.VPC = first.vpc
	}
	return c
}

// attach gives a configuration the network of another.
func (c *FunctionConfig) attach(to FunctionConfig) {
	c.Subnets, c.SecurityGroups, c.IPv6, c.VPC, c.EmptyVPC = to.Subnets, to.SecurityGroups, to.IPv6, to.VPC, to.EmptyVPC
}

// function is one Lambda function.
type function struct {
	name     string
	config   FunctionConfig
	serving  FunctionConfig // what its instances run with until an update is done
	versions []version
	aliases  map[string]string
	tagged   bool // it has tags, or had
	revision string
	modified time.Time
	updates  int
	status   types.LastUpdateStatus
	code     types.LastUpdateStatusReasonCode
	fate     types.LastUpdateStatusReasonCode // of updates to come; empty if they succeed
}

// version is a version with all its configuration.
type version struct {
	number string
	config FunctionConfig
}

// latest is how Lambda calls what is not published.
const latest = "$LATEST"

// updateTime is how long an update takes by default.
const updateTime = 60 * time.Second

// AddFunction adds a function, or replaces the one of that name, with no update
// under way.
func (r *Region) AddFunction(f Function) {
	r.touch(func() {
		config := r.whole(f.FunctionConfig)
		added := &function{
			name: f.Name, config: config, serving: config, aliases: maps.Clone(f.Aliases), tagged: len(config.Tags) > 0,
			revision: r.uuid(), modified: r.now, status: types.LastUpdateStatusSuccessful,
		}
		for _, v := range f.Versions {
			frozen := config
			frozen.Subnets = v.Subnets
			added.versions = append(added.versions, version{v.Number, r.whole(frozen)})
		}
		r.functions[f.Name] = added
	})
}

// DeleteFunction deletes a function with its versions and aliases.
func (r *Region) DeleteFunction(name string) {
	r.touch(func() {
		if _, ok := r.functions[name]; !ok {
			r.violate("deleting function %s, which is not there", name)
		}
		delete(r.functions, name)
	})
}

// EditFunction is somebody else's update of a function's configuration. One that
// is under way gives way. The function must not call the Region.
func (r *Region) EditFunction(name string, edit func(*FunctionConfig)) {
	r.touch(func() {
		f, ok := r.functions[name]
		if !ok {
			r.violate("editing function %s, which is not there", name)
			return
		}
		next := r.whole(f.config)
		edit(&next)
		r.updateFunction(f, next)
	})
}

// FunctionARN is a function's ARN, empty if there is no such function.
func (r *Region) FunctionARN(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.functions[name]; ok {
		return r.functionARN(name)
	}
	return ""
}

func (r *Region) functionARN(name string) string {
	return fmt.Sprintf("arn:aws:lambda:%s:%s:function:%s", r.name, r.account, name)
}

// Functions gives every function's configuration by name, as it is described. Two
// snapshots are deeply equal when nothing that can be configured differs.
func (r *Region) Functions() map[string]FunctionConfig {
	snapshot := map[string]FunctionConfig{}
	r.touch(func() {
		for name, f := range r.functions {
			snapshot[name] = r.whole(f.config)
		}
	})
	return snapshot
}

// UpdateTime sets how long updates that start from now on take. It is 60 seconds
// by default.
func (r *Region) UpdateTime(d time.Duration) {
	r.touch(func() { r.updateTime = d })
}

// FailUpdates makes the updates of a function that start from now on fail for a
// reason, with the network before them back; an empty one makes them succeed.
func (r *Region) FailUpdates(name, reasonCode string) {
	r.touch(func() {
		f, ok := r.functions[name]
		if !ok {
			r.violate("failing updates of function %s, which is not there", name)
			return
		}
		f.fate = types.LastUpdateStatusReasonCode(reasonCode)
	})
}

// updateFunction starts an update: it shows at once, and takes its time to come
// into force. The revision changes both when it starts and when it ends. The
// region is locked.
// https://docs.aws.amazon.com/lambda/latest/dg/functions-states.html
func (r *Region) updateFunction(f *function, next FunctionConfig) {
	f.config = r.whole(next)
	f.tagged = f.tagged || len(f.config.Tags) > 0
	f.revision, f.modified = r.uuid(), r.now
	f.status, f.code = types.LastUpdateStatusInProgress, ""
	f.updates++
	this, fate := f.updates, f.fate
	r.after(r.updateTime, func() {
		if r.functions[f.name] == f && f.updates == this {
			r.settle(f, fate)
		}
	})
}

// settle ends an update that fails for a reason, or succeeds for none.
func (r *Region) settle(f *function, code types.LastUpdateStatusReasonCode) {
	f.revision = r.uuid()
	f.status, f.code = types.LastUpdateStatusSuccessful, code
	if code != "" {
		f.status = types.LastUpdateStatusFailed
		f.config.attach(f.serving)
	}
	f.config = r.whole(f.config)
	f.serving = r.whole(f.config)
}

// at is the configuration of a version, by number or alias.
func (f *function) at(qualifier string) (number string, c FunctionConfig, ok bool) {
	if pointed, is := f.aliases[qualifier]; is {
		qualifier = pointed
	}
	if qualifier == "" || qualifier == latest {
		return latest, f.config, true
	}
	i := slices.IndexFunc(f.versions, func(v version) bool { return v.number == qualifier })
	if i < 0 {
		return "", FunctionConfig{}, false
	}
	return qualifier, f.versions[i].config, true
}

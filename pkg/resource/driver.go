package resource

import (
	"context"
	"path"
	"slices"
	"strings"
)

// Driver is what a kind implements: two reads, two pure functions, one write. It
// knows its AWS service and nothing of ledgers, order, retries or waiting; those
// exist once, in the engine and the client.
type Driver interface {
	// Kind is the kind it drives.
	Kind() Kind
	// List pages to the end through the kind's resources in scope and returns what
	// the pages say of each. That is enough to plan by, and may lack what only Read
	// gives: whether something is under way. A page that fails fails the list: part
	// of a list is never taken for the whole.
	List(ctx context.Context, s Scope) ([]Resource, error)
	// Read describes many at once, in the API's own batches. What AWS does not
	// return is left out, and is not thereby gone: a zone in trouble hides things.
	Read(ctx context.Context, ids ...ID) ([]Resource, error)
	// Plan computes the change that reaches the goal. Pure. Without edits the
	// change carries the code that says why.
	Plan(r Resource, g Goal) Change
	// Apply sends what is missing between live, which must be a reading taken just
	// before, and the change, and returns once AWS accepts. It never waits, sends
	// nothing if nothing is missing, and returns ErrDrifted, having sent nothing,
	// if a field is neither at From nor at To.
	Apply(ctx context.Context, live Resource, c Change) (Receipt, error)
	// Judge says from a fresh reading how far the world is from the change's
	// goal. Pure.
	Judge(r Resource, c Change) Progress
}

// Placer is what a kind also implements whose readings do not say what runs where.
type Placer interface {
	// Place returns the readings with what runs where filled in. It costs calls of
	// its own, and is asked for where that is shown or decides something.
	Place(ctx context.Context, read []Resource) ([]Resource, error)
}

// Explainer is what a kind also implements that can find out, for one resource,
// what became of a change that does not show or does not settle.
type Explainer interface {
	// Explain returns the reading with what AWS says on it; Judge then knows more.
	Explain(ctx context.Context, r Resource) (Resource, error)
}

// Mover is what a kind also implements whose capacity can leave a zone in waves.
// How much may leave at once is decided elsewhere.
type Mover interface {
	// Candidates are the units of r that run in the zone and may be released now.
	// Pure.
	Candidates(r Resource, zoneName string) []string
	// Release asks the service to replace the units elsewhere. It never waits and
	// never lowers desired capacity.
	Release(ctx context.Context, r Resource, units []string) error
}

// Tags that keep a resource out everywhere, whatever the scope says.
const (
	// ExcludeTag does with the value "true".
	ExcludeTag = "sidestep:exclude"
	// OwnTag, with any value, is on what a deployed Sidestep consists of. It must
	// not take itself apart.
	OwnTag = "sidestep:stack"
)

// Scope says which resources a run concerns. The zero Scope is all of them.
type Scope struct {
	Kinds   []Kind            `json:"kinds,omitempty"`
	Tags    map[string]string `json:"tags,omitempty"`        // all must match
	Exclude map[string]string `json:"excludeTags,omitempty"` // none may match
	Name    string            `json:"name,omitempty"`        // a glob, as in path.Match; without a slash it is for what follows a name's last
}

// Has reports whether resources of the kind may be in scope.
func (s Scope) Has(k Kind) bool { return len(s.Kinds) == 0 || slices.Contains(s.Kinds, k) }

// Match reports whether a resource of that name with those tags is in scope.
func (s Scope) Match(name string, tags map[string]string) bool {
	if _, own := tags[OwnTag]; own || tags[ExcludeTag] == "true" {
		return false
	}
	for k, v := range s.Tags {
		if got, ok := tags[k]; !ok || got != v {
			return false
		}
	}
	for k, v := range s.Exclude {
		if got, ok := tags[k]; ok && got == v {
			return false
		}
	}
	return s.named(name)
}

// named reports whether the name matches.
func (s Scope) named(name string) bool {
	if s.Name == "" {
		return true
	}
	if !strings.Contains(s.Name, "/") {
		if ok, err := path.Match(s.Name, path.Base(name)); ok && err == nil {
			return true
		}
	}
	ok, err := path.Match(s.Name, name)
	return ok && err == nil
}

package integration

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// pkg is a package of this module, as `go list` describes it.
type pkg struct {
	ImportPath   string
	Name         string
	Imports      []string
	Deps         []string // what Imports lead to, all the way down
	TestImports  []string
	XTestImports []string
}

// importRule forbids some packages some imports.
type importRule struct {
	name string
	why  string
	// seen is which of a package's imports the rule is about.
	seen func(pkg) []string
	// forbidden says whether p must not import dep.
	forbidden func(p pkg, dep string) bool
}

var importRules = []importRule{
	{
		name: "a kind imports neither another kind, nor the ledger, nor the engine",
		why:  "what is done to a resource, and how it is recorded, is decided once for all kinds; a kind knows one AWS service",
		seen: shipped,
		forbidden: func(p pkg, dep string) bool {
			kind, ok := kindOf(p.ImportPath)
			other, isKind := kindOf(dep)
			return ok && (within(dep, "pkg/ledger") || within(dep, "pkg/engine") || isKind && other != kind)
		},
	},
	{
		name: "only cmd, functions and integration import pkg/app",
		why:  "app is the wiring and knows every kind: whoever imports it depends on everything",
		seen: direct,
		forbidden: func(p pkg, dep string) bool {
			return within(dep, "pkg/app") && !within(p.ImportPath, "pkg/app", "cmd", "functions", "integration")
		},
	},
	{
		name: "only infra imports the CDK",
		why:  "the CDK starts Node; the binary and the functions must not carry it",
		seen: everything,
		forbidden: func(p pkg, dep string) bool {
			cdk := slices.ContainsFunc([]string{"aws-cdk-go", "constructs-go", "jsii-runtime-go"}, func(m string) bool {
				return strings.HasPrefix(dep, "github.com/aws/"+m+"/") || dep == "github.com/aws/"+m
			})
			return cdk && !within(p.ImportPath, "infra")
		},
	},
	{
		name: "only tests, pkg/app and cmd import pkg/region",
		why:  "the region in memory serves tests and the drill; nothing that acts on AWS may lean on it",
		seen: func(p pkg) []string { return p.Imports },
		forbidden: func(p pkg, dep string) bool {
			return within(dep, "pkg/region") && !within(p.ImportPath, "pkg/region", "pkg/app", "cmd") && !isTestPackage(p)
		},
	},
	{
		name: "only tests and packages named ...test import testing",
		why:  "testing brings flags and package state into the binary",
		seen: func(p pkg) []string { return p.Imports },
		forbidden: func(p pkg, dep string) bool {
			return (dep == "testing" || strings.HasPrefix(dep, "testing/")) && !isTestPackage(p)
		},
	},
	{
		name: "nothing that ships leads to testing or to pgregory.net/rapid",
		why:  "the rule above, for what is imported by way of others",
		seen: shipped,
		forbidden: func(p pkg, dep string) bool {
			return p.Name == "main" && (dep == "testing" || dep == "pgregory.net/rapid")
		},
	},
}

// shipped is what the package is built from, all the way down.
func shipped(p pkg) []string { return p.Deps }

// direct is what the package and its tests name in their files.
func direct(p pkg) []string { return slices.Concat(p.Imports, p.TestImports, p.XTestImports) }

// everything is direct and shipped.
func everything(p pkg) []string { return append(direct(p), p.Deps...) }

// within says whether a path lies in one of this module's folders.
func within(path string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		return path == "sidestep/"+f || strings.HasPrefix(path, "sidestep/"+f+"/")
	})
}

// kindOf is the name of the kind a package belongs to.
func kindOf(path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, "sidestep/pkg/kind/")
	name, _, _ := strings.Cut(rest, "/")
	return name, ok
}

func isTestPackage(p pkg) bool { return strings.HasSuffix(p.Name, "test") }

// broken lists the imports of the packages that a rule forbids.
func (r importRule) broken(pkgs []pkg) []string {
	var out []string
	for _, p := range pkgs {
		for _, dep := range r.seen(p) {
			if r.forbidden(p, dep) {
				out = append(out, p.ImportPath+" -> "+dep)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestImports(t *testing.T) {
	pkgs, err := listPackages()
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) < 5 {
		t.Fatalf("only %d packages found: this test looks in the wrong place", len(pkgs))
	}
	for _, r := range importRules {
		for _, b := range r.broken(pkgs) {
			t.Errorf("%s\n\trule: %s\n\twhy:  %s", b, r.name, r.why)
		}
	}
}

func listPackages() ([]pkg, error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Imports,Deps,TestImports,XTestImports", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w\n%s", err, exit.Stderr)
		}
		return nil, fmt.Errorf("listing the packages: %w", err)
	}
	var pkgs []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading go list's answer: %w", err)
		}
		pkgs = append(pkgs, p)
	}
}

// TestImportRulesBreak shows that each rule fails where it should.
func TestImportRulesBreak(t *testing.T) {
	for i, p := range []pkg{
		{ImportPath: "sidestep/pkg/kind/a", Name: "a", Deps: []string{"sidestep/pkg/kind/b"}},
		{ImportPath: "sidestep/pkg/engine", Name: "engine", TestImports: []string{"sidestep/pkg/app"}},
		{ImportPath: "sidestep/functions/x", Name: "main", Deps: []string{"github.com/aws/jsii-runtime-go"}},
		{ImportPath: "sidestep/pkg/kind/a", Name: "a", Imports: []string{"sidestep/pkg/region"}},
		{ImportPath: "sidestep/pkg/zone", Name: "zone", Imports: []string{"testing"}},
		{ImportPath: "sidestep/cmd/sidestep", Name: "main", Deps: []string{"testing"}},
	} {
		if got := importRules[i].broken([]pkg{p}); len(got) != 1 {
			t.Errorf("rule %q does not see %+v", importRules[i].name, p)
		}
	}
	fine := []pkg{
		{ImportPath: "sidestep/pkg/kind/a", Name: "a", Imports: []string{"sidestep/pkg/zone"}, Deps: []string{"sidestep/pkg/kind/a/sub"}, XTestImports: []string{"sidestep/pkg/region", "testing"}},
		{ImportPath: "sidestep/pkg/ledger/ledgertest", Name: "ledgertest", Imports: []string{"testing", "sidestep/pkg/region"}},
		{ImportPath: "sidestep/cmd/sidestep", Name: "main", Imports: []string{"sidestep/pkg/app", "sidestep/pkg/region"}},
		{ImportPath: "sidestep/infra", Name: "main", Imports: []string{"github.com/aws/aws-cdk-go/awscdk/v2"}},
	}
	for _, r := range importRules {
		if got := r.broken(fine); len(got) != 0 {
			t.Errorf("rule %q: %v is allowed", r.name, got)
		}
	}
}

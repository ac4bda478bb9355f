// Command vulndb turns the reports of the Go vulnerability database, as its
// module golang.org/x/vulndb carries them (data/osv/*.json), into the layout that
// `govulncheck -db file://...` reads: index/db.json, index/modules.json,
// index/vulns.json and ID/<id>.json. The database's own generator needs its git
// repository and some sixty modules. The layout: https://go.dev/doc/security/vuln/database
//
//	go run ./scripts/vulndb FROM TO
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// report is the part of an OSV entry that the indexes are made from.
type report struct {
	ID       string     `json:"id"`
	Modified time.Time  `json:"modified"`
	Aliases  []string   `json:"aliases,omitempty"`
	Affected []affected `json:"affected"`
}

type affected struct {
	Package struct {
		Name string `json:"name"`
	} `json:"package"`
}

// module is an element of index/modules.json. The optional field `fixed` is left
// out: govulncheck reads the ranges of the reports themselves.
type module struct {
	Path  string `json:"path"`
	Vulns []vuln `json:"vulns"`
}

// vuln is an element of index/vulns.json, and, without aliases, of a module's list.
type vuln struct {
	ID       string    `json:"id"`
	Modified time.Time `json:"modified"`
	Aliases  []string  `json:"aliases,omitempty"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: vulndb FROM TO: a folder of OSV reports, and a new folder for the database")
		os.Exit(2)
	}
	if err := convert(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "vulndb:", err)
		os.Exit(1)
	}
}

func convert(from, to string) error {
	if err := errors.Join(os.MkdirAll(filepath.Join(to, "ID"), 0o755), os.MkdirAll(filepath.Join(to, "index"), 0o755)); err != nil {
		return err
	}
	reports, err := copyReports(from, filepath.Join(to, "ID"))
	if err != nil {
		return err
	}
	if len(reports) == 0 {
		return fmt.Errorf("no reports in %s", from)
	}
	latest := slices.MaxFunc(reports, func(a, b report) int { return a.Modified.Compare(b.Modified) })
	return errors.Join(
		write(to, "modules.json", modules(reports)),
		write(to, "vulns.json", vulns(reports)),
		write(to, "db.json", map[string]time.Time{"modified": latest.Modified}),
	)
}

// copyReports copies the reports as they are and returns what the indexes need.
func copyReports(from, to string) ([]report, error) {
	paths, err := filepath.Glob(filepath.Join(from, "GO-*.json"))
	if err != nil {
		return nil, err
	}
	reports := make([]report, len(paths))
	for i, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, &reports[i]); err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		if err := os.WriteFile(filepath.Join(to, reports[i].ID+".json"), data, 0o644); err != nil {
			return nil, err
		}
	}
	return reports, nil
}

func modules(reports []report) []module {
	index := map[string]*module{}
	for _, r := range reports {
		for _, a := range r.Affected {
			m := index[a.Package.Name]
			if m == nil {
				m = &module{Path: a.Package.Name}
				index[m.Path] = m
			}
			m.Vulns = append(m.Vulns, vuln{ID: r.ID, Modified: r.Modified})
		}
	}
	list := make([]module, 0, len(index))
	for _, m := range index {
		list = append(list, *m)
	}
	slices.SortFunc(list, func(a, b module) int { return cmp.Compare(a.Path, b.Path) })
	return list
}

func vulns(reports []report) []vuln {
	list := make([]vuln, len(reports))
	for i, r := range reports {
		list[i] = vuln{ID: r.ID, Modified: r.Modified, Aliases: r.Aliases}
	}
	return list
}

func write(to, name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "index", name), data, 0o644)
}

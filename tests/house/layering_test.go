// SPDX-License-Identifier: Apache-2.0

// Package house holds the tests of the repository's own order: which package may import
// which, and whether docs/architecture.md is true.
package house

import (
	"errors"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	repository = "../.."
	module     = "github.com/otelcol-tc/otelcol-tc/"
	pdata      = "go.opentelemetry.io/collector/pdata/"
	tags       = "remove_all_sd,enable_dns_sd,enable_kubernetes_sd"
)

// componentFolders hold one component a folder.
var componentFolders = []string{"connector", "exporter", "extension", "processor", "receiver"}

// containers are pdata's packages of whole batches. State knows values, not batches.
var containers = []string{pdata + "plog", pdata + "pmetric", pdata + "pprofile", pdata + "ptrace"}

// allowedImports are imports that break a rule for a reason. The table must only shrink.
var allowedImports = []struct{ pkg, imported, reason string }{
	{"processor/cardinalityprocessor/internal/pointtype", pdata + "pmetric", "a kind reads and writes the data points of one of pmetric's types"},
	{"processor/cardinalityprocessor/internal/series", pdata + "pmetric", "streams know the type of their metric"},
	{"processor/cardinalityprocessor/internal/snapshot", pdata + "pmetric", "the storage has the points in OTLP"},
	{"exporter/prometheuspageexporter/internal/sample", pdata + "pmetric", "a sample is made of a data point of each of pmetric's types"},
	{"receiver/runtimelogreceiver/internal/assemble", pdata + "plog", "a record that no logger wrote has one of plog's severities"},
}

// pkg is a package. Paths of the module are relative to it.
type pkg struct {
	path    string
	imports []string
}

// component returns the folder of the component that a package belongs to, or nothing.
func (p pkg) component() string { return componentOf(p.path) }

func componentOf(path string) string {
	parts := strings.SplitN(path, "/", 3)
	if len(parts) < 2 || !slices.Contains(componentFolders, parts[0]) {
		return ""
	}
	return parts[0] + "/" + parts[1]
}

// isState reports whether a package is below a component. mdatagen writes the others.
func (p pkg) isState() bool {
	idea, ok := strings.CutPrefix(p.path, p.component()+"/internal/")
	return ok && p.component() != "" && idea != "metadata" && idea != "metadatatest"
}

// layers are the rules: each returns why a package must not import another, or nothing.
var layers = []func(p pkg, imported string) string{
	func(p pkg, imported string) string {
		if p.isState() && imported == p.component() {
			return "state is below the walk: it must not import its component"
		}
		return ""
	},
	func(p pkg, imported string) string {
		if p.isState() && slices.Contains(containers, imported) {
			return "state knows no batches: the component walks them and hands over values"
		}
		return ""
	},
	func(p pkg, imported string) string {
		if strings.HasPrefix(p.path, "internal/") && componentOf(imported) != "" {
			return "internal is below all components: it must not import one"
		}
		return ""
	},
	func(p pkg, imported string) string {
		if isBelow(p.path, "conventions") && componentOf(imported) != "" {
			return "conventions are below all components: they must not import one"
		}
		return ""
	},
	func(p pkg, imported string) string {
		if component := componentOf(imported); p.component() != "" && component != "" && component != p.component() {
			return "components do not know each other: what both need belongs to internal"
		}
		return ""
	},
}

func isBelow(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

func TestPackagesImportDownwards(t *testing.T) {
	needed := make([]bool, len(allowedImports))
	for _, p := range packages(t) {
		for _, imported := range p.imports {
			for _, rule := range layers {
				broken := rule(p, imported)
				if broken == "" {
					continue
				}
				at := slices.IndexFunc(allowedImports, func(a struct{ pkg, imported, reason string }) bool {
					return a.pkg == p.path && a.imported == imported
				})
				if at < 0 {
					t.Errorf("%s imports %s: %s", p.path, imported, broken)
				} else {
					needed[at] = true
				}
			}
		}
	}
	for i, is := range needed {
		assert.True(t, is, "remove %s from allowedImports: it does not import %s any more", allowedImports[i].pkg, allowedImports[i].imported)
	}
}

// packages returns the module's packages. They are read in this process, since a result of
// `go test` is cached until a file changes that the process itself has opened.
func packages(t *testing.T) []pkg {
	t.Helper()
	context := build.Default
	context.BuildTags = strings.Split(tags, ",")
	var all []pkg
	require.NoError(t, filepath.WalkDir(repository, func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || dir == repository {
			return err
		}
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" {
			return fs.SkipDir
		}
		read, err := context.ImportDir(dir, 0)
		if none := new(build.NoGoError); errors.As(err, &none) {
			return nil
		}
		p := pkg{path: filepath.ToSlash(strings.TrimPrefix(dir, repository+string(filepath.Separator)))}
		for _, imported := range read.Imports {
			p.imports = append(p.imports, strings.TrimPrefix(imported, module))
		}
		all = append(all, p)
		return err
	}))
	require.NotEmpty(t, all)
	return all
}

// SPDX-License-Identifier: Apache-2.0

// Package weaver reads semantic-convention registries in OpenTelemetry Weaver's file format v1.
package weaver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions/internal/document"
)

// Registry holds the declarations of a registry.
type Registry struct {
	// Name is the name in the manifest, else the folder's name, in lower_snake_case.
	Name       string
	Metrics    map[string]Metric
	Attributes map[string]Attribute
}

// Metric is the declaration of a metric.
type Metric struct {
	Instrument, Unit string
	// RenamedTo is the current name of a deprecated metric.
	RenamedTo string
}

// Attribute is the declaration of an attribute.
type Attribute struct {
	// Type is string, int, double or bool, or empty for another type.
	Type string
	// Allowed are the values of a closed enumeration.
	Allowed []string
	// Template means that the key is only the beginning of the real keys.
	Template bool
	// RenamedTo is the current key of a deprecated attribute.
	RenamedTo string
}

// manifests are Weaver's file names of a manifest: the current and the earlier one.
var manifests = []string{"manifest.yaml", "registry_manifest.yaml"}

// Read reads all *.yaml files below dir. Unknown keys are no errors, because the format grows. It returns
// the errors of all files together, each with its file, line, key and value.
func Read(dir string) (*Registry, error) {
	r := &reader{
		groups: newNames("group"), metrics: newNames("metric"), attributes: newNames("attribute"),
		read: &Registry{Metrics: map[string]Metric{}, Attributes: map[string]Attribute{}},
	}
	var err error
	if r.read.Name, err = r.readManifest(dir); err != nil {
		return nil, err
	}
	files, err := registryFiles(dir)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		root, err := readFile(file)
		if err != nil {
			r.faults = append(r.faults, err)
			continue
		}
		r.readGroups(file, root)
	}
	// A name may be missing only because its file has a fault.
	if len(r.faults) == 0 {
		r.rename()
	}
	if err := errors.Join(r.faults...); err != nil {
		return nil, err
	}
	return r.read, nil
}

// registryFiles returns the files of a registry in a fixed order. It skips hidden files and folders,
// because a mounted Kubernetes ConfigMap has a hidden copy of each file.
func registryFiles(dir string) ([]string, error) {
	var files []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case !entry.IsDir() && strings.HasSuffix(name, ".yaml") && !isManifest(name):
			files = append(files, filepath.Join(dir, name))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("registry %s: %w", dir, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("registry %s: no *.yaml file that declares groups", dir)
	}
	return files, nil
}

// isManifest reports whether a path relative to the registry is its manifest. A manifest in a subfolder is
// an ordinary file.
func isManifest(name string) bool {
	return name == manifests[0] || name == manifests[1]
}

// readManifest returns the registry's name from the optional manifest.
func (r *reader) readManifest(dir string) (string, error) {
	for _, name := range manifests {
		file := filepath.Join(dir, name)
		root, err := readFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		manifest := r.fields(file, root, "manifest")
		r.open = len(manifest.list("dependencies")) > 0
		name := manifest.text("name")
		if name.text == "" {
			break
		}
		system := systemName(name.text)
		if system == "" {
			r.fail(name.place, "name: must begin with a letter (got %q)", name.text)
		}
		return system, nil
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	system := systemName(filepath.Base(dir))
	if system == "" {
		return "", fmt.Errorf("registry %s: the folder's name must begin with a letter, or %s give another as name", dir, manifests[0])
	}
	return system, nil
}

// systemName converts a name to a pack's system, [a-z][a-z0-9_]*, or returns an empty string.
func systemName(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool {
		return (c < 'a' || 'z' < c) && (c < '0' || '9' < c)
	})
	system := strings.Join(words, "_")
	if system == "" || system[0] <= '9' {
		return ""
	}
	return system
}

// readFile returns the root of a file's only document.
func readFile(file string) (*yaml.Node, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	root, err := document.Read("a registry's file", text)
	if err != nil {
		return nil, document.InFile(file, err)
	}
	return root, nil
}

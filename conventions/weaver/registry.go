// SPDX-License-Identifier: Apache-2.0

// Package weaver reads semantic-convention registries in OpenTelemetry Weaver's file format v1.
package weaver

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
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

// Read reads all *.yaml files below dir. Unknown keys are no errors, because the format grows, and Weaver itself checks
// registries. It returns the errors of all files together, each with its file, line and value.
func Read(read document.Files, dir string) (*Registry, error) {
	files, err := read(dir)
	if len(files) == 1 && files[0].Path == dir {
		err = cmp.Or(files[0].Err, errors.New("must be a folder"))
	}
	if err != nil {
		return nil, fmt.Errorf("registry %s: %w", dir, err)
	}
	r := &reader{metrics: newNames("metric"), attributes: newNames("attribute"),
		read: &Registry{Metrics: map[string]Metric{}, Attributes: map[string]Attribute{}}}
	groups := slices.DeleteFunc(slices.Clone(files), func(f document.File) bool { return isManifest(dir, f) })
	if err := r.readManifest(dir, files); err != nil {
		return nil, err
	}
	if len(groups) == 0 {
		return nil, fmt.Errorf("registry %s: no *.yaml file that declares groups", dir)
	}
	var faults []error
	for _, file := range groups {
		faults = append(faults, r.readGroups(file)...)
	}
	// A name may be missing only because its file has a fault.
	if len(faults) == 0 {
		faults = r.rename()
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return r.read, nil
}

// isManifest reports whether a file is the registry's manifest. A manifest in a subfolder is an ordinary file.
func isManifest(dir string, file document.File) bool {
	return slices.ContainsFunc(manifests, func(name string) bool { return file.Path == filepath.Join(dir, name) })
}

// readManifest reads the registry's name and dependencies from the optional manifest.
func (r *reader) readManifest(dir string, files []document.File) error {
	var manifest struct {
		Name         string `yaml:"name"`
		Dependencies []any  `yaml:"dependencies"`
	}
	// manifest.yaml, the name that Weaver has now, comes first.
	if i := slices.IndexFunc(files, func(f document.File) bool { return isManifest(dir, f) }); i >= 0 {
		if err := readFile(files[i], &manifest); err != nil {
			return err
		}
	}
	r.open = len(manifest.Dependencies) > 0
	name := manifest.Name
	if name == "" {
		absolute, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		name = filepath.Base(absolute)
	}
	if r.read.Name = systemName(name); r.read.Name == "" {
		return fmt.Errorf("registry %s: name: the one in %s, else the folder's, must begin with a letter (got %q)", dir, manifests[0], name)
	}
	return nil
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

// readFile decodes a file's only document.
func readFile(file document.File, into any) error {
	if file.Err != nil {
		return file.Err
	}
	root, err := document.Read("a registry's file", file.Text)
	if err != nil {
		return document.InFile(file.Path, err)
	}
	err = root.Decode(into)
	var invalid *yaml.TypeError
	if errors.As(err, &invalid) {
		err = errors.New(strings.Join(invalid.Errors, "; "))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file.Path, err)
	}
	return nil
}

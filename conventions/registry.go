package conventions

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// manifests are the names that Weaver gives a registry's manifest: today's and
// the earlier one.
var manifests = []string{"manifest.yaml", "registry_manifest.yaml"}

// LoadRegistry reads a semantic-convention registry, as OpenTelemetry Weaver
// keeps it in file format v1, as a pack: every *.yaml file below dir.
//
// The pack is called as the manifest says, else as the folder. It owns all
// telemetry, since a registry says what names mean and not who sends them. Only
// what a pack has a place for is read; keys that are not known are no error,
// since the format grows. The errors of all files are returned together, each
// with its file, line, key and value.
func LoadRegistry(dir string) (*Pack, error) {
	r := newRegistry()
	system, err := r.readManifest(dir)
	if err != nil {
		return nil, err
	}
	files, err := registryFiles(dir)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		doc, err := readDocument(file)
		if err != nil {
			r.faults = append(r.faults, err)
			continue
		}
		r.readGroups(file, doc)
	}
	// A name that is missing because its file is at fault is no second fault.
	if len(r.faults) == 0 {
		r.checkRenames()
	}
	if err := errors.Join(r.faults...); err != nil {
		return nil, err
	}
	return r.pack(system), nil
}

// registryFiles lists the files of a registry in a fixed order. Hidden files and
// folders are none of its: a mounted Kubernetes ConfigMap has each file a second
// time in one.
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

// isManifest tells whether name, relative to the registry, is its manifest. One
// further down belongs to nobody and is read as any other file.
func isManifest(name string) bool {
	return name == manifests[0] || name == manifests[1]
}

// readManifest returns the pack's name. It is no error that there is no manifest.
func (r *registry) readManifest(dir string) (system string, err error) {
	for _, name := range manifests {
		file := filepath.Join(dir, name)
		doc, err := readDocument(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		manifest := r.fields(file, doc, "manifest")
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
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	system = systemName(filepath.Base(dir))
	if system == "" {
		return "", fmt.Errorf("registry %s: the folder's name must begin with a letter, or %s give another as name", dir, manifests[0])
	}
	return system, nil
}

// systemName writes a name as a pack's system: [a-z][a-z0-9_]*, or "".
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

// readDocument reads the only YAML document of a file.
func readDocument(file string) (*yaml.Node, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var doc, extra yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, inFile(file, errors.New("a registry's file must not be empty"))
	} else if err != nil {
		return nil, inFile(file, err)
	}
	if err := decoder.Decode(&extra); !errors.Is(err, io.EOF) {
		return nil, inFile(file, &lineError{extra.Line, errors.New("a registry's file must be one YAML document")})
	}
	return doc.Content[0], nil
}

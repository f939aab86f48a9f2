// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/document"
	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/places"
)

// source is a file with its places.
type source struct {
	name, text string
	found      *places.Found
	fault      error // the file cannot be read as JSON or YAML
}

// readAll reads files, and all JSON and YAML files of directories.
func readAll(arguments []string) ([]*source, error) {
	var all []*source
	seen := map[string]bool{}
	for _, argument := range arguments {
		names, err := list(argument)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if seen[name] {
				continue
			}
			seen[name] = true
			s, err := readSource(name)
			if err != nil {
				return nil, err
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// list returns the files of an argument. Kubernetes mounts the files of a ConfigMap as links.
func list(argument string) ([]string, error) {
	info, err := os.Stat(argument)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{filepath.Clean(argument)}, nil
	}
	var names []string
	err = filepath.WalkDir(argument, func(path string, entry fs.DirEntry, err error) error {
		hidden := path != argument && strings.HasPrefix(entry.Name(), ".")
		switch {
		case err != nil:
			return err
		case hidden && entry.IsDir():
			return filepath.SkipDir
		case hidden || !slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(path)):
			return nil
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			names = append(names, path)
		}
		return nil
	})
	return names, err
}

// readSource finds the places of a file.
func readSource(name string) (*source, error) {
	s := &source{name: name, found: &places.Found{}}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Size() > document.MaxSize {
		s.fault = fmt.Errorf("must have at most %d MiB", document.MaxSize>>20)
		return s, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	s.text = string(text)
	documents, fault := document.Read(s.text)
	if fault == nil {
		s.found = places.Find(documents)
	}
	s.fault = fault
	return s, nil
}

// write changes the files, or none of them if one must not be written. A file's owner, its permissions and links to it
// stay.
func (m *migration) write() error {
	for _, c := range m.changed {
		file, err := os.OpenFile(c.source.name, os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("%w; no file is changed", err)
		}
		file.Close()
	}
	for _, c := range m.changed {
		if err := os.WriteFile(c.source.name, []byte(c.text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

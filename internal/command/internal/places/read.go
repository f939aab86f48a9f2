// SPDX-License-Identifier: Apache-2.0

package places

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/command/internal/document"
)

// Source is a file with its places.
type Source struct {
	Name, Text string
	*Found
	// Fault is why the file cannot be read as JSON or YAML.
	Fault error
}

// Read reads files, and all JSON and YAML files of directories.
func Read(arguments []string) (all []*Source, err error) {
	err = Each(arguments, func(s *Source) { all = append(all, s) })
	return all, err
}

// Each calls a function with each file, one by one: a file takes many times its size in memory.
func Each(arguments []string, do func(*Source)) error {
	seen := map[string]bool{}
	for _, argument := range arguments {
		names, err := list(argument)
		if err != nil {
			return err
		}
		for _, name := range names {
			if seen[name] {
				continue
			}
			seen[name] = true
			s, err := readSource(name)
			if err != nil {
				return err
			}
			do(s)
		}
	}
	return nil
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
func readSource(name string) (*Source, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Size() > document.MaxSize {
		return &Source{Name: name, Found: &Found{}, Fault: fmt.Errorf("must have at most %d MiB", document.MaxSize>>20)}, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return NewSource(name, string(text)), nil
}

// NewSource finds the places of a text.
func NewSource(name, text string) *Source {
	s := &Source{Name: name, Text: text, Found: &Found{}}
	documents, fault := document.Read(text)
	if fault == nil {
		s.Found = Find(documents)
	}
	s.Fault = fault
	return s
}

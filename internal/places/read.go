// SPDX-License-Identifier: Apache-2.0

package places

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/places/document"
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
		names, err := Files(argument)
		if err != nil {
			return err
		}
		for _, name := range names {
			if seen[name] {
				continue
			}
			seen[name] = true
			s, err := ReadSource(name)
			if err != nil {
				return err
			}
			do(s)
		}
	}
	return nil
}

// Files returns a file, or the JSON and YAML files of a folder. Kubernetes mounts the files and folders of a ConfigMap
// as links.
func Files(argument string) ([]string, error) {
	info, err := os.Stat(argument)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{filepath.Clean(argument)}, nil
	}
	return filesOf(argument, map[string]bool{})
}

// filesOf returns the files of a folder. It reads no folder twice, wherever links lead.
func filesOf(folder string, seen map[string]bool) (names []string, err error) {
	real, err := filepath.EvalSymlinks(folder)
	if err != nil || seen[real] {
		return nil, err
	}
	seen[real] = true
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		info, err := os.Stat(path)
		switch {
		case strings.HasPrefix(entry.Name(), ".") || os.IsNotExist(err):
			continue
		case err != nil:
			return nil, err
		case info.IsDir():
			inner, err := filesOf(path, seen)
			if err != nil {
				return nil, err
			}
			names = append(names, inner...)
		case info.Mode().IsRegular() && slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(path)):
			names = append(names, path)
		}
	}
	return names, nil
}

// ReadSource finds the places of a file.
func ReadSource(name string) (*Source, error) {
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

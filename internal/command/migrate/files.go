// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/document"
	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/places"
)

// Bounds of what is read.
const (
	maxFiles = 10_000
	maxBytes = 512 << 20
)

// source is a file with its places.
type source struct {
	name, text string
	found      *places.Found
	fault      error // the file is no JSON or YAML
}

// readAll reads files, and all JSON and YAML files of directories.
func readAll(arguments []string) ([]*source, error) {
	var names []string
	for _, argument := range arguments {
		found, err := list(argument)
		if err != nil {
			return nil, err
		}
		if names = append(names, found...); len(names) > maxFiles {
			return nil, fmt.Errorf("%s: must be at most %d files in all", argument, maxFiles)
		}
	}
	var all []*source
	seen, size := map[string]bool{}, 0
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		text, err := readFile(name)
		if errors.Is(err, errSize) { // one file of a directory
			all = append(all, &source{name: name, found: &places.Found{}, fault: errSize})
			continue
		}
		if err != nil {
			return nil, err
		}
		if size += len(text); size > maxBytes {
			return nil, fmt.Errorf("%s: all files must have at most %d MiB", name, maxBytes>>20)
		}
		all = append(all, parse(name, text))
	}
	return all, nil
}

// list returns the files of an argument.
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
		switch {
		case err != nil:
			return err
		case path != argument && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return filepath.SkipDir
			}
		case isDocument(path) && isFile(path, entry):
			names = append(names, path)
		}
		if len(names) > maxFiles {
			return fmt.Errorf("%s: must have at most %d files", argument, maxFiles)
		}
		return nil
	})
	return names, err
}

// isFile reports whether an entry is a file, or a link to one: Kubernetes mounts the files of a ConfigMap as
// links.
func isFile(path string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return entry.Type().IsRegular()
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func isDocument(path string) bool {
	switch filepath.Ext(path) {
	case ".json", ".yaml", ".yml":
		return true
	}
	return false
}

func readFile(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := readBounded(file, document.MaxSize)
	if errors.Is(err, errTooLong) {
		return "", errSize
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return string(text), nil
}

var (
	errTooLong = errors.New("must have at most")
	// errSize means that a file is too large to be read.
	errSize = fmt.Errorf("%w %d MiB", errTooLong, document.MaxSize>>20)
)

// readBounded reads everything, which must have at most a number of bytes.
func readBounded(from io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%w %d MiB", errTooLong, most>>20)
	}
	return text, err
}

// parse finds the places of a file.
func parse(name, text string) *source {
	s := &source{name: name, text: text, found: &places.Found{}}
	format := document.YAML
	if filepath.Ext(name) == ".json" {
		format = document.JSON
	}
	documents, err := document.Read(text, format)
	if err != nil {
		s.fault = err
		return s
	}
	s.found = places.Find(documents)
	return s
}

// SPDX-License-Identifier: Apache-2.0

// Package aside keeps a bounded number of refused requests in files. Keep writes a request, and
// Has reports whether it is kept already.
package aside

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	maxFiles = 32
	maxBytes = 64 << 20
)

// Store is a directory of requests. It is not safe for concurrent use.
type Store struct {
	directory string
}

// NewStore returns a store for a directory, which need not exist.
func NewStore(directory string) *Store { return &Store{directory: directory} }

// keptName matches the names of files: time, signal, identity and encoding.
var keptName = regexp.MustCompile(`^\d{8}T\d{6}Z-[a-z]+-([0-9a-f]{32})\.(binpb|json)$`)

// Has reports whether a request is kept. The identity is in hexadecimal digits.
func (s *Store) Has(identity string) bool {
	for _, name := range s.names() {
		if keptName.FindStringSubmatch(name)[1] == identity {
			return true
		}
	}
	return false
}

// Keep writes a request to a file and returns its path. It deletes the oldest files above 32
// files or 64 MiB.
func (s *Store) Keep(now time.Time, signal, identity, extension string, request []byte) (string, error) {
	if err := os.MkdirAll(s.directory, 0o750); err != nil {
		return "", err
	}
	path := filepath.Join(s.directory, fmt.Sprintf("%s-%s-%s.%s", now.UTC().Format("20060102T150405Z"), signal, identity, extension))
	// Rename the file when it is complete.
	partial := filepath.Join(s.directory, "partial")
	if err := os.WriteFile(partial, request, 0o600); err != nil {
		return "", errors.Join(err, os.Remove(partial))
	}
	if err := os.Rename(partial, path); err != nil {
		return "", err
	}
	return path, s.prune(filepath.Base(path))
}

// prune deletes the oldest files, but not the last one.
func (s *Store) prune(last string) error {
	var errs error
	var files int
	var bytes int64
	names := s.names()
	slices.Reverse(names)
	for _, name := range names {
		info, err := os.Lstat(filepath.Join(s.directory, name))
		if err != nil {
			errs = errors.Join(errs, err)
			continue
		}
		files++
		bytes += info.Size()
		if name != last && (files > maxFiles || bytes > maxBytes) {
			errs = errors.Join(errs, os.Remove(filepath.Join(s.directory, name)))
		}
	}
	return errs
}

// names returns the names of the files, sorted by time.
func (s *Store) names() (names []string) {
	entries, err := os.ReadDir(s.directory)
	if err != nil {
		return nil // nothing is kept, or Keep returns the error
	}
	for _, entry := range entries {
		if keptName.MatchString(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	slices.SortFunc(names, strings.Compare)
	return names
}

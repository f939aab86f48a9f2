// SPDX-License-Identifier: Apache-2.0

package poison

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// maxFiles bounds the requests that are set aside.
const maxFiles = 16

func asideDirectory(path string) string { return filepath.Join(path, "set-aside") }

// isSetAside reports whether the request with a fingerprint has a file.
func isSetAside(path, fingerprint string) bool {
	return slices.ContainsFunc(setAside(path), func(name string) bool {
		known, _ := filepath.Match("*-"+fingerprint+".*", name)
		return known
	})
}

// setAside returns the names of the files, sorted by time.
func setAside(path string) (names []string) {
	entries, _ := os.ReadDir(asideDirectory(path)) // sorted; nothing is kept yet, or SetAside returns the error
	for _, entry := range entries {
		if is, _ := filepath.Match("????????T??????Z-*-????????????????????????????????.*", entry.Name()); is {
			names = append(names, entry.Name())
		}
	}
	return names
}

// Wants reports whether a request has yet to be set aside, so that bytes of requests have to be kept.
func (j *Journal) Wants() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.wanted) > 0
}

// SetAside writes a request to a file and returns its path, or "" if this was done before. It deletes the
// oldest files above 16. A path comes with an error if these cannot be deleted.
func (j *Journal) SetAside(now time.Time, f Fingerprint, signal, extension string, request func() []byte) (path string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.wanted[f.String()] {
		return "", nil
	}
	directory := asideDirectory(j.path)
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return "", err
	}
	path = filepath.Join(directory, fmt.Sprintf("%s-%s-%s.%s", now.UTC().Format("20060102T150405Z"), signal, f, extension))
	// Rename the file when it is complete.
	partial := filepath.Join(directory, "partial")
	err = os.WriteFile(partial, request(), 0o600)
	if err == nil {
		err = os.Rename(partial, path)
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(partial))
	}
	delete(j.wanted, f.String())
	names := setAside(j.path)
	for _, name := range names[:max(0, len(names)-maxFiles)] {
		err = errors.Join(err, os.Remove(filepath.Join(directory, name)))
	}
	return path, err
}

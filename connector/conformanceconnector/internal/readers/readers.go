// SPDX-License-Identifier: Apache-2.0

// Package readers reads what reads metrics from files, and reads them again when they change.
package readers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/periodic"
	"github.com/otelcol-tc/otelcol-tc/internal/places"
	"github.com/otelcol-tc/otelcol-tc/internal/usage"
)

const (
	// pollInterval is how often files are compared, by their size, time and identity: there can be a thousand.
	pollInterval = 2 * time.Second
	// quietFor is how long changed files must stay the same, so that none is read while it is written.
	quietFor = 100 * time.Millisecond
	// patience is how long the end waits for a read. On a network file system that is away, it never ends.
	patience = time.Second
	// maxFile is the size of a file, in bytes: it takes up to 50 times as much memory while it is read.
	maxFile = 4 << 20
	// maxSize is the size of all files together, in bytes.
	maxSize = 256 << 20
	// maxQueries bounds the memory: a query takes about 2 KiB.
	maxQueries = 100_000
	// maxFaults is how many faults are listed.
	maxFaults = 10
)

// Files are files that dashboards, rules and the like are read from. They are safe for concurrent use.
type Files struct {
	paths []string
	note  func(err error) // called after each reading
	seen  []file          // of the last reading

	mu      sync.Mutex
	current *usage.Readings // guarded by mu, like the others
	whole   bool            // current has all that the files have
	status  Status
}

// Status is what was read last.
type Status struct {
	Files int       `json:"files"`
	Since time.Time `json:"since,omitzero"` // zero: nothing is read yet
	// Refused is why changed files do not apply, or what cannot be read since the start. It is empty if all is read.
	Refused   string    `json:"refused,omitempty"`
	RefusedAt time.Time `json:"refused_at,omitzero"`
}

// New returns files, folders and globs that are not read yet. Note is called after each reading.
func New(paths []string, note func(error)) *Files { return &Files{paths: paths, note: note} }

// file is a file at the time of a reading.
type file struct {
	path string
	info os.FileInfo
}

func (f file) same(other file) bool {
	return f.path == other.path && f.info.Size() == other.info.Size() && f.info.ModTime().Equal(other.info.ModTime()) && os.SameFile(f.info, other.info)
}

// Check returns an error for paths that do not exist, and for globs that match nothing.
func Check(paths []string) error {
	_, err := find(paths)
	return err
}

// find returns the files of paths.
func find(paths []string) (all []file, err error) {
	seen, size := map[string]bool{}, int64(0)
	for i, path := range paths {
		names, err := filesOf(path)
		if err != nil {
			return nil, fmt.Errorf("usage[%d]: %w", i, err)
		}
		for _, name := range names {
			info, err := os.Stat(name)
			switch {
			case err != nil:
				return nil, fmt.Errorf("usage[%d]: %w", i, err)
			case !info.Mode().IsRegular(): // a read of a pipe may never end
				return nil, fmt.Errorf("usage[%d]: must have regular files (got %q, %s)", i, name, info.Mode())
			case !seen[name]:
				seen[name] = true
				all = append(all, file{name, info})
				size += info.Size()
			}
		}
	}
	if size > maxSize {
		return nil, fmt.Errorf("usage: must be at most %d MiB of files (got %d MiB)", maxSize>>20, size>>20)
	}
	return all, nil
}

// filesOf returns the files of a file, a folder or a glob.
func filesOf(path string) (names []string, err error) {
	if path == "" {
		return nil, errors.New(`must be a file, a folder or a glob (got "")`)
	}
	matches := []string{path}
	if _, err := os.Lstat(path); err != nil && strings.ContainsAny(path, "*?[") {
		if matches, err = filepath.Glob(path); err != nil {
			return nil, fmt.Errorf("must be a file, a folder or a glob (got %q): %w", path, err)
		}
		if len(matches) == 0 {
			return nil, fmt.Errorf("must match a file or a folder (got %q)", path)
		}
	}
	for _, match := range matches {
		found, err := places.Files(match)
		if os.IsNotExist(err) {
			return nil, fmt.Errorf("must exist (got %q)", match)
		}
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	return names, nil
}

// Run reads the files, and again when they have changed, until the context ends. It does not wait longer than patience
// for a read that does not end.
func (f *Files) Run(ctx context.Context) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.poll(ctx)
		periodic.Run(ctx, pollInterval, func(time.Time) { f.poll(ctx) })
	}()
	<-ctx.Done()
	select {
	case <-ended:
	case <-time.After(patience):
	}
}

// Readings returns what applies, or nil, and its status.
func (f *Files) Readings() (*usage.Readings, Status) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.current, f.status
}

// poll reads the files if they have changed. Files that change meanwhile are read at the next poll.
func (f *Files) poll(ctx context.Context) {
	found, err := find(f.paths)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		if f.refuse(err) {
			f.seen = nil
			f.note(err)
		}
		return
	}
	if f.seen != nil && slices.EqualFunc(found, f.seen, file.same) {
		return
	}
	select {
	case <-ctx.Done():
		return
	case <-time.After(quietFor):
	}
	if !f.stay(found) {
		return
	}
	read, err := readAll(ctx, found)
	if ctx.Err() != nil || !f.stay(found) {
		return
	}
	f.seen = found
	f.apply(len(found), read, err)
	f.note(err)
}

// stay reports whether the files are still the same.
func (f *Files) stay(found []file) bool {
	again, err := find(f.paths)
	return err == nil && slices.EqualFunc(found, again, file.same)
}

// apply takes what was read. What has a fault applies only if what was read before it has one, too.
func (f *Files) apply(files int, read *usage.Readings, fault error) {
	f.mu.Lock()
	if fault == nil || !f.whole {
		f.current, f.whole, f.status = read, fault == nil, Status{Files: files, Since: time.Now()}
	}
	f.mu.Unlock()
	if fault != nil {
		f.refuse(fault)
	}
}

// refuse notes why files do not apply, and reports whether that is new.
func (f *Files) refuse(err error) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.status.Refused == err.Error() {
		return false
	}
	f.status.Refused, f.status.RefusedAt = err.Error(), time.Now()
	return true
}

// readAll reads files one by one: a file takes many times its size in memory.
func readAll(ctx context.Context, files []file) (all *usage.Readings, err error) {
	all = usage.NewReadings()
	for _, file := range files {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		source, err := read(file)
		if err != nil {
			all.CannotRead(&usage.Reader{File: file.path}, err)
			continue
		}
		all.Add(source)
		if len(all.Readers()) > maxQueries {
			all.CannotRead(&usage.Reader{File: file.path}, fmt.Errorf("must have at most %d queries, with the files before it", maxQueries))
			break
		}
	}
	faults := all.Faults()
	if left := len(faults) - maxFaults; left > 0 {
		faults = append(slices.Clip(faults[:maxFaults]), fmt.Errorf("and %d more", left))
	}
	return all, errors.Join(faults...)
}

// read finds what a file has. A fault of a parser must not end a collector.
func read(f file) (source *places.Source, err error) {
	if f.info.Size() > maxFile {
		return nil, fmt.Errorf("must have at most %d MiB (got %d bytes)", maxFile>>20, f.info.Size())
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("cannot be used: %v", cause)
		}
	}()
	return places.ReadSource(f.path)
}

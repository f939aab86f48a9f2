// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"fmt"
	"io"
	"os"

	"github.com/shirou/gopsutil/v4/disk"

	"github.com/otelcol-tc/otelcol-tc/internal/statefile"
)

// fileSystem is what a queue uses of the operating system. Tests put one with faults in its place.
type fileSystem interface {
	makeDirectory(path string) error
	// lock locks a file against other queues until it is closed.
	lock(path string) (io.Closer, error)
	// list returns the names of the regular files in a directory.
	list(directory string) ([]string, error)
	open(path string, flag int) (file, error)
	remove(path string) error
	syncDirectory(path string) error
	// free returns the bytes that may still be written to the file system of a directory.
	free(directory string) (int64, error)
}

// file is an open file. WriteAt may write a part of the bytes when it fails.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
	size() (int64, error)
}

// system is the fileSystem of the operating system.
type system struct{}

func (system) makeDirectory(path string) error { return os.MkdirAll(path, 0o700) }

func (system) lock(path string) (io.Closer, error) { return statefile.Lock(path) }

func (system) list(directory string) ([]string, error) {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

func (system) open(path string, flag int) (file, error) {
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, err // not a file that holds a nil pointer
	}
	return systemFile{f}, nil
}

func (system) remove(path string) error { return os.Remove(path) }

func (system) syncDirectory(path string) error { return statefile.SyncDirectory(path) }

func (system) free(directory string) (int64, error) {
	usage, err := disk.Usage(directory)
	if err != nil {
		return 0, fmt.Errorf("free space of %s: %w", directory, err)
	}
	return int64(usage.Free), nil
}

type systemFile struct{ *os.File }

func (f systemFile) size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// noSpace makes an error wrap ErrNoSpace if it means a full disk or quota.
func noSpace(err error) error {
	if err != nil && statefile.IsFull(err) {
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	}
	return err
}

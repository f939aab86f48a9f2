// SPDX-License-Identifier: Apache-2.0

// Package disk is what queues and files of state use of the operating system. What a component keeps on disk goes
// through a FileSystem, so that a test can start it on a disk that fails, fills up, and loses what was not synced.
package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/shirou/gopsutil/v4/disk"
)

// FileSystem has the calls of the operating system. New files and directories are the user's own.
type FileSystem interface {
	MkdirAll(path string) error
	// Lock locks a file against other processes, and against other users in this process, until it is closed.
	Lock(path string) (io.Closer, error)
	// ReadDir returns the entries of a directory, sorted by name.
	ReadDir(path string) ([]fs.DirEntry, error)
	Lstat(path string) (fs.FileInfo, error)
	// Open opens a file. Of the flags beside the access a disk in memory knows O_CREATE and O_EXCL only.
	Open(path string, flag int) (File, error)
	Remove(path string) error
	// RemoveAll removes a file, or a directory with all that is in it. There may be none.
	RemoveAll(path string) error
	Rename(from, to string) error
	// Replace is Rename, which may leave the old file in the place of the new one.
	Replace(newFile, oldFile string) error
	// SyncDirectory makes the names in a directory survive a power failure.
	SyncDirectory(path string) error
	// Free returns the bytes that may still be written to the file system of a directory.
	Free(path string) (int64, error)
}

// File is an open file. A write may have written a part of the bytes when it fails.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Sync() error
}

// System is the FileSystem of the operating system.
type System struct{}

// MkdirAll makes a directory, and those above it.
func (System) MkdirAll(path string) error { return os.MkdirAll(path, 0o700) }

// Lock locks a file until it is closed.
func (System) Lock(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%s is locked, another process or component uses it: %w", path, err)
	}
	return f, nil
}

// ReadDir returns the entries of a directory.
func (System) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }

// Lstat describes a file, and follows no link.
func (System) Lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }

// Open opens a file.
func (System) Open(path string, flag int) (File, error) {
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, err // not a File that holds a nil pointer
	}
	return f, nil
}

// Remove removes a file.
func (System) Remove(path string) error { return os.Remove(path) }

// RemoveAll removes whatever has a name.
func (System) RemoveAll(path string) error { return os.RemoveAll(path) }

// Rename gives a file another name.
func (System) Rename(from, to string) error { return os.Rename(from, to) }

// Free returns the free space of a file system.
func (System) Free(path string) (int64, error) {
	usage, err := disk.Usage(path)
	if err != nil {
		return 0, fmt.Errorf("free space of %s: %w", path, err)
	}
	return int64(usage.Free), nil
}

// MakeDirectory makes a directory, and those above it. With sync, they survive a power failure, also those that an
// earlier process made, and did not get to sync.
func MakeDirectory(files FileSystem, path string, sync bool) error {
	if err := files.MkdirAll(path); err != nil || !sync {
		return err
	}
	for above := filepath.Dir(path); path != above; path, above = above, filepath.Dir(above) {
		switch err := files.SyncDirectory(above); {
		case errors.Is(err, syscall.EIO):
			return err
		case err != nil:
			return nil //nolint:nilerr // it belongs to somebody else, so that nothing was made in it
		}
	}
	return nil
}

type key struct{}

// With returns a context with another FileSystem than that of the operating system.
func With(ctx context.Context, files FileSystem) context.Context {
	return context.WithValue(ctx, key{}, files)
}

// From returns the FileSystem with which a component is started.
func From(ctx context.Context) FileSystem {
	if files, ok := ctx.Value(key{}).(FileSystem); ok {
		return files
	}
	return System{}
}

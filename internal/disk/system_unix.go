// SPDX-License-Identifier: Apache-2.0

//go:build unix

package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks a file against other open files, also of this process, until it is closed.
func lockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// SyncDirectory makes the names of new files in a directory survive a power failure.
func (System) SyncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}

// IsFull reports whether an error means a full disk or quota.
func IsFull(err error) bool { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }

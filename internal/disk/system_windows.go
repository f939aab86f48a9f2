// SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks a file against other open files, also of this process, until it is closed.
func lockFile(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
}

// SyncDirectory does nothing: Windows has no fsync of directories.
func (System) SyncDirectory(string) error { return nil }

// IsFull reports whether an error means a full disk or quota.
func IsFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

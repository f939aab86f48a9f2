// SPDX-License-Identifier: Apache-2.0

//go:build unix

package journal

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock locks the file against other processes until it is closed.
func lock(file *os.File) error {
	return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}

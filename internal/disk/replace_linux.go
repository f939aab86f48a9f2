// SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Replace puts a new file in the place of an old one. Where it can, it exchanges the two, so that the next value is
// written over the one before the last, which takes a tenth of the time that new files take.
func (System) Replace(newFile, oldFile string) error {
	err := unix.Renameat2(unix.AT_FDCWD, newFile, unix.AT_FDCWD, oldFile, unix.RENAME_EXCHANGE)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return os.Rename(newFile, oldFile)
	}
	return err
}

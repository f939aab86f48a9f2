// SPDX-License-Identifier: Apache-2.0

package tail

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// dataAfter returns the offset of the next data of a file at or after offset. It skips a hole,
// which takes no disk space and reads as zeros, and returns size if no data follow.
func dataAfter(file *os.File, offset, size int64) int64 {
	next := offset
	raw, err := file.SyscallConn()
	if err != nil {
		return offset
	}
	_ = raw.Control(func(fd uintptr) {
		at, err := unix.Seek(int(fd), offset, unix.SEEK_DATA)
		switch {
		case err == nil:
			next = at
		case errors.Is(err, unix.ENXIO):
			next = size
		}
	})
	return max(offset, min(next, size))
}

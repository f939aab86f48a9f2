// SPDX-License-Identifier: Apache-2.0

//go:build unix

package tail

import (
	"io/fs"
	"syscall"
)

// nonBlocking makes opening a named pipe return at once, rather than wait for a writer.
const nonBlocking = syscall.O_NONBLOCK

// identity identifies a file of the machine. Another file can get the inode after a deletion.
type identity struct{ Device, Inode uint64 }

func identify(_ string, info fs.FileInfo) identity {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return identity{uint64(stat.Dev), stat.Ino} //nolint:unconvert // Dev has another type on other systems
	}
	return identity{}
}

// deleted reports whether an open file has no name any more.
func deleted(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 0
}

//go:build unix

package tail

import (
	"io/fs"
	"syscall"
)

// nonBlocking has a named pipe opened at once, instead of waiting for somebody who writes.
const nonBlocking = syscall.O_NONBLOCK

// identity is which file of the machine it is. Its number may be another file's once it
// is deleted.
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

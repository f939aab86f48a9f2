// SPDX-License-Identifier: Apache-2.0

package tail

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks bounds the links in a row that lead to a file.
const maxLinks = 8

// refusal is the error for a file that must not be read.
type refusal struct {
	Reason

	err error // nil if the reason is sufficient
}

func (r refusal) Error() string { return "not read: " + string(r.Reason) }

// openDir opens the root of a pattern, whose path is trusted.
func openDir(path string) (*os.Root, error) {
	// With the dot, opening a named pipe returns an error rather than wait for a writer.
	return os.OpenRoot(path + "/.")
}

// openSub opens a directory inside another one. It follows links that stay inside dir.
func openSub(dir *os.Root, name string) (*os.Root, error) { return dir.OpenRoot(name + "/.") }

// openFile opens the regular file at a path below a root. It opens each directory on the path
// inside the one before, so that links can only lead to files below it. Whoever can write into
// a directory can create names there anyway. A link in the last directory may also lead into
// one of the further roots.
//
// It opens the file before it checks its type, so that the file cannot be exchanged in between.
func openFile(root, rel string, further []string) (*os.File, fs.FileInfo, error) {
	for range maxLinks {
		file, link, err := openOnce(root, rel)
		if err == nil {
			return regular(file)
		}
		if link == "" {
			return nil, nil, refused(err)
		}
		if root, rel = within(further, link); root == "" {
			return nil, nil, refusal{Reason: LinkOutside}
		}
	}
	return nil, nil, refusal{Reason: LinkLoop}
}

// openOnce opens a file. If the file is a link that leads out of its directory, it returns the
// link's target.
func openOnce(root, rel string) (file *os.File, link string, err error) {
	dir, err := openDir(root)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = dir.Close() }()
	path := root
	parts := strings.Split(filepath.ToSlash(rel), "/")
	name := parts[len(parts)-1]
	for _, part := range parts[:len(parts)-1] {
		sub, err := openSub(dir, part)
		if err != nil {
			return nil, "", err
		}
		_ = dir.Close()
		dir, path = sub, filepath.Join(path, part)
	}
	file, err = dir.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if escapes(err) {
		if target, readErr := dir.Readlink(name); readErr == nil {
			if !filepath.IsAbs(target) {
				target = filepath.Join(path, target)
			}
			return nil, filepath.Clean(target), err
		}
	}
	return file, "", err
}

// within returns the root that contains a path, and the path relative to that root.
func within(roots []string, path string) (root, rel string) {
	for _, root := range roots {
		if rel, err := filepath.Rel(root, path); err == nil && rel != "." && filepath.IsLocal(rel) {
			return root, rel
		}
	}
	return "", ""
}

// regular returns a regular file with its state. It closes any other file and returns an error.
func regular(file *os.File) (*os.File, fs.FileInfo, error) {
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = notRegular(info.Mode())
	}
	if err != nil {
		_ = file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// errDirectory is the error for a directory that a pattern for files matches. It is not
// reported.
var errDirectory = errors.New("is a directory")

func notRegular(mode fs.FileMode) error {
	switch {
	case mode.IsDir():
		return errDirectory
	case mode&fs.ModeNamedPipe != 0:
		return refusal{Reason: NamedPipe}
	case mode&fs.ModeSocket != 0:
		return refusal{Reason: Socket}
	}
	return refusal{Reason: Device}
}

// refused returns the reason why a file cannot be opened. A missing file is not refused.
func refused(err error) error {
	switch {
	case escapes(err):
		return refusal{Reason: LinkOutside}
	case errors.Is(err, syscall.ELOOP):
		return refusal{Reason: LinkLoop}
	case errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.EOPNOTSUPP):
		return refusal{Reason: Socket} // no other kind of file fails to open for reading with these errors
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fs.ErrNotExist
	}
	return refusal{Unreadable, err}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// escapes reports whether a path leads out of an os.Root, for which package os has no error
// value.
func escapes(err error) bool {
	var failed *fs.PathError
	return errors.As(err, &failed) && failed.Err.Error() == "path escapes from parent"
}

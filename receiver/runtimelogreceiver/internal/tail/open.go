package tail

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is how many links in a row lead to a file.
const maxLinks = 8

// refusal is the error of a file that is not to be read.
type refusal struct {
	Reason

	err error // nil where the reason says all
}

func (r refusal) Error() string { return "not read: " + string(r.Reason) }

// openDir opens a directory whose path has no links that others may have made.
func openDir(path string) (*os.Root, error) {
	// With the dot a named pipe in its place is an error; opening that would wait.
	return os.OpenRoot(path + "/.")
}

// openSub opens a directory in another one. A link is followed if it stays in dir.
func openSub(dir *os.Root, name string) (*os.Root, error) { return dir.OpenRoot(name + "/.") }

// openFile opens the regular file at a path below a root. Each directory on the path is
// opened in the one before, and links in it lead at most to what is below it: who may
// write into a directory can name only what is below it anyway. A link of the last
// directory may also lead into one of the further roots.
//
// The file is opened before it is looked at, so that it cannot be exchanged in between.
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

// openOnce opens a file, or returns where the link leads that is in its place and leads
// out of its directory.
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

// within returns the root that a path is below, and the rest of the path.
func within(roots []string, path string) (root, rel string) {
	for _, root := range roots {
		if rel, err := filepath.Rel(root, path); err == nil && rel != "." && filepath.IsLocal(rel) {
			return root, rel
		}
	}
	return "", ""
}

// regular returns a file that is one, and closes any other.
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

// errDirectory is about directories, which patterns match without meaning them.
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

// refused says why a file could not be opened. One that is gone is not refused.
func refused(err error) error {
	switch {
	case escapes(err):
		return refusal{Reason: LinkOutside}
	case errors.Is(err, syscall.ELOOP):
		return refusal{Reason: LinkLoop}
	case errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.EOPNOTSUPP):
		return refusal{Reason: Socket} // no other kind of file is not opened for reading
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fs.ErrNotExist
	}
	return refusal{Unreadable, err}
}

// escapes reports whether a path leads out of an os.Root, which has no error value for it.
func escapes(err error) bool {
	var failed *fs.PathError
	return errors.As(err, &failed) && failed.Err.Error() == "path escapes from parent"
}

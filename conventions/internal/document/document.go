// SPDX-License-Identifier: Apache-2.0

// Package document parses YAML documents and reports errors with the file, the line and the key.
package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"go.yaml.in/yaml/v3"
)

// maxFile is the number of bytes that a file may have, which is more than people write.
const maxFile = 16 << 20

// Files returns the file at a path, or the *.yaml files below a folder in a fixed order.
type Files func(path string) ([]File, error)

// File is a file that was read.
type File struct {
	Path string
	Text []byte
	Err  error
}

// Disk reads files. It skips hidden files and folders, because a mounted Kubernetes ConfigMap has a hidden copy of each
// file.
func Disk(path string) (files []File, err error) {
	info, statErr := os.Stat(path)
	if isFolder := statErr == nil && info.IsDir(); !isFolder {
		return []File{read(path)}, nil // what is wrong with the path is in the file
	}
	// Unlike filepath.WalkDir, this follows a path that is a link.
	err = fs.WalkDir(os.DirFS(path), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case !entry.IsDir() && strings.HasSuffix(name, ".yaml"):
			files = append(files, read(filepath.Join(path, name)))
		}
		return nil
	})
	return files, err
}

// read reads a file. It refuses what is no regular file, because a read of a pipe or a device may never end, and what
// is too large.
func read(path string) File {
	f := File{Path: path}
	info, err := os.Stat(path) // before, because a device may do something when it is opened
	if err != nil || info.Mode().IsRegular() {
		f.Text, info, err = readOpen(path)
	}
	switch {
	case err != nil:
		f.Err = err
	case !info.Mode().IsRegular():
		f.Text, f.Err = nil, fmt.Errorf("%s: must be a regular file (got %s)", path, info.Mode())
	case len(f.Text) > maxFile:
		f.Err = fmt.Errorf("%s: must have at most %d bytes", path, maxFile)
	}
	return f
}

// readOpen returns the text of a file, and what it is. The file may have become a pipe, without a writer.
func readOpen(path string) ([]byte, os.FileInfo, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, info, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	return text, info, err
}

// Text returns the text of a file.
func (read Files) Text(path string) ([]byte, error) {
	files, err := read(path)
	if err != nil {
		return nil, err
	}
	if len(files) != 1 || files[0].Path != path {
		return nil, fmt.Errorf("%s: must be a regular file", path)
	}
	return files[0].Text, files[0].Err
}

// Read returns the root of a text's only document. what is the name of the text in errors.
func Read(what string, text []byte) (*yaml.Node, error) {
	var doc, extra yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, errors.New(what + " must not be empty")
	} else if err != nil {
		return nil, err
	}
	if err := decoder.Decode(&extra); !errors.Is(err, io.EOF) {
		return nil, Faults{{extra.Line, errors.New(what + " must be one YAML document")}}
	}
	datesAreTexts(doc.Content[0])
	return doc.Content[0], nil
}

// datesAreTexts makes the dates of a document texts, which a schema can check.
func datesAreTexts(node *yaml.Node) {
	if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!timestamp" {
		node.Tag = "!!str"
	}
	for _, child := range node.Content {
		datesAreTexts(child)
	}
}

// Find returns the node at a path, or the last node of the path that exists.
func Find(node *yaml.Node, path ...string) *yaml.Node {
	for _, step := range path {
		node = child(node, step)
	}
	return node
}

func child(node *yaml.Node, step string) *yaml.Node {
	switch node.Kind {
	case yaml.AliasNode:
		return child(node.Alias, step)
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && i < len(node.Content) {
			return node.Content[i]
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == step {
				return node.Content[i+1]
			}
		}
	}
	return node
}

// Fault is an error at a line.
type Fault struct {
	Line int
	Err  error
}

// Faults are the faults of a document.
type Faults []Fault

// Add adds a fault at the key of a path. The text begins with the key.
func (fs *Faults) Add(root *yaml.Node, path []any, format string, args ...any) {
	steps := make([]string, len(path))
	for i, step := range path {
		steps[i] = fmt.Sprint(step)
	}
	*fs = append(*fs, Fault{Find(root, steps...).Line,
		fmt.Errorf("%s: %w", strings.Join(steps, "."), fmt.Errorf(format, args...))})
}

// Sorted returns the faults ordered by line as an error, or nil.
func (fs Faults) Sorted() error {
	if len(fs) == 0 {
		return nil
	}
	slices.SortStableFunc(fs, func(a, b Fault) int { return a.Line - b.Line })
	return fs
}

// Error returns the faults without lines, because settings of a collector have no lines.
func (fs Faults) Error() string {
	texts := make([]string, len(fs))
	for i, fault := range fs {
		texts[i] = fault.Err.Error()
	}
	return strings.Join(texts, "\n")
}

// InFile adds the file to an error and, for Faults, the line to each fault.
func InFile(file string, err error) error {
	var faults Faults
	if !errors.As(err, &faults) {
		return fmt.Errorf("%s: %w", file, err)
	}
	all := make([]error, len(faults))
	for i, fault := range faults {
		all[i] = fmt.Errorf("%s:%d: %w", file, fault.Line, fault.Err)
	}
	return errors.Join(all...)
}

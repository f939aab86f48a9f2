// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// file is a file or, without a source, a directory of the image.
type file struct {
	path string
	mode int64
	// owner is the number of the user and of the group.
	owner int
	// source is the file on this machine.
	source string
}

// layer packs files in their order, behind the directories that they lie in. Nothing of
// this machine's owners, modes and times comes along.
func layer(files []file, built time.Time) (v1.Layer, error) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	known := map[string]bool{"/": true}
	for _, f := range files {
		if err := writeParents(w, path.Dir(f.path), known, built); err != nil {
			return nil, err
		}
		if err := write(w, f, built); err != nil {
			return nil, err
		}
		known[f.path] = true
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
}

func writeParents(w *tar.Writer, dir string, known map[string]bool, built time.Time) error {
	if known[dir] {
		return nil
	}
	if err := writeParents(w, path.Dir(dir), known, built); err != nil {
		return err
	}
	known[dir] = true
	return write(w, file{path: dir, mode: 0o755}, built)
}

func write(w *tar.Writer, f file, built time.Time) error {
	header := &tar.Header{
		Typeflag: tar.TypeDir,
		Name:     f.path[1:] + "/",
		Mode:     f.mode,
		Uid:      f.owner,
		Gid:      f.owner,
		ModTime:  built,
	}
	var content []byte
	if f.source != "" {
		var err error
		if content, err = os.ReadFile(f.source); err != nil {
			return err
		}
		header.Typeflag, header.Name, header.Size = tar.TypeReg, f.path[1:], int64(len(content))
	}
	if err := w.WriteHeader(header); err != nil {
		return err
	}
	_, err := w.Write(content)
	return err
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// archive writes an index as one file: an image layout, as tar.
func archive(index v1.ImageIndex, output string, built time.Time) (err error) {
	dir, err := os.MkdirTemp("", "image")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, err := layout.Write(dir, index); err != nil {
		return err
	}

	f, err := os.Create(output)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := tar.NewWriter(f)
	// Sorted, and with nothing of this machine: the same index makes the same file.
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return addFile(w, os.DirFS(dir), name, built)
	})
	if err != nil {
		return err
	}
	return w.Close()
}

func addFile(w *tar.Writer, from fs.FS, name string, built time.Time) error {
	f, err := from.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := w.WriteHeader(&tar.Header{Name: name, Size: info.Size(), Mode: 0o644, ModTime: built}); err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return err
}

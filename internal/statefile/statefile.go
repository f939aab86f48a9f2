// SPDX-License-Identifier: Apache-2.0

// Package statefile keeps named values in a directory, so that they survive a restart. Each value is a file of
// its own, which is replaced as a whole.
//
// # Files
//
//	lock             locked while a process has the directory open
//	<name>           a value: the magic "TCs\x01", CRC-32C of the value (little-endian), the value
//	<name>.tmp       a value that is being written, or an earlier one to write over; Open deletes it
//	<name>.damaged   the last damaged file of this name, for a person to look at
//
// # Guarantees
//
// Killed means SIGKILL at any instruction. Power failure means that the machine loses what was not synced.
//
//	event                           value
//	Write returned nil, killed      the new one
//	Write did not return, killed    the new one or the one before, as a whole
//	Write returned an error         the one before; with Sync, after a failed sync, also the new one
//	full disk                       Write returns an error, Read and Remove work
//	power failure with Sync         as killed
//	power failure without Sync      an earlier one, the new one, or damaged
//	damaged file                    Read sets it aside, counts it and returns ErrDamaged; from then on there is none
//	too large, or no regular file   as damaged: neither memory nor time is spent on it
//	two processes, two components   the second Open returns an error
package statefile

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-tc/otelcol-tc/internal/disk"
)

// ErrDamaged is in the error of Read if the file was damaged.
var ErrDamaged = errors.New("damaged")

const (
	lockName  = "lock"
	temporary = ".tmp"
	magic     = "TCs\x01"
	headSize  = len(magic) + crc32.Size
	// maxBytes bounds the size of a file.
	maxBytes = 1 << 30
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Settings are those of a directory.
type Settings struct {
	Path string // of the directory, which nothing else uses
	// Sync makes Write and Remove wait for the disk.
	Sync      bool
	Telemetry component.TelemetrySettings
	Files     disk.FileSystem // nil: that of the operating system
}

// Directory keeps values. It is safe for concurrent use with different names.
type Directory struct {
	settings Settings
	files    disk.FileSystem
	lock     io.Closer
	damaged  metric.Int64Counter
}

// Open opens a directory, and makes it if necessary.
func Open(settings Settings) (*Directory, error) {
	damaged, err := settings.Telemetry.MeterProvider.Meter("github.com/otelcol-tc/otelcol-tc/internal/statefile").Int64Counter(
		"otelcol_state_damaged_files", metric.WithUnit("{file}"),
		metric.WithDescription("Files of state that were found damaged and set aside. [Alpha]"))
	if err != nil {
		return nil, err
	}
	files := settings.Files
	if files == nil {
		files = disk.System{}
	}
	if err := disk.MakeDirectory(files, settings.Path, settings.Sync); err != nil {
		return nil, err
	}
	lock, err := files.Lock(filepath.Join(settings.Path, lockName))
	if err != nil {
		return nil, err
	}
	d := &Directory{settings: settings, files: files, lock: lock, damaged: damaged}
	d.count(0)
	if err := d.removeTemporary(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close lets others open the directory.
func (d *Directory) Close() error { return d.lock.Close() }

// removeTemporary deletes what a killed process was writing.
func (d *Directory) removeTemporary() error {
	entries, err := d.files.ReadDir(d.settings.Path)
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) == temporary {
			err = errors.Join(err, d.files.Remove(d.path(entry.Name())))
		}
	}
	return err
}

// Read returns a value, or nil if there is none.
func (d *Directory) Read(name string) ([]byte, error) {
	path := d.path(name)
	value, err := d.read(path)
	if !errors.Is(err, ErrDamaged) {
		return value, err
	}
	d.count(1)
	aside := path + ".damaged"
	if failed := d.files.Rename(path, aside); failed != nil {
		return nil, errors.Join(err, failed)
	}
	return nil, fmt.Errorf("%w; it is now %s", err, aside)
}

func (d *Directory) read(path string) ([]byte, error) {
	info, err := d.files.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxBytes {
		return nil, fmt.Errorf("%s is %w: it must be a regular file of at most %d bytes", path, ErrDamaged, maxBytes)
	}
	f, err := d.files.Open(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, info.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, err
	}
	if len(b) < headSize || string(b[:len(magic)]) != magic {
		return nil, fmt.Errorf("%s is %w: it is cut off, or not of this format", path, ErrDamaged)
	}
	value := b[headSize:]
	if crc32.Checksum(value, castagnoli) != binary.LittleEndian.Uint32(b[len(magic):]) {
		return nil, fmt.Errorf("%s is %w: its checksum is wrong", path, ErrDamaged)
	}
	return value, nil
}

// Write replaces a value.
func (d *Directory) Write(name string, value []byte) error {
	if len(value) > maxBytes-headSize {
		return fmt.Errorf("%s must be at most %d bytes (got %d)", name, maxBytes-headSize, len(value))
	}
	path := d.path(name)
	err := d.write(path+temporary, value)
	if err == nil {
		err = d.files.Replace(path+temporary, path)
	}
	if err != nil {
		return errors.Join(err, d.files.RemoveAll(path+temporary))
	}
	return d.syncNames()
}

func (d *Directory) write(path string, value []byte) error {
	if d.settings.Sync {
		// What is there may come back under the value's name: the exchange may not have been synced.
		if err := d.files.RemoveAll(path); err != nil {
			return err
		}
	}
	// The file may have an earlier value: see disk.FileSystem. Its blocks are written again.
	f, err := d.files.Open(path, os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return err
	}
	file := binary.LittleEndian.AppendUint32([]byte(magic), crc32.Checksum(value, castagnoli))
	file = append(file, value...)
	_, err = f.Write(file)
	if err == nil {
		err = f.Truncate(int64(len(file)))
	}
	if err == nil && d.settings.Sync {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Remove removes a value. There may be none.
func (d *Directory) Remove(name string) error {
	if err := d.files.Remove(d.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return d.syncNames()
}

// syncNames makes new names, and the absence of old ones, survive a power failure.
func (d *Directory) syncNames() error {
	if !d.settings.Sync {
		return nil
	}
	return d.files.SyncDirectory(d.settings.Path)
}

func (d *Directory) path(name string) string { return filepath.Join(d.settings.Path, name) }

func (d *Directory) attributes() []attribute.KeyValue {
	return []attribute.KeyValue{attribute.String("directory", d.settings.Path)}
}

func (d *Directory) count(damaged int64) {
	d.damaged.Add(context.Background(), damaged, metric.WithAttributes(d.attributes()...))
}

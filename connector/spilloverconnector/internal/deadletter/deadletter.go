// SPDX-License-Identifier: Apache-2.0

// Package deadletter keeps data that nobody will accept, for somebody to look at or to send again.
package deadletter

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/disk"
)

const (
	prefix    = "dead_letter"
	linesName = prefix + ".jsonl"
	rawSuffix = ".otlp"
)

// Box keeps data in files of a directory, which somebody may move away at any time. It is safe for
// concurrent use.
type Box struct {
	files     disk.FileSystem
	directory string
	max       int64
	sync      bool
	mu        sync.Mutex // held while a file is written
}

// New returns a box that keeps at most maxBytes in a directory, which must exist. What earlier processes
// kept there counts. With sync, what is kept survives a power failure.
func New(files disk.FileSystem, directory string, maxBytes int64, sync bool) *Box {
	return &Box{files: files, directory: directory, max: maxBytes, sync: sync}
}

// Line appends a line of OTLP JSON to dead_letter.jsonl, which the receiver otlp_json_file reads. It reports
// whether the line is kept. A line that its sender still has gets no more than half of the room.
func (b *Box) Line(line []byte, spare bool) bool {
	limit := b.max
	if spare {
		limit /= 2
	}
	return b.write(linesName, append(line, '\n'), limit)
}

// Raw writes data that is not decoded, OTLP in protobuf, to a file of its own. It reports whether the data is
// kept.
func (b *Box) Raw(data []byte) bool {
	for number := time.Now().UnixNano(); ; number++ {
		name := prefix + "-" + strconv.FormatInt(number, 10) + rawSuffix
		path := filepath.Join(b.directory, name)
		if _, err := b.files.Lstat(path); err == nil {
			continue
		}
		kept := b.write(name, data, b.max)
		if !kept {
			_ = b.files.Remove(path) // or each attempt on a failing disk leaves a file
		}
		return kept
	}
}

// write appends data to a file, if all files together stay within the limit. An empty box takes data of any size:
// nobody could make room for it.
func (b *Box) write(name string, data []byte, limit int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept, err := b.bytes()
	if err != nil || limit == 0 || kept > 0 && kept+int64(len(data)) > limit {
		return false
	}
	file, err := b.files.Open(filepath.Join(b.directory, name), os.O_CREATE|os.O_RDWR)
	if err != nil {
		return false
	}
	err = b.add(file, data)
	return file.Close() == nil && err == nil
}

// add adds data at the end of a file, on a line of its own.
func (b *Box) add(file disk.File, data []byte) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	end := info.Size()
	last := [1]byte{'\n'}
	if n, err := file.ReadAt(last[:], max(end-1, 0)); n == 0 && end > 0 {
		return err
	}
	if last[0] != '\n' {
		data = append([]byte{'\n'}, data...) // an earlier process died in the middle of a line
	}
	if _, err = file.WriteAt(data, end); err == nil && b.sync {
		err = errors.Join(file.Sync(), b.files.SyncDirectory(b.directory))
	}
	if err != nil {
		err = errors.Join(err, file.Truncate(end))
	}
	return err
}

// bytes returns the size of all files.
func (b *Box) bytes() (int64, error) {
	entries, err := b.files.ReadDir(b.directory)
	if err != nil {
		return 0, err
	}
	sum := int64(0)
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), prefix) {
			continue
		}
		if info, err := entry.Info(); err == nil { // otherwise it was moved away
			sum += info.Size()
		}
	}
	return sum, nil
}

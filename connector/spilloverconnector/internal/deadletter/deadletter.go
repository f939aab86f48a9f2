// SPDX-License-Identifier: Apache-2.0

// Package deadletter keeps data that nobody will accept, for somebody to look at or to send again.
package deadletter

import (
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
	mu        sync.Mutex // held while a file is written
}

// New returns a box that keeps at most maxBytes in a directory, which must exist. What earlier processes
// kept there counts.
func New(files disk.FileSystem, directory string, maxBytes int64) *Box {
	return &Box{files: files, directory: directory, max: maxBytes}
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
	return b.write(prefix+"-"+strconv.FormatInt(time.Now().UnixNano(), 10)+rawSuffix, data, b.max)
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
	file, err := b.files.Open(filepath.Join(b.directory, name), os.O_CREATE|os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return false
	}
	_, err = file.Write(data)
	return file.Close() == nil && err == nil
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

package runtimelogreceiver

import (
	"path/filepath"
	"sync"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
)

// file is what is known of a file between reads. It stays with the file when that is
// renamed.
type file struct {
	mu sync.Mutex // guards all below, but for what files guards

	progress
	assembler
	name     string // the last part of its path
	resource []logformat.Field
	entry    logformat.Entry
	fields   tracecontext.Fields
	// previous is the time of the record before, which tells the two hours apart that a
	// clock shows twice when it is set back.
	previous time.Time
	// checkpoint counts the consumer's checkpoints that Start is after.
	checkpoint int64
	// repeated is the offset up to which pieces have been delivered before.
	repeated int64
	used     time.Time
	// failed tells that records could not be delivered, and are left to the next start.
	failed bool

	// at is where the next piece is expected; guarded by files, and not read while busy.
	at int64
	// restored tells that nothing was read of it since the start; guarded by files.
	restored bool
	// busy tells that it is being read; guarded by files.
	busy bool
}

// moved notes the path of a file.
func (f *file) moved(path string, r *resources) {
	f.Path, f.name, f.resource, f.Moved = path, filepath.Base(path), r.of(path), false
}

package collectortest

import (
	"bytes"
	"sync"
)

// logBuffer collects what a process writes, while others read it. The zero value
// is empty. All methods are safe for concurrent use.
type logBuffer struct {
	mu      sync.Mutex
	content bytes.Buffer // guarded by mu
}

// Write appends p and never fails.
func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.content.Write(p)
}

// String returns all that was written so far.
func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.content.String()
}

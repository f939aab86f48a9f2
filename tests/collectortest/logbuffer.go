// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"bytes"
	"sync"
)

// logBuffer collects the output of a process. The zero value is empty. It is safe for concurrent use.
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

// String returns the output so far.
func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.content.String()
}

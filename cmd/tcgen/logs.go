// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

// logWriter appends text log lines to files of one directory. It is safe for
// concurrent use.
type logWriter struct {
	dir   string
	mu    sync.Mutex
	files map[string]*os.File // guarded by mu
}

func newLogWriter(dir string) (*logWriter, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("--log-dir: %w", err)
	}
	return &logWriter{dir: dir, files: map[string]*os.File{}}, nil
}

func (w *logWriter) write(lines []scenario.Line) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range lines {
		f, err := w.file(l.File)
		if err != nil {
			return err
		}
		if _, err := f.WriteString(l.Text + "\n"); err != nil {
			return err
		}
	}
	return nil
}

func (w *logWriter) file(name string) (*os.File, error) {
	if f, ok := w.files[name]; ok {
		return f, nil
	}
	f, err := os.OpenFile(filepath.Join(w.dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("--log-dir: %w", err)
	}
	w.files[name] = f
	return f, nil
}

func (w *logWriter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.files {
		_ = f.Close() // every write has been checked, and nothing is buffered
	}
}

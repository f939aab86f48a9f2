// SPDX-License-Identifier: Apache-2.0

package send

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

// files appends text log entries to files of one directory. It is safe for
// concurrent use.
type files struct {
	dir  string
	mu   sync.Mutex
	open map[string]*os.File // guarded by mu
}

func newFiles(dir string) (*files, error) {
	if dir == "" {
		return &files{}, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("--log-dir: %w", err)
	}
	return &files{dir: dir, open: map[string]*os.File{}}, nil
}

func (w *files) write(lines []scenario.Line) error {
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

func (w *files) file(name string) (*os.File, error) {
	if f, ok := w.open[name]; ok {
		return f, nil
	}
	f, err := os.OpenFile(filepath.Join(w.dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("--log-dir: %w", err)
	}
	w.open[name] = f
	return f, nil
}

func (w *files) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.open {
		_ = f.Close() // every write has been checked, and nothing is buffered
	}
}

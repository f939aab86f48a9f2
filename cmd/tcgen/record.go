// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

// recordFile is a file of JSON lines that says what was sent. It is safe for
// concurrent use.
type recordFile struct {
	flag string // that names it

	mu   sync.Mutex
	file *os.File // guarded by mu
}

// newRecordFile returns nil where no path is given.
func newRecordFile(flag, path string) (*recordFile, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return &recordFile{flag: flag, file: file}, nil
}

// write adds lines, each with its newline, as one.
func (r *recordFile) write(lines []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.file.Write(lines); err != nil {
		return fmt.Errorf("%s: %w", r.flag, err)
	}
	return nil
}

// addValues adds a line for each value.
func addValues[T any](r *recordFile, values []T) error {
	var lines []byte
	for _, value := range values {
		line, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("%s: %w", r.flag, err)
		}
		lines = append(append(lines, line...), '\n')
	}
	return r.write(lines)
}

func (r *recordFile) close() {
	if r != nil {
		_ = r.file.Close() // every write has been checked
	}
}

// metrics adds one export, in the form of the collector's file exporter.
func (r *recordFile) metrics(metrics pmetric.Metrics) error {
	if r == nil || metrics.DataPointCount() == 0 {
		return nil
	}
	line, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(metrics)
	if err != nil {
		return fmt.Errorf("%s: %w", r.flag, err)
	}
	return r.write(append(line, '\n'))
}

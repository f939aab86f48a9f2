package main

import (
	"fmt"
	"os"
	"sync"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

// metricsRecord keeps the metrics that an endpoint accepted, one export a line, in
// the form of the collector's file exporter. It is safe for concurrent use.
type metricsRecord struct {
	mu   sync.Mutex
	file *os.File // guarded by mu
}

func newMetricsRecord(path string) (*metricsRecord, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("--sent-metrics: %w", err)
	}
	return &metricsRecord{file: file}, nil
}

func (r *metricsRecord) add(metrics pmetric.Metrics) error {
	line, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(metrics)
	if err != nil {
		return fmt.Errorf("--sent-metrics: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("--sent-metrics: %w", err)
	}
	return nil
}

func (r *metricsRecord) close() { _ = r.file.Close() } // every write has been checked

// SPDX-License-Identifier: Apache-2.0

package pipetest

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// recorder is the consumer after the processor. It encodes each batch on arrival, because the processor
// may change the data later. It is safe for concurrent use.
type recorder struct {
	mu        sync.Mutex
	documents [][]byte // OTLP JSON in order of arrival; guarded by mu
}

// Capabilities reports that the recorder does not change the data.
func (*recorder) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (r *recorder) ConsumeTraces(_ context.Context, td ptrace.Traces) error    { return r.record(td) }
func (r *recorder) ConsumeMetrics(_ context.Context, md pmetric.Metrics) error { return r.record(md) }
func (r *recorder) ConsumeLogs(_ context.Context, ld plog.Logs) error          { return r.record(ld) }

func (r *recorder) record(b batch) error {
	document, err := toJSON(b)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.documents = append(r.documents, document)
	return nil
}

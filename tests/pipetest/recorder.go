package pipetest

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// recorder is the consumer after the processor. It takes down each batch when it
// arrives, because the processor may go on to use the data. It is safe for
// concurrent use.
type recorder struct {
	mu        sync.Mutex
	documents [][]byte // OTLP JSON in order of arrival; guarded by mu
}

// Capabilities tells that the recorder only reads.
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

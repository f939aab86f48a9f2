// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"iter"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/collector/pipeline"
	"google.golang.org/grpc"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/choice"
)

var traces = signal[ptrace.Traces]{
	name:    pipeline.SignalTraces,
	empty:   ptrace.NewTraces,
	keys:    traceKeys,
	owned:   owned(ptrace.NewTraces),
	divide:  divideTraces,
	add:     func(batch, more ptrace.Traces) { more.ResourceSpans().MoveAndAppendTo(batch.ResourceSpans()) },
	unsent:  consumererror.NewTraces,
	newSend: newSendTraces,
}

// traceKeys returns the key of each span.
func traceKeys(td ptrace.Traces) iter.Seq2[uint64, int] {
	return func(yield func(uint64, int) bool) {
		spans(td)(func(_ ptrace.ResourceSpans, _ ptrace.ScopeSpans, span ptrace.Span) bool {
			return yield(choice.TraceKey(span.TraceID()), 1)
		})
	}
}

// spans calls a function for each span, until it returns false.
func spans(td ptrace.Traces) func(func(ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span) bool) {
	return func(yield func(ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span) bool) {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					if !yield(rs, ss, span) {
						return
					}
				}
			}
		}
	}
}

func divideTraces(td ptrace.Traces, to []int, n int) []ptrace.Traces {
	return divide(spans(td), to, n, ptrace.NewTraces,
		func(part ptrace.Traces, from ptrace.ResourceSpans) ptrace.ResourceSpans {
			rs := part.ResourceSpans().AppendEmpty()
			from.Resource().CopyTo(rs.Resource())
			rs.SetSchemaUrl(from.SchemaUrl())
			return rs
		},
		func(rs ptrace.ResourceSpans, from ptrace.ScopeSpans) ptrace.ScopeSpans {
			ss := rs.ScopeSpans().AppendEmpty()
			from.Scope().CopyTo(ss.Scope())
			ss.SetSchemaUrl(from.SchemaUrl())
			return ss
		},
		func(span ptrace.Span, ss ptrace.ScopeSpans) { span.MoveTo(ss.Spans().AppendEmpty()) })
}

func newSendTraces(conn *grpc.ClientConn) func(context.Context, ptrace.Traces, ...grpc.CallOption) (int64, string, error) {
	client := ptraceotlp.NewGRPCClient(conn)
	return func(ctx context.Context, td ptrace.Traces, options ...grpc.CallOption) (int64, string, error) {
		response, err := client.Export(ctx, ptraceotlp.NewExportRequestFromTraces(td), options...)
		if err != nil {
			return 0, "", err
		}
		partial := response.PartialSuccess()
		return partial.RejectedSpans(), partial.ErrorMessage(), nil
	}
}

package rendezvousexporter

import (
	"context"
	"iter"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/collector/pipeline"
	"google.golang.org/grpc"
)

var traces = signal[ptrace.Traces]{
	name:    pipeline.SignalTraces,
	keys:    traceKeys,
	divide:  divideTraces,
	add:     func(batch, more ptrace.Traces) { more.ResourceSpans().MoveAndAppendTo(batch.ResourceSpans()) },
	unsent:  consumererror.NewTraces,
	newSend: newSendTraces,
}

// traceKeys has each span as a unit.
func traceKeys(td ptrace.Traces) iter.Seq2[uint64, int] {
	return func(yield func(uint64, int) bool) {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					if !yield(traceKey(span.TraceID()), 1) {
						return
					}
				}
			}
		}
	}
}

// spansPart is a part of a batch while spans come to it.
type spansPart struct {
	traces          ptrace.Traces
	resource, scope int // of the batch, counted from 1, that scopes and spans belong to
	scopes          ptrace.ScopeSpansSlice
	spans           ptrace.SpanSlice
}

// divideTraces copies a resource or scope only once to a part.
func divideTraces(td ptrace.Traces, to []int, n int) []ptrace.Traces {
	parts, divided := make([]spansPart, n), make([]ptrace.Traces, n)
	for i := range parts {
		divided[i] = ptrace.NewTraces()
		parts[i].traces = divided[i]
	}
	resource, scope, unit := 0, 0, 0
	for _, rs := range td.ResourceSpans().All() {
		resource++
		for _, ss := range rs.ScopeSpans().All() {
			scope++
			for _, span := range ss.Spans().All() {
				p := &parts[to[unit]]
				unit++
				if p.resource != resource {
					r := p.traces.ResourceSpans().AppendEmpty()
					rs.Resource().CopyTo(r.Resource())
					r.SetSchemaUrl(rs.SchemaUrl())
					p.resource, p.scopes = resource, r.ScopeSpans()
				}
				if p.scope != scope {
					s := p.scopes.AppendEmpty()
					ss.Scope().CopyTo(s.Scope())
					s.SetSchemaUrl(ss.SchemaUrl())
					p.scope, p.spans = scope, s.Spans()
				}
				span.MoveTo(p.spans.AppendEmpty())
			}
		}
	}
	return divided
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

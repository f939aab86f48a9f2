package rendezvousexporter

import (
	"context"
	"iter"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pipeline"
	"google.golang.org/grpc"
)

var logs = signal[plog.Logs]{
	name:    pipeline.SignalLogs,
	keys:    logKeys,
	divide:  divideLogs,
	add:     func(batch, more plog.Logs) { more.ResourceLogs().MoveAndAppendTo(batch.ResourceLogs()) },
	unsent:  consumererror.NewLogs,
	newSend: newSendLogs,
}

// logKeys has each record as a unit. One of a trace goes where the trace does, and the
// others of a resource stay together.
func logKeys(ld plog.Logs) iter.Seq2[uint64, int] {
	return func(yield func(uint64, int) bool) {
		for _, rl := range ld.ResourceLogs().All() {
			resource := resourceKey(rl.Resource())
			for _, sl := range rl.ScopeLogs().All() {
				for _, record := range sl.LogRecords().All() {
					key := resource
					if id := record.TraceID(); !id.IsEmpty() {
						key = traceKey(id)
					}
					if !yield(key, 1) {
						return
					}
				}
			}
		}
	}
}

// recordsPart is a part of a batch while records come to it.
type recordsPart struct {
	logs            plog.Logs
	resource, scope int // of the batch, counted from 1, that scopes and records belong to
	scopes          plog.ScopeLogsSlice
	records         plog.LogRecordSlice
}

// divideLogs copies a resource or scope only once to a part.
func divideLogs(ld plog.Logs, to []int, n int) []plog.Logs {
	parts, divided := make([]recordsPart, n), make([]plog.Logs, n)
	for i := range parts {
		divided[i] = plog.NewLogs()
		parts[i].logs = divided[i]
	}
	resource, scope, unit := 0, 0, 0
	for _, rl := range ld.ResourceLogs().All() {
		resource++
		for _, sl := range rl.ScopeLogs().All() {
			scope++
			for _, record := range sl.LogRecords().All() {
				p := &parts[to[unit]]
				unit++
				if p.resource != resource {
					r := p.logs.ResourceLogs().AppendEmpty()
					rl.Resource().CopyTo(r.Resource())
					r.SetSchemaUrl(rl.SchemaUrl())
					p.resource, p.scopes = resource, r.ScopeLogs()
				}
				if p.scope != scope {
					s := p.scopes.AppendEmpty()
					sl.Scope().CopyTo(s.Scope())
					s.SetSchemaUrl(sl.SchemaUrl())
					p.scope, p.records = scope, s.LogRecords()
				}
				record.MoveTo(p.records.AppendEmpty())
			}
		}
	}
	return divided
}

func newSendLogs(conn *grpc.ClientConn) func(context.Context, plog.Logs, ...grpc.CallOption) (int64, string, error) {
	client := plogotlp.NewGRPCClient(conn)
	return func(ctx context.Context, ld plog.Logs, options ...grpc.CallOption) (int64, string, error) {
		response, err := client.Export(ctx, plogotlp.NewExportRequestFromLogs(ld), options...)
		if err != nil {
			return 0, "", err
		}
		partial := response.PartialSuccess()
		return partial.RejectedLogRecords(), partial.ErrorMessage(), nil
	}
}

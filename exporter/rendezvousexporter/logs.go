// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"iter"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pipeline"
	"google.golang.org/grpc"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/choice"
)

var logs = signal[plog.Logs]{
	name:    pipeline.SignalLogs,
	empty:   plog.NewLogs,
	keys:    logKeys,
	owned:   owned(plog.NewLogs),
	divide:  divideLogs,
	add:     func(batch, more plog.Logs) { more.ResourceLogs().MoveAndAppendTo(batch.ResourceLogs()) },
	unsent:  consumererror.NewLogs,
	newSend: newSendLogs,
}

// logKeys returns the key of each record. A record with a trace has the key of the trace, others have that
// of the resource.
func logKeys(ld plog.Logs) iter.Seq2[uint64, int] {
	return func(yield func(uint64, int) bool) {
		var last plog.ResourceLogs
		var resource uint64
		records(ld)(func(rl plog.ResourceLogs, _ plog.ScopeLogs, record plog.LogRecord) bool {
			if rl != last {
				last, resource = rl, choice.ResourceKey(rl.Resource())
			}
			if id := record.TraceID(); !id.IsEmpty() {
				return yield(choice.TraceKey(id), 1)
			}
			return yield(resource, 1)
		})
	}
}

// records calls a function for each record, until it returns false.
func records(ld plog.Logs) func(func(plog.ResourceLogs, plog.ScopeLogs, plog.LogRecord) bool) {
	return func(yield func(plog.ResourceLogs, plog.ScopeLogs, plog.LogRecord) bool) {
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, record := range sl.LogRecords().All() {
					if !yield(rl, sl, record) {
						return
					}
				}
			}
		}
	}
}

func divideLogs(ld plog.Logs, to []int, n int) []plog.Logs {
	return divide(records(ld), to, n, plog.NewLogs,
		func(part plog.Logs, from plog.ResourceLogs) plog.ResourceLogs {
			rl := part.ResourceLogs().AppendEmpty()
			from.Resource().CopyTo(rl.Resource())
			rl.SetSchemaUrl(from.SchemaUrl())
			return rl
		},
		func(rl plog.ResourceLogs, from plog.ScopeLogs) plog.ScopeLogs {
			sl := rl.ScopeLogs().AppendEmpty()
			from.Scope().CopyTo(sl.Scope())
			sl.SetSchemaUrl(from.SchemaUrl())
			return sl
		},
		func(record plog.LogRecord, sl plog.ScopeLogs) { record.MoveTo(sl.LogRecords().AppendEmpty()) })
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

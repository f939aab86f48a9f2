// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

const (
	bodyLimit = 4 << 20
	now       = pcommon.Timestamp(1_700_000_000_000_000_000)
)

// A body of the shortest meaningful items may have the maximum length.
func TestFullBodiesPass(t *testing.T) {
	limits := Limits{Depth: 200, Size: 8 * bodyLimit}
	f := func(name string, s Signal, request func(n int) otlpRequest) {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, None, feed(NewProtobuf(s, limits), full(t, func(n int) ([]byte, error) { return request(n).MarshalProto() }), math.MaxInt))
			assert.Equal(t, None, feed(NewJSON(limits), full(t, func(n int) ([]byte, error) { return request(n).MarshalJSON() }), math.MaxInt))
		})
	}
	points := func(fill func(pmetric.NumberDataPoint)) func(int) otlpRequest {
		return func(n int) otlpRequest {
			md := pmetric.NewMetrics()
			slice := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptyGauge().DataPoints()
			for range n {
				fill(slice.AppendEmpty())
			}
			return pmetricotlp.NewExportRequestFromMetrics(md)
		}
	}
	f("points", Metrics, points(func(p pmetric.NumberDataPoint) {
		p.SetTimestamp(now)
		p.SetIntValue(1)
	}))
	f("points of a series", Metrics, points(func(p pmetric.NumberDataPoint) {
		p.SetTimestamp(now)
		p.SetIntValue(1)
		p.Attributes().PutInt("rank", 1)
	}))
	f("records", Logs, func(n int) otlpRequest {
		ld := plog.NewLogs()
		records := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
		for range n {
			r := records.AppendEmpty()
			r.SetTimestamp(now)
			r.Body().SetStr("evicted")
		}
		return plogotlp.NewExportRequestFromLogs(ld)
	})
	f("spans", Traces, func(n int) otlpRequest {
		td := ptrace.NewTraces()
		spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
		for range n {
			s := spans.AppendEmpty()
			s.SetTraceID([16]byte{1})
			s.SetSpanID([8]byte{1})
			s.SetName("Put")
			s.SetStartTimestamp(now)
			s.SetEndTimestamp(now)
			for _, key := range []string{"rank", "size", "shard", "model"} {
				s.Attributes().PutInt(key, 1)
			}
		}
		return ptraceotlp.NewExportRequestFromTraces(td)
	})
}

// full returns about the largest body within the limit.
func full(t *testing.T, write func(items int) ([]byte, error)) []byte {
	t.Helper()
	const some = 1000
	body, err := write(some)
	require.NoError(t, err)
	body, err = write(some * bodyLimit / len(body))
	require.NoError(t, err)
	require.InDelta(t, bodyLimit, len(body), bodyLimit/50)
	return body
}

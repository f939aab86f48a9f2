// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// pack returns the path of the pack of the shop, which no component knows by itself.
func pack(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("testdata/shop.yaml")
	require.NoError(t, err)
	return path
}

// extensions are those of builtin:dev, with the conventions.
const extensions = "[health_check, wire_limits, correlation_index, conventions]"

// overlay writes a configuration that is merged over builtin:dev.
func overlay(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "overlay.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// shop sends the same telemetry for each of its services.
type shop struct {
	services []string
	start    time.Time
}

func (s shop) at(after time.Duration) pcommon.Timestamp {
	return pcommon.NewTimestampFromTime(s.start.Add(after))
}

func (s shop) fill(resource pcommon.Resource, i int) {
	resource.Attributes().PutStr("service.name", s.services[i])
	resource.Attributes().PutStr("service.namespace", s.services[i]) // no links between services
}

// traces has a client's span and a server's of another trace for the same order.
func (s shop) traces() ptrace.Traces {
	td := ptrace.NewTraces()
	for i := range s.services {
		rs := td.ResourceSpans().AppendEmpty()
		s.fill(rs.Resource(), i)
		spans := rs.ScopeSpans().AppendEmpty().Spans()
		for n, kind := range []ptrace.SpanKind{ptrace.SpanKindClient, ptrace.SpanKindServer} {
			span := spans.AppendEmpty()
			span.SetTraceID(pcommon.TraceID{1, byte(i), byte(n)})
			span.SetSpanID(pcommon.SpanID{1, byte(i), byte(n)})
			span.SetKind(kind)
			span.SetName("place_order")
			span.SetStartTimestamp(s.at(time.Duration(n) * time.Millisecond))
			span.SetEndTimestamp(s.at(time.Duration(n+1) * time.Millisecond))
			span.Attributes().PutStr("order.id", fmt.Sprint("o-", i))
			span.Attributes().PutStr("payment.id", fmt.Sprint("p-", n))
		}
	}
	return td
}

// metrics has two points that differ by an id.
func (s shop) metrics() pmetric.Metrics {
	md := pmetric.NewMetrics()
	for i := range s.services {
		rm := md.ResourceMetrics().AppendEmpty()
		s.fill(rm.Resource(), i)
		m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
		m.SetName("shop.Orders")
		m.SetUnit("{order}")
		m.SetEmptySum().SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
		m.Sum().SetIsMonotonic(true)
		for cart := range int64(2) {
			point := m.Sum().DataPoints().AppendEmpty()
			point.SetStartTimestamp(s.at(0))
			point.SetTimestamp(s.at(time.Second))
			point.SetIntValue(cart + 1)
			point.Attributes().PutInt("cart", cart)
		}
	}
	return md
}

// logs has a record that comes twice and states its ids in attributes, and one that the index knows the
// trace of.
func (s shop) logs() plog.Logs {
	ld := plog.NewLogs()
	for i := range s.services {
		rl := ld.ResourceLogs().AppendEmpty()
		s.fill(rl.Resource(), i)
		for _, handler := range []string{"a", "b"} {
			sl := rl.ScopeLogs().AppendEmpty()
			sl.Scope().SetName(handler)
			record := sl.LogRecords().AppendEmpty()
			record.SetTimestamp(s.at(0))
			record.Body().SetStr("checkout")
			record.Attributes().PutStr("trace_id", "0102030405060708090a0b0c0d0e0f10")
		}
		record := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		record.SetTimestamp(s.at(time.Millisecond))
		record.Body().SetStr("payment p-1 accepted")
	}
	return ld
}

// send sends all telemetry, the spans first so that the index knows them.
func (s shop) send(t *testing.T, c *collectortest.Collector) {
	t.Helper()
	collectortest.PostTraces(t, c, s.traces())
	collectortest.PostMetrics(t, c, s.metrics())
	collectortest.PostLogs(t, c, s.logs())
}

// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/soak"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/metadata"
)

// memoryBound is the bound in the README: the processor's memory for one signal with any names.
const memoryBound = 64 << 20

// hostileNames returns the number of distinct names to send. It fills every table several times; `make
// soak` sends ten million.
func hostileNames(t *testing.T) int {
	t.Helper()
	return soak.Names(t, 200_000)
}

// padding makes a name almost as long as a cached name can be.
var padding = strings.Repeat("x", naming.MaxName-30)

func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestMemoryOfHostileSpanNames sends distinct span names of many services: conformant ones, words, names
// of code and HTTP routes.
func TestMemoryOfHostileSpanNames(t *testing.T) {
	p, err := NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(metadata.Type), defaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), repairing(t)))
	before := liveHeap()
	for i := 0; i < hostileNames(t); {
		td := ptrace.NewTraces()
		rs := td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", "service-"+letters(i)+padding[:100])
		spans := rs.ScopeSpans().AppendEmpty().Spans()
		for range 1000 {
			name := [...]string{"Comp/", "module.", "some words ", "GET /"}[i%4] + letters(i) + padding
			spans.AppendEmpty().SetName(name)
			spans.At(spans.Len()-1).Attributes().PutInt("tc."+letters(i)+"X"+padding, 1)
			i++
		}
		require.NoError(t, p.ConsumeTraces(t.Context(), td))
	}
	assert.Less(t, liveHeap()-min(before, liveHeap()), uint64(memoryBound))
	require.NoError(t, p.Shutdown(t.Context()))
}

// TestMemoryOfHostileMetricNames sends distinct metric names of every style.
func TestMemoryOfHostileMetricNames(t *testing.T) {
	p, err := NewFactory().CreateMetrics(t.Context(), processortest.NewNopSettings(metadata.Type), defaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), repairing(t)))
	before := liveHeap()
	for i := 0; i < hostileNames(t); {
		md := pmetric.NewMetrics()
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("service.name", "service-"+letters(i)+padding[:100])
		metrics := rm.ScopeMetrics().AppendEmpty().Metrics()
		for range 1000 {
			m := metrics.AppendEmpty()
			m.SetName([...]string{"tc_", "tuft.", "other.name.", "camelCase"}[i%4] + letters(i) + padding)
			m.SetEmptyGauge().DataPoints().AppendEmpty()
			i++
		}
		require.NoError(t, p.ConsumeMetrics(t.Context(), md))
	}
	assert.Less(t, liveHeap()-min(before, liveHeap()), uint64(memoryBound))
	require.NoError(t, p.Shutdown(t.Context()))
}

// longName returns a name that is longer than a cached name can be, and slow to check: half of it looks
// like ids.
func longName(i int) string {
	return letters(i) + strings.Repeat(" word", longNameBytes/10) + strings.Repeat(" 1f", longNameBytes/6)
}

const longNameBytes = 256 << 10

// TestMemoryOfLongNames sends names of 256 KiB in every field that has a name.
func TestMemoryOfLongNames(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	traces, err := NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(metadata.Type), defaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, traces.Start(t.Context(), repairing(t)))
	metrics, err := NewFactory().CreateMetrics(t.Context(), processortest.NewNopSettings(metadata.Type), defaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, metrics.Start(t.Context(), repairing(t)))
	logs, err := NewFactory().CreateLogs(t.Context(), processortest.NewNopSettings(metadata.Type), defaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, logs.Start(t.Context(), repairing(t)))
	before := liveHeap()
	for i := range 300 {
		td := ptrace.NewTraces()
		rs := td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", longName(i))
		ss := rs.ScopeSpans().AppendEmpty()
		ss.Scope().SetName(longName(i))
		span := ss.Spans().AppendEmpty()
		span.SetName([...]string{"", "GET /", "Comp/", "Class::"}[i%4] + longName(i))
		span.Attributes().PutStr("rpc.service", longName(i))
		span.Attributes().PutStr("tc."+longName(i), "value")
		require.NoError(t, traces.ConsumeTraces(t.Context(), td))

		md := pmetric.NewMetrics()
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("service.name", longName(i))
		for _, name := range []string{longName(i), "tc_" + letters(i)} {
			m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
			m.SetName(name)
			m.SetUnit(longName(i))
			m.SetEmptyGauge().DataPoints().AppendEmpty().Attributes().PutStr("tc."+longName(i), "value")
		}
		require.NoError(t, metrics.ConsumeMetrics(t.Context(), md))

		ld := plog.NewLogs()
		rl := ld.ResourceLogs().AppendEmpty()
		rl.Resource().Attributes().PutStr("service.name", longName(i))
		record := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		record.Body().SetStr(longName(i))
		record.Attributes().PutStr("tc."+longName(i), "value")
		require.NoError(t, logs.ConsumeLogs(t.Context(), ld))
	}
	assert.Less(t, liveHeap()-min(before, liveHeap()), uint64(memoryBound))
	require.NoError(t, traces.Shutdown(t.Context()))
	require.NoError(t, metrics.Shutdown(t.Context()))
	require.NoError(t, logs.Shutdown(t.Context()))
}

// letters formats a number in letters, so that no part of a name looks like an id.
func letters(n int) string {
	var b []byte
	for ; n > 0 || b == nil; n /= 26 {
		b = append(b, byte('a'+n%26))
	}
	return string(b)
}

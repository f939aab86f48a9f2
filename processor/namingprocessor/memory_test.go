package namingprocessor

import (
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/metadata"
)

// memoryBound is what the README states: the processor's memory for one signal,
// whatever names come.
const memoryBound = 64 << 20

// hostileNames is how many distinct names are sent: enough to fill every table several
// times; `make soak` sends ten million.
func hostileNames(t *testing.T) int {
	t.Helper()
	text := os.Getenv("TC_SOAK_NAMES")
	if text == "" {
		return 200_000
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestMemoryOfHostileSpanNames sends distinct span names: conformant ones, words,
// names of code and HTTP routes, of many services.
func TestMemoryOfHostileSpanNames(t *testing.T) {
	p, err := NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(metadata.Type), defaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	before := liveHeap()
	for i := 0; i < hostileNames(t); {
		td := ptrace.NewTraces()
		rs := td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", "service-"+letters(i))
		spans := rs.ScopeSpans().AppendEmpty().Spans()
		for range 1000 {
			name := [...]string{"Comp/", "module.", "some words ", "GET /"}[i%4] + letters(i)
			spans.AppendEmpty().SetName(name)
			spans.At(spans.Len()-1).Attributes().PutInt("tc."+letters(i)+"X", 1)
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
	before := liveHeap()
	for i := 0; i < hostileNames(t); {
		md := pmetric.NewMetrics()
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("service.name", "service-"+letters(i))
		metrics := rm.ScopeMetrics().AppendEmpty().Metrics()
		for range 1000 {
			m := metrics.AppendEmpty()
			m.SetName([...]string{"tc_", "tuft.", "other.name.", "camelCase"}[i%4] + letters(i))
			m.SetEmptyGauge().DataPoints().AppendEmpty()
			i++
		}
		require.NoError(t, p.ConsumeMetrics(t.Context(), md))
	}
	assert.Less(t, liveHeap()-min(before, liveHeap()), uint64(memoryBound))
	require.NoError(t, p.Shutdown(t.Context()))
}

// letters writes a number in letters, so that no part of a name looks like an id.
func letters(n int) string {
	var b []byte
	for ; n > 0 || b == nil; n /= 26 {
		b = append(b, byte('a'+n%26))
	}
	return string(b)
}

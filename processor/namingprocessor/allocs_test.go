// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/metadata"
)

// TestAllocationsPerItem checks that a batch of a thousand items allocates as much as a batch of ten once
// names are known, whether the names are conformant or replaced. A map with renamed keys is built anew,
// with one allocation.
func TestAllocationsPerItem(t *testing.T) {
	cfg := defaultConfig()
	cfg.KeepOriginal = false // an added attribute is an allocation
	traces, err := NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, traces.Start(t.Context(), repairing(t)))
	metrics, err := NewFactory().CreateMetrics(t.Context(), processortest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, metrics.Start(t.Context(), repairing(t)))

	const runs = 10
	// The bound for 990 more items. With the race detector, sync.Pool drops a walk at random.
	const noise = 100.0
	const renamed = 990
	perBatch := func(n int, span string) float64 {
		batches := make([]ptrace.Traces, runs+1)
		for i := range batches {
			batches[i] = ptrace.NewTraces()
			rs := batches[i].ResourceSpans().AppendEmpty()
			rs.Resource().Attributes().PutStr("service.name", "tuft")
			spans := rs.ScopeSpans().AppendEmpty().Spans()
			for range n {
				s := spans.AppendEmpty()
				s.SetName(span)
				s.Attributes().PutStr("base_model", "qwen")
				s.Attributes().PutStr("tuft.request_id", "r")
			}
		}
		next := -1
		return testing.AllocsPerRun(runs, func() {
			next++
			_ = traces.ConsumeTraces(t.Context(), batches[next])
		})
	}
	for _, span := range []string{"TrainingController/CreateModel", "training_controller.create_model"} {
		perBatch(10, span) // the first batch decides
		assert.Less(t, perBatch(1000, span)-perBatch(10, span), renamed+noise, span)
	}

	perMetrics := func(n int, name string) float64 {
		batches := make([]pmetric.Metrics, runs+1)
		for i := range batches {
			batches[i] = pmetric.NewMetrics()
			rm := batches[i].ResourceMetrics().AppendEmpty()
			rm.Resource().Attributes().PutStr("service.name", "tuft")
			m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
			m.SetName(name)
			points := m.SetEmptySum().DataPoints()
			for range n {
				points.AppendEmpty().Attributes().PutStr("base_model", "qwen")
			}
		}
		next := -1
		return testing.AllocsPerRun(runs, func() {
			next++
			_ = metrics.ConsumeMetrics(t.Context(), batches[next])
		})
	}
	for _, name := range []string{"tc_tuft_futures_created", "tuft.futures.created"} {
		perMetrics(10, name)
		assert.Less(t, perMetrics(1000, name)-perMetrics(10, name), renamed+noise, name)
	}

	logs, err := NewFactory().CreateLogs(t.Context(), processortest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, logs.Start(t.Context(), repairing(t)))
	perLogs := func(n int, fill func(pcommon.Map)) float64 {
		batches := make([]plog.Logs, runs+1)
		for i := range batches {
			batches[i] = plog.NewLogs()
			rl := batches[i].ResourceLogs().AppendEmpty()
			rl.Resource().Attributes().PutStr("service.name", "tuft")
			records := rl.ScopeLogs().AppendEmpty().LogRecords()
			for range n {
				fill(records.AppendEmpty().Attributes())
			}
		}
		next := -1
		return testing.AllocsPerRun(runs, func() {
			next++
			_ = logs.ConsumeLogs(t.Context(), batches[next])
		})
	}
	f := func(name string, want float64, fill func(pcommon.Map)) {
		perLogs(10, fill)
		assert.Less(t, perLogs(1000, fill)-perLogs(10, fill), want+noise, name)
	}
	f("values of the right types", 0, func(m pcommon.Map) {
		m.PutInt("tuft.lora_rank", 16)
		m.PutStr("tc.location", "gpu")
		m.PutDouble("seconds", 1)
	})
	f("keys to be renamed", renamed, func(m pcommon.Map) {
		m.PutStr("base_model", "qwen")
		m.PutStr("tuft.request_id", "r")
	})
}

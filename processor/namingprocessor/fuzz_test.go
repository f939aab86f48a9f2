// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

// batches returns the first batches of the four systems.
func batches(f *testing.F) []scenario.Batch {
	f.Helper()
	start := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	var all []scenario.Batch
	for _, name := range scenario.Names() {
		generator, err := scenario.New(name, 1, start)
		require.NoError(f, err)
		all = append(all, generator.Next(start.Add(time.Second)))
	}
	return all
}

// FuzzMetrics checks that any decodable request is processed without a panic and without the loss of a
// point. Processing it again changes nothing.
func FuzzMetrics(f *testing.F) {
	for _, b := range batches(f) {
		seed, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(b.Metrics)
		require.NoError(f, err)
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		md, err := (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(data)
		if err != nil {
			return
		}
		points := md.DataPointCount()
		once, _ := consumeMetrics(t, defaultConfig(), md)
		require.Len(t, once, 1)
		assert.Equal(t, points, once[0].DataPointCount())
		_, again := consumeMetrics(t, defaultConfig(), once[0])
		for what, n := range again["changes"] {
			assert.Zero(t, n, what)
		}
	})
}

// FuzzMetricPairs checks two metrics of one scope with one name, or with two names that become one. Each
// point stays as it was, and processing the result again changes nothing. The metrics are decoded from
// bytes, so that each mutation is a pair again.
func FuzzMetricPairs(f *testing.F) {
	every := everyMetric()
	for i := range every {
		f.Add([]byte{byte(i), byte(len(every) - i), 0, 0, 1}, "tc_pair", "tc.pair", "s", "ms")
	}
	f.Fuzz(func(t *testing.T, choices []byte, name, other, unit, otherUnit string) {
		choose := func(n int) int {
			if len(choices) == 0 {
				return 0
			}
			c := choices[0]
			choices = choices[1:]
			return int(c) % n
		}
		md := pmetric.NewMetrics()
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("service.name", "pairs")
		sm := rm.ScopeMetrics().AppendEmpty()
		for i := range 2 {
			m := sm.Metrics().AppendEmpty()
			m.SetName([]string{name, other, name, name}[choose(2)*2+i])
			m.SetUnit([]string{unit, otherUnit, unit, unit}[choose(2)*2+i])
			every[choose(len(every))].build(m, 10*i+1)
		}
		points := pmetric.NewMetrics()
		md.CopyTo(points)
		once, _ := consumeMetrics(t, defaultConfig(), md)
		require.Len(t, once, 1)
		assert.Equal(t, timesOf(points), timesOf(once[0]))
		_, again := consumeMetrics(t, defaultConfig(), once[0])
		for what, n := range again["changes"] {
			assert.Zero(t, n, what)
		}
	})
}

// FuzzTraces is FuzzMetrics for spans.
func FuzzTraces(f *testing.F) {
	for _, b := range batches(f) {
		seed, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(b.Traces)
		require.NoError(f, err)
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(data)
		if err != nil {
			return
		}
		spans := td.SpanCount()
		once, _ := consumeTraces(t, defaultConfig(), td)
		assert.Equal(t, spans, once.SpanCount())
		_, again := consumeTraces(t, defaultConfig(), once)
		assert.Empty(t, again["changes"])
	})
}

// FuzzLogs is FuzzMetrics for log records.
func FuzzLogs(f *testing.F) {
	for _, b := range batches(f) {
		seed, err := (&plog.ProtoMarshaler{}).MarshalLogs(b.Logs)
		require.NoError(f, err)
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ld, err := (&plog.ProtoUnmarshaler{}).UnmarshalLogs(data)
		if err != nil {
			return
		}
		records := ld.LogRecordCount()
		once, _ := consumeLogs(t, defaultConfig(), ld)
		assert.Equal(t, records, once.LogRecordCount())
		_, again := consumeLogs(t, defaultConfig(), once)
		assert.Empty(t, again["changes"])
	})
}

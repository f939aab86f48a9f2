// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/choice"
)

// Parts have the items in order, and each part has at most one copy of a resource or scope.
func TestDivideTraces(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		batch := randomTraces(random, "span")
		whole, to := ptrace.NewTraces(), randomUnits(random, batch.SpanCount())
		batch.CopyTo(whole)
		for i, part := range traces.divide(batch, to, 3) {
			assert.Equal(t, selected(spanLines(whole), to, i), spanLines(part))
			assertFew(t, part.ResourceSpans().Len(), whole.ResourceSpans().Len())
			for _, rs := range part.ResourceSpans().All() {
				assertFew(t, rs.ScopeSpans().Len(), 2)
			}
		}
	}
}

// assertFew checks that no part has more copies than there were originals.
func assertFew(t *testing.T, copies, originals int) {
	t.Helper()
	assert.LessOrEqual(t, copies, originals)
}

// Points of each kind are counted as the collector counts them.
func TestMetricItems(t *testing.T) {
	batch := allMetricTypes(3)
	sum := 0
	for _, items := range metrics.keys(batch) {
		sum += items
	}
	assert.Equal(t, batch.DataPointCount(), sum)
	assert.Equal(t, 3*(1+2+3+4+5), sum)
}

func TestLogKeys(t *testing.T) {
	batch := plog.NewLogs()
	for _, name := range []string{"a", "b"} {
		rl := batch.ResourceLogs().AppendEmpty()
		rl.Resource().Attributes().PutStr("file", name)
		records := rl.ScopeLogs().AppendEmpty().LogRecords()
		records.AppendEmpty()
		records.AppendEmpty().SetTraceID(pcommon.TraceID{1})
		records.AppendEmpty()
	}
	var keys []uint64
	for key, items := range logs.keys(batch) {
		assert.Equal(t, 1, items)
		keys = append(keys, key)
	}
	require.Len(t, keys, 6)
	assert.Equal(t, choice.TraceKey(pcommon.TraceID{1}), keys[1], "the key of the trace")
	assert.Equal(t, keys[1], keys[4])
	assert.Equal(t, keys[0], keys[2], "the key of the resource")
	assert.Equal(t, keys[3], keys[5])
	assert.NotEqual(t, keys[0], keys[3])
}

func randomUnits(random *rand.Rand, n int) (to []int) {
	for range n {
		to = append(to, random.IntN(3))
	}
	return to
}

// selected returns the lines of one part.
func selected(lines []string, to []int, part int) (chosen []string) {
	for i, line := range lines {
		if to[i] == part {
			chosen = append(chosen, line)
		}
	}
	return chosen
}

func spanLines(batch ptrace.Traces) (lines []string) {
	for _, rs := range batch.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				lines = append(lines, fmt.Sprint(rs.SchemaUrl(), rs.Resource().Attributes().AsRaw(), ss.SchemaUrl(), ss.Scope().Name(), span.Name(), span.TraceID()))
			}
		}
	}
	return lines
}

// allMetricTypes returns n resources, each with a different number of points of each type.
func allMetricTypes(n int) pmetric.Metrics {
	batch := pmetric.NewMetrics()
	for i := range n {
		rm := batch.ResourceMetrics().AppendEmpty()
		rm.SetSchemaUrl("schema")
		rm.Resource().Attributes().PutInt("resource", int64(i))
		all := rm.ScopeMetrics().AppendEmpty().Metrics()
		all.AppendEmpty().SetEmptyGauge().DataPoints().AppendEmpty()
		sum := all.AppendEmpty().SetEmptySum().DataPoints()
		histogram := all.AppendEmpty().SetEmptyHistogram().DataPoints()
		exponential := all.AppendEmpty().SetEmptyExponentialHistogram().DataPoints()
		summary := all.AppendEmpty().SetEmptySummary().DataPoints()
		all.AppendEmpty() // without a type
		for k := range 5 {
			if k < 2 {
				sum.AppendEmpty()
			}
			if k < 3 {
				histogram.AppendEmpty()
			}
			if k < 4 {
				exponential.AppendEmpty()
			}
			summary.AppendEmpty()
		}
	}
	return batch
}

// randomTraces returns several resources and scopes, with traces that have spans in all of them.
func randomTraces(random *rand.Rand, prefix string) ptrace.Traces {
	batch := ptrace.NewTraces()
	ids := make([]uint64, 1+random.IntN(8))
	for i := range ids {
		ids[i] = random.Uint64()
	}
	for r := range random.IntN(4) {
		rs := batch.ResourceSpans().AppendEmpty()
		rs.SetSchemaUrl(fmt.Sprint("schema ", r))
		rs.Resource().Attributes().PutInt("resource", int64(r))
		for s := range random.IntN(3) {
			ss := rs.ScopeSpans().AppendEmpty()
			ss.SetSchemaUrl(fmt.Sprint("schema ", s))
			ss.Scope().SetName(fmt.Sprint("scope ", s))
			for i := range random.IntN(20) {
				span := ss.Spans().AppendEmpty()
				span.SetName(fmt.Sprintf("%s/%d/%d/%d", prefix, r, s, i))
				span.SetTraceID([16]byte{0: byte(ids[random.IntN(len(ids))]), 15: 1})
			}
		}
	}
	return batch
}

// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
)

// Parts have all items in order, each with its resource, scope and metric. No part is too large, unless it is one
// item.
func TestParts(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		testParts(t, random, traces, randomTraces(random), spanTexts)
		testParts(t, random, metrics, randomMetrics(random), pointTexts)
		testParts(t, random, logs, randomLogs(random), recordTexts)
	}
}

type markable[T any] interface {
	data[T]
	MarkReadOnly()
}

func testParts[T markable[T]](t *testing.T, random *rand.Rand, of signal[T], batch T, texts func(T) []string) {
	t.Helper()
	want, most := texts(batch), 1+random.IntN(of.size(batch)+10)
	require.Len(t, want, of.items(batch))
	if random.IntN(2) == 0 {
		batch.MarkReadOnly() // a change would panic
	}
	var got []string
	parts := of.split(batch, most)
	for _, part := range parts {
		items := of.items(part)
		if items > 1 {
			require.LessOrEqual(t, of.size(part), most)
		}
		if len(want) > 0 {
			require.Positive(t, items)
		}
		got = append(got, texts(part)...)
	}
	require.Equal(t, want, got)
	if random.IntN(2) == 0 {
		parts[0].MarkReadOnly()
	}
	require.Equal(t, want, texts(of.merge(parts)))
}

// What has no items is not lost from a batch that is cut.
func TestEmptyMetricsStay(t *testing.T) {
	md := pmetric.NewMetrics()
	for i := range 3 {
		all := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
		all.AppendEmpty().SetName(fmt.Sprintf("empty %d", i))
		m := all.AppendEmpty()
		m.SetName(fmt.Sprintf("points %d", i))
		for range 4 {
			m.SetEmptyGauge().DataPoints().AppendEmpty()
		}
	}
	var names []string
	for _, part := range metrics.split(md, 30) {
		names = append(names, namesOf(part)...)
	}
	assert.Subset(t, names, []string{"empty 0", "empty 1", "empty 2"})
}

func fillMap(random *rand.Rand, m pcommon.Map) {
	for i := range random.IntN(4) {
		m.PutStr(fmt.Sprint("key", i), strings.Repeat("x", random.IntN(30)))
	}
	m.PutInt("number", random.Int64N(1000))
}

func randomTraces(random *rand.Rand) ptrace.Traces {
	td := ptrace.NewTraces()
	for range random.IntN(4) {
		rs := td.ResourceSpans().AppendEmpty()
		rs.SetSchemaUrl(fmt.Sprint("schema", random.IntN(9)))
		fillMap(random, rs.Resource().Attributes())
		for range random.IntN(4) {
			ss := rs.ScopeSpans().AppendEmpty()
			ss.SetSchemaUrl(fmt.Sprint("schema", random.IntN(9)))
			ss.Scope().SetName(fmt.Sprint("scope", random.IntN(9)))
			for range random.IntN(6) {
				fillMap(random, ss.Spans().AppendEmpty().Attributes())
			}
		}
	}
	return td
}

func spanTexts(td ptrace.Traces) (all []string) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				all = append(all, fmt.Sprint(rs.Resource().Attributes().AsRaw(), rs.SchemaUrl(), ss.Scope().Name(), ss.SchemaUrl(), span.Attributes().AsRaw()))
			}
		}
	}
	return all
}

func randomLogs(random *rand.Rand) plog.Logs {
	ld := plog.NewLogs()
	for range random.IntN(4) {
		rl := ld.ResourceLogs().AppendEmpty()
		rl.SetSchemaUrl(fmt.Sprint("schema", random.IntN(9)))
		fillMap(random, rl.Resource().Attributes())
		for range random.IntN(4) {
			sl := rl.ScopeLogs().AppendEmpty()
			sl.SetSchemaUrl(fmt.Sprint("schema", random.IntN(9)))
			sl.Scope().SetName(fmt.Sprint("scope", random.IntN(9)))
			for range random.IntN(6) {
				fillMap(random, sl.LogRecords().AppendEmpty().Attributes())
			}
		}
	}
	return ld
}

func recordTexts(ld plog.Logs) (all []string) {
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, record := range sl.LogRecords().All() {
				all = append(all, fmt.Sprint(rl.Resource().Attributes().AsRaw(), rl.SchemaUrl(), sl.Scope().Name(), sl.SchemaUrl(), record.Attributes().AsRaw()))
			}
		}
	}
	return all
}

func randomMetrics(random *rand.Rand) pmetric.Metrics {
	md := pmetric.NewMetrics()
	for range random.IntN(4) {
		rm := md.ResourceMetrics().AppendEmpty()
		rm.SetSchemaUrl(fmt.Sprint("schema", random.IntN(9)))
		fillMap(random, rm.Resource().Attributes())
		for range random.IntN(3) {
			sm := rm.ScopeMetrics().AppendEmpty()
			sm.SetSchemaUrl(fmt.Sprint("schema", random.IntN(9)))
			sm.Scope().SetName(fmt.Sprint("scope", random.IntN(9)))
			for range random.IntN(4) {
				fillMetric(random, sm.Metrics().AppendEmpty())
			}
		}
	}
	return md
}

func fillMetric(random *rand.Rand, m pmetric.Metric) {
	m.SetName(fmt.Sprint("name", random.IntN(9)))
	m.SetUnit(fmt.Sprint("unit", random.IntN(9)))
	m.SetDescription("what it is")
	fillMap(random, m.Metadata())
	temporality := pmetric.AggregationTemporality(random.IntN(3))
	points := random.IntN(6)
	switch random.IntN(6) {
	case 0:
		gauge := m.SetEmptyGauge()
		for range points {
			fillMap(random, gauge.DataPoints().AppendEmpty().Attributes())
		}
	case 1:
		sum := m.SetEmptySum()
		sum.SetIsMonotonic(random.IntN(2) == 0)
		sum.SetAggregationTemporality(temporality)
		for range points {
			fillMap(random, sum.DataPoints().AppendEmpty().Attributes())
		}
	case 2:
		histogram := m.SetEmptyHistogram()
		histogram.SetAggregationTemporality(temporality)
		for range points {
			fillMap(random, histogram.DataPoints().AppendEmpty().Attributes())
		}
	case 3:
		histogram := m.SetEmptyExponentialHistogram()
		histogram.SetAggregationTemporality(temporality)
		for range points {
			fillMap(random, histogram.DataPoints().AppendEmpty().Attributes())
		}
	case 4:
		summary := m.SetEmptySummary()
		for range points {
			fillMap(random, summary.DataPoints().AppendEmpty().Attributes())
		}
	}
}

// pointTexts describes each point by its metric with all other points removed.
func pointTexts(md pmetric.Metrics) (all []string) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, metric := range sm.Metrics().All() {
				where := fmt.Sprint(rm.Resource().Attributes().AsRaw(), rm.SchemaUrl(), sm.Scope().Name(), sm.SchemaUrl())
				for i := range datapoints.Count(metric) {
					one := pmetric.NewMetrics()
					m := one.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
					metric.CopyTo(m)
					keepPoint(m, i)
					text, _ := (&pmetric.JSONMarshaler{}).MarshalMetrics(one)
					all = append(all, where+string(text))
				}
			}
		}
	}
	return all
}

// keepPoint removes all points of a metric but one.
func keepPoint(metric pmetric.Metric, kept int) {
	i := -1
	datapoints.RemoveIf(metric, func(pcommon.Map) bool { i++; return i != kept })
}

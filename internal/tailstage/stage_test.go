// SPDX-License-Identifier: Apache-2.0

package tailstage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/livetail"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

func newPolicy(t testing.TB) *policy.Policy {
	t.Helper()
	p, err := policy.New(*policy.NewDefaultConfig())
	require.NoError(t, err)
	return p
}

// watched returns a stage of a watched service, and a function that returns the pairs that are new.
func watched(t testing.TB) (*Stage, func() []livetail.Pair) {
	t.Helper()
	p, last := newPolicy(t), uint64(0)
	poll := func() []livetail.Pair {
		answer, err := p.Tail().Poll(service, last)
		require.NoError(t, err)
		last = answer.Last
		return answer.Pairs
	}
	poll()
	return New(p, component.MustNewIDWithName("naming", "mine"), "traces"), poll
}

// changes returns the rows that are not the same, as "mark place before > after".
func changes(pair livetail.Pair) (all []string) {
	text := func(f *livetail.Field) string {
		if f == nil {
			return "-"
		}
		return f.Key + "=" + f.Value
	}
	for _, r := range pair.Rows {
		if r.Mark != livetail.Same {
			all = append(all, strings.Join([]string{string(r.Mark), string(r.Place), text(r.Before), ">", text(r.After)}, " "))
		}
	}
	return all
}

func TestNobodyWatches(t *testing.T) {
	s := New(newPolicy(t), component.MustNewID("naming"), "traces")
	b := newBatch()
	assert.False(t, s.Watched())
	assert.Nil(t, s.BeginOne(b.resource, b.scope, Span(b.resource, b.span)))
	var none *Stage
	assert.False(t, none.Watched())
	(*Shown)(nil).DoneIfChanged(false)
}

// TestNamesOfServices checks that a service is watched by the name that the page shows.
func TestNamesOfServices(t *testing.T) {
	for name, shown := range map[string]string{"": "unknown", strings.Repeat("x", 300): strings.Repeat("x", 256), "a\xff": "a\ufffd"} {
		p := newPolicy(t)
		_, err := p.Tail().Poll(shown, 0)
		require.NoError(t, err)
		b := newBatch()
		b.resource.Attributes().PutStr("service.name", name)
		one := New(p, component.MustNewID("naming"), "traces").BeginOne(b.resource, b.scope, Span(b.resource, b.span))
		require.NotNil(t, one, shown)
		one.Done(false)
		answer, err := p.Tail().Poll(shown, 0)
		require.NoError(t, err)
		assert.Len(t, answer.Pairs, 1, shown)
	}
}

func TestSpan(t *testing.T) {
	s, poll := watched(t)
	b := newBatch()
	b.span.SetTraceID(pcommon.TraceID{1})
	b.span.SetSpanID(pcommon.SpanID{2})
	b.span.Attributes().PutStr("model_id", "m")
	b.span.Attributes().PutInt("n", 5)
	shown := s.Begin(b.resource, b.scope, Span(b.resource, b.span))
	b.span.SetName("Chat/Ask")
	b.span.Attributes().Remove("model_id")
	b.span.Attributes().PutStr("tc.model.id", "m")
	link := b.span.Links().AppendEmpty()
	link.SetTraceID(pcommon.TraceID{3})
	link.SetSpanID(pcommon.SpanID{4})
	link.Attributes().PutStr("tc.link.rule", "r")
	link.Attributes().PutInt("tc.link.delay_ms", 7)
	shown.Done(true)
	pairs := poll()
	require.Len(t, pairs, 1)
	assert.Equal(t, "naming/mine", pairs[0].Stage)
	assert.Equal(t, "traces", pairs[0].Signal)
	assert.True(t, pairs[0].Audited)
	assert.Equal(t, []string{
		"changed name =chat > =Chat/Ask",
		"renamed attribute model_id=m > tc.model.id=m",
		"added link - > 03000000000000000000000000000000/0400000000000000=tc.link.rule=r tc.link.delay_ms=7",
	}, changes(pairs[0]))
}

func TestLog(t *testing.T) {
	s, poll := watched(t)
	b := newBatch()
	b.record.Body().SetStr("ready")
	b.record.Attributes().PutStr("trace_id", "01")
	shown := s.BeginOne(b.resource, b.scope, Log(b.resource, b.record))
	shown.DoneIfChanged(false)
	assert.Empty(t, poll())
	b.record.SetTraceID(pcommon.TraceID{1})
	b.record.SetSpanID(pcommon.SpanID{2})
	shown.DoneIfChanged(false)
	pairs := poll()
	require.Len(t, pairs, 1)
	assert.Equal(t, []string{
		"added trace_id - > =01000000000000000000000000000000", "added span_id - > =0200000000000000",
	}, changes(pairs[0]))
}

func TestMetric(t *testing.T) {
	s, poll := watched(t)
	for name, set := range map[string]func(pmetric.Metric) pcommon.Map{
		"Gauge=1.5": func(m pmetric.Metric) pcommon.Map {
			point := m.SetEmptyGauge().DataPoints().AppendEmpty()
			point.SetDoubleValue(1.5)
			return point.Attributes()
		},
		"Sum=7": func(m pmetric.Metric) pcommon.Map {
			point := m.SetEmptySum().DataPoints().AppendEmpty()
			point.SetIntValue(7)
			return point.Attributes()
		},
		"Histogram=count 2, sum 3.5": func(m pmetric.Metric) pcommon.Map {
			point := m.SetEmptyHistogram().DataPoints().AppendEmpty()
			point.SetCount(2)
			point.SetSum(3.5)
			return point.Attributes()
		},
		"ExponentialHistogram=count 2, sum 3.5": func(m pmetric.Metric) pcommon.Map {
			point := m.SetEmptyExponentialHistogram().DataPoints().AppendEmpty()
			point.SetCount(2)
			point.SetSum(3.5)
			return point.Attributes()
		},
		"Summary=count 2, sum 3.5": func(m pmetric.Metric) pcommon.Map {
			point := m.SetEmptySummary().DataPoints().AppendEmpty()
			point.SetCount(2)
			point.SetSum(3.5)
			return point.Attributes()
		},
		"Empty=": func(pmetric.Metric) pcommon.Map { return pcommon.NewMap() },
		"Sum=":   func(m pmetric.Metric) pcommon.Map { m.SetEmptySum(); return pcommon.NewMap() },
	} {
		b, metrics := newBatch(), pmetric.NewMetricSlice()
		m := metrics.AppendEmpty()
		m.SetName("queue.length")
		attrs := set(m)
		attrs.PutStr("kind", "x")
		shown := s.Begin(b.resource, b.scope, Metric(b.resource, metrics, m))
		m.SetName("tc_queue_length")
		m.SetUnit("{request}")
		attrs.PutStr("tc.kind", "y")
		shown.Done(false)
		pairs := poll()
		require.Len(t, pairs, 1)
		fields := map[livetail.Place]string{}
		for _, row := range pairs[0].Rows {
			fields[row.Place] = row.After.Value
		}
		assert.Equal(t, name, fields[livetail.Type]+"="+fields[livetail.Value])
		want := []string{"changed name =queue.length > =tc_queue_length", "changed unit = > ={request}"}
		if attrs.Len() > 0 && fields[livetail.Points] == "1" {
			want = append(want, "added attribute - > tc.kind=y")
		}
		assert.Equal(t, want, changes(pairs[0]), name)
	}

	// A point is shown where it went.
	b, metrics := newBatch(), pmetric.NewMetricSlice()
	for _, name := range []string{"one", "another"} {
		m := metrics.AppendEmpty()
		m.SetName(name)
		m.SetEmptyGauge().DataPoints().AppendEmpty().Attributes().PutStr("of", name)
	}
	shown := s.Begin(b.resource, b.scope, Metric(b.resource, metrics, metrics.At(1)))
	metrics.At(1).Gauge().DataPoints().MoveAndAppendTo(metrics.At(0).Gauge().DataPoints())
	metrics.RemoveIf(func(m pmetric.Metric) bool { return m.Name() == "another" })
	shown.Done(false)
	pairs := poll()
	require.Len(t, pairs, 1)
	assert.Equal(t, []string{"changed name =another > =one", "changed points =1 > =2"}, changes(pairs[0]))
	shown = s.Begin(b.resource, b.scope, Metric(b.resource, metrics, metrics.At(0)))
	metrics.RemoveIf(func(pmetric.Metric) bool { return true })
	shown.Done(false)
	assert.Empty(t, poll(), "it is gone")
}

func TestHostileItems(t *testing.T) {
	s, poll := watched(t)
	b := newBatch()
	for i := range 10_000 {
		b.span.Attributes().PutStr(fmt.Sprint("\xff", i), "value")
	}
	b.record.Attributes().PutStr("x", strings.Repeat("y", maxBytes))
	b.point().PutStr("x", strings.Repeat("y", maxBytes))
	for _, look := range []Look{Span(b.resource, b.span), Log(b.resource, b.record), Metric(b.resource, b.metric, b.metric.At(0))} {
		s.Begin(b.resource, b.scope, look).Done(false)
		pairs := poll()
		require.Len(t, pairs, 1)
		require.Len(t, pairs[0].Rows, 1)
		assert.Regexp(t, `^\[\d+ bytes: too large to show\]$`, pairs[0].Rows[0].After.Value)
	}
	nested := b.record.Body().SetEmptyMap()
	for range 500 {
		nested = nested.PutEmptyMap("k")
	}
	b.record.Attributes().Clear()
	b.record.Attributes().PutStr("", "\x00\u202e")
	s.Begin(b.resource, b.scope, Log(b.resource, b.record)).Done(false)
	assert.False(t, poll()[0].Cut)
}

// TestLookingChangesNothing checks that an item is the same after it was shown.
func TestLookingChangesNothing(t *testing.T) {
	s, _ := watched(t)
	b := newBatch()
	b.record.Body().SetStr("Request x details: prompt: 'S3CR3T'")
	b.record.Attributes().PutStr("password", secret)
	copied := plog.NewLogRecord()
	b.record.CopyTo(copied)
	s.Begin(b.resource, b.scope, Log(b.resource, b.record)).Done(false)
	assert.Equal(t, copied, b.record)
	assert.Equal(t, map[string]any{"service.name": service}, b.resource.Attributes().AsRaw())
}

// BenchmarkShow is what one item costs that is shown.
func BenchmarkShow(b *testing.B) {
	s, _ := watched(b)
	of := newBatch()
	for _, key := range []string{"http.request.method", "url.full", "gen_ai.request.model", "a", "b", "c", "d", "e"} {
		of.span.Attributes().PutStr(key, "value of "+key)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Begin(of.resource, of.scope, Span(of.resource, of.span)).Done(false)
	}
}

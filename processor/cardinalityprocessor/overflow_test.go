// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
)

// withOverflow adds the overflow point of an SDK to a request of one metric.
func (r *rig) withOverflow(md pmetric.Metrics, p pt) pmetric.Metrics {
	var of pmetric.NumberDataPointSlice
	if m := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0); m.Type() == pmetric.MetricTypeGauge {
		of = m.Gauge().DataPoints()
	} else {
		of = m.Sum().DataPoints()
	}
	r.numbers(of, []pt{p})
	of.At(of.Len()-1).Attributes().PutBool(identity.OverflowKey, true)
	return md
}

// TestOverflowOfAnSDK checks that an SDK's overflow series and the processor's are one.
func TestOverflowOfAnSDK(t *testing.T) {
	f := func(kind string, request func(*rig, ...pt) pmetric.Metrics, wants ...string) {
		t.Helper()
		r := plainRig(t, func(cfg *Config) { cfg.Limit = 1 })
		in, out := r.senders(kind), r.receivers(kind)
		for i, want := range wants {
			from, to := 1.0, float64(10*(i+1))
			if kind == "delta_sum" && i > 0 {
				from = to - 10
			}
			md := r.withOverflow(request(r, pt{"user=a", from, to, 1}, pt{"user=b", from, to, 10}, pt{"user=c", from, to - 1, 100 + i}), pt{"", from, to - 2, 1000 * (i + 1)})
			in.read(md)
			out.read(r.process(md))
			require.Equal(t, want, r.text(md)[0])
			require.Equal(t, 2, md.DataPointCount())
			if kind != "gauge" {
				require.InDelta(t, in.total(), out.total(), 0)
			}
		}
	}
	f("delta_sum", (*rig).deltas, `{otel.metric.overflow=true} 1..10 1110`, `{otel.metric.overflow=true} 10..20 2111`)
	f("cumulative_sum", (*rig).counters, `{otel.metric.overflow=true} 0..10 1110`, `{otel.metric.overflow=true} 0..20 2111`)
	f("updown", (*rig).updowns, `{otel.metric.overflow=true} 0..10 1110`, `{otel.metric.overflow=true} 0..20 2111`)
	f("gauge", (*rig).gauges, `{otel.metric.overflow=true} ..10 10`, `{otel.metric.overflow=true} ..20 10`)
}

// TestOverflowOfAnSDKAlone checks that an SDK's overflow series is sent as it came until
// others are merged into it. Then it continues from its last value.
func TestOverflowOfAnSDKAlone(t *testing.T) {
	f := func(kind string, request func(*rig, ...pt) pmetric.Metrics, want string) {
		t.Helper()
		r := plainRig(t, func(cfg *Config) { cfg.Limit = 1 })
		in, out := r.senders(kind), r.receivers(kind)
		for i := range 5 {
			md := r.withOverflow(request(r, pt{"user=a", 1, float64(10 + i), 1}), pt{"", 1, float64(10 + i), 1000})
			in.read(md)
			before, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
			require.NoError(t, err)
			after, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(out.read(r.process(md)))
			require.NoError(t, err)
			require.Equal(t, before, after)
		}
		md := request(r, pt{"user=b", 5, 20, 7})
		in.read(md)
		require.Equal(t, []string{want}, r.text(out.read(r.process(md))))
		require.InDelta(t, in.total(), out.total(), 0)
	}
	f("delta_sum", (*rig).deltas, `{otel.metric.overflow=true} 14..20 7`)
	f("cumulative_sum", (*rig).counters, `{otel.metric.overflow=true} 1..20 1007`)
	f("updown", (*rig).updowns, `{otel.metric.overflow=true} 1..20 1007`)
}

// TestOverflowIsExempt checks that overflow series count towards neither limit nor
// service_limit.
func TestOverflowIsExempt(t *testing.T) {
	telemetry := componenttest.NewTelemetry()
	r := plainRig(t, func(cfg *Config) { cfg.Limit, cfg.ServiceLimit = 2, 2 })
	r.countInto(telemetry)
	// It comes first, and two others are admitted nevertheless.
	md := r.withOverflow(r.deltas(), pt{"", 1, 10, 5})
	require.Len(t, r.send(md), 1)
	require.Zero(t, r.series())
	require.Len(t, r.send(r.deltas(users(0, 2, 1, 10)...)), 2)
	require.Equal(t, int64(2), r.series())
	// It is not affected by a full budget.
	n := r.withOverflow(r.sum("s", "n", pmetric.AggregationTemporalityDelta, true, nil), pt{"", 1, 10, 5})
	require.Equal(t, []string{`{otel.metric.overflow=true} 1..10 5`}, r.send(n))
	require.Empty(t, labelled(t, telemetry, "otelcol_cardinality_dropped_points", "reason"))
}

// TestOtherOverflowAttributes checks that only a single attribute with the bool true makes
// an overflow series. Everything else of that name is an ordinary attribute.
func TestOtherOverflowAttributes(t *testing.T) {
	f := func(change func(pcommon.Map)) {
		t.Helper()
		r := plainRig(t, func(cfg *Config) { cfg.Limit = 1 })
		md := r.deltas(pt{"", 1, 10, 5}, pt{"user=a", 1, 10, 7})
		attrs := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().At(0).Attributes()
		change(attrs)
		want := attrs.AsRaw()
		require.Equal(t, []string{
			fmt.Sprint(attributesText(want), ` 1..10 5`), `{otel.metric.overflow=true} 1..10 7`,
		}, inOrder(r.text(r.process(md)), fmt.Sprint(attributesText(want), ` 1..10 5`)))
		require.Equal(t, int64(1), r.series())
	}
	f(func(m pcommon.Map) { m.PutStr(identity.OverflowKey, "true") })
	f(func(m pcommon.Map) { m.PutBool(identity.OverflowKey, false) })
	f(func(m pcommon.Map) { m.PutInt(identity.OverflowKey, 1) })
	f(func(m pcommon.Map) { m.PutEmptySlice(identity.OverflowKey).AppendEmpty().SetBool(true) })
	f(func(m pcommon.Map) { m.PutEmpty(identity.OverflowKey) })
	f(func(m pcommon.Map) { m.PutBool("otel.metric.overflowed", true) })
	f(func(m pcommon.Map) {
		m.PutBool(identity.OverflowKey, true)
		m.PutStr("user", "b")
	})
	f(func(m pcommon.Map) {
		m.PutStr("user", "b")
		m.PutBool(identity.OverflowKey, true)
	})
}

// inOrder moves a line to the front.
func inOrder(lines []string, front string) []string {
	for i, line := range lines {
		if line == front {
			lines[0], lines[i] = lines[i], lines[0]
		}
	}
	return lines
}

// TestOverflowOfHistograms checks that histograms in overflow series keep their buckets.
func TestOverflowOfHistograms(t *testing.T) {
	f := func(temporality pmetric.AggregationTemporality, want string) {
		t.Helper()
		r := plainRig(t, func(cfg *Config) { cfg.Limit = 1 })
		bounds := []float64{1, 2}
		require.Equal(t, []string{want, `{user="a"} 1..10 count 1, le 1 0, le 2 1, sum 2`}, r.send(r.histograms(temporality,
			hist{pt{"user=a", 1, 10, nil}, bounds, []float64{2}},
			hist{pt{"user=b", 1, 10, nil}, bounds, []float64{1, 3}},
			hist{pt{"user=c", 1, 10, nil}, bounds, []float64{2, 3}})))
	}
	f(pmetric.AggregationTemporalityDelta, `{otel.metric.overflow=true} 1..10 count 4, le 1 1, le 2 2, sum 9`)
	f(pmetric.AggregationTemporalityCumulative, `{otel.metric.overflow=true} 0..10 count 4, le 1 1, le 2 2, sum 9`)
}

// TestUnspecifiedTemporality checks that points of unspecified temporality are sent as
// they came, and are counted.
func TestUnspecifiedTemporality(t *testing.T) {
	telemetry := componenttest.NewTelemetry()
	r := newRig(t, func(cfg *Config) { cfg.Limit = 1 })
	r.countInto(telemetry)
	md := r.sum("s", "m", pmetric.AggregationTemporalityUnspecified, true, []pt{{"id=1", 1, 10, 1}, {"id=2", 1, 10, 1}})
	require.Equal(t, []string{`{id="1"} 1..10 1`, `{id="2"} 1..10 1`}, r.send(md))
	require.Equal(t, map[string]int64{"temporality": 2}, labelled(t, telemetry, "otelcol_cardinality_unchecked_points", "reason"))
}

// TestOverflowBesideDropped checks that points whose kept attributes are those of an
// overflow series belong to it.
func TestOverflowBesideDropped(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.Limit = 1 })
	md := r.deltas(pt{"route=/a", 0, 10, 1}, pt{"route=/b", 0, 10, 2}, pt{"id=1", 0, 10, 4})
	points := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints()
	points.At(2).Attributes().PutBool(identity.OverflowKey, true)
	r2 := newRig(t, nil)
	md2 := pmetric.NewMetrics()
	md.CopyTo(md2)
	assert.Len(t, overflows(r.process(md)), 1)
	// The same before the limit is used up.
	sdk := md2.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().AppendEmpty()
	points.At(0).CopyTo(sdk)
	sdk.Attributes().Clear()
	sdk.Attributes().PutBool(identity.OverflowKey, true)
	assert.Len(t, overflows(r2.process(md2)), 1)
}

// TestOverflowComesFirst checks a metric whose first batch begins with an SDK's overflow
// point and is near its limit.
func TestOverflowComesFirst(t *testing.T) {
	r := plainRig(t, func(cfg *Config) { cfg.Limit = 1 })
	md := r.withOverflow(r.deltas(), pt{"", 1, 10, 5})
	r.numbers(numberPoints(md), []pt{{"user=a", 1, 10, 1}, {"user=b", 1, 10, 2}, {"user=c", 1, 10, 4}})
	require.NotPanics(t, func() {
		assert.Equal(t, []string{`{otel.metric.overflow=true} 1..10 11`, `{user="a"} 1..10 1`}, r.send(md))
	})
}

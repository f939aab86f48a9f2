// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processorhelper"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/pointtype"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// rig is a processor under test. Times are in seconds since its start.
type rig struct {
	t *testing.T
	p *cardinalityProcessor
}

// newRig returns a rig whose processor drops the attribute id. The packs are as for newTestProcessor.
func newRig(t *testing.T, change func(*Config), packs ...any) *rig {
	r := &rig{t, newTestProcessor(t, change, packs...)}
	t.Cleanup(func() { require.NoError(t, r.p.shutdown(context.Background())) })
	return r
}

// plainRig returns a rig whose processor drops no attribute.
func plainRig(t *testing.T, change func(*Config)) *rig {
	return newRig(t, func(cfg *Config) {
		cfg.DropAttributes = nil
		if change != nil {
			change(cfg)
		}
	})
}

// expireAll removes everything that is stale.
func (r *rig) expireAll() {
	for share := range uint64(series.Sweeps) {
		r.p.expire(r.t.Context(), time.Now(), share)
	}
}

// pt is a data point in a test.
type pt struct {
	attrs       string  // such as "route=/a id=7"
	start, time float64 // seconds
	value       any     // an int or a float64; nil for a stale marker
}

func (r *rig) at(seconds float64) pcommon.Timestamp {
	return pcommon.NewTimestampFromTime(r.p.store.Started.Add(time.Duration(seconds * float64(time.Second))))
}

// putAttributes adds the attributes of a text such as "route=/a id=7".
func putAttributes(to pcommon.Map, text string) {
	for pair := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(pair, "=")
		to.PutStr(key, value)
	}
}

func (r *rig) common(dp pointtype.Point, p pt) {
	putAttributes(dp.Attributes(), p.attrs)
	if p.start != 0 {
		dp.SetStartTimestamp(r.at(p.start))
	}
	dp.SetTimestamp(r.at(p.time))
	dp.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(p.value == nil))
}

func (r *rig) numbers(to pmetric.NumberDataPointSlice, points []pt) {
	for _, p := range points {
		dp := to.AppendEmpty()
		r.common(dp, p)
		switch v := p.value.(type) {
		case int:
			dp.SetIntValue(int64(v))
		case float64:
			dp.SetDoubleValue(v)
		}
	}
}

// emptyMetric returns a request of one metric of a service, without points.
func emptyMetric(service, name string) (pmetric.Metrics, pmetric.Metric) {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", service)
	m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName(name)
	return md, m
}

func (r *rig) sum(service, name string, temporality pmetric.AggregationTemporality, monotonic bool, points []pt) pmetric.Metrics {
	md, m := emptyMetric(service, name)
	m.SetEmptySum().SetAggregationTemporality(temporality)
	m.Sum().SetIsMonotonic(monotonic)
	r.numbers(m.Sum().DataPoints(), points)
	return md
}

// deltas returns a request of a delta sum named m.
func (r *rig) deltas(points ...pt) pmetric.Metrics {
	return r.sum("s", "m", pmetric.AggregationTemporalityDelta, true, points)
}

// counters returns a request of a cumulative monotonic sum named m.
func (r *rig) counters(points ...pt) pmetric.Metrics {
	return r.sum("s", "m", pmetric.AggregationTemporalityCumulative, true, points)
}

// updowns returns a request of a cumulative sum named m that is not monotonic.
func (r *rig) updowns(points ...pt) pmetric.Metrics {
	return r.sum("s", "m", pmetric.AggregationTemporalityCumulative, false, points)
}

// gauges returns a request of a gauge named m.
func (r *rig) gauges(points ...pt) pmetric.Metrics {
	md, m := emptyMetric("s", "m")
	r.numbers(m.SetEmptyGauge().DataPoints(), points)
	return md
}

// histograms returns a request of histograms named m, with bounds and observations.
func (r *rig) histograms(temporality pmetric.AggregationTemporality, points ...hist) pmetric.Metrics {
	md, m := emptyMetric("s", "m")
	m.SetEmptyHistogram().SetAggregationTemporality(temporality)
	for _, p := range points {
		sample{
			kind: kindOfMetric{kind: pmetric.MetricTypeHistogram}, seen: p.seen, bounds: p.bounds,
		}.write(m)
		dp := m.Histogram().DataPoints().At(m.Histogram().DataPoints().Len() - 1)
		dp.Attributes().Clear()
		p.value = 0
		r.common(dp, p.pt)
	}
	return md
}

type hist struct {
	pt
	bounds, seen []float64
}

// both returns one request with the contents of several.
func both(requests ...pmetric.Metrics) pmetric.Metrics {
	md := pmetric.NewMetrics()
	for _, m := range requests {
		m.ResourceMetrics().MoveAndAppendTo(md.ResourceMetrics())
	}
	return md
}

// process sends a request and returns the output of the batch.
func (r *rig) process(md pmetric.Metrics) pmetric.Metrics {
	r.t.Helper()
	out, err := r.p.process(context.Background(), md)
	if !errors.Is(err, processorhelper.ErrSkipProcessingData) {
		require.NoError(r.t, err)
	}
	return out
}

// send sends a request and returns the output as text, with a line for each point.
func (r *rig) send(md pmetric.Metrics) []string {
	r.t.Helper()
	return r.text(r.process(md))
}

// text returns a sorted line for each point of a request: its metric, attributes, interval
// in seconds and value.
func (r *rig) text(mds ...pmetric.Metrics) []string {
	lines := []string{}
	for _, md := range mds {
		for _, p := range receive(md) {
			value := "stale"
			if !p.stale {
				var all []string
				for _, key := range sorted(p.is) {
					all = append(all, fmt.Sprint(key, " ", p.is[key]))
				}
				value = strings.TrimPrefix(strings.Join(all, ", "), "value ")
			}
			lines = append(lines, fmt.Sprint(attributesText(p.attributes), " ", r.seconds(p.start), "..", r.seconds(p.time), " ", value))
		}
	}
	slices.Sort(lines)
	return lines
}

// attributesText returns attributes as text, in which strings and bools differ.
func attributesText(attrs map[string]any) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(attrs)) {
		all = append(all, fmt.Sprintf("%s=%#v", key, attrs[key]))
	}
	return "{" + strings.Join(all, ",") + "}"
}

func (r *rig) seconds(t pcommon.Timestamp) string {
	if t == 0 {
		return ""
	}
	d := t.AsTime().Sub(r.p.store.Started)
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	return sign + strings.TrimRight(strings.TrimRight(fmt.Sprintf("%d.%09d", d/time.Second, d%time.Second), "0"), ".")
}

// isOverflow reports whether attributes are exactly those of an overflow series.
func isOverflow(attrs map[string]any) bool {
	return len(attrs) == 1 && attrs[identity.OverflowKey] == true
}

// overflows returns the points of overflow series.
func overflows(md pmetric.Metrics) (all []received) {
	for _, p := range receive(md) {
		if isOverflow(p.attributes) {
			all = append(all, p)
		}
	}
	return all
}

// countInto replaces the processor's telemetry.
func (r *rig) countInto(telemetry *componenttest.Telemetry) {
	r.t.Cleanup(func() { require.NoError(r.t, telemetry.Shutdown(context.Background())) })
	counts, err := newTelemetry(telemetry.NewTelemetrySettings())
	require.NoError(r.t, err)
	r.p.telemetry = counts
}

// labelled returns the counts by the value of a label.
func labelled(t *testing.T, telemetry *componenttest.Telemetry, name, label string) map[string]int64 {
	t.Helper()
	shown := map[string]int64{}
	if m, err := telemetry.GetMetric(name); err == nil {
		for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
			value, _ := p.Attributes.Value(attribute.Key(label))
			shown[value.AsString()] += p.Value
		}
	}
	return shown
}

// now returns the time in seconds since the start.
func (r *rig) now() float64 { return time.Since(r.p.store.Started).Seconds() }

// startExpiry starts the processor, which expires stale series.
func (r *rig) startExpiry() {
	require.NoError(r.t, r.p.start(r.t.Context(), componenttest.NewNopHost()))
}

// series returns the number of admitted series.
func (r *rig) series() int64 {
	series, _ := r.p.store.Counts()
	return series
}

// streamCount returns the number of streams.
func (r *rig) streamCount() int {
	_, streams := r.p.store.Counts()
	return int(streams)
}

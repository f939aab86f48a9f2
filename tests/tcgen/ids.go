// SPDX-License-Identifier: Apache-2.0

package tcgen

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// IDKeys are the keys of metrics whose values are ids, as sent and as received: what
// systems.md says of the four systems, written here once more. The paths of
// FastDeploy's http_* metrics are ids as well, but its pack can say so only where the
// resource is FastDeploy's: anybody can have a http_requests_total.
var IDKeys = []string{
	"artifact_id", "tc.artifact.id", "tc_artifact_id", "tc.request.id", "tc_request_id",
	"view_id", "tc.view.id", "view_id_prefix", "tc.view.id_prefix",
	"model_id", "tc.model.id", "address",
}

// aggregates are the functions by which the packs merge gauges, by original name. The
// newest value stays of others.
var aggregates = map[string]string{
	"tc_replicas_per_artifact":       "mean",
	"tc_transport_source_top1_share": "mean",
	"tc_transport_source_hhi":        "mean",
	"tc_view_partial_backlog_bytes":  "sum",
}

// Merger says what has to come out when the ids are removed from metrics. It is the
// processor's rules once more, for what the four systems send: written to be
// plainly right, without limits, expiry or concurrency.
type Merger struct {
	// since is when the collector started: a series that started before it, or does
	// not say when, counts from its first value on.
	since   pcommon.Timestamp
	ids     []string
	streams map[string]*measurement
	outputs map[string]*measurement
}

// measurement is what a cumulative series has counted.
type measurement struct {
	start   pcommon.Timestamp
	value   float64 // of a histogram its sum
	count   uint64
	buckets []uint64
}

// NewMerger returns a merger of points that came since a time, which removes these ids.
func NewMerger(since time.Time, ids []string) *Merger {
	return &Merger{since: pcommon.NewTimestampFromTime(since), ids: ids, streams: map[string]*measurement{}, outputs: map[string]*measurement{}}
}

// Batch returns what has to come out for one batch. Points that carry ids are
// merged: their start, least and greatest value are left out, as they are the
// processor's business. All others stay as they are.
func (m *Merger) Batch(t *testing.T, sent pmetric.Metrics) pmetric.Metrics {
	t.Helper()
	want := pmetric.NewMetrics()
	sent.CopyTo(want)
	for _, resource := range want.ResourceMetrics().All() {
		for _, scope := range resource.ScopeMetrics().All() {
			for _, metric := range scope.Metrics().All() {
				name := fmt.Sprint(resource.Resource().Attributes().AsRaw(), scope.Scope().Name(), metric.Name())
				switch metric.Type() {
				case pmetric.MetricTypeGauge:
					m.mergeGauges(metric)
				case pmetric.MetricTypeSum:
					require.False(t, !metric.Sum().IsMonotonic() && m.hasID(metric), "%s goes down", name)
					m.mergeSums(name, metric.Sum().DataPoints())
				case pmetric.MetricTypeHistogram:
					m.mergeHistograms(t, name, metric.Histogram().DataPoints())
				default:
					require.False(t, m.hasID(metric), "%s is a %s", name, metric.Type())
				}
			}
		}
	}
	return want
}

func (m *Merger) mergeSums(name string, points pmetric.NumberDataPointSlice) {
	first := map[string]pmetric.NumberDataPoint{}
	points.RemoveIf(func(p pmetric.NumberDataPoint) bool {
		stream := name + key(p.Attributes())
		if !m.removeIDs(p.Attributes()) {
			return false
		}
		isInt := p.ValueType() == pmetric.NumberDataPointValueTypeInt
		now := &measurement{start: p.StartTimestamp(), value: p.DoubleValue()}
		if isInt {
			now.value = float64(p.IntValue())
		}
		out := name + key(p.Attributes())
		total := m.grow(stream, out, now)
		target, merged := first[out]
		if !merged {
			first[out], target = p, p
			p.SetStartTimestamp(0)
		}
		if isInt {
			target.SetIntValue(int64(total.value))
		} else {
			target.SetDoubleValue(rounded(total.value))
		}
		return merged
	})
}

func (m *Merger) mergeHistograms(t *testing.T, name string, points pmetric.HistogramDataPointSlice) {
	first := map[string]pmetric.HistogramDataPoint{}
	points.RemoveIf(func(p pmetric.HistogramDataPoint) bool {
		stream := name + key(p.Attributes())
		if !m.removeIDs(p.Attributes()) {
			return false
		}
		out := name + key(p.Attributes())
		total := m.grow(stream, out, &measurement{p.StartTimestamp(), p.Sum(), p.Count(), p.BucketCounts().AsRaw()})
		target, merged := first[out]
		if !merged {
			first[out], target = p, p
			p.SetStartTimestamp(0)
			p.RemoveMin()
			p.RemoveMax()
		}
		require.Equal(t, target.ExplicitBounds().AsRaw(), p.ExplicitBounds().AsRaw(), "bounds of %s", name)
		target.SetSum(rounded(total.value))
		target.SetCount(total.count)
		target.BucketCounts().FromRaw(total.buckets)
		return merged
	})
}

// grow adds what a stream has grown by to its output, and returns the output.
func (m *Merger) grow(stream, output string, now *measurement) *measurement {
	before := m.streams[stream]
	m.streams[stream] = now
	total := m.outputs[output]
	if total == nil {
		total = &measurement{buckets: make([]uint64, len(now.buckets))}
		m.outputs[output] = total
	}
	switch {
	case before == nil && now.start > m.since:
		before = &measurement{buckets: make([]uint64, len(now.buckets))}
	case before == nil:
		before = now
	}
	total.value += now.value - before.value
	total.count += now.count - before.count
	for i := range now.buckets {
		total.buckets[i] += now.buckets[i] - before.buckets[i]
	}
	return total
}

// mergeGauges gives merged points the aggregate of their values.
func (m *Merger) mergeGauges(metric pmetric.Metric) {
	first := map[string]pmetric.NumberDataPoint{}
	values := map[string][]float64{}
	metric.Gauge().DataPoints().RemoveIf(func(p pmetric.NumberDataPoint) bool {
		if !m.removeIDs(p.Attributes()) {
			return false
		}
		out := key(p.Attributes())
		values[out] = append(values[out], p.DoubleValue())
		target, merged := first[out]
		if !merged {
			first[out], target = p, p
		}
		target.SetDoubleValue(rounded(aggregate(aggregates[metric.Name()], values[out])))
		return merged
	})
}

// aggregate returns the last value where nothing else is said. The points of a
// scrape are all of one time, so that it may be any of them.
func aggregate(how string, values []float64) float64 {
	var sum float64
	for _, value := range values {
		sum += value
	}
	switch how {
	case "sum":
		return sum
	case "mean":
		return sum / float64(len(values))
	default:
		return values[len(values)-1]
	}
}

func (m *Merger) hasID(metric pmetric.Metric) bool {
	for _, p := range PointsOf(metric) {
		attributes := pcommon.NewMap()
		p.Attributes().CopyTo(attributes)
		if m.removeIDs(attributes) {
			return true
		}
	}
	return false
}

// removeIDs removes the ids, and reports whether there were any.
func (m *Merger) removeIDs(attributes pcommon.Map) bool {
	before := attributes.Len()
	attributes.RemoveIf(func(key string, _ pcommon.Value) bool { return slices.Contains(m.ids, key) })
	return attributes.Len() < before
}

// rounded leaves out what the order of additions can change.
func rounded(value float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 12, 64), 64)
	if err != nil {
		panic(err) // it has just been formatted
	}
	return short
}

// key tells attribute sets apart, also 1 from "1".
func key(attributes pcommon.Map) string { return fmt.Sprintf(" %#v", attributes.AsRaw()) }

// DataPoint is what points of all kinds of metrics have.
type DataPoint interface {
	Attributes() pcommon.Map
	StartTimestamp() pcommon.Timestamp
	SetStartTimestamp(pcommon.Timestamp)
	Timestamp() pcommon.Timestamp
	SetTimestamp(pcommon.Timestamp)
}

// PointsOf returns the points of a metric of any type.
func PointsOf(metric pmetric.Metric) []DataPoint {
	var all []DataPoint
	switch metric.Type() {
	case pmetric.MetricTypeGauge:
		for _, p := range metric.Gauge().DataPoints().All() {
			all = append(all, p)
		}
	case pmetric.MetricTypeSum:
		for _, p := range metric.Sum().DataPoints().All() {
			all = append(all, p)
		}
	case pmetric.MetricTypeHistogram:
		for _, p := range metric.Histogram().DataPoints().All() {
			all = append(all, p)
		}
	case pmetric.MetricTypeExponentialHistogram:
		for _, p := range metric.ExponentialHistogram().DataPoints().All() {
			all = append(all, p)
		}
	case pmetric.MetricTypeSummary:
		for _, p := range metric.Summary().DataPoints().All() {
			all = append(all, p)
		}
	}
	return all
}

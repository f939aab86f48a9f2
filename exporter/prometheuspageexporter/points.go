package prometheuspageexporter

import (
	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/page"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/reason"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/sample"
)

// familyWalk brings the points of one metric to the series of its family.
type familyWalk struct {
	*walk
	family *page.Family
	name   string // before translation
	shown  bool   // any of them
}

// point is what all kinds of points have.
type point interface {
	Attributes() pcommon.Map
	Flags() pmetric.DataPointFlags
}

// oneLine is the shape of a number.
var oneLine = page.Shape{Lines: 1}

// show shows one point. A stale marker removes its series and no other.
func show[P point](f *familyWalk, p P, reserved string, shape page.Shape, sampled func(*sample.Stream, P) (*dto.Metric, reason.Reason)) {
	f.set.Next()
	f.set.AddAll(p.Attributes(), reserved)
	key := f.set.Seal()
	if p.Flags().NoRecordedValue() {
		f.page.Remove(f.family, key)
		return
	}
	series, why := f.page.Series(f.family, key, f.set)
	if why != reason.Shown {
		f.refused.add(why, f.name, 1)
		return
	}
	cost, why := f.page.Fits(series, shape)
	if why != reason.Shown {
		f.refused.add(why, f.name, 1)
		return
	}
	metric, why := sampled(&series.Stream, p)
	if why != reason.Shown {
		f.refused.add(why, f.name, 1)
		return
	}
	f.page.Show(series, metric, cost, f.now)
	f.shown = true
}

func (f *familyWalk) sum(sum pmetric.Sum) {
	if !sum.IsMonotonic() {
		f.numbers(sum.DataPoints(), nil)
		return
	}
	temporality := sum.AggregationTemporality()
	f.numbers(sum.DataPoints(), &temporality)
}

// numbers shows the points of a counter, which has a temporality, or of a gauge.
func (f *familyWalk) numbers(all pmetric.NumberDataPointSlice, counter *pmetric.AggregationTemporality) {
	sampled := (*sample.Stream).Gauge
	if counter != nil {
		sampled = func(s *sample.Stream, p pmetric.NumberDataPoint) (*dto.Metric, reason.Reason) {
			return s.Counter(p, *counter)
		}
	}
	for _, p := range all.All() {
		shape := oneLine
		if counter != nil {
			shape.Exemplars = p.Exemplars().Len()
			shape.IsDelta = *counter == pmetric.AggregationTemporalityDelta
		}
		show(f, p, "", shape, sampled)
	}
}

// fixedLines are the count, the sum and the last bucket of a histogram.
const fixedLines = 3

func (f *familyWalk) histograms(h pmetric.Histogram) {
	temporality := h.AggregationTemporality()
	for _, p := range h.DataPoints().All() {
		shape := page.Shape{
			Lines: fixedLines + p.ExplicitBounds().Len(), Exemplars: p.Exemplars().Len(),
			IsDelta: temporality == pmetric.AggregationTemporalityDelta,
		}
		show(f, p, boundaryLabel, shape, func(s *sample.Stream, p pmetric.HistogramDataPoint) (*dto.Metric, reason.Reason) {
			return s.Histogram(p, temporality)
		})
	}
}

func (f *familyWalk) exponentials(h pmetric.ExponentialHistogram) {
	temporality := h.AggregationTemporality()
	for _, p := range h.DataPoints().All() {
		isDelta := temporality == pmetric.AggregationTemporalityDelta
		native := sample.MaxNativeBuckets
		if !isDelta {
			native = min(native, p.Positive().BucketCounts().Len()+p.Negative().BucketCounts().Len())
		}
		shape := page.Shape{Lines: fixedLines, Native: native, Exemplars: p.Exemplars().Len(), IsDelta: isDelta}
		show(f, p, boundaryLabel, shape, func(s *sample.Stream, p pmetric.ExponentialHistogramDataPoint) (*dto.Metric, reason.Reason) {
			return s.Exponential(p, temporality)
		})
	}
}

func (f *familyWalk) summaries(s pmetric.Summary) {
	for _, p := range s.DataPoints().All() {
		shape := page.Shape{Lines: 2 + p.QuantileValues().Len()}
		show(f, p, quantileLabel, shape, (*sample.Stream).Summary)
	}
}

package cardinalityprocessor

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/xpdata/pref"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/kind"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// window gathers merged points over flush_interval: one of each output series. It
// is safe for concurrent use.
type window struct {
	limit int           // bytes
	full  chan struct{} // holds one when the limit is reached

	mu      sync.Mutex
	bytes   int    // of what was gathered, as far as it came with the points
	number  uint64 // counts the windows, from 1
	metrics pmetric.Metrics
	scopes  map[attrhash.Hash]pmetric.ScopeMetrics
	known   map[*series.Metric]pmetric.Metric
}

func newWindow(limit int) *window {
	return &window{
		limit: limit, full: make(chan struct{}, 1), number: 1, metrics: pmetric.NewMetrics(),
		scopes: map[attrhash.Hash]pmetric.ScopeMetrics{}, known: map[*series.Metric]pmetric.Metric{},
	}
}

// metric returns the window's metric for some series, which is new when there is none in
// this window.
func (g *window) metric(known *series.Metric, scope attrhash.Hash, at path) pmetric.Metric {
	m, ok := g.known[known]
	if ok {
		return m
	}
	sm, ok := g.scopes[scope]
	if !ok {
		rm := g.metrics.ResourceMetrics().AppendEmpty()
		rm.SetSchemaUrl(at.resource.SchemaUrl())
		at.resource.Resource().CopyTo(rm.Resource())
		sm = rm.ScopeMetrics().AppendEmpty()
		sm.SetSchemaUrl(at.scope.SchemaUrl())
		at.scope.Scope().CopyTo(sm.Scope())
		g.scopes[scope] = sm
		g.take(kind.Sizes.ResourceMetricsSize(rm))
	}
	m = sm.Metrics().AppendEmpty()
	copyMetric(at.metric, m)
	g.known[known] = m
	return m
}

// copyMetric copies all of a metric but its points.
func copyMetric(from, to pmetric.Metric) {
	to.SetName(from.Name())
	to.SetDescription(from.Description())
	to.SetUnit(from.Unit())
	from.Metadata().CopyTo(to.Metadata())
	switch from.Type() {
	case pmetric.MetricTypeGauge:
		to.SetEmptyGauge()
	case pmetric.MetricTypeSum:
		to.SetEmptySum().SetAggregationTemporality(from.Sum().AggregationTemporality())
		to.Sum().SetIsMonotonic(from.Sum().IsMonotonic())
	case pmetric.MetricTypeHistogram:
		to.SetEmptyHistogram().SetAggregationTemporality(from.Histogram().AggregationTemporality())
	case pmetric.MetricTypeExponentialHistogram:
		to.SetEmptyExponentialHistogram().SetAggregationTemporality(from.ExponentialHistogram().AggregationTemporality())
	case pmetric.MetricTypeSummary:
		to.SetEmptySummary()
	}
}

// take counts so many bytes more, and has the window sent before its time when it
// is full.
func (g *window) take(bytes int) {
	if g.bytes += bytes; g.bytes > g.limit {
		select {
		case g.full <- struct{}{}:
		default: // it was said already
		}
	}
}

// gather takes an output's point out of the batch and into the window. Where the window has
// a point of the output already, the two become one. Value is what the point says, and nil
// for the end of a series.
func (p *metricWalk[D, T, M]) gather(o *series.Output[T], dp D, value *T, end pcommon.Timestamp) {
	g := p.window
	g.mu.Lock()
	defer g.mu.Unlock()
	gathered := p.kind.Points(g.metric(p.known, p.scope, p.at))
	// An end stands by itself, between what came before it and what comes after.
	if o.Window != g.number || value == nil || gathered.At(o.Slot).Flags().NoRecordedValue() {
		setInterval(dp, p.streams.Schedule(o, end))
		g.take(p.kind.Size(dp))
		o.Window, o.Slot = g.number, gathered.Len()
		p.kind.Move(dp, gathered.AppendEmpty())
		return
	}
	before := gathered.At(o.Slot)
	if p.streams.Temporality == series.Delta && p.kind.Read(&p.point.Value, before) && p.kind.Read(value, dp) {
		M(&p.point.Value).Add(value)
		p.kind.Write(&p.point.Value, dp)
	}
	o.Time = max(end, before.Timestamp())
	setInterval(dp, series.Interval{Start: before.StartTimestamp(), Time: o.Time})
	if p.kind.Exemplars != nil {
		for _, exemplar := range p.kind.Exemplars(before).All() {
			if to := p.kind.Exemplars(dp); to.Len() < maxExemplars {
				exemplar.MoveTo(to.AppendEmpty())
			}
		}
	}
	p.kind.Move(dp, before)
}

// flush sends what was gathered and begins a new window, unless it is the last. Only
// one flush runs at a time.
func (p *cardinalityProcessor) flush(ctx context.Context, last bool) {
	g := p.window
	g.mu.Lock()
	gathered := g.metrics
	g.bytes = 0
	select {
	case <-g.full:
	default:
	}
	g.number++
	g.metrics = pmetric.NewMetrics()
	clear(g.scopes)
	clear(g.known)
	g.mu.Unlock()
	refused := p.refused
	p.refused = pmetric.NewMetrics()
	p.send(ctx, refused, false)
	p.send(ctx, gathered, !last)
}

// send passes a window on. One that is refused goes once more with the next.
func (p *cardinalityProcessor) send(ctx context.Context, md pmetric.Metrics, again bool) {
	if md.ResourceMetrics().Len() == 0 {
		return
	}
	// The next component may change what it gets.
	sent := md
	if again {
		sent = pmetric.NewMetrics()
		md.CopyTo(sent)
	}
	// As receivers' data: else the first of several exporters would free it for all, where
	// data are pooled.
	pref.MarkPipelineOwnedMetrics(sent)
	err := p.next.ConsumeMetrics(ctx, sent)
	switch {
	case err == nil:
	case again:
		p.refused = md
	default:
		points := md.DataPointCount()
		p.logger.Error("Merged points were lost, since the next component refused them", zap.Int("points", points), zap.Error(err))
		p.telemetry.drop(ctx, series.DroppedRefused, points)
	}
}

// flushForever flushes until the context ends.
func (p *cardinalityProcessor) flushForever(ctx context.Context) {
	ticker := time.NewTicker(p.config.FlushInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-p.window.full:
		}
		p.flush(ctx, false)
	}
}

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
)

// window gathers merged points over flush_interval: one of each output series. It
// is safe for concurrent use.
type window struct {
	limit int           // bytes
	full  chan struct{} // holds one when the limit is reached

	mu       sync.Mutex
	bytes    int    // of what was gathered, as far as it came with the points
	number   uint64 // counts the windows, from 1
	metrics  pmetric.Metrics
	scopes   map[attrhash.Hash]pmetric.ScopeMetrics
	families map[*family]pmetric.Metric
}

func newWindow(limit int) *window {
	return &window{
		limit: limit, full: make(chan struct{}, 1), number: 1, metrics: pmetric.NewMetrics(),
		scopes: map[attrhash.Hash]pmetric.ScopeMetrics{}, families: map[*family]pmetric.Metric{},
	}
}

// metric returns the window's metric of a family, which is new when the family
// has none in this window.
func (g *window) metric(f *family, scope attrhash.Hash, at site) pmetric.Metric {
	m, ok := g.families[f]
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
		g.take(sizes.ResourceMetricsSize(rm))
	}
	m = sm.Metrics().AppendEmpty()
	copyMetric(at.metric, m)
	g.families[f] = m
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

// sizes tells the encoded size of things, which stands for what they take.
var sizes pmetric.ProtoMarshaler

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

// gather takes an output's point out of the batch and into the window. Where the
// window has a point of the output already, the two become one.
func (p *pass[D, T, M]) gather(o *output[T], carrier D, end pcommon.Timestamp) {
	g, t, kind := p.w.window, p.t, p.kind
	g.mu.Lock()
	defer g.mu.Unlock()
	gathered := kind.points(g.metric(p.f, p.scope, p.at))
	// An end stands by itself, between what came before it and what comes after.
	if o.window != g.number || carrier.Flags().NoRecordedValue() || gathered.At(o.slot).Flags().NoRecordedValue() {
		p.schedule(o, carrier, end)
		g.take(kind.size(carrier))
		o.window, o.slot = g.number, gathered.Len()
		kind.move(carrier, gathered.AppendEmpty())
		return
	}
	before := gathered.At(o.slot)
	if t.temporality == delta && kind.read(&t.current, before) && kind.read(&t.increment, carrier) {
		M(&t.current).Add(&t.increment)
		kind.write(&t.current, carrier)
	}
	o.time = max(end, before.Timestamp())
	carrier.SetStartTimestamp(before.StartTimestamp())
	carrier.SetTimestamp(o.time)
	if kind.exemplars != nil {
		for _, exemplar := range kind.exemplars(before).All() {
			if to := kind.exemplars(carrier); to.Len() < maxExemplars {
				exemplar.MoveTo(to.AppendEmpty())
			}
		}
	}
	kind.move(carrier, before)
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
	clear(g.families)
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
		p.telemetry.CardinalityDroppedPoints.Add(ctx, int64(points), p.telemetry.dropped[dropRefused])
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

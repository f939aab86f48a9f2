// SPDX-License-Identifier: Apache-2.0

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
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/kind"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// window collects merged points over flush_interval, one for each output. It is safe for
// concurrent use.
type window struct {
	limit int           // bytes
	full  chan struct{} // has an element once the limit is exceeded

	mu      sync.Mutex
	bytes   int    // the encoded size of resources and points when they were added
	number  uint64 // the number of this window, from 1
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

// metric returns the window's metric for a stored metric. It creates the window's metric if
// necessary.
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
		g.grow(kind.Sizes.ResourceMetricsSize(rm))
	}
	m = sm.Metrics().AppendEmpty()
	datapoints.CopyIdentity(at.metric, m)
	g.known[known] = m
	return m
}

// grow adds to the size of the window. A window that exceeds the limit is sent early.
func (g *window) grow(bytes int) {
	if g.bytes += bytes; g.bytes > g.limit {
		select {
		case g.full <- struct{}{}:
		default: // a flush is due already
		}
	}
}

// gather moves an output's point from the batch into the window. If the window has a point of
// the output already, it merges the two. Value is the point's value, or nil for a stale marker.
func (p *metricWalk[D, T, M]) gather(o *series.Output[T], dp D, value *T, end pcommon.Timestamp) {
	g := p.window
	g.mu.Lock()
	defer g.mu.Unlock()
	gathered := p.kind.Points(g.metric(p.known, p.scope, p.at))
	// A stale marker remains a point of its own, between the points before and after it.
	if o.Window != g.number || value == nil || gathered.At(int(o.Slot)).Flags().NoRecordedValue() {
		setInterval(dp, p.streams.Schedule(&p.batch, o, end))
		g.grow(p.kind.Size(dp))
		o.Window, o.Slot = g.number, int32(gathered.Len())
		p.gathered++
		p.kind.Move(dp, gathered.AppendEmpty())
		return
	}
	before := gathered.At(int(o.Slot))
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

// flush begins a new window and sends the previous one, after the one that was refused. Last
// reports that no flush follows. flush must not be called concurrently.
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

// send sends a window to the next component. If again, a refused window is kept for the next
// flush.
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
	// With pooled data, the first of several exporters would free the data for all others.
	pref.MarkPipelineOwnedMetrics(sent)
	err := p.next.ConsumeMetrics(ctx, sent)
	switch {
	case err == nil:
	case again:
		p.refused = md
	default:
		points := md.DataPointCount()
		p.logger.Error("Merged points are lost: the next component refused them", zap.Int("points", points), zap.Error(err))
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

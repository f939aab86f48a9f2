// SPDX-License-Identifier: Apache-2.0

package series

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/cost"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// explored is what is known of the cost of a metric. Its lock guards it.
type explored struct {
	in, out int64         // points since the last call of Store.Costs
	size    Size          // of one point
	of      *cost.Metric  // nil for a metric with few series
	counter *cost.Counter // of a window

	growth growth
	fresh  int // the points of the current batch whose series are new

	measured uint32 // the window in which the size was measured
	since    uint32 // the epoch in which of was set
	counted  uint32 // the streams that were added to counter
	window   uint32 // of counter
}

// Size is the encoded size of a point as it came, and of what the plan removes of it.
type Size struct {
	Point, Removed uint32
	Buckets        uint32 // the number of a histogram's that are sent, at least one
}

// Explores reports whether the batch, which has a number of points of the metric, observes what its series cost. The
// metric must be locked.
func (m *Metric) Explores(b *Batch, points int) bool {
	if b.explored == 0 {
		return false
	}
	if m.explored == nil {
		m.explored = &explored{}
	}
	x := m.explored
	if x.of != nil && x.of.Gone() {
		x.of = nil
	}
	if x.of == nil {
		all := m.countStreams(b, points)
		if x.growth.grows {
			all = max(all, m.Plan().Limit) // so many it will have
		}
		if all >= cost.Least {
			x.of = m.service.store.costs.Follow(m.service.name, m.Plan().Metric, all)
			x.since = b.epoch + 1
		}
	}
	return true
}

// countStreams returns the number of streams that the metric has on all resources of its service, as far as they are
// known. The points of a batch can be of so many new streams.
func (m *Metric) countStreams(b *Batch, points int) int {
	x := m.explored
	if x.window != b.explored {
		x.window, x.counted = b.explored, 0
		x.counter = m.service.store.costs.Counter(m.service.name, m.Plan().Metric)
	}
	n := max(m.series.count+m.count(), points)
	if x.counter == nil {
		return n
	}
	more := max(n-int(x.counted), 0)
	x.counted += uint32(more)
	return x.counter.Add(more)
}

// Needs reports whether Observed needs the point that was observed last: it is the first of its stream in the
// window, or the first of its metric. Explores must have returned true.
func (m *Metric) Needs(b *Batch) bool {
	x := m.explored
	if b.lastSeen == 0 {
		x.fresh++
	}
	return x.measured < b.explored || x.of != nil && b.lastSeen < max(b.explored, x.since)
}

// WithLock calls a function while the metric is locked.
func (m *Metric) WithLock(call func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	call()
}

// Observed counts the stream of a point, which is of the metric with an identity: that of the metric itself, or
// of one whose service's overflow series the metric has. Measure returns the size of the point and the number of its
// buckets.
func (m *Metric) Observed(b *Batch, of attrhash.Hash, id *identity.Point, attrs pcommon.Map, measure func() (size, buckets int)) {
	x := m.explored
	if x == nil {
		return // the metric was removed and created again meanwhile
	}
	if x.measured < b.explored {
		x.measured = b.explored
		size, buckets := measure()
		removed := removedBytes(attrs, m.Plan().Keys)
		if buckets > 1 && m.Plan().DropBuckets {
			removed += bucketBytes * (buckets - 1)
			buckets = 1
		}
		x.size = Size{uint32(size), uint32(removed), uint32(buckets)}
	}
	if x.of == nil {
		return
	}
	x.of.Observe(cost.Stream{Seed: m.service.store.Seed, Metric: of, Series: id.Series}, attrs, m.Plan().Keys)
}

// attributeBytes is what an attribute of a point takes in OTLP besides its key and its value.
const attributeBytes = 8

// bucketBytes is what a bucket of a point takes in OTLP: its count and its bound.
const bucketBytes = 16

// removedBytes returns the encoded size of the attributes that the plan removes.
func removedBytes(attrs pcommon.Map, keys *plan.Keys) (n int) {
	for key, value := range attrs.All() {
		if keys.Drops(key) {
			n += len(key) + len(value.AsString()) + attributeBytes
		}
	}
	return n
}

// CountPoints counts the points of a batch that came and those that are sent. Time is that of the first one.
func (m *Metric) CountPoints(time pcommon.Timestamp, in, out int) {
	x := m.explored
	x.in += int64(in)
	x.out += int64(out)
	x.growth.add(time, x.fresh, max(m.series.count, m.count()))
	x.fresh = 0
}

// Cost is what one metric of one resource costs.
type Cost struct {
	Service, Metric string
	Owner           string // the system that owns the metric
	Keys            *plan.Keys
	Limit           int
	In, Out         int // series
	Folded          [Rules]int
	Points          struct{ In, Out int64 }
	Size            Size
	Of              *cost.Metric // nil for a metric with few series
	Grows           bool         // it gets new series all the time
	OfService       bool         // it has the overflow series of its service
}

// ShowValues sets what may be seen of the value of an attribute, before the first batch.
func (s *Store) ShowValues(text func(key string, value pcommon.Value) string) { s.costs.Text = text }

// RotateCosts begins a new window of what series cost, if the current one is over.
func (s *Store) RotateCosts(now time.Time) { s.costs.Rotate(now) }

// Costs calls a function for each metric. Points are those since the last call.
func (s *Store) Costs(call func(*Cost)) {
	for _, m := range s.metrics.All() {
		m.mu.Lock()
		c := m.costs()
		m.mu.Unlock()
		call(&c)
	}
}

func (m *Metric) costs() Cost {
	c := Cost{
		Service: m.service.name, Metric: m.Plan().Metric, Owner: m.Plan().Input.Owner, Keys: m.Plan().Keys,
		Limit: m.Plan().Limit, Out: m.series.count, OfService: m.OfService,
	}
	if m.Overflow != 0 {
		c.Out++
	}
	for i := range m.series.slots {
		if e := &m.series.slots[i]; e.Key != 0 && e.Ref == 0 {
			c.In++ // a stream without an output is the series itself
		}
	}
	if m.streams != nil {
		c.In += m.streams.count()
		m.streams.folded(&c.Folded)
	}
	if x := m.explored; x != nil {
		c.Points.In, c.Points.Out, c.Size, c.Of, c.Grows = x.in, x.out, x.size, x.of, x.growth.grows && !m.OfService
		if x.of != nil && x.of.Gone() {
			c.Of = nil
		}
		x.in, x.out = 0, 0
	}
	return c
}

// folded adds the number of streams that are merged, by rule, and of overflow series that came.
func (t *Streams[T, M]) folded(to *[Rules]int) {
	for i := range t.streams {
		if s := &t.streams[i]; !s.Free && (!s.Unchanged || s.Rule == RuleOverflow) {
			to[s.Rule]++
		}
	}
}

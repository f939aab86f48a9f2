package cardinalityprocessor

import (
	"context"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/wirefold"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/aggregate"
)

// wireBatch is what was done with one request on the wire.
type wireBatch struct {
	processor *cardinalityProcessor
	trials    []wireTrial
	sent      sentBatch
	settled   atomic.Bool
}

// Settle implements wirefold.Batch: what is refused is taken back.
func (b *wireBatch) Settle(ctx context.Context, err error) {
	if !b.settled.Swap(true) && err != nil {
		b.processor.takeBack(ctx, &b.sent)
	}
}

// wireBatchOf returns what this processor did on the wire with a request, or nil.
func (p *cardinalityProcessor) wireBatchOf(ctx context.Context) *wireBatch {
	if p.wire == nil {
		return nil
	}
	if b, ok := wirefold.BatchOf(ctx).(*wireBatch); ok && b.processor == p {
		return b
	}
	return nil
}

// wireTrial is what the points of a metric should be when they come to the processor.
// Only where they were just that are any folded on the wire.
type wireTrial struct {
	plan   *wirePlan
	shapes uint64 // as bits
	print  uint64
	points int
}

// try compares a metric's points with what was foreseen of them.
func (b *wireBatch) try(w *walk, f *family, points pmetric.NumberDataPointSlice) {
	for i := range b.trials {
		t := &b.trials[i]
		if t.plan.id != f.id || t.points != points.Len() {
			continue
		}
		print := uint64(0)
		for _, dp := range points.All() {
			var value aggregate.Number
			valued := dp.ValueType() != pmetric.NumberDataPointValueTypeEmpty
			value.Read(dp)
			id := w.identifyPoint(dp.Attributes(), f.plan.keys)
			print += fingerprint(id.stream, uint64(dp.StartTimestamp()), uint64(dp.Timestamp()), value, valued)
		}
		if print == t.print {
			t.plan.sure.Or(t.shapes)
			t.plan.tries.Store(0)
		}
	}
}

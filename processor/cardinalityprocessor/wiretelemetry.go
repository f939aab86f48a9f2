package cardinalityprocessor

import (
	"context"

	"go.opentelemetry.io/otel/metric"
)

// outcome says what became of points on the wire.
type outcome uint8

const (
	wireFolded      outcome = iota
	wireUnneeded            // there is nothing to remove
	wireUnknown             // the processor does not know the metric yet
	wireUnsure              // it is not known yet whether they come to it as foreseen
	wireMetricUnfit         // the metric is of another kind, or naming does more than rename
	wirePointUnfit          // a point is not usual, or naming changes a value
	wireRepeated            // the metric comes more than once
	wireBudget              // a budget is nearly full
	wireRequest             // the request is not usual
	outcomes
)

var outcomeNames = [outcomes]string{"folded", "unneeded", "unknown", "unsure", "metric", "point", "repeated", "budget", "request"}

// wireTally is what one request adds to the counters.
type wireTally struct {
	outcomes  [outcomes]int64
	wireBytes [2]int64 // as they came, and as they were decoded
}

func outcomeLabels() (labels [outcomes]metric.MeasurementOption) {
	for i, name := range outcomeNames {
		labels[i] = label("outcome", name)
	}
	return labels
}

// addWire counts a request.
func (t *telemetry) addWire(ctx context.Context, request *wireTally) {
	count(ctx, t.CardinalityWirePoints, request.outcomes[:], t.outcomes[:])
	count(ctx, t.CardinalityWireBytes, request.wireBytes[:], t.sides[:])
}

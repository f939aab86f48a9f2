package cardinalityprocessor

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"
)

// sentOutput is an output of which a delta goes out with a batch.
type sentOutput struct {
	family *family
	output uint32
}

// sentBatch is what goes out with one batch and is in no later one.
type sentBatch struct {
	number  uint64
	outputs []sentOutput
}

type sentBatchKey struct{}

// taker is the processor as the pipeline sees it. Should the next component refuse
// a batch, the sender will send it again, and its points will be late: what deltas
// merged goes out with the next batch instead.
type taker struct {
	processor.Metrics
	processor *cardinalityProcessor
}

// ConsumeMetrics does a batch and passes it on.
func (t taker) ConsumeMetrics(ctx context.Context, md pmetric.Metrics) error {
	sent := &sentBatch{}
	err := t.Metrics.ConsumeMetrics(context.WithValue(ctx, sentBatchKey{}, sent), md)
	if err != nil {
		t.processor.takeBack(ctx, sent)
	}
	return err
}

// takeBack makes what a refused batch had of deltas part of what comes next.
func (p *cardinalityProcessor) takeBack(ctx context.Context, sent *sentBatch) {
	var lost tally
	for _, s := range sent.outputs {
		s.family.mu.Lock()
		if s.family.gone || !s.family.tracked.takeBack(sent.number, s.output) {
			lost.drop(dropRefused, 1)
		}
		s.family.mu.Unlock()
	}
	p.telemetry.add(ctx, &lost)
}

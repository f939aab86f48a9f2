package cardinalityprocessor

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"
)

// sentOutput is an output of which a merged point goes out with a batch.
type sentOutput struct {
	family *family
	output uint32 // an index
	check  uint64 // of the output's identity: by then the index may be another's
	delta  sentDelta
	passed bool // its points went out as they came
	// The interval that was sent, when it ended that was sent before, and whether
	// anything was.
	start, end, last pcommon.Timestamp
	emitted          bool
}

// sentDelta is what a delta measured: in no other batch than this one. It is nil for
// cumulative points and gauges, whose next point says it all.
type sentDelta interface {
	// addTo adds it to what an output of a tracker sends next.
	addTo(t tracked, output uint32)
}

type sentValue[T any, M measurement[T]] struct{ value T }

func (s *sentValue[T, M]) addTo(t tracked, output uint32) {
	M(&t.(*tracker[T, M]).outputs[output].total).Add(&s.value)
}

// sentBatch is what goes out with one batch.
type sentBatch struct{ outputs []sentOutput }

type sentBatchKey struct{}

// taker is the processor as the pipeline sees it. Should the next component refuse
// a batch, its sender sends it again, and its points are late by then: what was
// merged goes out with the next points of its outputs, or with those late ones.
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

// takeBack makes what a refused batch had part of what comes next.
func (p *cardinalityProcessor) takeBack(ctx context.Context, sent *sentBatch) {
	var lost tally
	for i := range sent.outputs {
		if s := &sent.outputs[i]; !s.family.takeBack(s) {
			lost.drop(dropRefused, 1)
		}
	}
	p.telemetry.add(ctx, &lost)
}

// takeBack makes what was sent of an output part of what it sends next, and reports whether it
// could.
func (f *family) takeBack(s *sentOutput) bool {
	f.mu.Lock()
	defer f.mu.Unlock() // also if it panics, after which the process goes on
	return !f.gone && f.tracked.takeBack(s)
}

func (t *tracker[T, M]) takeBack(s *sentOutput) bool {
	if int(s.output) >= len(t.outputs) || t.outputs[s.output].gone || t.outputs[s.output].check != s.check {
		return false
	}
	o := &t.outputs[s.output]
	if t.temporality != delta {
		o.owed = true
		return true
	}
	if o.time == s.end {
		o.time, o.emitted = s.last, s.emitted
	}
	if s.passed {
		t.sendAgain(o, s)
		return true
	}
	if s.delta == nil {
		return false // a part of it counts again with the batch that is sent again
	}
	if s.delta.addTo(t, s.output); !o.emitted {
		o.first = s.start
	}
	o.owed = true
	return true
}

// sendAgain has the points of an output that went out as they came not be late when
// they come again.
func (t *tracker[T, M]) sendAgain(o *output[T], sent *sentOutput) {
	for i := o.streams; i != 0; i = t.streams[i-1].next {
		if s := &t.streams[i-1]; s.native && s.time == sent.end {
			s.time = sent.last
		}
	}
}

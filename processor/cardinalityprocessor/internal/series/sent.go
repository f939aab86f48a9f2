// SPDX-License-Identifier: Apache-2.0

package series

import "go.opentelemetry.io/collector/pdata/pcommon"

// Sent records what a batch sent of an output, so that it can be taken back.
type Sent struct {
	metric *Metric
	output uint32 // an index
	check  uint64 // of the output: its index may belong to another one by then
	delta  sentDelta
	asCame bool // its points were sent as they came
	// start and end are the interval that was sent.
	start, end pcommon.Timestamp
	// last and emitted are the output's Time and emitted before that.
	last    pcommon.Timestamp
	emitted bool
}

// sentDelta is the value of a delta, which no other batch repeats. It is nil for cumulative
// points and gauges: the next point of these includes it.
type sentDelta interface {
	// addTo adds the value to an output's next point.
	addTo(t anyStreams, output uint32)
}

type sentValue[T any, M Measurement[T]] struct{ value T }

func (s *sentValue[T, M]) addTo(t anyStreams, output uint32) {
	M(&t.(*Streams[T, M]).outputs[output].total).Add(&s.value)
}

// TakeBack adds the values of a refused batch to the next points of the outputs. It returns
// the number of outputs whose values are lost.
func TakeBack(sent []Sent) (lost int) {
	for i := range sent {
		if s := &sent[i]; !s.metric.takeBack(s) {
			lost++
		}
	}
	return lost
}

func (m *Metric) takeBack(s *Sent) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.removed && m.streams != nil && m.streams.takeBack(s)
}

func (t *Streams[T, M]) takeBack(s *Sent) bool {
	if int(s.output) >= len(t.outputs) || t.outputs[s.output].Free || t.outputs[s.output].Check != s.check {
		return false
	}
	o := &t.outputs[s.output]
	if t.Temporality != Delta {
		o.Refused = true
		return true
	}
	if o.Time == s.end {
		o.Time, o.Emitted = s.last, s.emitted
	}
	if s.asCame {
		t.allowRepeat(o, s)
		return true
	}
	if s.delta == nil {
		return false // Emit kept no value, since a part of it counts again with the retry
	}
	if s.delta.addTo(t, s.output); !o.Emitted {
		o.First = s.start
	}
	o.Refused = true
	return true
}

// allowRepeat resets the times of streams whose points were sent as they came, so that the
// same points are not late when they are sent again.
func (t *Streams[T, M]) allowRepeat(o *Output[T], sent *Sent) {
	for i := o.streams; i != 0; i = t.streams[i-1].next {
		if s := &t.streams[i-1]; s.Unchanged && s.Time == sent.end {
			s.Time = sent.last
		}
	}
}

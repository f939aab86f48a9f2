package series

import "go.opentelemetry.io/collector/pdata/pcommon"

// Sent is an output of which a merged point goes out with a batch.
type Sent struct {
	metric *Metric
	output uint32 // an index
	check  uint64 // of the output's identity: by then the index may be another's
	delta  sentDelta
	asCame bool // its points went out as they came
	// The interval that was sent, when it ended that was sent before, and whether
	// anything was.
	start, end, last pcommon.Timestamp
	emitted          bool
}

// sentDelta is what a delta measured: in no other batch than this one. It is nil for
// cumulative points and gauges, whose next point says it all.
type sentDelta interface {
	// addTo adds it to what an output sends next.
	addTo(t anyStreams, output uint32)
}

type sentValue[T any, M Measurement[T]] struct{ value T }

func (s *sentValue[T, M]) addTo(t anyStreams, output uint32) {
	M(&t.(*Streams[T, M]).outputs[output].total).Add(&s.value)
}

// TakeBack makes what a refused batch had part of what comes next. It returns how many
// outputs it could not do that for.
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
	defer m.mu.Unlock() // also if it panics, after which the process goes on
	return !m.gone && m.streams.takeBack(s)
}

func (t *Streams[T, M]) takeBack(s *Sent) bool {
	if int(s.output) >= len(t.outputs) || t.outputs[s.output].gone || t.outputs[s.output].check != s.check {
		return false
	}
	o := &t.outputs[s.output]
	if t.Temporality != Delta {
		o.owed = true
		return true
	}
	if o.Time == s.end {
		o.Time, o.emitted = s.last, s.emitted
	}
	if s.asCame {
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
func (t *Streams[T, M]) sendAgain(o *Output[T], sent *Sent) {
	for i := o.streams; i != 0; i = t.streams[i-1].next {
		if s := &t.streams[i-1]; s.same && s.time == sent.end {
			s.time = sent.last
		}
	}
}

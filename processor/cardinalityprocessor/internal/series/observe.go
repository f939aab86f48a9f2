package series

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// Point is a data point of a metric.
type Point[T any] struct {
	Index       int // among the metric's points of the batch
	ID          identity.Point
	Attributes  pcommon.Map
	Start, Time pcommon.Timestamp
	Stale       bool // a stale marker: it has no value
	Malformed   bool // its values contradict each other
	Value       T
}

// Outcome is the decision about a point. doc.go explains it.
type Outcome uint32

// The outcomes.
const (
	Keep     Outcome = iota // the point is sent as it came
	Drop                    // the point is not sent
	ofOutput                // the point belongs to output 0; higher values to the next outputs

	// Bits of a point of an output that cannot be merged, with the reason.
	late      Outcome = 1 << 31
	malformed Outcome = 1 << 30
	unmerged          = late | malformed
)

// output returns the index of the point's output, if it has one.
func (o Outcome) output() (index uint32, ok bool) {
	o &^= unmerged
	return uint32(o - ofOutput), o >= ofOutput
}

// assignment is the output of a new stream, and the reason.
type assignment struct {
	output    uint32 // from 1
	why       Rule
	unchanged bool // the attributes are unchanged
	replaced  plan.Replaced
}

// Observe returns the outcome of a point as the truth table in doc.go defines it, and merges
// the point into its output. It creates the stream and the output if the budgets allow.
func (t *Streams[T, M]) Observe(b *Batch, p *Point[T]) Outcome {
	t.large = t.large || M(&p.Value).Bytes() > maxScratch
	if s, ok := t.find(p.ID.Stream); ok {
		return t.merge(b, p, s, p.ID.Limited)
	}
	to := assignment{why: RuleAttribute, unchanged: !p.ID.Dropped}
	if p.ID.Overflow {
		to.output, to.why = t.overflowOutput(), RuleOverflow
	} else if outcome, done := t.place(b, p, &to); done {
		return outcome
	}
	if t.unmergeable {
		if to.unchanged {
			return Keep
		}
		b.Dropped[DroppedSummary]++
		return Drop
	}
	o := &t.outputs[to.output-1]
	if b.malformed(p.Time) || p.Malformed {
		o.seen = b.epoch
		return b.unmerged(malformed, to.unchanged, to.output-1)
	}
	s, ok := t.newStream(p, to)
	if ok {
		return t.merge(b, p, s, false)
	}
	if t.Temporality != Delta || p.Stale {
		b.Dropped[DroppedMemory]++
		return Drop
	}
	// A delta can be added without knowing its stream.
	t.touch(to.output-1, p.Index)
	o.add(p.Start, p.Time)
	o.seen = b.epoch
	o.Replaced |= to.replaced
	M(&o.total).Add(&p.Value)
	b.Folded[to.why]++
	return ofOutput + Outcome(to.output-1)
}

// malformed reports whether a point has no time or a time too far in the future: the
// sender's clock is wrong.
func (b *Batch) malformed(time pcommon.Timestamp) bool { return time == 0 || time > b.latest }

// unmerged returns the outcome of a point that cannot be merged. With unchanged attributes
// the end of the batch decides: the point is sent if its output is not merged.
func (b *Batch) unmerged(why Outcome, unchanged bool, output uint32) Outcome {
	if unchanged {
		return why | ofOutput + Outcome(output)
	}
	b.dropUnmerged(why)
	return Drop
}

func (b *Batch) dropUnmerged(why Outcome) {
	if why&malformed != 0 {
		b.Dropped[DroppedMalformed]++
	} else {
		b.Dropped[DroppedLate]++
	}
}

// place assigns an output to the point of a new stream: its own if the budgets admit the
// series, else the overflow output. If done, the outcome is final and needs no output.
func (t *Streams[T, M]) place(b *Batch, p *Point[T], to *assignment) (outcome Outcome, done bool) {
	m := t.metric
	keys, id := m.Plan.Keys, p.ID.Series
	if p.ID.Limited {
		if to.replaced = m.service.limitValues(b.epoch, p.Attributes, keys); to.replaced != 0 {
			id = identity.Replaced(m.service.store.Seed, p.Attributes, keys, to.replaced)
			to.unchanged, to.why = false, RuleAttributeLimit
		}
	}
	e := m.series.get(id.Lo)
	if e == nil {
		full, ok := m.admit(b, &p.ID, p.Attributes)
		if !ok {
			if m.service.store.DropOverflow {
				b.Dropped[full.dropped()]++
				return Drop, true
			}
			*to = assignment{output: t.overflowOutput(), why: full}
			return Keep, false
		}
		e = m.series.put(id.Lo, b.epoch, 0)
	}
	e.Seen = b.epoch
	if e.Ref != 0 && t.outputs[e.Ref-1].check != id.Hi {
		// Another series has the same key, which happens once in 2^64.
		*to = assignment{output: t.overflowOutput(), why: RuleLimit}
		return Keep, false
	}
	if e.Ref == 0 {
		canKeep := to.unchanged && !keys.Any && !p.ID.Limited
		countsWhole := t.Temporality != Cumulative || !m.wasMerged(p.ID.Stream.Lo, p.Start)
		if canKeep && countsWhole || to.unchanged && t.unmergeable {
			return Keep, true
		}
		e.Ref = t.newOutput()
		t.outputs[e.Ref-1].merged, t.outputs[e.Ref-1].check = !countsWhole, id.Hi
	}
	to.output = e.Ref
	return Keep, false
}

// merge merges a point of a known stream into its output.
func (t *Streams[T, M]) merge(b *Batch, p *Point[T], index uint32, limited bool) Outcome {
	m := t.metric
	s := &t.streams[index]
	o := &t.outputs[s.output]
	if b.malformed(p.Time) || p.Malformed {
		o.seen = b.epoch
		return b.unmerged(malformed, s.unchanged, s.output)
	}
	if bytes := t.streamBytes(&p.Value); !p.Stale && bytes > int(s.bytes) {
		if !m.service.reserve(bytes - int(s.bytes)) {
			b.Dropped[DroppedMemory]++
			return Drop
		}
		s.bytes = uint32(bytes)
	}
	if limited && b.epoch-s.touched >= m.service.store.touchEvery() {
		m.service.touchValues(b.epoch, p.Attributes, m.Plan.Keys, s.replaced)
		s.touched = b.epoch
	}
	if !t.accumulate(index, p) {
		switch {
		case o.merged && o.refused:
			t.resend(s.output, p)
			o.Replaced |= s.replaced
			b.Dropped[DroppedLate]++
			return ofOutput + Outcome(s.output)
		case s.unchanged && !o.merged:
			s.seen = b.epoch // the point is sent as it came, so the stream is alive
		}
		return b.unmerged(late, s.unchanged, s.output)
	}
	s.seen = b.epoch
	if s.rule >= RuleLimit && s.rule <= RuleMemory {
		b.warn(m, s.rule, false)
	}
	o.Replaced |= s.replaced
	if !s.unchanged {
		b.Folded[s.rule]++
	}
	return ofOutput + Outcome(s.output)
}

// overflowCheck is the check of all overflow outputs, which have no identity of their own.
const overflowCheck = 1

// overflowOutput returns the number of the overflow output, from 1. It creates the output if
// necessary.
func (t *Streams[T, M]) overflowOutput() uint32 {
	m := t.metric
	if m.overflow == 0 {
		m.overflow = t.newOutput()
		t.outputs[m.overflow-1].Overflow, t.outputs[m.overflow-1].check = true, overflowCheck
	}
	return m.overflow
}

// newOutput creates an output, charges its memory and returns its number, from 1.
func (t *Streams[T, M]) newOutput() uint32 {
	start := max(t.metric.since, t.metric.ended)
	if t.Gauge {
		start = 0
	}
	i := t.addOutput(start)
	t.outputs[i].bytes = uint32(outputBytes[T, M](&t.zero))
	t.metric.service.charge(int(t.outputs[i].bytes))
	return i + 1
}

// newStream creates a stream if there is memory for it.
func (t *Streams[T, M]) newStream(p *Point[T], to assignment) (index uint32, ok bool) {
	m := t.metric
	bytes := t.streamBytes(&p.Value)
	if !m.service.reserve(bytes) {
		return 0, false
	}
	index, ok = t.addStream(p.ID.Stream, to.output-1)
	if !ok {
		m.service.release(bytes)
		return 0, false
	}
	m.service.streams.Add(1)
	s := &t.streams[index]
	s.bytes, s.unchanged, s.rule, s.replaced = uint32(bytes), to.unchanged, to.why, to.replaced
	s.returned = m.departed.has(p.ID.Stream.Lo, p.Start)
	return index, true
}

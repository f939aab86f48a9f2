package series

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// Point is a data point of a metric.
type Point[T any] struct {
	Index       int // in its metric
	ID          identity.Point
	Attributes  pcommon.Map
	Start, Time pcommon.Timestamp
	Stale       bool // it has no value
	Malformed   bool // its value contradicts itself
	Value       T
}

// Outcome says what becomes of a point.
type Outcome uint32

// The outcomes.
const (
	Keep     Outcome = iota // it goes out as it came
	Drop                    // it does not go out
	ofOutput                // and above: it belongs to the output of that number

	// Besides, it cannot be merged, and goes out only where nothing was.
	late      Outcome = 1 << 31
	malformed Outcome = 1 << 30
	unmerged          = late | malformed
)

// output returns the number of the output that the point belongs to, if it does.
func (o Outcome) output() (index uint32, ok bool) {
	o &^= unmerged
	return uint32(o - ofOutput), o >= ofOutput
}

// assignment is where a new stream goes, and why.
type assignment struct {
	output   uint32 // from 1
	why      Rule
	same     bool // its attributes are the output's
	replaced plan.Replaced
}

// Observe returns what becomes of a point, and merges it into its output series, if it has
// to be. It makes what is new, as far as the budgets have room. The truth table of the
// package says which outcome is whose.
func (t *Streams[T, M]) Observe(b *Batch, p *Point[T]) Outcome {
	t.wide = t.wide || M(&p.Value).Bytes() > maxScratch
	if s, ok := t.find(p.ID.Stream); ok {
		return t.merge(b, p, s, p.ID.Limited)
	}
	to := assignment{why: RuleAttribute, same: !p.ID.Dropped}
	if p.ID.Overflow {
		to.output, to.why = t.overflowOutput(), RuleOverflow
	} else if outcome, done := t.place(b, p, &to); done {
		return outcome
	}
	if t.separate {
		if to.same {
			return Keep
		}
		b.Dropped[DroppedSummary]++
		return Drop
	}
	o := &t.outputs[to.output-1]
	if b.malformed(p.Time) || p.Malformed {
		o.seen = b.epoch
		return b.unmerged(malformed, to.same, to.output-1)
	}
	s, ok := t.newStream(p, to)
	if ok {
		return t.merge(b, p, s, false)
	}
	if t.Temporality != Delta || p.Stale {
		b.Dropped[DroppedMemory]++
		return Drop
	}
	// A delta says all of itself.
	t.touch(to.output-1, p.Index)
	o.add(p.Start, p.Time)
	o.seen = b.epoch
	o.Replaced |= to.replaced
	M(&o.total).Add(&p.Value)
	b.Folded[to.why]++
	return ofOutput + Outcome(to.output-1)
}

// malformed reports whether a point has no time, or one that is no clock's of today.
func (b *Batch) malformed(time pcommon.Timestamp) bool { return time == 0 || time > b.latest }

// unmerged returns what becomes of a point that cannot be merged. When its attributes are
// its output's it goes out as it came, unless points of other streams came into that.
func (b *Batch) unmerged(why Outcome, same bool, output uint32) Outcome {
	if same {
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

// place gives a point that is new a place within the budgets, or that of all that has none.
// It returns what becomes of the point where that is all there is to do.
func (t *Streams[T, M]) place(b *Batch, p *Point[T], to *assignment) (outcome Outcome, done bool) {
	m := t.metric
	keys, id := m.Plan.Keys, p.ID.Series
	if p.ID.Limited {
		if to.replaced = m.service.limitValues(b.epoch, p.Attributes, keys); to.replaced != 0 {
			id = identity.Replaced(m.service.store.Seed, p.Attributes, keys, to.replaced)
			to.same, to.why = false, RuleAttributeLimit
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
	e.seen = b.epoch
	if e.ref != 0 && t.outputs[e.ref-1].check != id.Hi {
		// One in 2^64: another series has the key.
		*to = assignment{output: t.overflowOutput(), why: RuleLimit}
		return Keep, false
	}
	if e.ref == 0 {
		plain := to.same && !keys.Any && !p.ID.Limited
		whole := t.Temporality != Cumulative || !m.wasMerged(p.ID.Stream.Lo, p.Start)
		if plain && whole || to.same && t.separate {
			return Keep, true
		}
		e.ref = t.newOutput()
		t.outputs[e.ref-1].merged, t.outputs[e.ref-1].check = !whole, id.Hi
	}
	to.output = e.ref
	return Keep, false
}

// merge merges a point into the output of its stream.
func (t *Streams[T, M]) merge(b *Batch, p *Point[T], index uint32, limited bool) Outcome {
	m := t.metric
	s := &t.streams[index]
	o := &t.outputs[s.output]
	if b.malformed(p.Time) || p.Malformed {
		o.seen = b.epoch
		return b.unmerged(malformed, s.same, s.output)
	}
	if bytes := t.streamBytes(&p.Value); !p.Stale && bytes > int(s.bytes) {
		if !m.service.take(bytes - int(s.bytes)) {
			b.Dropped[DroppedMemory]++
			return Drop
		}
		s.bytes = uint32(bytes)
	}
	if limited && b.epoch-s.touched >= m.service.store.touchEvery() {
		m.service.touchValues(b.epoch, p.Attributes, m.Plan.Keys, s.replaced)
		s.touched = b.epoch
	}
	if !t.fold(index, p) {
		switch {
		case o.merged && o.owed:
			t.again(s.output, p)
			o.Replaced |= s.replaced
			b.Dropped[DroppedLate]++
			return ofOutput + Outcome(s.output)
		case s.same && !o.merged:
			s.seen = b.epoch // it flows, as it came
		}
		return b.unmerged(late, s.same, s.output)
	}
	s.seen = b.epoch
	if s.rule >= RuleLimit && s.rule <= RuleMemory {
		b.warn(m, s.rule, false)
	}
	o.Replaced |= s.replaced
	if !s.same {
		b.Folded[s.rule]++
	}
	return ofOutput + Outcome(s.output)
}

// overflowCheck stands for the identity of an overflow output.
const overflowCheck = 1

// overflowOutput returns the output of all that is past the limit, from 1.
func (t *Streams[T, M]) overflowOutput() uint32 {
	m := t.metric
	if m.overflow == 0 {
		m.overflow = t.newOutput()
		t.outputs[m.overflow-1].Overflow, t.outputs[m.overflow-1].check = true, overflowCheck
	}
	return m.overflow
}

// newOutput makes an output and returns its number, from 1.
func (t *Streams[T, M]) newOutput() uint32 {
	start := max(t.metric.since, t.metric.ended)
	if t.Gauge {
		start = 0
	}
	i := t.addOutput(start)
	t.outputs[i].bytes = uint32(outputBytes[T, M](&t.nothing))
	t.metric.service.charge(int(t.outputs[i].bytes))
	return i + 1
}

// newStream makes a stream, if there is memory for it.
func (t *Streams[T, M]) newStream(p *Point[T], to assignment) (index uint32, ok bool) {
	m := t.metric
	bytes := t.streamBytes(&p.Value)
	if !m.service.take(bytes) {
		return 0, false
	}
	index, ok = t.addStream(p.ID.Stream, to.output-1)
	if !ok {
		m.service.give(bytes)
		return 0, false
	}
	m.service.streams.Add(1)
	s := &t.streams[index]
	s.bytes, s.same, s.rule, s.replaced = uint32(bytes), to.same, to.why, to.replaced
	s.returned = m.departed.has(p.ID.Stream.Lo, p.Start)
	return index, true
}

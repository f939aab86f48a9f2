// SPDX-License-Identifier: Apache-2.0

package series

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

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
	Rule        Rule // of the outcome OfService: the budget that refuses the stream
}

// Outcome is the decision about a point. doc.go explains it.
type Outcome uint32

// The outcomes.
const (
	Keep      Outcome = iota // the point is sent as it came
	Drop                     // the point is not sent
	OfService                // the metric Batch.OfService has to observe the point
	ofOutput                 // the point belongs to output 0; higher values to the next outputs

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
	b.lastSeen = 0
	if s, ok := t.find(p.ID.Stream); ok {
		return t.merge(b, p, s, p.ID.Limited)
	}
	to, outcome, done := t.assign(b, p)
	switch {
	case done:
		return outcome
	case t.unmergeable:
		if to.unchanged {
			return Keep
		}
		b.Dropped[DroppedSummary]++
		return Drop
	case p.malformed():
		t.outputs[to.output-1].seen = b.epoch
		t.metric.miss(b)
		return b.unmerged(malformed, to.unchanged, to.output-1)
	}
	if t.quantiles && !to.unchanged {
		t.quantiles = false
		b.Warnings = append(b.Warnings, Warning{Service: t.metric.service.name, Metric: t.metric.Plan().Metric, Quantiles: true})
	}
	if s, ok := t.newStream(b, p, to); ok {
		return t.merge(b, p, s, false)
	}
	return t.untracked(b, p, to)
}

// assign assigns an output to the point of a new stream. If done, the outcome is final and needs no
// output.
func (t *Streams[T, M]) assign(b *Batch, p *Point[T]) (to assignment, outcome Outcome, done bool) {
	m := t.metric
	to = assignment{why: RuleAttribute, unchanged: !p.ID.Dropped}
	switch {
	case m.OfService:
		outcome, done = t.placeOverflow(b, p, &to, p.Rule)
	case m.service.overflows.Load() > 0 && b.OfService(false).knows(m.StreamOfService(&p.ID)):
		p.Rule = RuleServiceLimit
		outcome, done = OfService, true
	case p.ID.Overflow:
		outcome, done = t.placeOverflow(b, p, &to, RuleOverflow)
		to.unchanged = !p.ID.Dropped
	default:
		outcome, done = t.place(b, p, &to)
	}
	return to, outcome, done
}

// malformed reports whether a point has contradicting values, no time or one that nothing can
// represent.
func (p *Point[T]) malformed() bool { return p.Malformed || p.Time == 0 || p.Time > math.MaxInt64 }

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

// place assigns the point's own output if the budgets admit the series, else the overflow output.
func (t *Streams[T, M]) place(b *Batch, p *Point[T], to *assignment) (outcome Outcome, done bool) {
	m := t.metric
	keys, id := m.Plan().Keys, p.ID.Series
	if p.ID.Limited {
		if to.replaced = m.service.limitValues(b.epoch, p.Attributes, keys); to.replaced != 0 {
			id = identity.Replaced(m.service.store.Seed, p.Attributes, keys, to.replaced)
			to.unchanged, to.why = false, RuleAttributeLimit
		}
	}
	e := m.series.get(id.Lo)
	asCame := e != nil // without an output: its points were sent as they came
	if e == nil {
		full, ok := m.admit(b, &p.ID, p.Attributes)
		if !ok {
			switch {
			case full == RuleMemory && t.staysAlone(p, to) && m.series.count+t.passed < m.Plan().Limit:
				return t.pass(b), true
			case full == RuleServiceLimit:
				return t.placeOfService(b, p, full), true
			default:
				return t.placeOverflow(b, p, to, full)
			}
		}
		e = m.series.put(id.Lo, b.epoch, 0)
	}
	e.Seen = b.epoch
	if e.Ref != 0 && t.outputs[e.Ref-1].Check != id.Hi {
		// Another series has the same key, which happens once in 2^64.
		return t.placeOverflow(b, p, to, RuleLimit)
	}
	if e.Ref == 0 {
		countsWhole := t.Temporality != Cumulative || !m.wasMerged(p.ID.Stream.Lo, p.Start)
		if t.staysAlone(p, to) && countsWhole || to.unchanged && t.unmergeable {
			return Keep, true
		}
		e.Ref = t.newOutput()
		o := &t.outputs[e.Ref-1]
		o.Merged, o.Check, o.seen = !countsWhole, id.Hi, b.epoch
		o.Waits = asCame && !to.unchanged && t.Temporality != Delta
	}
	to.output = e.Ref
	return Keep, false
}

// staysAlone reports whether no other stream can be merged into the series of a point: nothing changes
// the attributes of the metric's points.
func (t *Streams[T, M]) staysAlone(p *Point[T], to *assignment) bool {
	return to.unchanged && !t.metric.Plan().Keys.Any && !p.ID.Limited
}

// merge merges a point of a known stream into its output.
func (t *Streams[T, M]) merge(b *Batch, p *Point[T], index uint32, limited bool) Outcome {
	m := t.metric
	s := &t.streams[index]
	o := &t.outputs[s.Output]
	b.lastSeen = s.Seen
	if b.look != nil {
		s.Seen = b.epoch // the source has it: it must not seem new after it expired
	}
	if p.malformed() {
		o.seen = b.epoch
		return b.unmerged(malformed, s.Unchanged, s.Output)
	}
	if !p.Stale {
		t.fit(s, &p.Value)
	}
	if limited && b.epoch-s.touched >= m.service.store.touchEvery() {
		m.service.touchValues(b.epoch, p.Attributes, m.Plan().Keys, s.Replaced)
		s.touched = b.epoch
	}
	if !t.accumulate(b, index, p) {
		switch {
		case o.Merged && o.Refused:
			t.resend(s.Output, p)
			o.Replaced |= s.Replaced
			b.Dropped[DroppedLate]++
			return ofOutput + Outcome(s.Output)
		case s.Unchanged && !o.Merged:
			s.Seen = b.epoch // the point is sent as it came, so the stream is alive
		}
		return b.unmerged(late, s.Unchanged, s.Output)
	}
	s.Seen = b.epoch
	if s.Rule.isBudget() {
		m.warn(b, s.Rule, false)
	}
	o.Replaced |= s.Replaced
	if !s.Unchanged {
		b.Folded[s.Rule]++
	}
	return ofOutput + Outcome(s.Output)
}

// fit charges the memory that a stream needs to store a larger value. If there is none, it shrinks the value.
func (t *Streams[T, M]) fit(s *stream[T], value *T) {
	bytes := t.streamBytes(value)
	switch {
	case bytes <= int(s.bytes):
	case t.metric.service.reserve(bytes - int(s.bytes)):
		s.bytes = uint32(bytes)
	default:
		M(value).Shrink(int(s.bytes) - t.streamBytes(&t.zero))
	}
}

// overflowCheck is the check of all overflow outputs, which have no identity of their own.
const overflowCheck = 1

// pass returns the outcome of a point that is sent as it came, since there is no memory for
// its series.
func (t *Streams[T, M]) pass(b *Batch) Outcome {
	t.passed++
	t.metric.miss(b)
	if b.look != nil {
		t.metric.service.missed.Store(b.look.number)
	}
	b.Untracked[UntrackedSent]++
	return Keep
}

// placeOfService returns the outcome of a point that belongs to the overflow series of the
// service. If not even the reserve has memory for that series, the point is sent as it came.
func (t *Streams[T, M]) placeOfService(b *Batch, p *Point[T], why Rule) Outcome {
	if b.OfService(true) == nil {
		return t.pass(b)
	}
	p.Rule = why
	return OfService
}

// placeOverflow assigns the overflow output, which it creates if necessary. If done, there is no
// memory for it, and the point may belong to the overflow series of the service.
func (t *Streams[T, M]) placeOverflow(b *Batch, p *Point[T], to *assignment, why Rule) (outcome Outcome, done bool) {
	m := t.metric
	if m.Overflow == 0 {
		if !m.OfService {
			if !m.service.reserveOutput(m.cost() + outputBytes[T, M](&t.zero)) {
				return t.placeOfService(b, p, why), true
			}
			m.service.release(outputBytes[T, M](&t.zero)) // newOutput charges it
		}
		if cost := m.cost(); cost != 0 {
			m.bytes = uint32(cost)
			m.service.chargeMetric(0)
		}
		m.Overflow = t.newOutput()
		t.outputs[m.Overflow-1].Overflow, t.outputs[m.Overflow-1].Check = true, overflowCheck
	}
	*to = assignment{output: m.Overflow, why: why}
	return Keep, false
}

// newOutput creates an output, charges its memory and returns its number, from 1.
func (t *Streams[T, M]) newOutput() uint32 {
	start := max(t.metric.Since, t.metric.Ended)
	if t.Type == pmetric.MetricTypeGauge {
		start = 0
	}
	i := t.addOutput(start)
	t.outputs[i].bytes = uint32(outputBytes[T, M](&t.zero))
	t.metric.service.charge(int(t.outputs[i].bytes))
	return i + 1
}

// newStream creates a stream if there is memory for it.
func (t *Streams[T, M]) newStream(b *Batch, p *Point[T], to assignment) (index uint32, ok bool) {
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
	t.addSource(b)
	s := &t.streams[index]
	s.bytes, s.Unchanged, s.Rule, s.Replaced = uint32(bytes), to.unchanged, to.why, to.replaced
	s.Returned = m.Departed.has(p.ID.Stream.Lo, p.Start)
	return index, true
}

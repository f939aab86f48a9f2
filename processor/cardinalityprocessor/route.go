package cardinalityprocessor

import (
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

// assignment is where a new stream goes, and why.
type assignment struct {
	output uint32 // from 1
	why    rule
	native bool   // its attributes are the output's
	others uint32 // which of its limited attributes become other, as bits
}

// route finds the output series of a point and merges the point into it, if it
// has to be; the point is number i of its metric. It makes what is new, as far as
// the budgets have room.
func (p *pass[D, T, M]) route(dp D, i int, id *pointIdentity) mark {
	w, t := p.w, p.t
	if id.known != 0 {
		return p.merge(dp, i, id.known-1, id.limited)
	}
	if s, ok := t.find(id.stream); ok {
		return p.merge(dp, i, s, id.limited)
	}
	to := assignment{why: ruleAttribute, native: !id.dropped}
	if id.overflow {
		to.output, to.why = p.overflowOutput(), ruleOverflow
	} else if what, done := p.place(dp, id, &to); done {
		return what
	}
	if p.kind.summary && !p.f.plan.foldSummary {
		if to.native {
			return markKeep
		}
		w.drop(dropSummary, 1)
		return markRemove
	}
	if !p.read(dp) {
		t.outputs[to.output-1].seen = w.epoch
		return w.unmerged(markMalformed, to.native, to.output-1)
	}
	s, ok := p.addStream(id.stream, to)
	if !ok {
		if t.temporality != delta || p.head.stale {
			w.drop(dropMemory, 1)
			return markRemove
		}
		// A delta says all of itself.
		o := t.touch(to.output-1, i)
		o.add(p.head.start, p.head.time)
		o.seen = w.epoch
		o.others |= to.others
		M(&o.total).Add(&t.current)
		w.folded[to.why]++
		return markMerged + mark(to.output-1)
	}
	return p.merge(dp, i, s, false)
}

// maxAhead is how far a sender's clock may be ahead of ours. A point from further
// on would take the series it is merged into along.
const maxAhead = time.Hour

// read makes a point the one at hand. It returns false for one that nothing can be
// made of.
func (p *pass[D, T, M]) read(dp D) bool {
	t := p.t
	p.head = p.kind.head(dp)
	p.exemplars = p.exemplars || p.head.exemplars
	if at := p.head.time; at == 0 || at > p.w.latest {
		return false
	}
	if p.head.stale {
		return true
	}
	if !p.kind.read(&t.current, dp) || t.temporality == cumulative && p.kind.less(&t.current, &t.nothing) {
		return false
	}
	p.bytes = M(&t.current).Bytes()
	t.wide = t.wide || p.bytes > maxScratch
	return true
}

// unmerged is what becomes of a point that cannot be merged: when its attributes
// are its output's it is nobody's business but the sender's, unless others came
// into that.
func (w *walk) unmerged(why mark, native bool, output uint32) mark {
	if native {
		return why | markMerged + mark(output)
	}
	w.dropUnmerged(why)
	return markRemove
}

func (w *walk) dropUnmerged(why mark) {
	if why&markMalformed != 0 {
		w.drop(dropMalformed, 1)
	} else {
		w.drop(dropLate, 1)
	}
}

// place gives a point that is new a place within the budgets, or that of all that
// has none. It returns what becomes of the point where that is all there is to do.
func (p *pass[D, T, M]) place(dp D, id *pointIdentity, to *assignment) (what mark, done bool) {
	w, f, t := p.w, p.f, p.t
	series := id.series
	if id.limited {
		if to.others = w.limitValues(f.service, dp.Attributes(), f.plan.keys); to.others != 0 {
			series, to.native, to.why = w.identifyOthers(dp.Attributes(), f.plan.keys, to.others), false, ruleAttributeLimit
		}
	}
	e := f.series.get(series.Lo)
	if e == nil {
		full, ok := f.admit()
		w.newcomer(f, id, dp.Attributes(), full, ok)
		if !ok {
			if w.dropOverflow {
				w.drop(full.dropped(), 1)
				return markRemove, true
			}
			*to = assignment{output: p.overflowOutput(), why: full}
			return markKeep, false
		}
		e = f.series.put(series.Lo, w.epoch, 0)
	}
	e.seen = w.epoch
	if e.ref != 0 && t.outputs[e.ref-1].check != series.Hi {
		// One in 2^64: another series has the key.
		*to = assignment{output: p.overflowOutput(), why: ruleLimit}
		return markKeep, false
	}
	if e.ref == 0 {
		plain := to.native && !f.plan.keys.any() && !id.limited
		whole := t.temporality != cumulative || !f.wasMerged(id.stream.Lo, dp.StartTimestamp())
		if plain && whole || to.native && p.kind.summary && !f.plan.foldSummary {
			return markKeep, true
		}
		e.ref = p.addOutput()
		t.outputs[e.ref-1].merged, t.outputs[e.ref-1].check = !whole, series.Hi
	}
	to.output = e.ref
	return markKeep, false
}

// merge merges a point into the output of its stream.
func (p *pass[D, T, M]) merge(dp D, i int, index uint32, limited bool) mark {
	w, f, t := p.w, p.f, p.t
	s := &t.streams[index]
	o := &t.outputs[s.output]
	if !p.read(dp) {
		o.seen = w.epoch
		return w.unmerged(markMalformed, s.native, s.output)
	}
	at := &p.head
	if bytes := streamBytes(t, p.bytes); !at.stale && bytes > int(s.bytes) {
		if !f.service.take(bytes - int(s.bytes)) {
			w.drop(dropMemory, 1)
			return markRemove
		}
		s.bytes = uint32(bytes)
	}
	if limited && w.epoch-s.touched >= w.touchEvery {
		w.touchValues(f.service, dp.Attributes(), s.others)
		s.touched = w.epoch
	}
	if !t.fold(index, i, at.start, at.time, f.since, at.stale) {
		switch {
		case o.merged && o.owed:
			t.again(s.output, i, at.time)
			o.others |= s.others
			w.drop(dropLate, 1)
			return markMerged + mark(s.output)
		case s.native && !o.merged:
			s.seen = w.epoch // it flows, as it came
		}
		return w.unmerged(markLate, s.native, s.output)
	}
	s.seen = w.epoch
	if s.rule >= ruleLimit && s.rule <= ruleMemory {
		w.report(f, s.rule, false)
	}
	o.others |= s.others
	if !s.native {
		w.folded[s.rule]++
	}
	return markMerged + mark(s.output)
}

// overflowCheck stands for the identity of an overflow output.
const overflowCheck = 1

// overflowOutput returns the output of all that is past the limit, from 1.
func (p *pass[D, T, M]) overflowOutput() uint32 {
	f, t := p.f, p.t
	if f.overflow == 0 {
		f.overflow = p.addOutput()
		t.outputs[f.overflow-1].overflow, t.outputs[f.overflow-1].check = true, overflowCheck
	}
	return f.overflow
}

// addOutput makes an output and returns its number, from 1.
func (p *pass[D, T, M]) addOutput() uint32 {
	f, t := p.f, p.t
	start := max(f.since, f.ended)
	if t.gauge {
		start = 0
	}
	i := t.addOutput(start)
	t.outputs[i].bytes = uint32(outputBytes[T, M](&t.nothing))
	f.service.charge(int(t.outputs[i].bytes))
	return i + 1
}

// addStream makes a stream, if there is memory for it.
func (p *pass[D, T, M]) addStream(id attrhash.Hash, to assignment) (index uint32, ok bool) {
	f, t := p.f, p.t
	bytes := streamBytes(t, M(&t.current).Bytes())
	if !f.service.take(bytes) {
		return 0, false
	}
	index, ok = t.addStream(id, to.output-1)
	if !ok {
		f.service.give(bytes)
		return 0, false
	}
	f.service.streams.Add(1)
	s := &t.streams[index]
	s.bytes, s.native, s.rule, s.others = uint32(bytes), to.native, to.why, to.others
	s.returned = f.departed.has(id.Lo, p.head.start)
	return index, true
}

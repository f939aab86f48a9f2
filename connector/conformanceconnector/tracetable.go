package conformanceconnector

import (
	"hash/maphash"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// traceTable finds traces by their ids. Most that are looked for are new, which it tells
// from a place in memory or two; Go's map takes more, and each is one that the CPU waits
// for.
type traceTable struct {
	// tags are the hashes, each where it says or in the next free place, which is 0. As
	// many as a power of two.
	tags   []uint32
	traces []*waitingTrace
	count  int
}

var traceSeed = maphash.MakeSeed()

func hashTrace(id pcommon.TraceID) uint64 { return maphash.Bytes(traceSeed, id[:]) }

// tagOf is not 0.
func tagOf(hash uint64) uint32 { return uint32(hash) | 1<<31 }

func (x *traceTable) next(at uint32) uint32 { return (at + 1) & uint32(len(x.tags)-1) }

func (x *traceTable) home(tag uint32) uint32 { return tag & uint32(len(x.tags)-1) }

// find returns a trace, or nil.
func (x *traceTable) find(hash uint64, id *pcommon.TraceID) *waitingTrace {
	if x.count == 0 {
		return nil
	}
	tag := tagOf(hash)
	for at := x.home(tag); x.tags[at] != 0; at = x.next(at) {
		if x.tags[at] == tag && x.traces[at].id == *id {
			return x.traces[at]
		}
	}
	return nil
}

// add adds a trace that is not in the table.
func (x *traceTable) add(t *waitingTrace) {
	if 2*x.count >= len(x.tags) {
		x.grow()
	}
	x.put(t)
	x.count++
}

func (x *traceTable) put(t *waitingTrace) {
	tag := tagOf(t.hash)
	at := x.home(tag)
	for x.tags[at] != 0 {
		at = x.next(at)
	}
	x.tags[at], x.traces[at] = tag, t
}

func (x *traceTable) grow() {
	old := x.traces
	places := max(16, 2*len(old))
	x.tags, x.traces = make([]uint32, places), make([]*waitingTrace, places)
	for _, t := range old {
		if t != nil {
			x.put(t)
		}
	}
}

// remove removes a trace that is in the table.
func (x *traceTable) remove(t *waitingTrace) {
	free := x.home(tagOf(t.hash))
	for x.traces[free] != t {
		free = x.next(free)
	}
	// Those behind it that belong before the free place would not be found any more.
	for at := x.next(free); x.tags[at] != 0; at = x.next(at) {
		mask := uint32(len(x.tags) - 1)
		if (at-x.home(x.tags[at]))&mask >= (at-free)&mask {
			x.tags[free], x.traces[free] = x.tags[at], x.traces[at]
			free = at
		}
	}
	x.tags[free], x.traces[free] = 0, nil
	x.count--
}

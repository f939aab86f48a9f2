package spanlinkprocessor

import (
	"bytes"
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// Of each pair the span carries the link that is decided last. The index keeps when that
// was, so whoever asks finds the same, however often: each order of arrival gives the
// same pairs, a span that is delivered again gets the links that it got before, no pair
// has two, and no links lead in a circle. A span is decided when it comes or, if it
// waits, when it goes on; who is undecided will find the others.
//
// In a chain by time a pair depends on who is between the two. There the same pairs come
// out only if all come within the rule's hold.

// decision says whom a span is to be linked to: the members at these places.
type decision struct {
	earlier []int32 // to these it links back
	later   []int32 // to these, which went on before, it points
	// ambiguous tells that there are more than the topology has.
	ambiguous bool
}

// decide decides about a span.
func (d *decision) decide(r *rule, self *correlation.Member, found *correlation.Result, keepsApart func(*correlation.Member) bool) {
	d.earlier, d.later = d.earlier[:0], d.later[:0]
	for i := range found.Members {
		other := &found.Members[i]
		if other.Came > found.Decided {
			continue // it came later
		}
		if isLater, isEarlier := r.follows(self, other), r.follows(other, self); !isLater && !isEarlier || keepsApart(other) {
			continue
		} else if isLater {
			d.earlier = append(d.earlier, int32(i))
		} else {
			d.later = append(d.later, int32(i))
		}
	}
	if r.byTime {
		d.leaveNearest(self, found)
	}
	d.judge(r)
	isOpen := func(i int32) bool { return found.Members[i].Decided > found.Decided }
	d.earlier, d.later = slices.DeleteFunc(d.earlier, isOpen), slices.DeleteFunc(d.later, isOpen)
}

// waits tells whether a span that is undecided has to wait. Whoever is there need not be
// waited for, also if it is not linked since it is the span's parent. But one that waits
// itself would find the span gone on, and in a chain by time another can come between.
func waits(r *rule, self *correlation.Member, found *correlation.Result) bool {
	return r.byTime || !slices.ContainsFunc(found.Members, func(other correlation.Member) bool {
		return other.Decided != correlation.Undecided && r.follows(self, &other)
	})
}

// leaveNearest leaves, of the earlier members, the last one, and of the later ones those
// for which the span is that: none that can be an earlier stage is before them.
func (d *decision) leaveNearest(self *correlation.Member, found *correlation.Result) {
	members := found.Members
	if len(d.earlier) > 1 {
		d.earlier[0] = slices.MaxFunc(d.earlier, func(a, b int32) int { return compare(&members[a], &members[b]) })
		d.earlier = d.earlier[:1]
	}
	var next *correlation.Member
	for i := range members {
		if m := &members[i]; m.Stages&fromBit != 0 && m.Came < found.Decided && compare(self, m) < 0 && (next == nil || compare(m, next) < 0) {
			next = m
		}
	}
	if next != nil {
		d.later = slices.DeleteFunc(d.later, func(i int32) bool { return compare(&members[i], next) > 0 })
	}
}

func (d *decision) judge(r *rule) {
	switch r.Topology {
	case linking.TopologyStar:
		d.ambiguous = len(d.earlier) > 1
	case linking.TopologyFanIn:
		d.ambiguous = len(d.later) > 1
	default:
		d.ambiguous = len(d.earlier) > 1 || len(d.later) > 1
	}
}

// follows tells whether one span is to be linked to another as the later stage to the
// earlier. It depends on nothing but the two.
func (r *rule) follows(later, earlier *correlation.Member) bool {
	if earlier.Stages<<1&later.Stages == 0 || distance(later.Start, earlier.Start) > r.window || r.Overlap && !overlap(later, earlier) {
		return false
	}
	if r.byTime {
		return compare(earlier, later) < 0
	}
	if later.Stages<<1&earlier.Stages == 0 {
		return true // the stages tell
	}
	switch {
	case isSent(earlier, later):
		return true
	case isSent(later, earlier):
		return false
	default:
		return compare(earlier, later) < 0
	}
}

func isSent(from, to *correlation.Member) bool {
	return from.Kind == uint8(ptrace.SpanKindProducer) && to.Kind == uint8(ptrace.SpanKindConsumer)
}

func overlap(a, b *correlation.Member) bool { return a.Start <= b.End && b.Start <= a.End }

func distance(a, b pcommon.Timestamp) pcommon.Timestamp { return max(a, b) - min(a, b) }

// compare orders spans by their starts and, where these are the same, by their ids, so
// that it is an order in any case.
func compare(a, b *correlation.Member) int {
	if a.Start != b.Start {
		return cmp.Compare(a.Start, b.Start)
	}
	if c := bytes.Compare(a.TraceID[:], b.TraceID[:]); c != 0 {
		return c
	}
	return bytes.Compare(a.SpanID[:], b.SpanID[:])
}

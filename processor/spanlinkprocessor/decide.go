package spanlinkprocessor

import (
	"bytes"
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// Of each pair one span carries the link: the later stage, if the earlier one had come
// when it was decided, and else the earlier one, if it is reversed. Both of them find
// that out from the order in which they came and were decided, which the index keeps:
//
//	backward, by the later stage:    earlier.Came < later.Decided
//	forward, by the earlier stage:   later.Decided < earlier.Came
//
// Exactly one holds, whoever asks and however often. So each order of arrival gives the
// same pairs, a span that is delivered again gets the links that it got before, and no
// pair has two.
//
// In a chain by time a pair depends on who is between the two. There the same pairs come
// out only if all come within the rule's hold.

// decision says whom a span meets: the members at these places.
type decision struct {
	earlier []int32 // those it is to be linked back to
	later   []int32 // those which went on before it came, and to which it is to point
	// ambiguous tells that there are more than the topology has.
	ambiguous bool
}

// arrive decides what a span does when it comes: link back and point to those that went
// on before it. One that is undecided links back later.
func (d *decision) arrive(r *rule, self *correlation.Member, found *correlation.Result, p *parents) {
	d.begin()
	d.findLater(r, self, found, p)
	if found.Decided != correlation.Undecided {
		d.findEarlier(r, self, found, p)
	}
	d.judge(r)
	// Those that are undecided will find this one.
	d.later = slices.DeleteFunc(d.later, func(i int32) bool { return found.Members[i].Decided > found.Came })
}

// release decides what a span does that was undecided: link back.
func (d *decision) release(r *rule, self *correlation.Member, found *correlation.Result, p *parents) {
	d.begin()
	d.findEarlier(r, self, found, p)
	d.judge(r)
}

// waits tells whether a span that is undecided has to wait. Whoever has come need not
// be waited for, also if it is not linked since it is the span's parent. But in a chain
// by time another can come between.
func waits(r *rule, self *correlation.Member, found *correlation.Result) bool {
	return r.byTime || !slices.ContainsFunc(found.Members, func(other correlation.Member) bool { return r.follows(self, &other) })
}

func (d *decision) begin() { d.earlier, d.later, d.ambiguous = d.earlier[:0], d.later[:0], false }

func (d *decision) findEarlier(r *rule, self *correlation.Member, found *correlation.Result, p *parents) {
	for i := range found.Members {
		other := &found.Members[i]
		if other.Came < found.Decided && r.follows(self, other) && !p.keepsApart(r, self, other, found.Members) {
			d.earlier = append(d.earlier, int32(i))
		}
	}
	if r.byTime {
		d.earlier = nearest(d.earlier, found.Members, 1)
	}
}

func (d *decision) findLater(r *rule, self *correlation.Member, found *correlation.Result, p *parents) {
	for i := range found.Members {
		other := &found.Members[i]
		if other.Came < found.Came && r.follows(other, self) && !p.keepsApart(r, self, other, found.Members) {
			d.later = append(d.later, int32(i))
		}
	}
	if r.byTime {
		d.later = nearest(d.later, found.Members, -1)
	}
}

// nearest leaves the last of some members, or with sign -1 the first.
func nearest(places []int32, members []correlation.Member, sign int) []int32 {
	if len(places) < 2 {
		return places
	}
	places[0] = slices.MaxFunc(places, func(a, b int32) int { return sign * compare(&members[a], &members[b]) })
	return places[:1]
}

func (d *decision) judge(r *rule) {
	switch r.Topology {
	case conventions.TopologyStar:
		d.ambiguous = len(d.earlier) > 1
	case conventions.TopologyFanIn:
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

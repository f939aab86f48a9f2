// SPDX-License-Identifier: Apache-2.0

package linkrule

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// Decision contains the members that a span is linked to, as indexes of the result's members. The
// zero Decision is ready to use, and reusable.
type Decision struct {
	Earlier []int32 // the span links back to these
	Later   []int32 // the span links forward to these, which were decided before it
	Alone   bool    // no member belongs to the span, linked or not
	// Ambiguous is set if there are more members than the topology allows.
	Ambiguous bool
}

// Decide decides about a span that has a key of the rule. It ignores members for which keepsApart
// returns true.
func (d *Decision) Decide(r *Rule, self *correlation.Member, found *correlation.Result, keepsApart func(*correlation.Member) bool) {
	d.Earlier, d.Later = d.Earlier[:0], d.Later[:0]
	for i := range found.Members {
		other := &found.Members[i]
		if other.Came > found.Decided {
			continue // it came later
		}
		switch {
		case r.follows(self, other):
			d.Earlier = append(d.Earlier, int32(i))
		case r.follows(other, self):
			d.Later = append(d.Later, int32(i))
		}
	}
	d.Alone = len(d.Earlier)+len(d.Later) == 0
	if r.byTime {
		// The last before a span may be of its own trace, which needs no link.
		d.leaveNearest(self, found)
	}
	isApart := func(i int32) bool { return keepsApart(&found.Members[i]) }
	d.Earlier, d.Later = slices.DeleteFunc(d.Earlier, isApart), slices.DeleteFunc(d.Later, isApart)
	d.judge(r)
	isOpen := func(i int32) bool { return found.Members[i].Decided > found.Decided }
	d.Earlier, d.Later = slices.DeleteFunc(d.Earlier, isOpen), slices.DeleteFunc(d.Later, isOpen)
}

// leaveNearest keeps the last of the earlier members. Of the later ones it keeps those with no
// member of an earlier stage between the span and them.
func (d *Decision) leaveNearest(self *correlation.Member, found *correlation.Result) {
	members := found.Members
	if len(d.Earlier) > 1 {
		d.Earlier[0] = slices.MaxFunc(d.Earlier, func(a, b int32) int { return Compare(&members[a], &members[b]) })
		d.Earlier = d.Earlier[:1]
	}
	var next *correlation.Member
	for i := range members {
		if m := &members[i]; m.Stages&fromBit != 0 && m.Came < found.Decided && Compare(self, m) < 0 && (next == nil || Compare(m, next) < 0) {
			next = m
		}
	}
	if next != nil {
		d.Later = slices.DeleteFunc(d.Later, func(i int32) bool { return Compare(&members[i], next) > 0 })
	}
}

func (d *Decision) judge(r *Rule) {
	switch r.Topology {
	case linking.TopologyStar:
		d.Ambiguous = len(d.Earlier) > 1
	case linking.TopologyFanIn:
		d.Ambiguous = len(d.Later) > 1
	default:
		d.Ambiguous = len(d.Earlier) > 1 || len(d.Later) > 1
	}
}

// Waits reports whether an undecided span has to wait. It does not wait if an earlier member is
// decided, even if that is its parent and not linked. It waits for an earlier member that waits
// itself. In a chain by time it always waits, for a member between the two, and in a fan-in for more
// earlier members.
func (r *Rule) Waits(self *correlation.Member, found *correlation.Result) bool {
	return r.byTime || r.Topology == linking.TopologyFanIn || !slices.ContainsFunc(found.Members, func(other correlation.Member) bool {
		return other.Decided != correlation.Undecided && r.follows(self, &other)
	})
}

// follows reports whether one span is linked to another as the later stage to the
// earlier. It depends on nothing but the two. A span without a real start has no place in time.
func (r *Rule) follows(later, earlier *correlation.Member) bool {
	if earlier.Stages<<1&later.Stages == 0 || !correlation.Plausible(min(later.Start, earlier.Start)) || distance(later.Start, earlier.Start) > r.window || r.Overlap && !overlap(later, earlier) {
		return false
	}
	if r.byTime || later.Stages<<1&earlier.Stages != 0 {
		return r.compareKinds(earlier, later) < 0
	}
	return true // the stages decide
}

// CompareStages orders spans with one key: earlier stages first, then as Compare does.
// What is in one batch is then linked as if it came in the right order.
func (r *Rule) CompareStages(a, b *correlation.Member) int {
	if r.byTime || a.Stages == b.Stages {
		return r.compareKinds(a, b)
	}
	return cmp.Or(cmp.Compare(bits.TrailingZeros8(a.Stages), bits.TrailingZeros8(b.Stages)), Compare(a, b))
}

// compareKinds puts a producer before a consumer, unless only time counts.
func (r *Rule) compareKinds(a, b *correlation.Member) int {
	switch {
	case r.byTime:
	case isSent(a, b):
		return -1
	case isSent(b, a):
		return 1
	}
	return Compare(a, b)
}

func isSent(from, to *correlation.Member) bool {
	return from.Kind == producer && to.Kind == consumer
}

func overlap(a, b *correlation.Member) bool { return a.Start <= b.End && b.Start <= a.End }

func distance(a, b pcommon.Timestamp) pcommon.Timestamp { return max(a, b) - min(a, b) }

// Compare orders spans by their starts, and by their ids where these are the same.
func Compare(a, b *correlation.Member) int {
	return cmp.Or(
		cmp.Compare(a.Start, b.Start),
		bytes.Compare(a.TraceID[:], b.TraceID[:]),
		bytes.Compare(a.SpanID[:], b.SpanID[:]))
}

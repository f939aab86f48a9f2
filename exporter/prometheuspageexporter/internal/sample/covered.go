package sample

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/reason"
)

// maxSpans bounds the gaps that are remembered for points that come late.
const maxSpans = 16

// covered is the time that the delta points of one series are about. A point that fits a gap is
// counted, whenever it comes; one that does not would be counted twice, in part or whole.
type covered struct {
	spans []span // in order, neither overlapping nor adjacent
}

// span is the time (start, end].
type span struct{ start, end pcommon.Timestamp }

// add covers the time of a point that comes now, up to now: points whose times are right will
// come for what is later. A point that covers nothing of the past is counted, also when it comes
// twice: what it is about is not remembered.
func (c *covered) add(start, end, now pcommon.Timestamp) reason.Reason {
	if start > end {
		return reason.Malformed
	}
	if start == 0 && c.end() < end {
		start = c.end() // the sender does not state when it began
	}
	if end > now {
		if start >= now {
			return reason.Shown
		}
		end = now
	}
	if start == 0 || start == end {
		start = end - min(end, 1) // it is about some time
	}
	if start >= end {
		return reason.Malformed
	}
	return c.cover(start, end)
}

// cover covers a span that has a length.
func (c *covered) cover(start, end pcommon.Timestamp) reason.Reason {
	n := len(c.spans)
	// The last is the usual one.
	i := n
	for i > 0 && c.spans[i-1].start >= end {
		i--
	}
	if i > 0 && c.spans[i-1].end > start {
		return reason.Overlap
	}
	joinsBefore := i > 0 && c.spans[i-1].end == start
	joinsAfter := i < n && c.spans[i].start == end
	switch {
	case joinsBefore && joinsAfter:
		c.spans[i-1].end = c.spans[i].end
		c.spans = slices.Delete(c.spans, i, i+1)
	case joinsBefore:
		c.spans[i-1].end = end
	case joinsAfter:
		c.spans[i].start = start
	default:
		c.spans = slices.Insert(c.spans, i, span{start, end})
	}
	if len(c.spans) > maxSpans {
		c.spans[1].start = c.spans[0].start // the earliest gap is forgotten
		c.spans = slices.Delete(c.spans, 0, 1)
	}
	return reason.Shown
}

// start returns the time from which on everything is counted, or 0 when nothing is covered.
func (c *covered) start() pcommon.Timestamp {
	if len(c.spans) == 0 {
		return 0
	}
	return c.spans[0].start
}

// end returns the time of the latest point, or 0 when nothing is covered.
func (c *covered) end() pcommon.Timestamp {
	if len(c.spans) == 0 {
		return 0
	}
	return c.spans[len(c.spans)-1].end
}

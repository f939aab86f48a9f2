// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// maxSpans bounds the gaps that are kept for late points.
const maxSpans = 16

// covered is the time that the delta points of one series cover. A late point that fits into a
// gap is counted. A point that overlaps covered time is refused, because some of its
// measurements would count twice.
type covered struct {
	spans []span // sorted, neither overlapping nor adjacent
}

// span is the time (start, end].
type span struct{ start, end pcommon.Timestamp }

// add covers the time of a point that arrives now, at most up to now, so that later points with
// correct times are not refused. A point entirely after now is counted without covering time,
// even if it arrives twice.
func (c *covered) add(start, end, now pcommon.Timestamp) Reason {
	if start > end {
		return Malformed
	}
	if start == 0 && c.end() < end {
		start = c.end() // the sender does not state a start
	}
	if end > now {
		if start >= now {
			return Shown
		}
		end = now
	}
	if start == 0 || start == end {
		start = end - min(end, 1) // cover the shortest possible time
	}
	if start >= end {
		return Malformed
	}
	return c.cover(start, end)
}

// cover covers the time (start, end], which is not empty.
func (c *covered) cover(start, end pcommon.Timestamp) Reason {
	n := len(c.spans)
	// The last span is the usual one.
	i := n
	for i > 0 && c.spans[i-1].start >= end {
		i--
	}
	if i > 0 && c.spans[i-1].end > start {
		return Overlap
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
		c.spans[1].start = c.spans[0].start // forget the earliest gap
		c.spans = slices.Delete(c.spans, 0, 1)
	}
	return Shown
}

func (c *covered) start() pcommon.Timestamp {
	if len(c.spans) == 0 {
		return 0
	}
	return c.spans[0].start
}

func (c *covered) end() pcommon.Timestamp {
	if len(c.spans) == 0 {
		return 0
	}
	return c.spans[len(c.spans)-1].end
}

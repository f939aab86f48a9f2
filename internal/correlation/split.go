// SPDX-License-Identifier: Apache-2.0

package correlation

import (
	"encoding/binary"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Split is how far apart the processes are that serve one request in a trace each. While the index remembers one, a log
// needs evidence of its process.
type Split uint8

// The kinds of Split: the parts of a request run somewhere, in one pod, or in one container. The later imply the
// earlier.
const (
	NotSplit Split = iota
	SplitTraces
	SplitPod
	SplitContainer
)

// SplitBetween returns the kind of Split of a request with traces in two processes. One process can have had a request
// twice.
func SplitBetween(one, other Process) Split {
	switch {
	case one.With(other) == SameProcess:
		return NotSplit
	case one.find(container) != "" && one.find(container) == other.find(container):
		return SplitContainer
	case one.find(pod) != "" && one.find(pod) == other.find(pod):
		return SplitPod
	default:
		return SplitTraces
	}
}

// splitsPerWindow is how often a Split is written again in a window.
const splitsPerWindow = 8

// Request returns the request that adds a Split to the index by the key of its scope. The index forgets a member when its
// window ends, so a later one follows while requests are split.
func (s Split) Request(key Key, window time.Duration) Request {
	m := Member{Stages: uint8(s)}
	m.TraceID[0] = byte(s)
	binary.BigEndian.PutUint64(m.SpanID[:], uint64(time.Now().UnixNano())/uint64(max(window/splitsPerWindow, 1)))
	m.Start = pcommon.NewTimestampFromTime(time.Now())
	m.End = m.Start
	return Request{Key: key, Op: Join, Limit: maxMembers, Member: m}
}

// SplitOf returns the Split that the index found by the key of a scope.
func SplitOf(r Result) Split {
	if r.Poisoned {
		return SplitContainer
	}
	s := NotSplit
	for i := range r.Members {
		s = max(s, Split(r.Members[i].Stages))
	}
	return s
}

// Allows reports whether evidence decides which part of a split request a log belongs to.
func (s Split) Allows(e Evidence) bool {
	switch s {
	case NotSplit:
		return e >= NoEvidence
	case SplitTraces:
		return e >= SamePod
	case SplitPod:
		return e >= SameContainer
	default:
		return e >= SameProcess
	}
}

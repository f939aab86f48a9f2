// SPDX-License-Identifier: Apache-2.0

package correlation

import (
	"encoding/binary"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Split is how far apart the processes are that serve one request in a trace each. While the index remembers one, a log
// needs evidence of its process.
type Split uint16

// NotSplit means that each request has one trace.
const NotSplit Split = 0

// The bits of a Split: that requests are split, and what their parts have in common or not.
const (
	SplitTraces Split = 1 << iota
	SplitPod
	SplitContainer
	splitThread
	SplitRole
	splitFolder
	splitFile
	threads // parts have different process ids
	folders // and write into different folders
	files   // and the same program into different files
	// Whole means that a line has waited for another part of its request in vain.
	Whole
)

// Is reports whether requests are split.
func (s Split) Is() bool { return s&^Whole != NotSplit }

// SplitBetween returns the Split of a request with traces in two processes. One process can have had a request twice.
func SplitBetween(one, other Process) Split {
	if same, contradicts := one.With(other); !contradicts && (same&SameProcess != 0 || same&SameThread != 0 && !one.differ(other, folder)) {
		return NotSplit
	}
	split := SplitTraces
	for _, shared := range [...]struct {
		kind byte
		is   Split
	}{{pod, SplitPod}, {container, SplitContainer}, {threadID, splitThread}, {role, SplitRole}, {folder, splitFolder}, {file, splitFile}} {
		if one.agree(other, shared.kind) {
			split |= shared.is
		}
	}
	if one.differ(other, folder) {
		split |= folders
	}
	if one.agree(other, source) {
		if one.differ(other, file) {
			split |= files
		}
		if one.differ(other, threadID) {
			split |= threads
		}
	}
	return split
}

// SplitBetweenSpans returns the Split of a request with spans of two processes. Where these state the id of a process alone,
// as all of their system do, it is what tells the parts apart.
func SplitBetweenSpans(one, other Process) Split {
	split := SplitBetween(one, other)
	if split != NotSplit && one.isNowhere() && other.isNowhere() && one.differ(other, threadID) {
		split |= threads
	}
	return split
}

// isNowhere reports whether a span states no place where its process id is unique.
func (p Process) isNowhere() bool {
	for _, kind := range [...]byte{container, pod, hostName, threadOn} {
		if p.find(kind) != "" {
			return false
		}
	}
	return true
}

// SplitOfThreads returns what the threads of two traces with one key have in common. Containers can have equal ids of
// processes.
func SplitOfThreads(one, other []Process) Split {
	if len(one) == 0 || len(other) == 0 {
		return NotSplit
	}
	split := threads
	for _, p := range one {
		for _, q := range other {
			switch {
			case !p.agree(q, threadID):
			case p.agree(q, processAt) || p.agree(q, threadOn):
				return NotSplit // a process has had the request twice
			default:
				split = splitThread
			}
		}
	}
	return split
}

// SplitIn returns the Split that the members of a key show: two traces show one.
func SplitIn(members []Member) Split {
	split := NotSplit
	for i := range members {
		for j := range members[:i] {
			one, other := &members[i], &members[j]
			if one.TraceID == other.TraceID || one.TraceID.IsEmpty() || other.TraceID.IsEmpty() {
				continue
			}
			between := SplitBetween
			if !one.Log && !other.Log {
				between = SplitBetweenSpans
			}
			split |= between(Process(one.TraceState), Process(other.TraceState))
		}
	}
	return split
}

// SplitFrom returns the Split that a line shows with the members of its key: one program wrote lines about one request
// into two folders, or two of its processes into one file. So it is seen before any span has come.
func SplitFrom(line Process, members []Member) Split {
	split := NotSplit
	for i := range members {
		other := Process(members[i].TraceState)
		apart := line.differ(other, folder) || line.agree(other, file) && line.differ(other, threadID)
		if members[i].Log && line.agree(other, source) && apart {
			split |= SplitBetween(line, other)
		}
	}
	return split
}

// splitsPerWindow is how often a Split is written again in a window.
const splitsPerWindow = 8

// Request returns the request that adds a Split to the index by the key of its scope. The index forgets a member when its
// window ends, so a later one follows while requests are split.
func (s Split) Request(key Key, window time.Duration) Request {
	m := Member{}
	binary.BigEndian.PutUint16(m.TraceID[:], uint16(s))
	binary.BigEndian.PutUint64(m.SpanID[:], uint64(time.Now().UnixNano())/uint64(max(window/splitsPerWindow, 1)))
	m.Start = pcommon.NewTimestampFromTime(time.Now())
	m.End = m.Start
	return Request{Key: key, Op: Join, Limit: maxFanInMembers, Member: m}
}

// SplitOf returns the Split that the index found by the key of a scope.
func SplitOf(r Result) Split {
	if r.Poisoned {
		return ^NotSplit
	}
	s := NotSplit
	for i := range r.Members {
		s |= Split(binary.BigEndian.Uint16(r.Members[i].TraceID[:]))
	}
	return s
}

// Allowed returns the evidence that decides which part of a split request a log belongs to. A folder, a file or the id of a
// process somewhere decides only where parts were seen to have their own.
func (s Split) Allowed() Evidence {
	allowed := ^Evidence(0)
	if !s.Is() {
		return allowed
	}
	for _, without := range [...]struct {
		has bool
		is  Evidence
	}{
		{s&(SplitPod|SplitContainer) != 0, SamePod},
		{s&SplitContainer != 0, SameContainer},
		{s&splitThread != 0 || s&threads == 0, SameThread},
		{s&SplitRole != 0, SameRole},
		{s&splitFolder != 0 || s&folders == 0, SameFolder},
		{s&splitFile != 0 || s&files == 0, SameFile},
	} {
		if without.has {
			allowed &^= without.is
		}
	}
	return allowed
}

// SPDX-License-Identifier: Apache-2.0

package correlation

import (
	"crypto/sha256"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Sighting returns the member that stands for a line with a key whose trace is not known: this process of the program wrote
// one into this folder.
func Sighting(p Process, written pcommon.Timestamp) Member {
	return fromLog(pcommon.TraceID{}, p, p.find(threadID)+p.find(folder)+p.find(source), written)
}

// Witness returns the member that stands for a line that shows where a process of a trace writes.
func Witness(trace pcommon.TraceID, p Process, written pcommon.Timestamp) Member {
	return fromLog(trace, p, p.find(threadID)+p.find(processAt)+p.find(file), written)
}

func fromLog(trace pcommon.TraceID, p, id Process, written pcommon.Timestamp) Member {
	m := Member{TraceID: trace, Start: written, End: written, Log: true, TraceState: string(p.kept())}
	m.SpanID = hashOf(id)
	return m
}

// ThreadMember returns the member by which the index keeps what a thread of a trace states.
func ThreadMember(trace pcommon.TraceID, p Process, start pcommon.Timestamp) Member {
	return Member{TraceID: trace, SpanID: hashOf(p), Start: start, End: start, TraceState: string(p)}
}

func hashOf(p Process) (id pcommon.SpanID) {
	hash := sha256.Sum256([]byte(p))
	copy(id[:], hash[:])
	return id
}

// ThreadsLimit is how many statements of threads a trace can have.
const ThreadsLimit = 64

// KeyOfThreads returns the key by which the statements of a trace's threads are found.
func (w *Writer) KeyOfThreads(id pcommon.TraceID) Key {
	w.Begin("threads of a trace")
	w.text = append(w.text, id[:]...)
	return w.Key()
}

// SPDX-License-Identifier: Apache-2.0

package assemble

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
)

// traceHeads are what runtimes write before a stack trace. Loggers write them too, in their messages.
var traceHeads = [][]byte{
	[]byte("Traceback (most recent call last):"), // Python
	[]byte("  + Exception Group Traceback (most recent call last):"),
	[]byte("Exception ignored in: "),
	[]byte("Fatal Python error: "),
	[]byte("Exception in thread "), // Java, and Python before its traceback
	[]byte("panic: "),              // Go
	[]byte("fatal error: "),
	[]byte("goroutine "),
}

// traceParts begin further lines of a stack trace that are not indented.
var traceParts = [][]byte{
	[]byte("Caused by: "), // Java
	[]byte("During handling of the above exception, another exception occurred:"), // Python
	[]byte("The above exception was the direct cause of the following exception:"),
	[]byte("Thread 0x"), // Python's faulthandler
	[]byte("Current thread 0x"),
	[]byte("Extension modules: "),
	[]byte("[signal "), // Go
	[]byte("PC=0x"),
	[]byte("runtime stack:"),
	[]byte("Node.js v"),
	[]byte("note: run with `RUST_BACKTRACE"), // Rust
	[]byte("stack backtrace:"),
}

// messageHeads are the heads and parts whose message or function is on the next line.
var messageHeads = [][]byte{[]byte("goroutine "), []byte("runtime stack:"), []byte("thread '")}

// beginsTrace reports whether a line that no logger wrote begins a stack trace.
func beginsTrace(line []byte) bool { return hasAnyPrefix(line, traceHeads) }

// continuesTrace reports whether a line belongs to a stack trace that no logger wrote. Indented and
// empty lines do, and the line after them or after a head: the message of an exception of Python, or a
// function of Go.
func continuesTrace(held, line []byte) bool {
	first := firstLine(held)
	if len(first) == len(held) && !beginsCrash(first) {
		return isFrame(line) // of what may be an exception
	}
	if len(line) == 0 || indented(line) || hasAnyPrefix(line, traceHeads) || hasAnyPrefix(line, traceParts) {
		return true
	}
	last := held[bytes.LastIndexByte(held, '\n')+1:]
	switch {
	case isPlace(line), isFrame(last) && throws(line):
		return false // the next one of Node or of the JVM
	case indented(last), hasAnyPrefix(last, messageHeads):
		return true
	case len(last) == 0: // of Node
		return throws(line) && isPlace(first)
	}
	return line[0] == '#' && first[0] == '#' // of the JVM
}

func indented(line []byte) bool { return len(line) > 0 && (line[0] == ' ' || line[0] == '\t') }

func hasAnyPrefix(line []byte, prefixes [][]byte) bool {
	return slices.ContainsFunc(prefixes, func(prefix []byte) bool { return bytes.HasPrefix(line, prefix) })
}

// A logger whose format repeats its head writes each line of a message as if it were a message of its own: with
// the same time, severity and place in the source. Of such lines, those that continue the stack trace of the held
// record belong to it. They are held without the head.

// traced is the state of a record with a stack trace.
type traced struct {
	// head is what each of its lines begins with, without colours. It is empty if no lines with it are a stack trace.
	head string
	// lastHeaded means that the last line had the head.
	lastHeaded bool
	// lastWritten and lastNumber are when the container runtime received the last line, and its piece.
	lastWritten time.Time
	lastNumber  int64
}

// headedPart returns what a line that begins like the held record adds to its stack trace.
func (a *Assembler) headedPart(w *writer, line []byte) (body []byte, ok bool) {
	if !w.repeatsHead() {
		return nil, false
	}
	if w.trace.head == "" {
		if !mentionsTrace(line) {
			return nil, false
		}
		body, ok = cutHead(line, a.headOf(w))
		return body, ok && beginsTrace(body)
	}
	body, ok = cutHead(line, w.trace.head)
	switch last := w.lastLine(); {
	case !ok:
		return nil, false
	case beginsTrace(body):
		// That of an exception which follows from the one before, or else of the next record.
		return body, len(last) == 0 || hasAnyPrefix(last, traceParts) || hasAnyPrefix(last, traceHeads)
	case len(body) == 0:
		return body, true
	}
	// Not only indented lines: the texts of exceptions have several lines. The next record has the same message
	// more often than not.
	first, _ := cutHead(firstLine(w.held), w.trace.head)
	return body, !bytes.Equal(body, first)
}

// repeatsHead reports whether a record is held whose format repeats the head.
func (w *writer) repeatsHead() bool {
	return len(w.held) > 0 && !w.progress && w.format != nil && w.format.RepeatsHead
}

func (a *Assembler) headOf(w *writer) string { return w.format.HeadOf(firstLine(w.held), &a.entry) }

// heldTrace notes that lines with the head of the held record are a stack trace.
func (a *Assembler) heldTrace(w *writer) {
	if w.trace.head == "" {
		w.trace.head = strings.Clone(a.headOf(w))
	}
}

// splitMessage completes the held record before its last line, if a line begins the stack trace of another record:
// the last line is the message of that one. Until then it could have been a part of an exception's text. It reports
// whether it did.
func (a *Assembler) splitMessage(w *writer, line []byte, emit func(Record)) bool {
	if w.trace.head == "" || !w.trace.lastHeaded {
		return false
	}
	body, ok := cutHead(line, w.trace.head)
	if !ok || !beginsTrace(body) {
		return false
	}
	end := bytes.LastIndexByte(w.held, '\n')
	if end < 0 {
		return false
	}
	message, before := w.held[end+1:], w.held[:end]
	previous := before[bytes.LastIndexByte(before, '\n')+1:]
	if len(previous) == len(before) {
		previous, _ = cutHead(before, w.trace.head)
	}
	// The first line after indented ones is the exception.
	if len(message) == 0 || indented(message) || indented(previous) || hasAnyPrefix(previous, traceHeads) {
		return false
	}
	next, format, trace := append([]byte(w.trace.head), message...), w.format, w.trace
	a.size -= len(w.held) - end
	w.held = before
	a.complete(w, emit)
	a.begin(w, next, format, trace.lastWritten, emit)
	w.number = trace.lastNumber
	return true
}

// startsLike reports whether the beginning of a line may have the head of the held record.
func (a *Assembler) startsLike(w *writer, text []byte) bool {
	if !w.repeatsHead() {
		return false
	}
	if bytes.IndexByte(text, '\x1b') >= 0 {
		return true // the rest of a colour may be missing
	}
	head := a.headOf(w)
	n := min(len(head), len(text))
	return head[:n] == string(text[:n])
}

// cutHead returns the rest of a line, without colours, that begins with a head. An empty body may lack the spaces
// before it.
func cutHead(line []byte, head string) (body []byte, ok bool) {
	if head == "" {
		return nil, false
	}
	if bytes.IndexByte(line, '\x1b') >= 0 {
		line = []byte(logformat.WithoutColour(string(line)))
	}
	if len(line) < len(head) {
		return nil, string(line) == strings.TrimRight(head, " ")
	}
	return line[len(head):], string(line[:len(head)]) == head
}

// mentionsTrace reports whether a line has the beginning of a stack trace anywhere.
func mentionsTrace(line []byte) bool {
	return slices.ContainsFunc(traceHeads, func(head []byte) bool { return bytes.Contains(line, head) })
}

func firstLine(held []byte) []byte {
	first, _, _ := bytes.Cut(held, []byte{'\n'})
	return first
}

// lastLine returns the last line of the held record, without its head.
func (w *writer) lastLine() []byte {
	if at := bytes.LastIndexByte(w.held, '\n'); at >= 0 {
		return w.held[at+1:]
	}
	body, _ := cutHead(w.held, w.trace.head)
	return body
}

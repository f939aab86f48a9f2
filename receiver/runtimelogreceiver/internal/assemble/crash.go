// SPDX-License-Identifier: Apache-2.0

package assemble

import (
	"bytes"
	"regexp"
	"strings"
	"unsafe"

	"go.opentelemetry.io/collector/pdata/plog"
)

// crashHead is what a runtime writes before a stack trace or when the process ends, without a logger.
type crashHead struct {
	text     string
	severity plog.SeverityNumber
	// whole means that nothing follows but the note that memory was written to a file.
	whole bool
}

const dumped = " (core dumped)"

// crashHeads are those that begin a record of their own, by their first byte.
var crashHeads = byFirst([]crashHead{
	{text: "Traceback (most recent call last):", severity: plog.SeverityNumberError}, // Python
	{text: "  + Exception Group Traceback (most recent call last):", severity: plog.SeverityNumberError},
	{text: "Exception ignored in: ", severity: plog.SeverityNumberError},
	{text: "Fatal Python error: ", severity: plog.SeverityNumberFatal},
	{text: "Exception in thread ", severity: plog.SeverityNumberError}, // Java, and Python before its traceback
	{text: "# A fatal error has been detected by the Java Runtime Environment", severity: plog.SeverityNumberFatal},
	{text: "Terminating due to java.lang.OutOfMemoryError", severity: plog.SeverityNumberFatal},
	{text: "panic: ", severity: plog.SeverityNumberFatal}, // Go
	{text: "fatal error: ", severity: plog.SeverityNumberFatal},
	{text: "SIGSEGV: segmentation violation", severity: plog.SeverityNumberFatal},
	{text: "SIGABRT: abort", severity: plog.SeverityNumberFatal},
	{text: "SIGQUIT: quit", severity: plog.SeverityNumberFatal},
	{text: "goroutine ", severity: plog.SeverityNumberError},
	{text: "thread 'main' ", severity: plog.SeverityNumberFatal}, // Rust
	{text: "thread '", severity: plog.SeverityNumberError},
	{text: "Unhandled exception. ", severity: plog.SeverityNumberFatal},               // .NET
	{text: "terminate called after throwing an ", severity: plog.SeverityNumberFatal}, // C++
	{text: "terminate called without an active exc", severity: plog.SeverityNumberFatal},
	{text: "*** stack smashing detected ***", severity: plog.SeverityNumberFatal},
	{text: "!!!!!!! Segfault encountered !!!!!!!", severity: plog.SeverityNumberFatal}, // PyTorch
	{text: "Segmentation fault", severity: plog.SeverityNumberFatal, whole: true},
	{text: "Bus error", severity: plog.SeverityNumberFatal, whole: true},
	{text: "Illegal instruction", severity: plog.SeverityNumberFatal, whole: true},
	{text: "Floating point exception", severity: plog.SeverityNumberFatal, whole: true},
	{text: "Aborted", severity: plog.SeverityNumberFatal, whole: true},
	{text: "Killed", severity: plog.SeverityNumberFatal, whole: true},
})

func byFirst(heads []crashHead) (table [256][]crashHead) {
	for _, h := range heads {
		table[h.text[0]] = append(table[h.text[0]], h)
	}
	return table
}

func (h *crashHead) begins(line []byte) bool {
	if len(line) < len(h.text) || string(line[:len(h.text)]) != h.text {
		return false
	}
	switch rest := line[len(h.text):]; {
	case h.whole:
		return len(rest) == 0 || string(rest) == dumped
	case strings.HasPrefix(h.text, "thread '"): // Rust
		return bytes.Contains(firstLine(rest), []byte("panicked at "))
	}
	return true
}

// crashOf returns the severity of what a line begins that no logger wrote, or 0.
func crashOf(line []byte) plog.SeverityNumber {
	if len(line) == 0 {
		return 0
	}
	heads := crashHeads[line[0]]
	for i := range heads {
		if heads[i].begins(line) {
			return heads[i].severity
		}
	}
	return 0
}

var (
	// thrown matches the first line of an exception of Node or of the JVM: TypeError: x, java.lang.Error: x. Any
	// program may write such a line, so it counts only if a frame follows.
	thrown = regexp.MustCompile(`^(?:Uncaught )?(?:[\w$]+\.)*(?:[A-Z][\w$]*)?(?:Error|Exception|Throwable|Failure)(?: \[\w+\])?(?:$|: )`)
	// place matches the place in the source that Node writes before it ends.
	place = regexp.MustCompile(`^(?:node:[\w/:-]+|(?:/|file://|[A-Z]:\\)\S*\.[cm]?[jt]s):\d+$`)
	// request matches what an access line has of a request and its answer.
	request = regexp.MustCompile(`" ?\d{3}(?: |$)`)
)

// thrownEnds are the ends of the first word of such a line.
var thrownEnds = [...]string{"Error", "Exception", "Throwable", "Failure", "Uncaught"}

// throws reports whether a line may be the first one of an exception with its frames.
func throws(line []byte) bool {
	end := 0
	for end < len(line) && line[end] != ' ' && line[end] != ':' {
		end++
	}
	word := line[:end]
	// The pattern is tried for few lines only.
	for _, suffix := range thrownEnds {
		if len(word) >= len(suffix) && string(word[len(word)-len(suffix):]) == suffix {
			return thrown.Match(line)
		}
	}
	return false
}

// isPlace reports whether a line is the place in the source that Node writes before an exception.
func isPlace(line []byte) bool {
	return len(line) > 0 && line[len(line)-1]-'0' <= 9 && bytes.IndexByte(line, ' ') < 0 && place.Match(line)
}

// isFrame reports whether a line is a frame of a stack of Node or of the JVM.
func isFrame(line []byte) bool {
	return indented(line) && bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("at "))
}

// beginsCrash reports whether a line begins a record that no logger wrote.
func beginsCrash(line []byte) bool { return crashOf(line) != 0 || isPlace(line) }

// SeverityOf returns the severity of a record that no logger wrote: FATAL if the process ended with it, ERROR for
// another stack trace, and 0 for other texts.
func SeverityOf(record string) plog.SeverityNumber {
	text := unsafe.Slice(unsafe.StringData(record), len(record)) // a copy would cost more than the rest
	first, rest, several := bytes.Cut(text, []byte{'\n'})
	if severity := crashOf(first); severity != 0 || !several {
		return severity
	}
	ended := bytes.Contains(rest, []byte("\nNode.js v"))
	switch {
	case isPlace(first) && (ended || bytes.Contains(rest, []byte("\n    at "))):
		return plog.SeverityNumberFatal
	case !throws(first) || !isFrame(firstLine(rest)):
		return 0
	case ended:
		return plog.SeverityNumberFatal
	}
	return plog.SeverityNumberError
}

// isAccess reports whether a line is that of a request and its answer, which is complete by itself.
func isAccess(line []byte) bool {
	at := bytes.Index(line, []byte(" HTTP/"))
	if at < 0 {
		return false
	}
	end := bytes.IndexByte(line[at:], '"')
	return end > 0 && end < len(` HTTP/1.1"`) && request.Match(line[at+end:min(len(line), at+end+len(`" 200 `))])
}

// announcing matches what a message says of an exception that follows.
var announcing = regexp.MustCompile(`(?i)error|exception|traceback|fail|crash|panic|fatal`)

// maxHead bounds what is sought in the first line of a record, in bytes: it may be sought for each further line.
const maxHead = 4096

// head returns the beginning of the held record's first line.
func (w *writer) head() []byte { return firstLine(w.held[:min(len(w.held), maxHead)]) }

// joins reports whether a line that begins no record belongs to the held record, whose format joins lines.
func (a *Assembler) joins(w *writer, line []byte) bool {
	switch {
	case w.format.Indented:
		return indented(line)
	case len(line) == 0, indented(line) && !beginsTrace(line):
		return true
	case beginsCrash(line):
		return a.announces(w)
	}
	return !isAccess(line) && !isAccess(w.head())
}

// announces reports whether a stack trace belongs to the held record: the record is an error, or it is a warning or
// has no severity and speaks of one.
func (a *Assembler) announces(w *writer) bool {
	first := w.head()
	if isAccess(first) {
		return false
	}
	a.entry.Reset()
	if a.Formats.Parse(string(first), w.format, &a.entry) == nil {
		return true // the severity is in a second line
	}
	switch severity := a.entry.Severity; {
	case severity >= plog.SeverityNumberError, mentionsTrace(first):
		return true
	case severity == plog.SeverityNumberUnspecified, severity >= plog.SeverityNumberWarn:
		return announcing.Match(first)
	}
	return false
}

// splitThrown completes the held record before its last line, if that line is an exception whose first frame comes
// and the record is no error. It reports whether it did.
func (a *Assembler) splitThrown(w *writer, line []byte, emit func(Record)) bool {
	if len(w.held) == 0 || w.format == nil || !isFrame(line) {
		return false
	}
	end := bytes.LastIndexByte(w.held, '\n')
	if end < 0 || !throws(w.held[end+1:]) || a.announces(w) {
		return false
	}
	next, trace := bytes.Clone(w.held[end+1:]), w.trace
	a.size -= len(w.held) - end
	w.held = w.held[:end]
	a.complete(w, emit)
	a.begin(w, next, nil, trace.lastWritten, emit)
	w.number = trace.lastNumber
	return true
}

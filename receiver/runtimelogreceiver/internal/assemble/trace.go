// SPDX-License-Identifier: Apache-2.0

package assemble

import "bytes"

// traceHeads are what runtimes write before a stack trace, without a logger.
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
	[]byte("[signal "), // Go
}

// beginsTrace reports whether a line that no logger wrote begins a stack trace.
func beginsTrace(line []byte) bool { return hasAnyPrefix(line, traceHeads) }

// continuesTrace reports whether a line belongs to a stack trace that no logger wrote. Indented and
// empty lines do, and the line after them or after a head: the message of a Python exception, or a
// function of Go.
func continuesTrace(held, line []byte) bool {
	if len(line) == 0 || indented(line) || hasAnyPrefix(line, traceHeads) || hasAnyPrefix(line, traceParts) {
		return true
	}
	last := held[bytes.LastIndexByte(held, '\n')+1:]
	return indented(last) || bytes.HasPrefix(last, []byte("goroutine "))
}

func indented(line []byte) bool { return len(line) > 0 && (line[0] == ' ' || line[0] == '\t') }

func hasAnyPrefix(line []byte, prefixes [][]byte) bool {
	for _, prefix := range prefixes {
		if bytes.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}

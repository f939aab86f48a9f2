// SPDX-License-Identifier: Apache-2.0

// Package wire estimates the memory and the nesting depth of an OTLP request from its encoded
// bytes, and stops when a limit is exceeded. NewProtobuf and NewJSON return a Checker, which
// receives the bytes in chunks as they arrive. It reads them once, without recursion, and keeps
// none.
//
// The package knows which fields of OTLP contain messages, and nothing else of OTLP. It accepts
// invalid protobuf, because decoding refuses it with its own error. It refuses invalid JSON,
// for the reason that type JSON explains.
package wire

// Limits are the limits of a request.
type Limits struct {
	// Depth bounds the nesting of messages. The request itself has depth 1.
	Depth int
	// Size bounds the memory of the decoded request, in bytes.
	Size int
}

// Rule is the limit that a request violates.
type Rule uint8

// The rules. None means that a request violates no limit.
const (
	None Rule = iota
	TooDeep
	TooLarge
	NotJSON
	NotUTF8
)

// Checker checks a request that arrives in chunks.
type Checker interface {
	// Check returns the limit that the bytes so far violate. After a violation, it always
	// returns the same limit.
	Check(chunk []byte) Rule
	// Size returns the estimated memory of the request so far, in bytes.
	Size() int
}

// tally adds up the memory of a request, for both encodings.
type tally struct {
	limits Limits
	pos    int // bytes so far: each may be kept as a part of a string
	extra  int // the memory of messages, in bytes
	rule   Rule
}

// Size implements Checker.
func (t *tally) Size() int { return t.pos + t.extra }

// message adds a message, and reports whether the limits are met.
func (t *tally) message(depth, weight int) bool {
	t.extra += weight
	if depth > t.limits.Depth {
		t.rule = TooDeep
	}
	return t.rule == None && t.fits()
}

// fits reports whether the limit of the size is met.
func (t *tally) fits() bool {
	if t.Size() > t.limits.Size {
		t.rule = TooLarge
	}
	return t.rule == None
}

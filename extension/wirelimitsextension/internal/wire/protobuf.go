// SPDX-License-Identifier: Apache-2.0

package wire

import "math"

// typicalDepth exceeds the depth of messages without deeply nested values.
const typicalDepth = 20

// message is a message whose end has not been reached.
type message struct {
	end  int // the position of its end in the request
	kind kind
}

// Protobuf checks a request in protobuf. It is not safe for concurrent use.
type Protobuf struct {
	tally
	stack  []message // the request and the open messages inside it
	skip   int       // the remaining bytes of a field to skip
	groups int       // the number of open groups, inside which there are no known fields
	broken bool      // invalid; decoding returns the error

	partial [maxHeader]byte // an incomplete header at the end of the last chunk
	held    int             // the length of partial
}

// NewProtobuf returns a checker for one request of a signal.
func NewProtobuf(signal Signal, limits Limits) *Protobuf {
	p := &Protobuf{tally: tally{limits: limits}}
	p.stack = append(make([]message, 0, typicalDepth), message{end: math.MaxInt, kind: signal.request()})
	return p
}

// Check implements Checker.
func (p *Protobuf) Check(chunk []byte) Rule {
	for len(chunk) > 0 && p.rule == None && !p.broken {
		switch {
		case p.skip > 0:
			n := min(p.skip, len(chunk))
			p.skip -= n
			p.pos += n
			chunk = chunk[n:]
		case p.held > 0:
			chunk = chunk[p.complete(chunk):]
		default:
			chunk = chunk[p.fields(chunk):]
		}
	}
	if p.rule == None {
		p.fits()
	}
	return p.rule
}

// complete completes the header that began in the last chunk. It returns how many bytes of the
// chunk it read.
func (p *Protobuf) complete(chunk []byte) int {
	for i, b := range chunk {
		p.partial[p.held] = b
		p.held++
		h, n := readHeader(p.partial[:p.held])
		if n == incomplete {
			continue
		}
		p.held = 0
		p.field(h, n)
		return i + 1
	}
	return len(chunk)
}

// fields reads fields up to the end of the chunk or to a content to skip. It returns how many
// bytes it read.
func (p *Protobuf) fields(chunk []byte) int {
	for i := 0; i < len(chunk); {
		if i += p.short(chunk[i:]); i == len(chunk) || p.rule != None || p.broken {
			return len(chunk)
		}
		h, n := readHeader(chunk[i:])
		if n == incomplete {
			p.held = copy(p.partial[:], chunk[i:])
			return len(chunk)
		}
		p.field(h, n)
		if p.rule != None || p.broken {
			return len(chunk)
		}
		i += n
		if p.skip > 0 {
			return i
		}
	}
	return len(chunk)
}

// field handles a header of n bytes. It enters the field's content or skips it.
func (p *Protobuf) field(h header, n int) {
	p.leave()
	top := p.stack[len(p.stack)-1]
	if n == malformed || n > top.end-p.pos || h.length > top.end-p.pos-n {
		p.broken = true
		return
	}
	p.pos += n
	if p.groups > 0 || h.form == typeStartGroup || h.form == typeEndGroup {
		p.group(h)
		return
	}
	content := held(top.kind, h.field)
	switch {
	case content == opaque:
		p.skip = h.length
	case h.form == typeLength && content > varints:
		if p.message(len(p.stack)+1, weights[content]) && h.length > 0 {
			p.stack = append(p.stack, message{end: p.pos + h.length, kind: content})
		}
	case h.form == typeLength && content == varints:
		p.message(0, weights[varints]*h.length)
		p.skip = h.length
	default:
		p.message(0, weights[content])
		p.skip = h.length
	}
}

// leave closes the messages that end at the current position.
func (p *Protobuf) leave() {
	for p.stack[len(p.stack)-1].end == p.pos {
		p.stack = p.stack[:len(p.stack)-1]
	}
}

// group handles a header inside or of a group, as pdata does: the first field inside a group
// that is not a group ends it.
func (p *Protobuf) group(h header) {
	switch h.form {
	case typeStartGroup:
		p.groups++
	case typeEndGroup:
		p.groups--
		p.broken = p.groups < 0
	default:
		p.groups = 0
		p.skip = h.length
	}
}

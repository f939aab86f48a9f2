package wire

import "math"

// usualDepth is what messages have without values that are nested deep: it needs no
// allocation.
const usualDepth = 20

// message is one whose end has not come.
type message struct {
	end  int // where it ends in the request
	kind kind
}

// Protobuf looks at a request in protobuf. It is not safe for concurrent use.
type Protobuf struct {
	tally
	stack  []message // the request, and what lies in each other
	skip   int       // bytes of a field's content that are still to come
	groups int       // groups that are open; nothing that is known lies in one
	broken bool      // not valid, so that whoever decodes it refuses it

	partial [maxHeader]byte // the begin of a header that the chunk before ended in
	held    int             // its length

	usual [usualDepth]message
}

// NewProtobuf returns a checker for one request of a signal.
func NewProtobuf(signal Signal, limits Limits) *Protobuf {
	p := &Protobuf{tally: tally{limits: limits}}
	p.stack = append(p.usual[:0], message{end: math.MaxInt, kind: signal.request()})
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

// complete reads the header that the chunk before began, and returns how much of this
// chunk belongs to it.
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

// fields reads fields until the chunk ends, in the content of one or between two, and
// returns how much of it was read.
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

// field takes a header of n bytes: what lies in it is to be read or to be skipped.
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

// leave closes the messages that end here.
func (p *Protobuf) leave() {
	for p.stack[len(p.stack)-1].end == p.pos {
		p.stack = p.stack[:len(p.stack)-1]
	}
}

// group takes a header in a group, or of one, as pdata does: the first field in it that
// is no group ends it.
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

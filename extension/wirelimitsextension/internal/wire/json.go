package wire

import "bytes"

// separatorWeight is what an element of an array may take: half of the heaviest message,
// so that what is estimated is at least half of what is true.
const separatorWeight = 108

// JSON looks at a request in JSON, where each message is an object. It is not safe for
// concurrent use.
//
// pdata goes on after what it cannot read, and is then at other places than we are, maybe
// in a text: 4 MiB of "1,1,1" in an array of spans are two million spans before it says
// that they are none. So all commas and brackets count, wherever they are, because no
// message comes without one; and what is no JSON is refused, so that no field has a name
// that is outside of a text here.
type JSON struct {
	tally
	depth   int    // of objects
	opened  []byte // the brackets that are open
	last    byte   // that is no space and not in a text; of a text its end
	inText  bool
	escaped bool
	done    bool // the request ended; what follows may be anything
	utf8    utf8Checker

	usual [2 * usualDepth]byte
}

// NewJSON returns a checker for one request.
func NewJSON(limits Limits) *JSON {
	j := &JSON{tally: tally{limits: limits}}
	j.opened = j.usual[:0]
	return j
}

// Check implements Checker.
func (j *JSON) Check(chunk []byte) Rule {
	if j.rule != None {
		return j.rule
	}
	j.pos += len(chunk)
	j.extra += separatorWeight * (bytes.Count(chunk, []byte{','}) + bytes.Count(chunk, []byte{'['}))
	if j.fits() && !j.utf8.check(chunk, false) {
		j.rule = NotUTF8
	}
	if j.rule == None && !j.done {
		j.scan(chunk)
	}
	return j.rule
}

// scan follows texts and objects, until the limits are not kept.
func (j *JSON) scan(chunk []byte) {
	i := 0
	if j.inText {
		i = j.text(chunk, 0) + 1
	}
	for ; i < len(chunk) && j.rule == None && !j.done; i++ {
		b := chunk[i]
		what := classes[b]
		if what == space {
			continue
		}
		if what&follows[j.last] == 0 {
			j.rule = NotJSON
			return
		}
		j.last = b
		switch b {
		case '"':
			j.inText = true
			i = j.text(chunk, i+1)
		case '{', '[':
			j.open(b)
		case '}', ']':
			j.close(b)
		case 'n': // null is an object without anything
			j.message(j.depth+1, 0)
		}
	}
}

// open begins an object or an array. An object lies in one array at the most.
func (j *JSON) open(bracket byte) {
	j.opened = append(j.opened, bracket)
	if bracket == '{' {
		j.depth++
	}
	j.message(max(j.depth, len(j.opened)/2), 0)
}

// close ends what was begun last. In ASCII brackets are two apart.
func (j *JSON) close(bracket byte) {
	last := len(j.opened) - 1
	if last < 0 || j.opened[last] != bracket-2 {
		j.rule = NotJSON
		return
	}
	if bracket == '}' {
		j.depth--
	}
	j.opened = j.opened[:last]
	j.done = last == 0
}

// text goes on in a text from i, and returns where it ends.
func (j *JSON) text(chunk []byte, i int) int {
	if j.escaped {
		j.escaped = false
		i++
	}
	for ; i < len(chunk); i++ {
		switch chunk[i] {
		case '"':
			j.inText = false
			return i
		case '\\':
			i++
			j.escaped = i == len(chunk)
		}
	}
	return i
}

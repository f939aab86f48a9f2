package wire

// Limits say what a request may have.
type Limits struct {
	// Depth is of messages in messages; the request itself is the first.
	Depth int
	// Size is of the decoded request, in bytes.
	Size int
}

// Rule is the limit that a request does not keep.
type Rule uint8

// None is the rule of requests that keep all limits.
const (
	None Rule = iota
	TooDeep
	TooLarge
	NotJSON
	NotUTF8
)

// Checker looks at a request, of which it gets one chunk after the other.
type Checker interface {
	// Check returns the limit that what it got so far does not keep. Once there is one,
	// it is the answer to all that follows.
	Check(chunk []byte) Rule
	// Size returns what the request takes in memory, in bytes, by what came so far.
	Size() int
}

// tally adds up what a request has, for both encodings.
type tally struct {
	limits Limits
	pos    int // bytes so far, of which each may be kept as a part of a string
	extra  int // what messages take besides
	rule   Rule
}

// Size implements Checker.
func (t *tally) Size() int { return t.pos + t.extra }

// message counts one, and reports whether the limits are kept.
func (t *tally) message(depth, weight int) bool {
	t.extra += weight
	if depth > t.limits.Depth {
		t.rule = TooDeep
	}
	return t.rule == None && t.fits()
}

// fits looks at the size, and reports whether it is kept.
func (t *tally) fits() bool {
	if t.Size() > t.limits.Size {
		t.rule = TooLarge
	}
	return t.rule == None
}

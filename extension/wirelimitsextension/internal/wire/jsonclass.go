package wire

// class is what a byte outside of texts is; a set of classes says what may follow.
type class uint8

const (
	open class = 1 << iota // of an object or an array
	end                    // of an object or an array
	comma
	colon
	quote  // begin or end of a text
	scalar // a byte of a number, true, false or null
	space  // may be anywhere
)

// classes are those of all bytes that JSON has outside of texts.
var classes = func() (all [256]class) {
	for what, set := range map[class]string{
		open: "{[", end: "}]", comma: ",", colon: ":", quote: `"`, space: " \t\r\n",
		scalar: "0123456789+-.eEtrufalsn",
	} {
		for _, b := range []byte(set) {
			all[b] = what
		}
	}
	return all
}()

// follows says what may follow a byte. It leaves out what needs a memory of all that is
// open, and the order in numbers and words.
var follows = func() (all [256]class) {
	const value = open | quote | scalar
	for b := range all {
		switch what := classes[b]; what {
		case end, quote, scalar:
			all[b] = end | comma | colon
			if what == scalar {
				all[b] |= scalar
			}
		case comma, colon:
			all[b] = value
		}
	}
	all['{'] = end | quote
	all['['] = end | value
	all[0] = value // the begin
	return all
}()

// SPDX-License-Identifier: Apache-2.0

package wire

// class is the role of a byte outside of strings. A set of classes describes what may follow.
type class uint8

const (
	open class = 1 << iota // of an object or an array
	end                    // of an object or an array
	comma
	colon
	quote  // the beginning or end of a string
	scalar // a byte of a number, true, false or null
	space  // allowed anywhere
)

// classes are the classes of all bytes that JSON allows outside of strings.
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

// follows has the classes that may follow a byte. It does not check what depends on the open
// brackets, nor the order inside numbers and words.
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
	all[0] = value // the beginning of the request
	return all
}()

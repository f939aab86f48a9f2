// SPDX-License-Identifier: Apache-2.0

package tracecontext

import "strings"

// FindInner finds a key of an object inside another, given the name and the number of the inner
// object. It also returns the number of the object whose statement the key belongs to:
// {"trace": {"id": …}, "span": {"id": …}} is one statement of the outer object, while {"dd":
// {"trace_id": …}} is one of the inner object.
func (k *Keys) FindInner(object, name string, number int) (key *Key, in int) {
	if len(object)+len(name) < k.longest {
		if key = k.Find(object + "." + name); key != nil {
			return key, 0
		}
	}
	if key = k.Find(name); key != nil && isAboutAnother(object) {
		return nil, 0
	}
	return key, number
}

// isAboutAnother reports whether an object of that name holds the ids of another span, such as
// the parent.
func isAboutAnother(object string) bool {
	for _, word := range [...]string{"parent", "link", "remote", "upstream", "caller", "cause"} {
		for i := range len(object) - len(word) + 1 {
			if strings.EqualFold(object[i:i+len(word)], word) {
				return true
			}
		}
	}
	return false
}

// isAmbiguous reports whether a text contains an object, such as a part of JSON, whose keys
// have another meaning than in plain text. The text does not show which object a key is in. Ids
// in Datadog's object dd are decimal and may look hexadecimal.
func isAmbiguous(text string) bool {
	for at := 0; ; at++ {
		i := strings.IndexByte(text[at:], '{')
		if i < 0 {
			return false
		}
		at += i
		if name := objectBefore(text[:at]); name == "dd" || isAboutAnother(name) {
			return true
		}
	}
}

// objectBefore returns the name of the object that begins after the text, or "" for an object
// without one.
func objectBefore(text string) string {
	text, named := strings.CutSuffix(strings.TrimRight(text, " "), ":")
	text = strings.TrimRight(text, " ")
	last := len(text) - 1
	if !named || last < 0 || !isQuote(text[last]) {
		return ""
	}
	return text[strings.LastIndexByte(text[:last], text[last])+1 : last]
}

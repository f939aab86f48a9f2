package tracecontext

import "strings"

// FindInner is Find for a key of an object inside another, by the object's name
// and its number. It also returns the number of the object whose statement the key
// belongs to: {"trace": {"id": …}, "span": {"id": …}} is one statement of the outer
// object, and {"dd": {"trace_id": …}} is Datadog's.
func (k *Keys) FindInner(object, name string, number int) (key *Key, in int) {
	if key = k.findJoined(object, name); key != nil {
		return key, 0
	}
	if key = k.Find(name); key != nil && isAboutAnother(object) {
		return nil, 0
	}
	return key, number
}

// findJoined is Find for two names with a dot between them.
func (k *Keys) findJoined(object, name string) *Key {
	dot := len(object)
	length := dot + len(".") + len(name)
	if length >= len(k.byLength) {
		return nil
	}
	keys := k.byLength[length]
	for i := range keys {
		if whole := keys[i].name; whole[dot] == '.' && whole[:dot] == object && whole[dot+1:] == name {
			return &keys[i]
		}
	}
	return nil
}

// isAboutAnother says whether the ids in an object of that name are those of
// another span than the record's.
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

// inDoubt says whether a text holds an object, as a part of JSON does, whose keys do
// not mean what they mean elsewhere: in which object a key is cannot be told there.
// Ids in Datadog's are decimal and may look hexadecimal.
func inDoubt(text string) bool {
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

// objectBefore returns the name that a text gives the object after it, empty when it
// gives none.
func objectBefore(text string) string {
	text, named := strings.CutSuffix(strings.TrimRight(text, " "), ":")
	text = strings.TrimRight(text, " ")
	last := len(text) - 1
	if !named || last < 0 || !isQuote(text[last]) {
		return ""
	}
	return text[strings.LastIndexByte(text[:last], text[last])+1 : last]
}

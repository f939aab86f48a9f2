// SPDX-License-Identifier: Apache-2.0

package tracecontext

import (
	"strings"

	"github.com/tidwall/gjson"
)

// The parts of a long text that are searched, in bytes: log lines begin or end with their ids.
const (
	scanHead = 4 << 10
	scanTail = 1 << 10
)

// maxValue is longer than any value that holds ids, in bytes.
const maxValue = 256

// Scan adds the ids that a text contains in the forms key=value, key: value and "key": "value",
// and between Spring's brackets. The whole text is one source. Scan adds nothing if the text
// contains an object whose ids may be another span's.
func (k *Keys) Scan(text string, e *Evidence) {
	objects := true
	if len(text) <= scanHead+scanTail {
		objects = k.scan(text, 0, len(text), e)
	} else {
		k.scan(text, 0, scanHead, e)
		k.scan(text, len(text)-scanTail, len(text), e)
	}
	if objects && e.Any() && isAmbiguous(text) {
		e.Reset()
	}
}

// scan adds the values that begin in text[from:to]. A value that ends after it is read to its
// end, because a part of an id could be another id. It reports whether the text may contain
// objects.
func (k *Keys) scan(text string, from, to int, e *Evidence) (objects bool) {
	if part := text[from:to]; strings.IndexByte(part, '=') < 0 && strings.IndexByte(part, ':') < 0 && strings.IndexByte(part, '[') < 0 {
		return false // most texts without ids
	}
	for at := from; at < to; at++ {
		if bytes[text[at]]&separator == 0 {
			continue
		}
		switch text[at] {
		case '=', ':':
			if at == 0 || !k.last[text[at-1]] {
				continue // for example in a time
			}
			if key := k.keyBefore(text[:at]); key != nil {
				e.scanValue(key, text[at+1:])
			}
		case '[':
			e.scanBrackets(text[at+1:])
		case '{':
			objects = true
		}
	}
	return objects
}

// scanValue adds the value of a key, which the text begins with.
func (e *Evidence) scanValue(key *Key, text string) {
	if value, ok := valueAfter(text, key.format); ok {
		e.AddText(key, 0, value)
	} else {
		e.Reject(key, 0, Length)
	}
}

// keyBefore returns the known key at the end of a text, with or without quotes and spaces after
// it. The key must be whole: parent_span_id is not span_id, and ?trace_id= in a URL is about
// something else.
func (k *Keys) keyBefore(text string) *Key {
	text = strings.TrimRight(text, " ")
	end := len(text)
	quote := byte(0)
	if end > 0 && isQuote(text[end-1]) {
		end--
		quote = text[end]
	}
	start := end
	for start > 0 && end-start <= k.longest && bytes[text[start-1]]&inKey != 0 {
		start--
	}
	if start > 0 {
		left := text[start-1]
		if quote != 0 && left != quote || bytes[left]&beforeKey == 0 {
			return nil
		}
	}
	name := text[start:end]
	if name == rootField && k.Find(name) == nil {
		name = xrayHeader
	}
	return k.Find(name)
}

// rootField begins the value of AWS X-Ray's header, which may be written without its key.
const rootField = "Root"

// valueAfter returns the value at the beginning of a text. It is not ok when a quote is not
// closed, because the value is then truncated.
func valueAfter(text string, f *format) (value string, ok bool) {
	text = strings.TrimLeft(text, " ")
	text = text[:min(len(text), maxValue)]
	if text != "" && isQuote(text[0]) {
		end := strings.IndexByte(text[1:], text[0])
		if end < 0 {
			return "", false
		}
		return text[1 : 1+end], true
	}
	within := inID
	if f.isHeader {
		within = inHeader
	}
	end := 0
	for end < len(text) && bytes[text[end]]&within != 0 {
		end++
	}
	return text[:end], isEnd(text[end:])
}

// isEnd reports whether a value can end before the text. A full stop may end a sentence, or be
// a part of a number.
func isEnd(text string) bool {
	if text == "" {
		return true
	}
	if text[0] == '.' {
		return len(text) == 1 || bytes[text[1]]&inID == 0
	}
	return bytes[text[0]]&inID == 0
}

func isQuote(b byte) bool { return b == '"' || b == '\'' }

// What a byte may be a part of.
const (
	inKey     uint8 = 1 << iota
	inID            // an id, or a longer word that is not an id
	inHeader        // the value of a propagation header
	beforeKey       // what may come directly before a key
	separator       // what may come directly before a value, or opens an object
)

var bytes = func() (table [256]uint8) {
	add := func(class uint8, members string) {
		for i := range len(members) {
			table[members[i]] |= class
		}
	}
	const alphanumeric = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	add(inKey, alphanumeric+"_-.@/")
	add(inID, alphanumeric+"_-")
	add(inHeader, alphanumeric+"_-=;:%/")
	add(beforeKey, " \t\r\n[({<,;|\"'")
	add(separator, "=:[{")
	return table
}()

// maxBrackets bounds the text between brackets, in bytes: an application's name and the ids.
const maxBrackets = 159

// scanBrackets adds the ids in the brackets that Spring writes: [application,trace,span], the
// same with an exported flag at its end, and [trace-span]. The text begins after the opening
// bracket. Brackets that contain anything else are not from Spring.
func (e *Evidence) scanBrackets(text string) {
	inside := text[:min(len(text), maxBrackets)]
	end := strings.IndexByte(inside, ']')
	if end <= traceDigits {
		return
	}
	inside = inside[:end]
	exported := ""
	var trace, span string
	if dash := end - spanDigits - 1; inside[dash] == '-' && (dash == traceDigits || dash == halfDigits) {
		trace, span = inside[:dash], inside[dash+1:]
	} else {
		_, ids, _ := strings.Cut(inside, ",")
		trace, ids, _ = strings.Cut(ids, ",")
		var more bool
		if span, exported, more = strings.Cut(ids, ","); more && exported != "true" && exported != "false" {
			return
		}
	}
	if p, why := contextOf(trace, hexTrace, span, hexSpan); why == Accepted {
		e.add(&spring, 0, withSampled(p, exported), Accepted)
	}
}

// spring stands for the keys that the brackets do not have. Its style is none of the table's.
var spring = Key{class: Plain, style: -1}

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

// JSON adds the ids of a text that is a JSON object, and of the objects inside it. It returns
// false for a text that is not valid JSON, such as a truncated one.
func (k *Keys) JSON(text string, e *Evidence) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	if text == "" || text[0] != '{' && text[0] != '[' || !gjson.Valid(text) {
		return false
	}
	if text[0] == '[' {
		return true // a list is about many things
	}
	objects := 0
	gjson.Parse(text).ForEach(func(name, value gjson.Result) bool {
		if key := k.Find(name.Str); key != nil {
			e.addJSON(key, 0, value)
		} else if value.IsObject() {
			objects++
			k.innerJSON(name.Str, objects, value, e)
		}
		return true
	})
	return true
}

func (k *Keys) innerJSON(object string, number int, value gjson.Result, e *Evidence) {
	value.ForEach(func(name, value gjson.Result) bool {
		if key, in := k.FindInner(object, name.Str, number); key != nil {
			e.addJSON(key, in, value)
		}
		return true
	})
}

func (e *Evidence) addJSON(key *Key, object int, value gjson.Result) {
	switch value.Type {
	case gjson.String:
		e.AddText(key, object, value.Str)
	case gjson.Null:
		e.AddText(key, object, "")
	case gjson.Number, gjson.True, gjson.False:
		e.AddScalar(key, object, value.Raw)
	case gjson.JSON:
		if only := value.Get("0"); value.IsArray() && !only.IsArray() && value.Get("#").Int() == 1 {
			e.addJSON(key, object, only)
		}
	}
}

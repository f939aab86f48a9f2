package tracecontext

import "strings"

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
	if t := text[from:to]; strings.IndexByte(t, '=') < 0 && strings.IndexByte(t, ':') < 0 && strings.IndexByte(t, '[') < 0 {
		return false // most texts without ids
	}
	for at := k.tails.next(text[:to], from); at < to; at = k.tails.next(text[:to], at) {
		switch text[at] {
		case '=', ':':
			at = k.scanValue(text, at, e)
		case '[':
			at++
			e.scanBrackets(text[at:])
		default:
			objects = objects || text[at] == '{'
			at++
		}
	}
	return objects
}

// scanValue adds the value after a separator if a known key is before it. It returns the index
// at which to continue.
func (k *Keys) scanValue(text string, at int, e *Evidence) (next int) {
	key := k.keyBefore(text[:at])
	at++
	if key == nil {
		return at
	}
	rest := text[at:]
	if n := key.format.digits(); n > 0 && len(rest) > n && isEnd(rest[n:]) && e.addDigits(key, 0, rest[:n]) {
		return at + n
	}
	if value, ok := valueAfter(rest, key.format); ok {
		e.AddText(key, 0, value)
	} else {
		e.reject(key, 0, Length)
	}
	return at
}

// keyBefore returns the known key at the end of a text. The key must be whole: parent_span_id
// is not span_id, and ?trace_id= in a URL is about something else.
func (k *Keys) keyBefore(text string) *Key {
	keys, ok := k.tails.long(text)
	if !ok {
		return k.keyBeforeSpaces(text)
	}
	for i := range keys {
		key := &keys[i]
		start := len(text) - len(key.name)
		if start >= 0 && text[start:] == key.name && (start == 0 || classes[text[start-1]]&beforeKey != 0) {
			return key
		}
	}
	return nil
}

// keyBeforeSpaces finds keys of any length, with or without quotes and spaces after them.
func (k *Keys) keyBeforeSpaces(text string) *Key {
	end := len(text)
	for end > 0 && text[end-1] == ' ' {
		end--
	}
	quote := byte(0)
	if end > 0 && isQuote(text[end-1]) {
		end--
		quote = text[end]
	}
	start := end
	for start > 0 && end-start < len(k.byLength) && classes[text[start-1]]&inKey != 0 {
		start--
	}
	name := text[start:end]
	key := k.Find(name)
	if key == nil && name == rootField {
		key = k.rootKey
	}
	if start > 0 {
		left := text[start-1]
		if quote != 0 && left != quote || classes[left]&beforeKey == 0 {
			return nil
		}
	}
	return key
}

// rootField begins the value of AWS X-Ray's header, which may be written without its key.
const rootField = "Root"

// valueAfter returns the value at the beginning of a text. It is not ok when a quote is not
// closed, because the value is then truncated.
func valueAfter(text string, f format) (value string, ok bool) {
	for text != "" && text[0] == ' ' {
		text = text[1:]
	}
	text = text[:min(len(text), maxValue)]
	if text != "" && isQuote(text[0]) {
		end := strings.IndexByte(text[1:], text[0])
		if end < 0 {
			return "", false
		}
		return text[1 : 1+end], true
	}
	within := inID
	if f.isHeader() {
		within = inHeader
	}
	end := 0
	for end < len(text) && classes[text[end]]&within != 0 {
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
		return len(text) == 1 || classes[text[1]]&inID == 0
	}
	return classes[text[0]]&inID == 0
}

func isQuote(b byte) bool { return b == '"' || b == '\'' }

// What a byte may be a part of.
const (
	inKey     uint8 = 1 << iota
	inID            // an id, or a longer word that is not an id
	inHeader        // the value of a propagation header
	beforeKey       // what may come directly before a key
)

var classes = func() (table [256]uint8) {
	add := func(class uint8, bytes string) {
		for i := range len(bytes) {
			table[bytes[i]] |= class
		}
	}
	const alphanumeric = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	add(inKey, alphanumeric+"_-.@/")
	add(inID, alphanumeric+"_-")
	add(inHeader, alphanumeric+"_-=;:%/")
	add(beforeKey, " \t\r\n[({<,;|\"'")
	return table
}()

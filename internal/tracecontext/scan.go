package tracecontext

import "strings"

// How much of a text is looked at: log lines begin with their ids, or end in them.
const (
	scanHead = 4 << 10
	scanTail = 1 << 10
)

// maxValue is longer than any value that holds ids.
const maxValue = 256

// Scan takes down what a text says in the forms key=value, key: value and
// "key": "value", and between Spring's brackets. All of it is one source. Nothing
// is taken from a text in which it is in doubt whose the ids are.
func (k *Keys) Scan(text string, e *Evidence) {
	objects := true
	if len(text) <= scanHead+scanTail {
		objects = k.scan(text, 0, len(text), e)
	} else {
		k.scan(text, 0, scanHead, e)
		k.scan(text, len(text)-scanTail, len(text), e)
	}
	if objects && e.Any() && inDoubt(text) {
		e.Reset()
	}
}

// scan takes down what begins between two places of a text. What ends after them
// is read as a whole, for a part of an id is another id. It returns whether there
// may be objects.
func (k *Keys) scan(text string, from, to int, e *Evidence) (objects bool) {
	if t := text[from:to]; strings.IndexByte(t, '=') < 0 && strings.IndexByte(t, ':') < 0 && strings.IndexByte(t, '[') < 0 {
		return false // as most texts without ids
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

// scanValue takes down the value after a separator, if it has a known key before
// it. It returns the place from which on there may be others.
func (k *Keys) scanValue(text string, at int, e *Evidence) (next int) {
	key := k.before(text[:at])
	at++
	if key == nil {
		return at
	}
	rest := text[at:]
	if n := key.format.digits(); n > 0 && len(rest) > n && isEnd(rest[n:]) && e.addDigits(key, 0, rest[:n]) {
		return at + n
	}
	if value, ok := after(rest, key.format); ok {
		e.AddText(key, 0, value)
	} else {
		e.reject(key, 0, Length)
	}
	return at
}

// before returns the known key that a text ends in. It must be whole: parent_span_id is
// no span_id, and an address's ?trace_id= is about something else.
func (k *Keys) before(text string) *Key {
	keys, ok := k.tails.long(text)
	if !ok {
		return k.beforeSpaces(text)
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

// beforeSpaces is before for keys of any length, with or without quotes and spaces
// after them.
func (k *Keys) beforeSpaces(text string) *Key {
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
	if key == nil && name == root {
		key = k.root
	}
	if start > 0 {
		left := text[start-1]
		if quote != 0 && left != quote || classes[left]&beforeKey == 0 {
			return nil
		}
	}
	return key
}

// root begins the value of AWS's header, which may stand without its key.
const root = "Root"

// after returns the value that a text begins with. It is not ok when a quote is
// not closed: the value is cut.
func after(text string, f format) (value string, ok bool) {
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

// isEnd says whether a value can end before a text. A full stop may end the
// sentence, or be a number's.
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
	inID            // with what makes it longer than an id
	inHeader        // in a propagation header's value
	beforeKey       // between a key and what is written before it
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

// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// The keys of a record of loguru's serialize: the text as it is written, and the record.
const textKey, recordKey = "text", "record"

// isLoguru reports whether a value is the record of loguru's serialize.
func isLoguru(record gjson.Result) bool {
	return record.IsObject() && record.Get("level.name").Type == gjson.String && record.Get("message").Type == gjson.String
}

// loguruKeys are the keys for what a record of loguru's serialize has.
var loguruKeys = [][2]string{
	{"name", "logger.name"}, {"file.path", "code.file.path"}, {"line", "code.line.number"}, {"function", "code.function.name"},
	{"process.id", "process.pid"}, {"thread.id", "thread.id"}, {"thread.name", "thread.name"},
	{"exception.type", "exception.type"}, {"exception.value", "exception.message"},
}

// takeLoguru replaces the attributes by what is in a record of loguru's serialize. The stack trace is only in the
// text. It reports whether there is such a record.
func (e *Entry) takeLoguru() bool {
	at := slices.IndexFunc(e.Attributes, func(a Attribute) bool { return a.Key == recordKey && a.Kind == KindJSON })
	if at < 0 {
		return false
	}
	record := gjson.Parse(e.Attributes[at].Text)
	if !isLoguru(record) {
		return false
	}
	e.Time = parseTime(record.Get("time.repr").String(), true)
	if e.Time.IsZero() {
		e.Time = parseTime(record.Get("time.timestamp").Raw, false)
	}
	e.SeverityText = record.Get("level.name").String()
	e.Severity = ParseSeverity(e.SeverityText)
	e.Body = record.Get("message").String()
	text := ""
	e.take([]string{textKey}, func(a Attribute) bool { text = a.Text; return true })
	e.take([]string{recordKey}, func(Attribute) bool { return true })
	for _, key := range loguruKeys {
		e.addJSON(key[1], record.Get(key[0]))
	}
	if _, trace, found := strings.Cut(text, "\nTraceback (most recent call last):"); found && record.Get("exception").IsObject() {
		e.Attributes = append(e.Attributes, Attribute{Key: "exception.stacktrace", Text: "Traceback (most recent call last):" + strings.TrimRight(trace, "\n")})
	}
	record.Get("extra").ForEach(func(key, value gjson.Result) bool {
		e.addJSON(key.String(), value)
		return len(e.Attributes) < maxKeys
	})
	return true
}

// takeScopes adds the values in .NET's list of scopes, the innermost first, for keys that the record does not have
// itself. Among them are the ids of the trace. The list stays if it has texts.
func (e *Entry) takeScopes() {
	at := slices.IndexFunc(e.Attributes, func(a Attribute) bool { return a.Key == "Scopes" && a.Kind == KindJSON })
	if at < 0 {
		return
	}
	scopes := gjson.Parse(e.Attributes[at].Text)
	if !scopes.IsArray() {
		return
	}
	texts := false
	for _, scope := range slices.Backward(scopes.Array()) {
		if !scope.IsObject() {
			texts = true
			continue
		}
		scope.ForEach(func(key, value gjson.Result) bool {
			name := key.String()
			has := slices.ContainsFunc(e.Attributes, func(a Attribute) bool { return a.Key == name })
			if !has && !slices.Contains(bodyKeys, name) && name != "{OriginalFormat}" && len(e.Attributes) < maxKeys {
				e.addJSON(name, value)
			}
			return true
		})
	}
	if !texts {
		e.Attributes = slices.Delete(e.Attributes, at, at+1)
	}
}

// addJSON appends a value as an attribute, unless it is null or missing.
func (e *Entry) addJSON(key string, value gjson.Result) {
	switch value.Type {
	case gjson.Null:
	case gjson.String:
		e.Attributes = append(e.Attributes, Attribute{Key: key, Text: value.String()})
	default:
		e.Attributes = append(e.Attributes, Attribute{Key: key, Kind: KindJSON, Text: value.Raw})
	}
}

// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"slices"
	"strings"

	"github.com/go-logfmt/logfmt"
	"github.com/tidwall/gjson"
)

// maxBrackets bounds the brackets of a line, and so the nesting of objects: the check for valid
// JSON takes stack memory for each level.
const maxBrackets = 10_000

// matchJSON parses a line that is one JSON object with a key that log records have. Other
// objects are data, such as a line of a message.
func matchJSON(line string, e *Entry) bool {
	if !strings.HasPrefix(line, "{") ||
		strings.Count(line, "{")+strings.Count(line, "[") > maxBrackets || !gjson.Valid(line) {
		return false
	}
	if e != nil {
		e.Reset()
	}
	record, keys := false, 0
	gjson.Parse(line).ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		record = record || isRecordKey(name) || name == recordKey && isLoguru(value)
		if keys++; keys > maxKeys {
			record = false
			return false
		}
		if e == nil {
			return true
		}
		if value.Type == gjson.String {
			e.Attributes = append(e.Attributes, Attribute{Key: name, Text: value.String()})
		} else {
			e.Attributes = append(e.Attributes, Attribute{Key: name, Kind: KindJSON, Text: value.Raw})
		}
		return true
	})
	if record && e != nil {
		e.assign()
	}
	return record
}

// logfmtFirst are the keys that loggers write first.
var logfmtFirst = []string{"time", "ts", "t", "timestamp", "level", "lvl", "severity", "msg"}

// matchLogfmt parses a line of key=value pairs. The line must begin with one of logfmtFirst,
// and have a severity or a message, because messages often contain pairs as well. In a message most words
// are no pairs.
func matchLogfmt(line string, e *Entry) bool {
	first, rest, ok := strings.Cut(line, "=")
	if !ok || !slices.Contains(logfmtFirst, first) {
		return false
	}
	if strings.HasPrefix(rest, "'") {
		return matchQuoted(line, e)
	}
	if e != nil {
		e.Reset()
	}
	record, keys := false, 0
	decoder := logfmt.NewDecoderSize(strings.NewReader(line), len(line)+1)
	for decoder.ScanRecord() {
		for decoder.ScanKeyval() {
			record = record || decoder.Value() != nil && isLevelOrMessage(string(decoder.Key()))
			if keys++; keys > maxKeys {
				return false
			}
			if e != nil {
				e.Attributes = append(e.Attributes, Attribute{Key: string(decoder.Key()), Text: string(decoder.Value())})
			}
		}
	}
	if words := keys - strings.Count(line, "="); !record || 2*words > keys || decoder.Err() != nil {
		return false
	}
	if e != nil {
		e.assign()
	}
	return true
}

// matchQuoted parses a line of pairs whose values are as Python writes them, as structlog's
// KeyValueRenderer does.
func matchQuoted(line string, e *Entry) bool {
	if e == nil {
		e = &Entry{}
	}
	e.Reset()
	if e.readPairs(line) != 0 || !slices.ContainsFunc(e.Attributes, func(a Attribute) bool { return isLevelOrMessage(a.Key) }) {
		return false
	}
	e.assign()
	return true
}

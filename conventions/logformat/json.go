// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"strings"

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
		record = record || isRecordKey(name)
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

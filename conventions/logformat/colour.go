package logformat

import "strings"

const escape = "\x1b["

// trimColour removes the escape sequences for colours at both ends of a record. Some loggers
// write them to files as well as to terminals.
func trimColour(record string) string {
	coloured := false
	for strings.HasPrefix(record, escape) {
		end := len(escape)
		for end < len(record) && (record[end]-'0' <= 9 || record[end] == ';') {
			end++
		}
		if end == len(record) || record[end] != 'm' {
			break
		}
		record, coloured = record[end+1:], true
	}
	if coloured {
		record = strings.TrimSuffix(strings.TrimSuffix(record, escape+"0m"), escape+"m")
	}
	return record
}

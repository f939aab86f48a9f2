package logformat

import "strings"

const escape = "\x1b["

// withoutColour removes the escape sequences for colours and styles. Some loggers write them to files as
// well as to terminals, around a whole record or around its parts. They hold no text.
func withoutColour(record string) string {
	if strings.IndexByte(record, escape[0]) < 0 {
		return record
	}
	at := strings.Index(record, escape)
	var plain strings.Builder
	plain.Grow(len(record))
	for ; at >= 0; at = strings.Index(record, escape) {
		end := at + len(escape)
		for end < len(record) && (record[end]-'0' <= 9 || record[end] == ';' || record[end] == ':') {
			end++
		}
		// With K, writers of colours clear the rest of the line.
		if end < len(record) && (record[end] == 'm' || record[end] == 'K') {
			plain.WriteString(record[:at])
			end++
		} else {
			plain.WriteString(record[:end])
		}
		record = record[end:]
	}
	plain.WriteString(record)
	return plain.String()
}

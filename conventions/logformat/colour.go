// SPDX-License-Identifier: Apache-2.0

package logformat

import "strings"

const escape = "\x1b["

// WithoutColour removes the escape sequences for colours and styles. Some loggers write them to files as
// well as to terminals, around a whole record or around its parts. They hold no text.
func WithoutColour(record string) string {
	if strings.IndexByte(record, escape[0]) < 0 {
		return record
	}
	at := strings.Index(record, escape)
	var plain strings.Builder
	plain.Grow(len(record))
	for ; at >= 0; at = strings.Index(record, escape) {
		end := endOfColour(record[at:])
		if end < 0 {
			plain.WriteString(record[:at+len(escape)])
			record = record[at+len(escape):]
			continue
		}
		plain.WriteString(record[:at])
		record = record[at+end:]
	}
	plain.WriteString(record)
	return plain.String()
}

// endOfColour returns the end of the sequence for a colour that a text begins with, or -1.
func endOfColour(text string) int {
	end := len(escape)
	for end < len(text) && (text[end]-'0' <= 9 || text[end] == ';' || text[end] == ':') {
		end++
	}
	// With K, writers of colours clear the rest of the line.
	if end < len(text) && (text[end] == 'm' || text[end] == 'K') {
		return end + 1
	}
	return -1
}

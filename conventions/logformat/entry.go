// SPDX-License-Identifier: Apache-2.0

package logformat

import "go.opentelemetry.io/collector/pdata/plog"

// Entry is a parsed record. Reusing it saves memory allocations. Its texts share memory with
// the record wherever the record does not escape them.
type Entry struct {
	// Time is the time as written, or zero if there is none.
	Time Timestamp
	// SeverityText is the severity as written. Severity is its number, or 0 if it is unknown.
	SeverityText string
	Severity     plog.SeverityNumber
	// Body is the message, or empty.
	Body string
	// IDs are the fields that a layout names trace_id, span_id or trace_flags, or with a prefix
	// such as otel_trace_id. Their values are as written, for example "-", "0" or "unknown".
	IDs []Field
	// Resource are the resource attributes that the record contains.
	Resource []Field
	// Attributes are all other fields in their order. A key can occur twice.
	Attributes []Attribute
	// seeksSource means that the source location is at the end of a later line, if anywhere.
	seeksSource bool
	// Prefixes are the prefixes before the lines of the record, the outermost first.
	Prefixes []Prefix
}

// Field is a key and its text.
type Field struct {
	Key, Value string
}

// Reset empties the entry.
func (e *Entry) Reset() {
	*e = Entry{IDs: e.IDs[:0], Resource: e.Resource[:0], Attributes: e.Attributes[:0], Prefixes: e.Prefixes[:0]}
}

package logformat

import "go.opentelemetry.io/collector/pdata/plog"

// Entry is a record taken apart. One that is used again needs no new memory; its
// texts are parts of the record wherever that has them unescaped.
type Entry struct {
	// Time is as it was written, and zero where none was.
	Time Timestamp
	// SeverityText is the word as written, Severity what it means: 0 when unknown.
	SeverityText string
	Severity     plog.SeverityNumber
	// Body is the message, and empty where there is none.
	Body string
	// IDs are what a layout calls trace_id, span_id or trace_flags, also with words
	// before (otel_trace_id). They are as written: "-", "0" and "unknown" occur.
	IDs []Field
	// Resource are resource attributes that the record states itself.
	Resource []Field
	// Attributes are the others, in the order written. A key can occur twice.
	Attributes []Attribute
}

// Field is a key and the text written for it.
type Field struct {
	Key, Value string
}

func (e *Entry) reset() {
	*e = Entry{IDs: e.IDs[:0], Resource: e.Resource[:0], Attributes: e.Attributes[:0]}
}

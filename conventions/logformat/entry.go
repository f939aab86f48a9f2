// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

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

// Attribute is a key and its value.
type Attribute struct {
	Key  string
	Kind AttributeKind
	// Text is a string, or the JSON of a value.
	Text string
	// Int is a number that a layout parsed.
	Int int64
}

// AttributeKind is the kind of an attribute's value.
type AttributeKind uint8

// The kinds of values.
const (
	KindString AttributeKind = iota
	KindInt
	KindJSON
)

// Put sets the attribute in a map. If the map has the key with another value, as lines of loggers that
// add fields to fields have, both values become a list, in their order.
func (a Attribute) Put(to pcommon.Map) {
	value, came := to.GetOrPutEmpty(a.Key)
	if !came {
		a.putTo(value)
		return
	}
	next := pcommon.NewValueEmpty()
	a.putTo(next)
	switch {
	case value.Equal(next):
	case value.Type() == pcommon.ValueTypeSlice:
		next.MoveTo(value.Slice().AppendEmpty())
	default:
		first := pcommon.NewValueEmpty()
		value.MoveTo(first)
		list := value.SetEmptySlice()
		first.MoveTo(list.AppendEmpty())
		next.MoveTo(list.AppendEmpty())
	}
}

func (a Attribute) putTo(value pcommon.Value) {
	switch a.Kind {
	case KindInt:
		value.SetInt(a.Int)
	case KindJSON:
		putJSON(value, gjson.Parse(a.Text), 0)
	default:
		value.SetStr(a.Text)
	}
}

// maxDepth bounds the nesting of values. Deeper values stay text, because each level is parsed
// again.
const maxDepth = 16

func putJSON(to pcommon.Value, value gjson.Result, depth int) {
	switch {
	case value.Type == gjson.String:
		to.SetStr(value.String())
	case value.Type == gjson.Number:
		putNumber(to, value)
	case value.IsBool():
		to.SetBool(value.Bool())
	case value.Type == gjson.Null: // the value stays empty
	case depth == maxDepth, value.IsObject() && tooManyKeys(value):
		to.SetStr(value.Raw)
	case value.IsArray():
		list := to.SetEmptySlice()
		value.ForEach(func(_, item gjson.Result) bool {
			putJSON(list.AppendEmpty(), item, depth+1)
			return true
		})
	default:
		fields := to.SetEmptyMap()
		value.ForEach(func(key, item gjson.Result) bool {
			putJSON(fields.PutEmpty(key.String()), item, depth+1)
			return true
		})
	}
}

func tooManyKeys(object gjson.Result) bool {
	keys := 0
	object.ForEach(func(_, _ gjson.Result) bool {
		keys++
		return keys <= maxKeys
	})
	return keys > maxKeys
}

// putNumber sets an integer or a floating-point number. An integer that exceeds 64 bits stays
// text: it is an id, such as Datadog's, and a float64 would lose its last digits.
func putNumber(to pcommon.Value, value gjson.Result) {
	if strings.ContainsAny(value.Raw, ".eE") {
		to.SetDouble(value.Float())
	} else if n, err := strconv.ParseInt(value.Raw, 10, 64); err == nil {
		to.SetInt(n)
	} else {
		to.SetStr(value.Raw)
	}
}

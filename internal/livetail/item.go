// SPDX-License-Identifier: Apache-2.0

package livetail

import (
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// The bounds of the text of one item, in bytes.
const (
	MaxText = 256  // of a key or a value
	MaxBody = 1024 // of a log's body
	maxItem = 16 << 10
	// MaxFields is how many fields of one place an item has.
	MaxFields = 64

	cut = "…"
)

// Place is the part of an item that a field is in.
type Place string

// The places, in the order in which they are shown.
const (
	Name       Place = "name" // of a span, a metric or an event
	Unit       Place = "unit"
	Type       Place = "type"
	Value      Place = "value"
	Points     Place = "points"
	TraceID    Place = "trace_id"
	SpanID     Place = "span_id"
	Severity   Place = "severity"
	Body       Place = "body"
	Attribute  Place = "attribute"
	Link       Place = "link"
	Resource   Place = "resource"
	Everything Place = "item" // instead of an item that is too large
)

// Field is one part of an item, as text.
type Field struct {
	Key   string `json:"key,omitempty"`
	Value string `json:"value"`
}

// Item is a span, a metric with its first data point or a log record at one time, as texts. The zero value is
// an item without fields.
type Item struct {
	fields map[Place][]Field
	places []Place
	bytes  int
	cut    bool // not all fields are there
}

// Add adds a field. It cuts what is too long, and leaves out what is too much.
func (i *Item) Add(place Place, key, value string) {
	limit := MaxText
	if place == Body {
		limit = MaxBody
	}
	f := Field{shorten(key, MaxText), shorten(value, limit)}
	size := len(f.Key) + len(f.Value)
	if len(i.fields[place]) == MaxFields || i.bytes+size > maxItem {
		i.cut = true
		return
	}
	if i.fields == nil {
		i.fields = map[Place][]Field{}
	}
	if len(i.fields[place]) == 0 {
		i.places = append(i.places, place)
	}
	i.bytes += size
	i.fields[place] = append(i.fields[place], f)
}

// shorten cuts a text at a character boundary. What it returns does not keep the memory of a longer text.
func shorten(text string, size int) string {
	if len(text) <= size {
		return text
	}
	return strings.Clone(naming.Beginning(text, size-len(cut))) + cut
}

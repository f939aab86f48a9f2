// SPDX-License-Identifier: Apache-2.0

package attrvalue

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// maxObject is the size of the longest text that is read as an object.
const maxObject = 64 << 10

// Objects are the objects of one item that were read. Several copies are of fields of one object.
type Objects struct{ last object }

type object struct {
	key    string
	text   string
	fields map[string]any // nil: the text is no object
}

// Reset forgets the objects.
func (o *Objects) Reset() { o.last = object{} }

// field returns a field of an attribute's value.
func (o *Objects) field(key string, source pcommon.Value, field string) (pcommon.Value, Outcome) {
	switch source.Type() {
	case pcommon.ValueTypeMap:
		value, ok := source.Map().Get(field)
		if !ok || value.Type() == pcommon.ValueTypeEmpty {
			return value, None
		}
		return value, Made
	case pcommon.ValueTypeStr:
		return o.read(key, source.Str()).field(field)
	case pcommon.ValueTypeEmpty:
		return source, None
	}
	return source, Unconvertible
}

func (o *Objects) read(key, text string) *object {
	if o.last.key != key || o.last.text != text {
		o.last = object{key: key, text: text}
		if len(text) <= maxObject && json.Valid([]byte(text)) {
			decoder := json.NewDecoder(strings.NewReader(text))
			decoder.UseNumber()
			if decoder.Decode(&o.last.fields) != nil {
				o.last.fields = nil
			}
		}
	}
	return &o.last
}

func (o *object) field(name string) (value pcommon.Value, outcome Outcome) {
	value = pcommon.NewValueEmpty()
	field := o.fields[name]
	switch {
	case o.fields == nil && o.text != "":
		return value, Unconvertible
	case field == nil:
		return value, None
	case set(value, field, 0) != nil:
		return value, Unconvertible
	}
	return value, Made
}

// The limits of objects in objects.
const (
	maxDepth = 16
	maxKeys  = 256
)

var errTooLarge = errors.New("too deep, or too many keys")

func set(to pcommon.Value, from any, depth int) error {
	if depth > maxDepth {
		return errTooLarge
	}
	switch from := from.(type) {
	case string:
		to.SetStr(from)
	case bool:
		to.SetBool(from)
	case json.Number:
		setNumber(to, from.String())
	case []any:
		list := to.SetEmptySlice()
		for _, element := range from {
			if err := set(list.AppendEmpty(), element, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		if len(from) > maxKeys {
			return errTooLarge
		}
		entries := to.SetEmptyMap()
		for _, key := range slices.Sorted(maps.Keys(from)) {
			if err := set(entries.PutEmpty(key), from[key], depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// setNumber sets a number. One that a double does not have as it is written stays a text.
func setNumber(to pcommon.Value, text string) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		to.SetInt(n)
		return
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && strings.ContainsAny(text, ".eE") {
		to.SetDouble(f)
		return
	}
	to.SetStr(text)
}

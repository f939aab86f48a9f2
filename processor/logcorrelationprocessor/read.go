// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
)

func (w *walk) readAttributes(attributes pcommon.Map) {
	w.attributes.Reset()
	w.nested = false
	keys := w.p.keys
	for name, value := range attributes.All() {
		if key := keys.Find(name); key != nil {
			add(&w.attributes, key, 0, value)
		} else if value.Type() == pcommon.ValueTypeMap {
			w.nested = true
		}
	}
}

// readBody adds the ids of a structured body. It returns the text of an unstructured one.
func (w *walk) readBody(body pcommon.Value) (unstructured string) {
	w.body.Reset()
	switch body.Type() {
	case pcommon.ValueTypeMap:
		w.readMap(body.Map())
	case pcommon.ValueTypeStr:
		if text := body.Str(); !w.p.keys.JSON(text, &w.body) {
			return text
		}
	}
	return ""
}

// readMap adds the ids of a map and of the maps in it.
func (w *walk) readMap(outer pcommon.Map) {
	for name, value := range outer.All() {
		if key := w.p.keys.Find(name); key != nil {
			add(&w.body, key, 0, value)
		}
	}
	w.readInner(outer)
}

// readInner adds the ids of the maps in a map.
func (w *walk) readInner(outer pcommon.Map) {
	number := 0
	for object, value := range outer.All() {
		if value.Type() != pcommon.ValueTypeMap || w.p.keys.Find(object) != nil {
			continue
		}
		number++
		for name, value := range value.Map().All() {
			if key, in := w.p.keys.FindInner(object, name, number); key != nil {
				add(&w.body, key, in, value)
			}
		}
	}
}

// add adds a value. A header comes as a slice, with one element for each value of the header.
func add(e *tracecontext.Evidence, key *tracecontext.Key, object int, value pcommon.Value) {
	is := value.Type()
	if is == pcommon.ValueTypeSlice && value.Slice().Len() == 1 {
		value = value.Slice().At(0)
		is = value.Type()
	}
	switch is {
	case pcommon.ValueTypeStr:
		e.AddText(key, object, value.Str())
	case pcommon.ValueTypeEmpty:
		e.AddText(key, object, "")
	case pcommon.ValueTypeInt:
		if n := value.Int(); n >= 0 {
			e.AddNumber(key, object, uint64(n))
		} else {
			e.AddInvalidNumber(key, object)
		}
	case pcommon.ValueTypeDouble:
		e.AddInvalidNumber(key, object)
	case pcommon.ValueTypeBool:
		e.AddBool(key, object, value.Bool())
	}
}

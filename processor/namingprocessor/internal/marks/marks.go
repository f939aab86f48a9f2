// SPDX-License-Identifier: Apache-2.0

// Package marks reads and writes what the metadata of metrics says about copies. By it a later collector knows
// copies, and does not copy again.
package marks

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// Of returns of what a metric is a copy, if an earlier collector made it.
func Of(metadata pcommon.Map) (name string, ok bool) {
	if metadata.Len() == 0 {
		return "", false
	}
	value, ok := metadata.Get(naming.CopyOfKey)
	if !ok || value.Type() != pcommon.ValueTypeStr {
		return "", false
	}
	return value.Str(), true
}

// Mark makes the metadata those of a copy, which ends then, or never if that is zero.
func Mark(metadata pcommon.Map, of string, until time.Time) {
	metadata.RemoveIf(func(key string, _ pcommon.Value) bool {
		return key == naming.OriginalNameKey || key == naming.CopiesKey
	})
	metadata.PutStr(naming.CopyOfKey, of)
	if !until.IsZero() {
		metadata.PutStr(naming.CopyUntilKey, until.Format(time.DateOnly))
	}
}

// Decided returns the number of names of a metric's copies on which earlier collectors decided.
func Decided(metadata pcommon.Map) int {
	if metadata.Len() == 0 {
		return 0
	}
	value, ok := metadata.Get(naming.CopiesKey)
	if !ok || value.Type() != pcommon.ValueTypeSlice {
		return 0
	}
	return value.Slice().Len()
}

// Has reports whether a name is among the first names of a metric's copies on which collectors decided.
func Has(metadata pcommon.Map, name string, first int) bool {
	if first == 0 {
		return false
	}
	value, _ := metadata.Get(naming.CopiesKey)
	for i, decided := range value.Slice().All() {
		if i == first {
			return false
		}
		if decided.Str() == name {
			return true
		}
	}
	return false
}

// Add stores that the copy of a metric under a name is decided.
func Add(metadata pcommon.Map, name string) {
	if Has(metadata, name, Decided(metadata)) {
		return
	}
	value, _ := metadata.GetOrPutEmpty(naming.CopiesKey)
	if value.Type() != pcommon.ValueTypeSlice {
		value.SetEmptySlice()
	}
	value.Slice().AppendEmpty().SetStr(name)
}

// AddAll stores the names of another metric. Names is the value of its naming.CopiesKey.
func AddAll(metadata pcommon.Map, names pcommon.Value) {
	if names.Type() != pcommon.ValueTypeSlice {
		return
	}
	for i, name := range names.Slice().All() {
		if i == maxNames {
			return
		}
		Add(metadata, name.Str())
	}
}

// maxNames limits the names that AddAll compares. No pack has so many rules for one metric.
const maxNames = 64

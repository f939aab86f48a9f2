// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// The metadata of a metric say whether it is a copy, and which copies of it were decided. By them a later collector
// knows copies, and does not copy again.

// copyOf returns the name of what a metric is a copy of, if an earlier collector made it.
func copyOf(metadata pcommon.Map) (name string, ok bool) {
	if metadata.Len() == 0 {
		return "", false
	}
	value, ok := metadata.Get(naming.CopyOfKey)
	if !ok || value.Type() != pcommon.ValueTypeStr {
		return "", false
	}
	return value.Str(), true
}

// setCopyOf makes the metadata those of a copy of a name.
func setCopyOf(metadata pcommon.Map, name string) {
	metadata.RemoveIf(func(key string, _ pcommon.Value) bool {
		return key == naming.OriginalNameKey || key == naming.CopiesKey
	})
	metadata.PutStr(naming.CopyOfKey, name)
}

// decidedCopies returns the number of names of a metric's copies on which earlier collectors decided.
func decidedCopies(metadata pcommon.Map) int {
	if metadata.Len() == 0 {
		return 0
	}
	value, ok := metadata.Get(naming.CopiesKey)
	if !ok || value.Type() != pcommon.ValueTypeSlice {
		return 0
	}
	return value.Slice().Len()
}

// isDecidedCopy reports whether a name is among the first names of a metric's copies on which collectors decided.
func isDecidedCopy(metadata pcommon.Map, name string, first int) bool {
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

// addDecidedCopy stores that the copy of a metric under a name is decided.
func addDecidedCopy(metadata pcommon.Map, name string) {
	if isDecidedCopy(metadata, name, decidedCopies(metadata)) {
		return
	}
	value, _ := metadata.GetOrPutEmpty(naming.CopiesKey)
	if value.Type() != pcommon.ValueTypeSlice {
		value.SetEmptySlice()
	}
	value.Slice().AppendEmpty().SetStr(name)
}

// addDecidedCopies stores the names of another metric. Names is the value of its naming.CopiesKey.
func addDecidedCopies(metadata pcommon.Map, names pcommon.Value) {
	if names.Type() != pcommon.ValueTypeSlice {
		return
	}
	for i, name := range names.Slice().All() {
		if i == maxNames {
			return
		}
		addDecidedCopy(metadata, name.Str())
	}
}

// maxNames limits the names that addDecidedCopies compares. No pack has so many rules for one metric.
const maxNames = 64

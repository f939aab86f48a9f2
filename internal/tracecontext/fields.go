// SPDX-License-Identifier: Apache-2.0

package tracecontext

// Fields collects the ids from fields that a parser has split, where all fields are equally
// trusted. The zero value is ready to use. It is reusable, and not safe for concurrent use.
type Fields struct {
	evidence Evidence
}

// common are the keys that need no configuration.
var common = NewKeys(nil, false)

// Reset removes all fields.
func (f *Fields) Reset() { f.evidence.Reset() }

// Add adds a field. It returns false for a key that does not hold ids.
func (f *Fields) Add(key, value string) bool {
	known := common.Find(key)
	if known == nil {
		return false
	}
	f.evidence.AddText(known, 0, value)
	return true
}

// Decide returns the ids that the fields state, or zeros. It returns false when they conflict.
func (f *Fields) Decide() (ids IDs, ok bool) {
	var d Decision
	d.Consider(&f.evidence, All, SourceFields)
	return IDs{TraceID: d.TraceID(), SpanID: d.SpanID(), Flags: d.flags, HasFlags: d.hasFlags}, !d.Conflict
}

package tracecontext

// Fields gathers what fields of one rank say of a record, in the way of the text
// logs that a parser has split up. The zero value is ready to use. It is reusable,
// and not safe for concurrent use.
type Fields struct {
	evidence Evidence
}

// common are the keys that need no settings.
var common = NewKeys(nil, false)

// Reset forgets what was added.
func (f *Fields) Reset() { f.evidence.Reset() }

// Add takes down a field. It returns false for a key that no ids are found under.
func (f *Fields) Add(key, value string) bool {
	known := common.Find(key)
	if known == nil {
		return false
	}
	f.evidence.AddText(known, 0, value)
	return true
}

// Decide returns the ids that the fields name, zero where there are none. It
// returns false when they disagree.
func (f *Fields) Decide() (ids IDs, ok bool) {
	var d Decision
	d.Consider(&f.evidence, All, SourceFields)
	return IDs{TraceID: d.TraceID(), SpanID: d.SpanID(), Flags: d.flags, HasFlags: d.hasFlags}, !d.Conflict
}

package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// edit is an attribute that leaves its map, to come back under another key.
type edit struct {
	key      string
	decision *naming.AttributeDecision
	value    pcommon.Value // of the walk's own, reused from map to map
}

// rekey gives attributes their keys and removes those that must not travel.
func (w *walk) rekey(attrs pcommon.Map, m *memo) {
	w.edits = w.edits[:0]
	i := -1
	attrs.RemoveIf(func(key string, value pcommon.Value) bool {
		i++
		var decision *naming.AttributeDecision
		if i < len(m.keys) { // remembered just now
			decision = m.keys[i].decision
		} else {
			decision = w.decisions.attribute(m.owner, key)
		}
		switch {
		case decision == nil:
			return false
		case decision.Sensitive == conventions.SensitiveRemove:
			w.change(naming.AttributeSensitive, m.owner)
			return true
		case decision.Rule == naming.Unnameable:
			w.violation(naming.Unnameable, m.owner)
			return false
		case decision.Rule == naming.Conformant:
			return false
		}
		for i := range w.edits {
			if w.edits[i].key == key {
				// The same key twice: only one can have the new key.
				w.violation(naming.AttributeCollision, m.owner)
				return false
			}
		}
		e := w.nextEdit()
		e.key, e.decision = key, decision
		value.MoveTo(e.value)
		return true
	})
	// Putting back what was taken out needs no more room than there was.
	for i := range w.edits {
		w.putBack(attrs, i, m.owner)
	}
}

// nextEdit adds an edit, with the value of an earlier map's if there is one.
func (w *walk) nextEdit() *edit {
	n := len(w.edits)
	if n < cap(w.edits) {
		w.edits = w.edits[:n+1]
	} else {
		w.edits = append(w.edits, edit{})
	}
	if e := &w.edits[n]; e.value == (pcommon.Value{}) {
		e.value = pcommon.NewValueEmpty()
	}
	return &w.edits[n]
}

// putBack gives an attribute its new key. Where the conformant key is taken, the
// attribute keeps its own: no value is lost, and no two series become one. Of two
// keys that become one the first in order has it, whatever their order in the map.
func (w *walk) putBack(attrs pcommon.Map, i int, owner *naming.System) {
	e := &w.edits[i]
	value, taken := attrs.GetOrPutEmpty(e.decision.Key)
	if !taken {
		e.value.MoveTo(value)
		w.change(e.decision.Rule, owner)
		return
	}
	w.violation(naming.AttributeCollision, owner)
	for j := range w.edits[:i] {
		if rival := &w.edits[j]; rival.decision.Key == e.decision.Key && rival.key > e.key {
			value.MoveTo(rival.value)
			e.value.MoveTo(value)
			rival.key, e.key = e.key, rival.key
			rival.value.MoveTo(attrs.PutEmpty(e.key))
			return
		}
	}
	e.value.MoveTo(attrs.PutEmpty(e.key))
}

package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// memo remembers what was decided for the keys of the last map. Maps of one kind
// mostly have the same keys in the same order, so that a comparison at the same
// position replaces a look-up.
type memo struct {
	owner  *naming.System
	keys   []memoKey
	rename renaming
}

type memoKey struct {
	key      string
	decision *naming.AttributeDecision
}

// at returns the decision for a key that is not the remembered one at its
// position, and remembers it.
func (m *memo) at(i int, key string, decisions *decisions) *naming.AttributeDecision {
	decision := decisions.attribute(m.owner, key)
	if i < len(m.keys) {
		m.keys[i] = memoKey{key, decision}
	} else if i < maxMemo {
		m.keys = append(m.keys, memoKey{key, decision})
	}
	m.rename.known = false
	return decision
}

// maxMemo bounds a memo: a map of thousands of attributes is nobody's usual one.
const maxMemo = 64

// of prepares the memo for maps of one owner.
func (m *memo) of(owner *naming.System) *memo {
	if m.owner != owner {
		m.owner, m.keys, m.rename.known = owner, m.keys[:0], false
	}
	return m
}

// attributes makes the attributes of one map conformant and tells whether
// nothing had to change.
func (w *walk) attributes(attrs pcommon.Map, m *memo) (conformant bool) {
	conformant, rekey := true, false
	i := -1
	for key, value := range attrs.All() {
		i++
		var decision *naming.AttributeDecision
		if i < len(m.keys) && m.keys[i].key == key {
			decision = m.keys[i].decision
		} else {
			decision = m.at(i, key, w.decisions)
		}
		if decision != nil {
			rekey = rekey || decision.Rule != naming.Conformant || decision.Sensitive == conventions.SensitiveRemove
			if !decision.AnyValue {
				conformant = w.value(decision, value, m.owner) && conformant
				continue
			}
		}
		// What most values are needs no call.
		if value.Type() != pcommon.ValueTypeStr || len(value.Str()) > w.maxValueBytes {
			conformant = w.fitValue(value, m.owner) && conformant
		}
	}
	if !rekey {
		return conformant
	}
	if !w.renameInPlace(attrs, m) {
		w.rekey(attrs, m)
	}
	return false
}

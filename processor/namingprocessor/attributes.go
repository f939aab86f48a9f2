package namingprocessor

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// memo remembers what was decided for the keys of the last map. Maps of one kind
// mostly have the same keys in the same order, so that a comparison at the same
// position replaces a look-up.
type memo struct {
	owner     *naming.System
	keys      []string
	decisions []*naming.AttributeDecision
}

// at returns the decision for a key that is not the remembered one at its
// position, and remembers it.
func (m *memo) at(i int, key string, decisions *decisions) *naming.AttributeDecision {
	decision := decisions.attribute(m.owner, key)
	if i < len(m.keys) {
		m.keys[i], m.decisions[i] = key, decision
	} else if i < maxMemo {
		m.keys, m.decisions = append(m.keys, key), append(m.decisions, decision)
	}
	return decision
}

// maxMemo bounds a memo: a map of thousands of attributes is nobody's usual one.
const maxMemo = 64

// of prepares the memo for maps of one owner.
func (m *memo) of(owner *naming.System) *memo {
	if m.owner != owner {
		m.owner, m.keys, m.decisions = owner, m.keys[:0], m.decisions[:0]
	}
	return m
}

// edit is a change to a map's keys that waits until its values are walked.
type edit struct {
	key      string
	decision *naming.AttributeDecision
}

// attributes makes the attributes of one map conformant and tells whether
// nothing had to change.
func (w *walk) attributes(attrs pcommon.Map, m *memo) (conformant bool) {
	conformant = true
	w.edits = w.edits[:0]
	i := -1
	for key, value := range attrs.All() {
		i++
		var decision *naming.AttributeDecision
		if i < len(m.keys) && m.keys[i] == key {
			decision = m.decisions[i]
		} else {
			decision = m.at(i, key, w.decisions)
		}
		if decision == nil {
			if !w.fits(value) {
				conformant = w.fitValue(value, m.owner) && conformant
			}
			continue
		}
		conformant = w.value(decision, value, m.owner) && conformant
		if decision.Rule != naming.Conformant || decision.Sensitive == conventions.SensitiveRemove {
			w.edits = append(w.edits, edit{key, decision})
		}
	}
	if len(w.edits) == 0 {
		return conformant
	}
	// Of two keys that become one the first in order wins, whatever their order
	// in the map.
	slices.SortStableFunc(w.edits, func(a, b edit) int { return strings.Compare(a.key, b.key) })
	for _, e := range w.edits {
		w.key(attrs, e, m.owner)
	}
	return false
}

// key changes or removes one attribute's key. Where the conformant key is taken
// already, both attributes stay as they are: no value is lost, and no two series
// become one.
func (w *walk) key(attrs pcommon.Map, e edit, owner *naming.System) {
	if e.decision.Sensitive == conventions.SensitiveRemove {
		attrs.Remove(e.key)
		w.change(naming.AttributeSensitive, owner)
		return
	}
	if e.decision.Rule == naming.Unnameable {
		w.violation(naming.Unnameable, owner)
		return
	}
	if _, taken := attrs.Get(e.decision.Key); taken {
		w.violation(naming.AttributeCollision, owner)
		return
	}
	// Removing first leaves room for the new key, so that nothing is allocated.
	value, _ := attrs.Get(e.key)
	value.MoveTo(w.scratch)
	attrs.Remove(e.key)
	w.scratch.MoveTo(attrs.PutEmpty(e.decision.Key))
	w.change(e.decision.Rule, owner)
}

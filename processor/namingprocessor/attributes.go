package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// memo remembers what was decided for the keys of the last map. Maps of one kind,
// owner and length mostly have the same keys in the same order, so that a
// comparison at the same position replaces a look-up.
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
	m.rename.state = renamingNew
	return decision
}

// maxMemo bounds a memo: a map of thousands of attributes is nobody's usual one.
const maxMemo = 64

// memos are the memos of one kind of maps, by the index of their owner and their
// length.
type memos [][memoLengths]memo

const memoLengths = 8

func newMemos(namer *naming.Namer) memos {
	m := make(memos, 1+len(namer.Systems()))
	for _, system := range namer.Systems() {
		for i := range m[system.Index()] {
			m[system.Index()][i].owner = system
		}
	}
	return m
}

// of returns the memo for maps of one owner and length.
func (m memos) of(owner *naming.System, length int) *memo {
	memo := &m[owner.Index()][length%memoLengths]
	if length < len(memo.keys) {
		memo.keys, memo.rename.state = memo.keys[:length], renamingNew
	}
	return memo
}

// attributes makes the attributes of one map conformant and tells whether
// nothing had to change.
func (w *walk) attributes(attrs pcommon.Map, kind memos, owner *naming.System) (conformant bool) {
	m := kind.of(owner, attrs.Len())
	keys := m.keys
	conformant, rekey := true, false
	i := -1
	for key, value := range attrs.All() {
		i++
		var decision *naming.AttributeDecision
		if i < len(keys) && keys[i].key == key {
			decision = keys[i].decision
		} else {
			decision = m.at(i, key, w.decisions)
			keys = m.keys
			w.longKeys = w.longKeys || len(key) > maxCachedName
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

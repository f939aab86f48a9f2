package namingprocessor

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
)

// memo remembers what was decided for the keys of the last map. Maps of one kind,
// owner and length mostly have the same keys in the same order, so that a
// comparison at the same position replaces a look-up.
type memo struct {
	owner  *naming.System
	keys   []memoKey
	fresh  bool // keys have changed with the map at hand
	rekeys bool // one of the keys changes, or goes
	beyond bool // so does one that there is no room for
}

// memoKey is what is known of a key, laid out so that most values need but a glance.
type memoKey struct {
	key      string
	decision *naming.AttributeDecision // nil: nothing to do
	rekeys   bool                      // the key changes, or goes
	anyValue bool
	// Where not all values may be what they are: the type of which all may, or noType,
	// and the last text that may.
	typed pcommon.ValueType
	fine  string
}

const noType pcommon.ValueType = -1

// maxFine bounds the texts that are kept from one batch to the next.
const maxFine = 64

func newMemoKey(key string, d *naming.AttributeDecision) memoKey {
	if d == nil {
		return memoKey{key: key, anyValue: true, typed: noType}
	}
	typed := noType
	if d.Type != "" && d.Allowed == nil && d.Sensitive == "" {
		typed = attributes.TypeOf(d.Type)
	}
	rekeys := d.Rule != naming.Conformant || d.Sensitive == conventions.SensitiveRemove
	return memoKey{key: key, decision: d, rekeys: rekeys, anyValue: d.AnyValue, typed: typed}
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
		memo.keys, memo.fresh = memo.keys[:length], true
	}
	return memo
}

// settle sums up the keys once they have changed.
func (m *memo) settle() {
	m.rekeys = m.beyond || slices.ContainsFunc(m.keys, func(k memoKey) bool { return k.rekeys })
	m.fresh, m.beyond = false, false
}

// attributes makes the attributes of one map conformant and tells whether
// nothing had to change.
func (w *walk) attributes(attrs pcommon.Map, kind memos, owner *naming.System) (conformant bool) {
	m := kind.of(owner, attrs.Len())
	conformant = w.values(attrs, m)
	if m.fresh {
		m.settle()
	}
	if !m.rekeys {
		return conformant
	}
	w.rekey(attrs, m)
	return false
}

// values has a memo know the keys of a map, and makes the values what they should
// be. It has little at hand at a time, so that it is not moved in and out of the
// registers for each comparison.
func (w *walk) values(attrs pcommon.Map, m *memo) (conformant bool) {
	conformant = true
	i := 0
	for key, value := range attrs.All() {
		var k *memoKey
		if i < len(m.keys) && m.keys[i].key == key {
			k = &m.keys[i]
		} else {
			k = w.remember(m, i, key)
		}
		i++
		if text := value.Str(); text != "" {
			if w.textFits(k, text) {
				continue
			}
		} else if k.typeFits(value.Type()) {
			continue
		}
		conformant = w.check(k, value, m.owner) && conformant
	}
	return conformant
}

// textFits tells at a glance whether a text, which is not empty, may be what it is.
func (w *walk) textFits(k *memoKey, text string) bool {
	return len(text) <= w.maxValueBytes && (k.anyValue || k.typed == pcommon.ValueTypeStr || text == k.fine)
}

// typeFits tells whether any value of a type may be what it is. Of those that it
// tells so there is nothing to cut, since they all have one size.
func (k *memoKey) typeFits(t pcommon.ValueType) bool {
	return t < pcommon.ValueTypeMap && (k.anyValue || k.typed == t)
}

// remember looks up what is decided for a key that is not the remembered one at its
// position.
func (w *walk) remember(m *memo, i int, key string) *memoKey {
	k := newMemoKey(key, w.decisions.attribute(m.owner, key))
	w.longKeys = w.longKeys || len(key) > maxCachedName
	m.fresh = true
	switch {
	case i < len(m.keys):
		m.keys[i] = k
	case i < maxMemo:
		m.keys = append(m.keys, k)
	default:
		m.beyond = m.beyond || k.rekeys
		w.beyond = k
		return &w.beyond
	}
	return &m.keys[i]
}

// check makes a value that a glance does not decide about what it should be, and
// tells whether it was already.
func (w *walk) check(k *memoKey, value pcommon.Value, owner *naming.System) (conformant bool) {
	if k.anyValue {
		return w.fitValue(value, owner)
	}
	conformant = w.value(k.decision, value, owner)
	if text := value.Str(); conformant && len(text) <= maxFine {
		k.fine = text
	}
	return conformant
}

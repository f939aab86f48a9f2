package cardinalityprocessor

import (
	"math"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

// overflowKey marks the series of all that is past a limit. OpenTelemetry's SDKs
// use the same one.
const overflowKey = "otel.metric.overflow"

// pointIdentity is what the attributes of a point say.
type pointIdentity struct {
	stream attrhash.Hash // of all of them
	series attrhash.Hash // of those that stay
	known  uint32        // its stream, from 1; 0 where it was not looked up, or there is none
	// dropped: some do not stay. limited: some are limited in their values.
	// overflow: those that stay are of an overflow series.
	dropped, limited, overflow bool
}

// memo remembers the last map. Maps of one metric mostly have the same keys in the
// same order, and most of the values as well, so that a comparison at the same
// position replaces hashes and look-ups: what is another value only has to be
// exchanged in the sums.
type memo struct {
	rules *keyRules
	keys  []memoKey
	id    pointIdentity
	fresh bool // keys have changed with the map at hand
	// marks: one of the keys can mark an overflow series, whose identity depends on more
	// than the keys.
	marks bool
}

type memoKey struct {
	key  string
	text string // the last value, if it was a text that is not too long
	pair attrhash.Hash
	// The last value, if it was a number or a truth value.
	number uint64
	kind   pcommon.ValueType

	seed             uint64
	dropped, limited bool
}

// memoLengths tells the memos of maps of different lengths apart.
const memoLengths = 16

// maxMemo bounds a memo: a map of hundreds of attributes is nobody's usual one.
const maxMemo = 64

// What a memo may take from one batch to the next at most.
const (
	maxMemoKey  = 256 // a longer key ends all memos with its batch
	maxMemoText = 64
)

// memo returns the memo of maps of one length that the same rules apply to.
func (w *walk) memo(rules *keyRules, length int) *memo {
	i := rules.number*memoLengths + length%memoLengths
	for i >= len(w.memos) {
		w.memos = append(w.memos, memo{})
	}
	m := &w.memos[i]
	if m.rules != rules {
		*m = memo{rules: rules}
	}
	for len(m.keys) > length {
		last := len(m.keys) - 1
		m.exchange(&m.keys[last], attrhash.Hash{})
		m.keys, m.fresh = m.keys[:last], true
	}
	return m
}

// identifyPoint returns the identity of a point's attributes.
func (w *walk) identifyPoint(attrs pcommon.Map, rules *keyRules) pointIdentity {
	if attrs.Len() > maxMemo {
		return w.identify(attrs, rules)
	}
	m := w.memo(rules, attrs.Len())
	i := 0
	for key, value := range attrs.All() {
		if i >= len(m.keys) || m.keys[i].key != key {
			w.remember(m, i, key)
		}
		k := &m.keys[i]
		switch text := value.Str(); {
		case text == "":
			m.look(k, value)
		case text != k.text:
			m.exchange(k, attrhash.Text(k.seed, text))
			k.remember(text)
		}
		i++
	}
	if m.fresh {
		m.settle()
	}
	if m.marks {
		return w.identify(attrs, rules)
	}
	return m.id
}

// remember looks up what is known of a key that is not the remembered one at its
// position.
func (w *walk) remember(m *memo, i int, key string) {
	k := memoKey{key: key, seed: attrhash.Key(w.seed, key), dropped: m.rules.drops(key), limited: w.limits(key)}
	w.longKeys = w.longKeys || len(key) > maxMemoKey
	m.fresh = true
	if i == len(m.keys) {
		m.keys = append(m.keys, k)
		return
	}
	m.exchange(&m.keys[i], attrhash.Hash{})
	m.keys[i] = k
}

// limits tells whether the values of a key are limited.
func (p *cardinalityProcessor) limits(key string) bool {
	return slices.ContainsFunc(p.limited, func(l limitedAttribute) bool { return l.key == key })
}

// remember takes a text for the last value.
func (k *memoKey) remember(text string) {
	if len(text) > maxMemoText {
		text = ""
	}
	k.text, k.kind = text, pcommon.ValueTypeStr
}

// look takes a value that is no text, or an empty one.
func (m *memo) look(k *memoKey, value pcommon.Value) {
	number := uint64(0)
	kind := value.Type()
	switch kind {
	case pcommon.ValueTypeInt:
		number = uint64(value.Int())
	case pcommon.ValueTypeDouble:
		number = math.Float64bits(value.Double())
	case pcommon.ValueTypeBool:
		number = bit(value.Bool())
	default:
		kind = pcommon.ValueTypeEmpty // not to be remembered
	}
	if kind == k.kind && number == k.number && kind != pcommon.ValueTypeEmpty {
		return
	}
	m.exchange(k, attrhash.Value(k.seed, value))
	k.text, k.number, k.kind = "", number, kind
}

// exchange puts another pair in the place of a key's last.
func (m *memo) exchange(k *memoKey, pair attrhash.Hash) {
	m.id.stream = m.id.stream.Minus(k.pair).Plus(pair)
	if !k.dropped {
		m.id.series = m.id.series.Minus(k.pair).Plus(pair)
	}
	k.pair = pair
}

// settle sums up the keys once they have changed.
func (m *memo) settle() {
	m.fresh, m.marks, m.id.dropped, m.id.limited = false, false, false, false
	for i := range m.keys {
		k := &m.keys[i]
		m.marks = m.marks || k.key == overflowKey
		m.id.dropped = m.id.dropped || k.dropped
		m.id.limited = m.id.limited || k.limited && !k.dropped
	}
}

// dropKeys removes the attributes that have to go. The memo mostly has the keys still.
func (w *walk) dropKeys(rules *keyRules, attrs pcommon.Map) {
	keys := w.memo(rules, attrs.Len()).keys
	i := -1
	attrs.RemoveIf(func(key string, _ pcommon.Value) bool {
		i++
		if i < len(keys) && keys[i].key == key {
			return keys[i].dropped
		}
		return rules.drops(key)
	})
}

// identify is the identity of any attributes.
func (w *walk) identify(attrs pcommon.Map, rules *keyRules) (id pointIdentity) {
	stay, marker := 0, false
	for key, value := range attrs.All() {
		pair := attrhash.Value(attrhash.Key(w.seed, key), value)
		id.stream = id.stream.Plus(pair)
		mark := key == overflowKey && value.Type() == pcommon.ValueTypeBool && value.Bool()
		// Whatever is to be kept, an overflow series is one.
		if rules.drops(key) && (!mark || attrs.Len() != 1) {
			id.dropped = true
			continue
		}
		id.series = id.series.Plus(pair)
		id.limited = id.limited || w.limits(key)
		stay++
		marker = marker || mark
	}
	id.overflow = marker && stay == 1
	return id
}

// identifyOthers is the identity of the attributes that stay, some of which become
// other.
func (w *walk) identifyOthers(attrs pcommon.Map, rules *keyRules, others uint32) (sum attrhash.Hash) {
	changed := pcommon.NewMap()
	attrs.CopyTo(changed)
	changed.RemoveIf(func(key string, _ pcommon.Value) bool { return rules.drops(key) })
	w.rewriteValues(changed, others)
	return attrhash.Map(w.seed, changed)
}

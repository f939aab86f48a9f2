package cardinalityprocessor

import "go.opentelemetry.io/collector/pdata/pcommon"

// overflowKey marks the series of all that is past a limit. OpenTelemetry's SDKs
// use the same one.
const overflowKey = "otel.metric.overflow"

// pointIdentity is what the attributes of a point say.
type pointIdentity struct {
	stream identity // of all of them
	series identity // of those that stay
	// dropped: some do not stay. limited: some are limited in their values.
	// overflow: those that stay are of an overflow series.
	dropped, limited, overflow bool
}

// memo remembers what is known of the keys of the last map. Maps of one metric
// mostly have the same keys in the same order, so that a comparison at the same
// position replaces a hash and look-ups.
type memo struct {
	rules *keyRules
	keys  []memoKey
}

// memo returns the memo of maps of one length that the same rules apply to.
func (w *walk) memo(rules *keyRules, length int) *memo {
	i := rules.number*memoLengths + length%memoLengths
	for i >= len(w.memos) {
		w.memos = append(w.memos, memo{})
	}
	if w.memos[i].rules != rules {
		w.memos[i] = memo{rules: rules}
	}
	return &w.memos[i]
}

type memoKey struct {
	key              string
	seed             uint64
	dropped, limited bool
	// The last value, if it was a short text, and its identity: points that follow
	// each other have most values in common.
	text string
	pair identity
}

// memoLengths tells the memos of maps of different lengths apart.
const memoLengths = 8

// maxMemo bounds a memo: a map of hundreds of attributes is nobody's usual one.
const maxMemo = 64

// What a memo may take from one batch to the next at most.
const (
	maxMemoKey  = 256 // a longer key ends all memos with its batch
	maxMemoText = 64
)

// identifyPoint returns the identity of a point's attributes.
func (w *walk) identifyPoint(attrs pcommon.Map, rules *keyRules) (id pointIdentity) {
	length := attrs.Len()
	m := w.memo(rules, length)
	i, stay, marker := -1, 0, false
	for key, value := range attrs.All() {
		i++
		var k *memoKey
		if i < len(m.keys) && m.keys[i].key == key {
			k = &m.keys[i]
		} else {
			k = w.remember(m, i, key)
		}
		pair := k.identify(value)
		id.stream = id.stream.plus(pair)
		mark := key == overflowKey && value.Type() == pcommon.ValueTypeBool && value.Bool()
		// Whatever is to be kept, an overflow series is one.
		if k.dropped && (!mark || length != 1) {
			id.dropped = true
			continue
		}
		id.series = id.series.plus(pair)
		id.limited = id.limited || k.limited
		stay++
		marker = marker || mark
	}
	id.overflow = marker && stay == 1
	return id
}

// identify is the identity of the key with a value.
func (k *memoKey) identify(value pcommon.Value) identity {
	if value.Type() != pcommon.ValueTypeStr {
		return hashPair(k.seed, value)
	}
	text := value.Str()
	if text != k.text || text == "" {
		pair := hashPair(k.seed, value)
		if len(text) > maxMemoText {
			return pair
		}
		k.text, k.pair = text, pair
	}
	return k.pair
}

// remember looks up what is known of a key that is not the remembered one at its
// position.
func (w *walk) remember(m *memo, i int, key string) *memoKey {
	k := memoKey{key: key, seed: hashKey(w.seed, key), dropped: m.rules.drops(key)}
	for _, limited := range w.limited {
		k.limited = k.limited || limited.key == key
	}
	w.longKeys = w.longKeys || len(key) > maxMemoKey
	switch {
	case i < len(m.keys):
		m.keys[i] = k
	case i < maxMemo:
		m.keys = append(m.keys, k)
	default:
		w.beyond = k
		return &w.beyond
	}
	return &m.keys[i]
}

// identifyOthers is the identity of the attributes that stay, some of which become
// other.
func (w *walk) identifyOthers(attrs pcommon.Map, rules *keyRules, others uint32) (sum identity) {
	changed := pcommon.NewMap()
	attrs.CopyTo(changed)
	changed.RemoveIf(func(key string, _ pcommon.Value) bool { return rules.drops(key) })
	w.rewriteValues(changed, others)
	return hashMap(w.seed, changed)
}

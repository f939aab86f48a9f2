package cardinalityprocessor

import (
	"slices"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/wirefold"
)

// shape is what is known of points whose attributes have the same keys in the same order:
// what naming makes of the keys, and which of them go.
type shape struct {
	number int // in its set
	keys   []shapeKey
	fit    bool // each key is one for itself, whichever others there are
	drops  bool // some keys go
	// overflow: the only key is that of overflow series.
	overflow bool
}

type shapeKey struct {
	key     string // as it is sent
	final   string // as naming makes it
	seed    uint64 // of the values' identity
	dropped bool
	// What the values should be, and what becomes of others; nil where they may be any.
	values    *naming.AttributeDecision
	converted *conversions
}

// shapes are those of one owner's metrics with the same rules.
type shapes struct {
	owner *naming.System
	rules *keyRules

	mu  sync.Mutex
	all atomic.Pointer[[]*shape] // replaced with mu held
}

// maxShapes is how many bits a plan has to say which of them it is sure of.
const maxShapes = 64

// of returns the shape of a point's attributes: mostly that of the point before.
func (s *shapes) of(attrs *wireAttributes, before *shape, w *wire) *shape {
	if before != nil && attrs.sameKeys {
		return before
	}
	attrs.forget()
	if known := s.find(attrs); known != nil {
		return known
	}
	return s.learn(attrs, w)
}

func (s *shapes) find(attrs *wireAttributes) *shape {
	if all := s.all.Load(); all != nil {
		for _, known := range *all {
			if known.is(attrs) {
				return known
			}
		}
	}
	return nil
}

// is tells whether attributes have the shape's keys.
func (s *shape) is(attrs *wireAttributes) bool {
	if len(s.keys) != attrs.count {
		return false
	}
	for i := range s.keys {
		if s.keys[i].key != string(attrs.all[i].key) {
			return false
		}
	}
	return true
}

// learn makes a shape, or returns nil where there are too many, or a key is so long that
// nothing is remembered of it.
func (s *shapes) learn(attrs *wireAttributes, w *wire) *shape {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.find(attrs); known != nil {
		return known
	}
	var all []*shape
	if known := s.all.Load(); known != nil {
		all = *known
	}
	if len(all) == maxShapes {
		return nil
	}
	made := &shape{number: len(all), fit: true}
	for _, a := range attrs.all[:attrs.count] {
		if len(a.key) > maxMemoKey {
			return nil
		}
		key := string(a.key)
		final, values, fit := finalKey(w.namer, s.owner, key)
		k := shapeKey{key: key, final: final, seed: hashKey(w.seed, final), dropped: s.rules.drops(final), values: values, converted: &conversions{}}
		// Two keys that become one, or one that comes twice, are for those who see both.
		twice := slices.ContainsFunc(made.keys, func(o shapeKey) bool { return o.final == final || o.key == key })
		made.overflow = final == overflowKey && attrs.count == 1
		made.fit = made.fit && fit && !twice && (final != overflowKey || made.overflow) && (k.dropped || !w.limits(final))
		made.drops = made.drops || k.dropped
		made.keys = append(made.keys, k)
	}
	all = append(slices.Clip(all), made)
	s.all.Store(&all)
	return made
}

// finalKey is what naming makes of a key, and what it says of the values. A key that it
// leaves as it is against a rule, or whose values must not travel, does not fit.
func finalKey(namer wirefold.Namer, owner *naming.System, key string) (final string, values *naming.AttributeDecision, fit bool) {
	if namer == nil {
		return key, nil, true
	}
	d := namer.Attribute(owner, key)
	switch {
	case d == nil:
		return key, nil, true
	case d.AnyValue:
		return d.Key, nil, d.Rule != naming.Unnameable
	default:
		return d.Key, d, d.Rule != naming.Unnameable && d.Sensitive == ""
	}
}

// identify is identifyPoint by a shape. It returns false for values of which it is not
// known what naming makes of them.
func (s *shape) identify(attrs *wireAttributes, of *shapes, w *wire) (id pointIdentity, ok bool) {
	for i := range s.keys {
		k, a := &s.keys[i], &attrs.all[i]
		switch {
		case a.known:
		case len(a.text) > w.maxValue:
			return id, false
		case k.values == nil || a.conforms(k.values):
			a.pair = a.identify(k.seed)
		default:
			if a.pair, ok = k.converted.of(a, k, of, w); !ok {
				return id, false
			}
		}
		a.known = true
		pair := a.pair
		id.stream = id.stream.plus(pair)
		if s.overflow {
			id.series, id.overflow = pair, true
			return id, a.kind == pcommon.ValueTypeBool && a.bits == 1
		}
		if k.dropped {
			id.dropped = true
		} else {
			id.series = id.series.plus(pair)
		}
	}
	return id, true
}

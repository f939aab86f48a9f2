package cardinalityprocessor

import (
	"maps"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// other is what a value past its attribute's limit becomes.
const other = "other"

// limitedAttribute is an attribute whose distinct values are limited.
type limitedAttribute struct {
	key   string
	limit int
}

// limitedAttributes numbers the setting attribute_limits.
func limitedAttributes(limits map[string]int) []limitedAttribute {
	var all []limitedAttribute
	for _, key := range slices.Sorted(maps.Keys(limits)) {
		all = append(all, limitedAttribute{key, limits[key]})
	}
	return all
}

// valueSet are the values of one limited attribute in one service.
type valueSet struct{ values table }

// limitValues finds the attributes of a point whose values are past their limits,
// as bits. Values that have a place are touched, and others take one that is free.
func (w *walk) limitValues(s *service, attrs pcommon.Map, keys *keyRules) (others uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil {
		s.values = make([]valueSet, len(w.limited))
	}
	for i, limited := range w.limited {
		value, ok := attrs.Get(limited.key)
		if !ok || keys.drops(limited.key) {
			continue
		}
		known := &s.values[i].values
		key := hashPair(w.seed, value).lo
		if e := known.get(key); e != nil {
			e.seen = w.epoch
		} else if known.count < limited.limit && s.take(valueBytes) {
			known.put(key, w.epoch, 0)
		} else if value.Type() != pcommon.ValueTypeStr || value.Str() != other {
			others |= 1 << i
		}
	}
	return others
}

// rewriteValues makes values other.
func (w *walk) rewriteValues(attrs pcommon.Map, others uint32) {
	for i, limited := range w.limited {
		if others&(1<<i) != 0 {
			attrs.PutStr(limited.key, other)
		}
	}
}

// expireValues gives up the values that no point had since an epoch. A series
// touches its values less often than itself, hence the grace.
func (s *service) expireValues(oldest uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.values {
		values := &s.values[i].values
		before := values.count
		values.keep(func(e *entry) bool { return e.seen >= oldest })
		s.give((before - values.count) * valueBytes)
	}
}

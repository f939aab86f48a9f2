package cardinalityprocessor

import (
	"maps"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
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

// limitValues finds the attributes of a point whose values are past their limits,
// as bits. Values that have a place are touched, and others take one that is free.
func (w *walk) limitValues(s *service, attrs pcommon.Map, keys *keyRules) (others uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil {
		s.values = make([]table, len(w.limited))
	}
	for i, limited := range w.limited {
		value, ok := attrs.Get(limited.key)
		if !ok || keys.drops(limited.key) {
			continue
		}
		known := &s.values[i]
		key := attrhash.Value(w.seed, value).Lo
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

// touchValues keeps the values of a known series in their places.
func (w *walk) touchValues(s *service, attrs pcommon.Map, others uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, limited := range w.limited {
		value, ok := attrs.Get(limited.key)
		if !ok || others&(1<<i) != 0 || s.values == nil {
			continue
		}
		if e := s.values[i].get(attrhash.Value(w.seed, value).Lo); e != nil {
			e.seen = w.epoch
		}
	}
}

// becomesOther tells whether an attribute's value is made other.
func (w *walk) becomesOther(key string, value pcommon.Value, others uint32) bool {
	for i, limited := range w.limited {
		if limited.key == key {
			return others&(1<<i) != 0 && (value.Type() != pcommon.ValueTypeStr || value.Str() != other)
		}
	}
	return false
}

// rewriteValues makes values other.
func (w *walk) rewriteValues(attrs pcommon.Map, others uint32) {
	for i, limited := range w.limited {
		if others&(1<<i) != 0 {
			attrs.PutStr(limited.key, other)
		}
	}
}

// expireValues gives up the values that no point had since an epoch.
func (s *service) expireValues(oldest uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.values {
		values := &s.values[i]
		before := values.count
		values.keep(func(e *entry) bool { return e.seen >= oldest })
		s.give((before - values.count) * valueBytes)
	}
}

package plan

import (
	"maps"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// Keys says which attributes the points of a metric lose. Metrics with the same rules share
// one, so that what is known of the keys of one serves the next.
type Keys struct {
	Number  int  // from 0
	Any     bool // whether there is an attribute that would have to go
	Limited []Limited
	keep    map[string]bool // nil: all but those that other rules drop
	drop    map[string]bool
	series  naming.Series
}

// Limited is an attribute whose distinct values are limited.
type Limited struct {
	Key   string
	Limit int
}

// MaxLimited is how many attributes a Replaced has bits for.
const MaxLimited = 32

// LimitedOf numbers the attributes that have limits.
func LimitedOf(limits map[string]int) []Limited {
	var all []Limited
	for _, key := range slices.Sorted(maps.Keys(limits)) {
		all = append(all, Limited{key, limits[key]})
	}
	return all
}

// Drops reports whether an attribute has to go.
func (k *Keys) Drops(key string) bool {
	if k.keep != nil {
		return !k.keep[key]
	}
	if k.drop[key] {
		return true
	}
	_, id := k.series.ID(key)
	return id
}

// Limits reports whether the values of an attribute are limited.
func (k *Keys) Limits(key string) bool {
	return slices.ContainsFunc(k.Limited, func(l Limited) bool { return l.Key == key })
}

// Other is what a value past its attribute's limit becomes.
const Other = "other"

// Replaced says which of the limited attributes become Other, as bits by their number.
type Replaced uint32

// IsOther reports whether a value is Other already.
func IsOther(value pcommon.Value) bool {
	return value.Type() == pcommon.ValueTypeStr && value.Str() == Other
}

// Loses reports whether an attribute goes, or its value becomes Other.
func (k *Keys) Loses(key string, value pcommon.Value, replaced Replaced) bool {
	if k.Drops(key) {
		return true
	}
	i := slices.IndexFunc(k.Limited, func(l Limited) bool { return l.Key == key })
	return i >= 0 && replaced&(1<<i) != 0 && !IsOther(value)
}

// Replace makes values Other.
func (k *Keys) Replace(attrs pcommon.Map, replaced Replaced) {
	for i, limited := range k.Limited {
		if replaced&(1<<i) != 0 {
			attrs.PutStr(limited.Key, Other)
		}
	}
}

func set(keys []string) map[string]bool {
	s := make(map[string]bool, len(keys))
	for _, key := range keys {
		s[key] = true
	}
	return s
}

// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"maps"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// Keys has the rules for a metric's attributes. Metrics with the same rules share one, so
// that identity.Cache serves several metrics.
type Keys struct {
	Number  int  // from 0; identifies the Keys
	Any     bool // an attribute can be dropped, apart from the rare naming.OriginalNameKey and content.StreamKey
	Limited []Limited
	keep    map[string]bool // nil: keep all that the other rules do not drop
	drop    map[string]bool
	ids     naming.IDs // of the metric's system
}

// Limited is an attribute whose number of different values is limited.
type Limited struct {
	Key   string
	Limit int
}

// MaxLimited is the number of bits of a Replaced.
const MaxLimited = 32

// LimitedOf returns the limited attributes in the order of their keys.
func LimitedOf(limits map[string]int) []Limited {
	var all []Limited
	for _, key := range slices.Sorted(maps.Keys(limits)) {
		all = append(all, Limited{key, limits[key]})
	}
	return all
}

// Drops reports whether an attribute is dropped.
func (k *Keys) Drops(key string) bool { return k.Removes(key) != Kept }

// Removal is the reason why an attribute is dropped.
type Removal string

// The reasons.
const (
	Kept             Removal = ""
	RemovedBySetting Removal = "setting"
	RemovedByPack    Removal = "pack"
	// RemovedInternal is for attributes that processors of ours add: naming gives the points of metrics that
	// share a name their original name, and points without their protected values a number. The points are
	// streams of one series, as if an id were dropped.
	RemovedInternal Removal = "internal"
)

// Removes returns why an attribute is dropped.
func (k *Keys) Removes(key string) Removal {
	if k.keep != nil {
		if k.keep[key] {
			return Kept
		}
		return RemovedBySetting
	}
	if k.drop[key] {
		return RemovedBySetting
	}
	if key == naming.OriginalNameKey || key == content.StreamKey {
		return RemovedInternal
	}
	if k.ids.Has(key) {
		return RemovedByPack
	}
	return Kept
}

// same reports whether two rules for attributes are the same.
func (k *Keys) same(o *Keys) bool {
	return k == o || (k.keep == nil) == (o.keep == nil) && maps.Equal(k.keep, o.keep) && maps.Equal(k.drop, o.drop) &&
		slices.Equal(k.Limited, o.Limited) && k.ids.Same(o.ids)
}

// Keeps reports whether a setting lists the attributes that stay, so that no other setting drops one.
func (k *Keys) Keeps() bool { return k.keep != nil }

// Limits reports whether the values of an attribute are limited.
func (k *Keys) Limits(key string) bool {
	return slices.ContainsFunc(k.Limited, func(l Limited) bool { return l.Key == key })
}

// other replaces the values that an attribute's limit refuses.
const other = "other"

// Replaced is the set of attributes whose values are replaced. Bit i stands for Limited[i].
type Replaced uint32

// IsOther reports whether a value equals other.
func IsOther(value pcommon.Value) bool {
	return value.Type() == pcommon.ValueTypeStr && value.Str() == other
}

// Loses reports whether an attribute is dropped, or its value is replaced by another one.
func (k *Keys) Loses(key string, value pcommon.Value, replaced Replaced) bool {
	if k.Drops(key) {
		return true
	}
	i := slices.IndexFunc(k.Limited, func(l Limited) bool { return l.Key == key })
	return i >= 0 && replaced&(1<<i) != 0 && !IsOther(value)
}

// Replace replaces values by other.
func (k *Keys) Replace(attrs pcommon.Map, replaced Replaced) {
	for i, limited := range k.Limited {
		if replaced&(1<<i) != 0 {
			attrs.PutStr(limited.Key, other)
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

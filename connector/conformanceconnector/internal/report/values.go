// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/distinct"
)

const (
	// One of sampledSeries series is looked at, if there are more than are counted exactly. Otherwise each
	// is looked at once, so that a steady stream costs nothing.
	sampledSeries = 256
	// maxValueKeys limits the attribute keys of a metric whose values are counted.
	maxValueKeys = 16
	// maxShapes limits the values of a key whose form is looked at.
	maxShapes = 64
)

const (
	// manyValues is the least number of values that are suspected to be ids, if most series have one of
	// their own.
	manyValues = 100
	// someValues is the least number of values that are suspected to be ids, if they look like ids.
	someValues = 10
)

// Value is an attribute of a point.
type Value struct {
	Key  string
	Hash uint64
	Text string // the value, or empty if it is no text
}

// values counts the values of a metric's attributes in the series that were looked at.
type values struct {
	series distinct.Small
	keys   []*keyValues
}

// keyValues counts the values of one key.
type keyValues struct {
	key         string
	values      distinct.Small
	shapes, ids int // values whose form was looked at, and those that look like ids
}

func (v *values) add(series uint64, attributes []Value) {
	v.series.Add(series)
	for i := range attributes {
		a := &attributes[i]
		k := v.of(a.Key)
		if k == nil {
			continue
		}
		k.values.Add(a.Hash)
		if k.shapes < maxShapes {
			k.shapes++
			if naming.LooksLikeID(a.Text) {
				k.ids++
			}
		}
	}
}

// of returns the counts of a key, or nil if there is no room.
func (v *values) of(key string) *keyValues {
	key = conformance.Kept(key)
	for _, k := range v.keys {
		if k.key == key {
			return k
		}
	}
	if len(v.keys) >= maxValueKeys {
		return nil
	}
	k := &keyValues{key: strings.Clone(key)}
	v.keys = append(v.keys, k)
	return k
}

// estimate returns the numbers of values in an estimated number of series, the largest first. It
// extrapolates the numbers that grow with the series.
func (v *values) estimate(of estimate, packs naming.Series) []MetricAttribute {
	seen := of.series
	if !of.exact {
		seen, _ = v.series.Estimate()
		seen = max(min(seen, of.series), 1)
	}
	all := make([]MetricAttribute, 0, len(v.keys))
	for _, k := range v.keys {
		n, exact := k.values.Estimate()
		n = min(n, seen)
		grows := 2*n >= seen
		if grows && seen > 0 {
			n = int(float64(n) * float64(of.series) / float64(seen))
		}
		a := MetricAttribute{Key: k.key, Values: n, Exact: exact && of.exact}
		switch _, stated := packs.ID(k.key); {
		case stated:
			a.ID = conformance.IDByPack
		case grows && n >= manyValues, n >= someValues && 10*k.ids >= 9*k.shapes:
			a.ID = conformance.IDSuspected
		}
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b MetricAttribute) int { return cmp.Or(b.Values-a.Values, strings.Compare(a.Key, b.Key)) })
	return all
}

// merged returns the most series that can remain without the ids, or 0 without ids.
func merged(e estimate) int {
	n, ids := 1, false
	for _, k := range e.keys {
		if k.ID != "" {
			ids = true
		} else {
			n = min(n*max(k.Values, 1), e.series)
		}
	}
	if !ids {
		return 0
	}
	return n
}

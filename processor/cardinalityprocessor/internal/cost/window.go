// SPDX-License-Identifier: Apache-2.0

package cost

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/distinct"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// LimitedValues is the number of values for which Attribute.Limited holds.
const LimitedValues = 20

// window counts what was observed since its start.
type window struct {
	series   distinct.Medium // without the attributes that the plan removes
	resource attribute       // the resource, as if it were an attribute of all points
	keys     []*attribute
	varying  int  // attributes with counts
	round    int  // of the current stream
	crowded  bool // an attribute found no room
	set      *set
}

func newWindow() window { return window{resource: attribute{isResource: true}} }

// set counts the series without several attributes.
type set struct{ without distinct.Medium }

// attribute is an attribute of the points of a metric. One with the same value in all points has no counts: it makes
// no series.
type attribute struct {
	key     string
	removed plan.Removal
	round   int    // of the last stream that has it
	value   uint64 // hash of its only value, without counts
	counts  *counts
	samples samples
	// isResource is set for the resource, and crowded if it varies and there was no room for counts.
	isResource, crowded bool
}

type counts struct {
	values  distinct.Small
	without distinct.Medium // series without the attribute
	// limited has the series if all values but the first ones were the same. It is empty while there are no others.
	limited distinct.Medium
	first   []uint64
	others  bool
}

// attribute returns an attribute, or nil if there is no room for it. Known is false for a new one.
func (w *window) attribute(key string, removed plan.Removal) (a *attribute, known bool) {
	for _, a := range w.keys {
		if a.key == key {
			return a, true
		}
	}
	if len(w.keys) == maxKeys || len(key) > maxKey {
		w.crowded = true
		return nil, false
	}
	a = &attribute{key: strings.Clone(key), removed: removed}
	w.keys = append(w.keys, a)
	return a, false
}

// begin gives an attribute counts, because it varies. It reports false if the window has to begin again: it does
// not know the series of the streams before.
func (w *window) begin(a *attribute, came bool, room func() bool) bool {
	c := &counts{first: make([]uint64, 0, LimitedValues)}
	if came {
		c.values.Add(a.value)
		c.first = append(c.first, a.value)
	}
	known := true
	switch {
	case a.removed != plan.Kept:
	case came:
		c.without, known = w.series.Minus(a.value)
		if w.series.Full() {
			c.without, known = w.series.Clone(room), true // nothing is known anyway
		}
	default:
		c.without = w.series.Clone(room)
	}
	a.counts = c
	w.varying++
	return known
}

// add counts a stream: its series, the series without the attribute, and the one with another value. Without the
// attribute, came is false, and all three are the same.
func (w *window) add(a *attribute, came bool, value, series, without, other uint64, room func() bool) {
	c := a.counts
	if came {
		c.values.Add(value)
	}
	if a.removed != plan.Kept {
		return
	}
	c.without.Add(without, room)
	if a.isResource {
		return // no limit applies to it
	}
	switch {
	case !came || slices.Contains(c.first, value):
		other = series
	case len(c.first) < LimitedValues:
		c.first = append(c.first, value)
		other = series
	case !c.others:
		c.others = true
		c.limited = w.series.Clone(room)
	}
	if c.others {
		c.limited.Add(other, room)
	}
}

// samples are the first different values of an attribute.
type samples struct {
	texts  []string
	hashes []uint64 // of the values
}

func (s *samples) add(t *Table, key string, hash uint64, value pcommon.Value) {
	if len(s.hashes) == maxSamples || slices.Contains(s.hashes, hash) {
		return
	}
	s.hashes = append(s.hashes, hash)
	if text := naming.Beginning(t.Text(key, value), maxText); !slices.Contains(s.texts, text) {
		s.texts = append(s.texts, strings.Clone(text))
	}
}

// ofResource is an attribute of the resources of a metric.
type ofResource struct {
	key    string
	values distinct.Small
}

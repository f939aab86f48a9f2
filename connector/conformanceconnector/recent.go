// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"math/bits"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/verdict"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/namecache"
)

// A batch has few distinct names and keys, so a comparison with the last name in the slot usually replaces
// a look-up.
const (
	recentNames      = 64 // one bit each in namesSeen
	recentAttributes = 256
)

// recentName is a name that this walk has seen.
type recentName struct {
	verdict   *verdict.Name
	unsampled int64 // spans that are not sampled
	recentItems
}

// recentItems counts the items of one recent name. The walk adds the counts to the results when it leaves
// the scope.
type recentItems struct {
	items int64
	keys  namecache.Keys[*verdict.Attribute]

	original string      // of the last renamed item
	row      *report.Row // of that finding
	renamed  int64
}

// recentSlot returns the slot of a name, which depends on its length, middle and end.
func recentSlot(name string) int {
	if name == "" {
		return 0
	}
	return len(name)*7 ^ int(name[len(name)-1])*5 ^ int(name[len(name)/2])*3
}

// slot returns the slot of a name in this scope.
func (w *walk) slot(name string) *recentName {
	slot := recentSlot(name) % recentNames
	w.namesSeen |= 1 << slot
	return &w.names[slot]
}

func (r *recentName) is(k report.Kind, sc *verdict.Scope, name string) bool {
	v := r.verdict
	return v != nil && v.Scope == sc && v.Kind == k && v.Text == name
}

// remember stores a name in its slot, unless it is too long.
func (w *walk) remember(r *recentName, v *verdict.Name, length int) *recentName {
	if length > namecache.MaxLength {
		r = &w.longName
	}
	w.addUp(r)
	*r = recentName{verdict: v, recentItems: recentItems{keys: r.keys}}
	return r
}

// addUpNames adds the counts of a scope's names to the results.
func (w *walk) addUpNames() {
	for ; w.namesSeen != 0; w.namesSeen &= w.namesSeen - 1 {
		w.addUp(&w.names[bits.TrailingZeros64(w.namesSeen)])
	}
	w.addUp(&w.longName)
}

func (w *walk) addUp(r *recentName) {
	if r.items == 0 {
		return
	}
	v := r.verdict
	v.Pack.Seen(w.now)
	for _, item := range v.Expected {
		item.Seen(w.now)
	}
	if r.unsampled > 0 {
		w.traces.Unjudged(&v.Operation, r.unsampled)
		r.unsampled = 0
	}
	tally := &w.tally[v.By][v.Kind]
	tally.Checked += r.items
	if v.Row == nil {
		tally.Conformant += r.items
	} else {
		v.Row.Found(r.items, pcommon.TraceID{})
	}
	r.items = 0
	w.addUpRenamed(r)
}

func (w *walk) addUpRenamed(r *recentName) {
	if r.renamed > 0 {
		w.countRenamed(r.verdict, r.row, r.renamed, pcommon.TraceID{})
		r.renamed = 0
	}
}

func (w *walk) countRenamed(v *verdict.Name, row *report.Row, n int64, trace pcommon.TraceID) {
	w.scope.Service.Renamed(v.By, v.Kind, n)
	row.Found(n, trace)
}

// renamed counts an item whose name an earlier component made conformant. from is its original name.
func (w *walk) renamed(r *recentName, from pcommon.Value, name string, trace pcommon.TraceID, decide func(string) naming.Decision) {
	if from.Type() != pcommon.ValueTypeStr {
		return
	}
	original := from.Str()
	if r.row != nil && original == r.original {
		r.renamed++
		r.row.Exemplify(trace)
		return
	}
	k := r.verdict.Kind
	row := w.verdicts.Renamed(w.scope.Service, k, original, name, decide)
	w.addUpRenamed(r)
	r.row = nil
	if len(original) <= conformance.MaxText {
		r.original, r.row = strings.Clone(original), row
	}
	w.countRenamed(r.verdict, row, 1, trace)
}

// keysOf checks the keys of an item's attributes.
func (w *walk) keysOf(r *recentItems, attrs pcommon.Map, owner *naming.System) {
	place := 0
	for key := range attrs.All() {
		w.keyOf(r, place, key, owner)
		place++
	}
}

// keyOf checks one key. place is its position in the item.
func (w *walk) keyOf(r *recentItems, place int, key string, owner *naming.System) {
	a, known := r.keys.At(place, key)
	switch {
	case a == nil:
		w.count(w.attribute(key, owner))
		return
	case !known || (*a).Service != w.scope.Service || (*a).Owner != owner:
		*a = w.attribute(key, owner)
	}
	w.count(*a)
}

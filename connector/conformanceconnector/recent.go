package conformanceconnector

import (
	"math/bits"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// What a batch has few of: comparing with the last of its kind replaces a look-up.
const (
	recentNames      = 64 // spans and metrics; a bit each
	recentAttributes = 256
	// recentKeys is how many keys of an item are compared with those of the last one.
	recentKeys = 64
)

// recentSpan is a span's name that this walk has seen.
type recentSpan struct {
	verdict   *spanVerdict
	unsampled int64 // of the items
	recentItems
}

// recentMetric is a metric's name that this walk has seen.
type recentMetric struct {
	verdict *metricVerdict
	recentItems
}

// recentItems is what came with one name of late. What it counts is added up when the
// walk leaves the scope.
type recentItems struct {
	items int64
	keys  []*attributeVerdict // of the last item, in order

	original string // of the last one whose name was made conformant on the way
	row      *row   // of that finding
	renamed  int64
}

// wasRenamed counts another item of the last original, and tells whether it is one.
func (r *recentItems) wasRenamed(original pcommon.Value, trace pcommon.TraceID) bool {
	if r.row == nil || original.Type() != pcommon.ValueTypeStr || original.Str() != r.original {
		return false
	}
	r.renamed++
	r.row.exemplify(trace)
	return true
}

// lastRenamed remembers an original.
func (w *walk) lastRenamed(r *recentItems, k kind, original string, found *row) {
	w.addUpRenamed(r, k)
	r.row = nil
	if len(original) <= maxText {
		r.original, r.row = strings.Clone(original), found
	}
}

// addUpSpans adds up what was counted for the spans of a scope.
func (w *walk) addUpSpans() {
	for ; w.spansSeen != 0; w.spansSeen &= w.spansSeen - 1 {
		w.addUpSpan(&w.spans[bits.TrailingZeros64(w.spansSeen)])
	}
	w.addUpSpan(&w.longSpan)
}

func (w *walk) addUpSpan(r *recentSpan) {
	if r.items == 0 {
		return
	}
	r.verdict.expected.came(w.now)
	if r.unsampled > 0 {
		w.unsampled(r.verdict, r.unsampled)
		r.unsampled = 0
	}
	w.addUp(&r.recentItems, kindSpan, r.verdict.row)
}

// addUpMetrics adds up what was counted for the metrics of a scope.
func (w *walk) addUpMetrics() {
	for ; w.metricsSeen != 0; w.metricsSeen &= w.metricsSeen - 1 {
		w.addUpMetric(&w.metrics[bits.TrailingZeros64(w.metricsSeen)])
	}
	w.addUpMetric(&w.longMetric)
}

func (w *walk) addUpMetric(r *recentMetric) {
	if r.items == 0 {
		return
	}
	r.verdict.of.came(w.now)
	for _, e := range r.verdict.expected {
		e.came(w.now)
	}
	w.addUp(&r.recentItems, kindMetric, r.verdict.row)
}

// addUp adds up what was counted for a name that is conformant, or has a row.
func (w *walk) addUp(r *recentItems, k kind, wrong *row) {
	w.tally[k].checked += r.items
	if wrong == nil {
		w.tally[k].conformant += r.items
	} else {
		w.foundMany(wrong, r.items)
	}
	r.items = 0
	w.addUpRenamed(r, k)
}

func (w *walk) addUpRenamed(r *recentItems, k kind) {
	if r.renamed > 0 {
		w.scope.service.renamed[k].Add(r.renamed)
		w.foundMany(r.row, r.renamed)
		r.renamed = 0
	}
}

// keysOf judges the keys of an item's attributes.
func (w *walk) keysOf(r *recentItems, attrs pcommon.Map, owner *naming.System) {
	place := 0
	for key := range attrs.All() {
		w.keyOf(r, place, key, owner)
		place++
	}
}

// keyOf judges the key at a place of an item's. Items of one name mostly have the same
// keys in the same order.
func (w *walk) keyOf(r *recentItems, place int, key string, owner *naming.System) {
	if place < len(r.keys) && r.keys[place].key == key {
		w.judged(r.keys[place])
		return
	}
	v := w.attribute(key, owner)
	switch {
	case len(key) > maxCachedName:
	case place < len(r.keys):
		r.keys[place] = v
	case place == len(r.keys) && place < recentKeys:
		r.keys = append(r.keys, v)
	}
	w.judged(v)
}

// recentSlot spreads names that differ in length, middle or end.
func recentSlot(name string) int {
	if name == "" {
		return 0
	}
	return len(name)*7 ^ int(name[len(name)-1])*5 ^ int(name[len(name)/2])*3
}

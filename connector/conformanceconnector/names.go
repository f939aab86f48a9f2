// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/verdict"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// named counts consecutive items of one name, whose counts are added to the results at once.
type named struct {
	verdict *verdict.Name
	items   int64
}

// is reports whether items of a name have the decision of the last item.
func (n *named) is(k report.Kind, sc *verdict.Scope, name string) bool {
	return n.verdict != nil && n.verdict.Scope == sc && n.verdict.Kind == k && n.verdict.Text == name
}

// begin begins the items of another name.
func (w *walk) begin(v *verdict.Name) {
	w.addUp()
	w.name.verdict = v
}

// addUp adds the counts of the last name to the results.
func (w *walk) addUp() {
	n := w.name
	w.name = named{verdict: n.verdict}
	if n.items == 0 {
		return
	}
	v := n.verdict
	v.Pack.Seen(w.now)
	for _, item := range v.Expected {
		item.Seen(w.now)
	}
	tally := &w.tally[v.By][v.Kind]
	tally.Checked += n.items
	if v.Row == nil {
		tally.Conformant += n.items
	} else {
		v.Row.Found(n.items, pcommon.TraceID{})
	}
}

// renamed counts an item whose name an earlier component made conformant.
func (w *walk) renamed(original pcommon.Value, trace pcommon.TraceID, decide func(original string) naming.Decision) {
	if original.Type() != pcommon.ValueTypeStr {
		return
	}
	v := w.name.verdict
	w.scope.Service.Renamed(v.By, v.Kind)
	w.verdicts.Renamed(v, original.Str(), decide).Found(1, trace)
}

// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/coherence"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/verdict"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/namecache"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
)

const (
	serviceNameKey = "service.name"
	instanceKey    = "service.instance.id"
)

// walk is the state of the processing of one batch. One goroutine uses it at a time. Later batches reuse
// it, because they mostly have the same names.
type walk struct {
	results  *report.Builder
	traces   *coherence.Traces
	verdicts *verdict.Judge
	pool     *sync.Pool // that it came from
	now      time.Time

	scope    *verdict.Scope
	resource pcommon.Map // of the scope
	tally    report.Tallies
	logged   conformance.LogSource // records of the last record's source

	name   named // of the last item
	trace  pcommon.TraceID
	spans  []coherence.Span // the last ones, of one trace
	keys   namecache.KeysByShape[*verdict.Attribute]
	fields tracecontext.Fields
}

func newWalk(results *report.Builder, traces *coherence.Traces, verdicts *verdict.Judge) *walk {
	return &walk{results: results, traces: traces, verdicts: verdicts}
}

// enter starts a scope and counts its attributes. first means the first scope of a resource, whose
// attributes it counts too.
func (w *walk) enter(resource pcommon.Map, sc pcommon.InstrumentationScope, first bool) {
	owner := w.owner(resource, sc.Name())
	w.resource = resource
	w.scope = w.verdicts.Scope(naming.Context{Owner: owner, Scope: sc.Name(), Service: attributes.Text(resource, serviceNameKey)}, w.now)
	w.scope.Pack.Seen(w.now)
	w.scope.Service.Seen(w.now)
	w.judgeKeys(sc.Attributes(), owner)
	if first {
		w.judgeKeys(resource, w.owner(resource, ""))
	}
}

// leave adds the counts of a scope to the results.
func (w *walk) leave() {
	w.addUp()
	w.results.Count(w.scope.Service, &w.tally)
	w.tally = report.Tallies{}
}

// owner returns the system that owns the telemetry of a resource and a scope, or nil.
func (w *walk) owner(resource pcommon.Map, scope string) *naming.System {
	return w.verdicts.Namer.Owner(func(key string) (string, bool) { return attributes.Lookup(resource, key) }, scope)
}

// item counts one item.
func (w *walk) item(o report.Owner, k report.Kind, conformant bool) {
	tally := &w.tally[o][k]
	tally.Checked++
	if conformant {
		tally.Conformant++
	}
}

// judgeKeys checks the keys of attributes.
func (w *walk) judgeKeys(attrs pcommon.Map, owner *naming.System) {
	known, place := w.keys.Of(owner.Index(), attrs), -1
	for key := range attrs.All() {
		place++
		stored, same := known.At(place, key)
		if stored == nil { // there is no room for it
			w.count(w.verdicts.Attribute(w.scope.Service, owner, key))
			continue
		}
		if !same || (*stored).Service != w.scope.Service {
			*stored = w.verdicts.Attribute(w.scope.Service, owner, key)
		}
		w.count(*stored)
	}
}

// count counts a key.
func (w *walk) count(a *verdict.Attribute) {
	w.item(a.By, report.KindAttribute, a.Row == nil)
	if a.Row != nil {
		a.Row.Found(1, pcommon.TraceID{})
	}
}

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

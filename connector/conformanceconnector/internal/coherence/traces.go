// SPDX-License-Identifier: Apache-2.0

// Package coherence judges complete traces: missing parents, start and end times, edges between
// components, and clock offsets between services.
package coherence

import (
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// Span holds what is needed to judge a span with its trace.
type Span struct {
	ID, Parent pcommon.SpanID
	Start, End int64
	Kind       Kind
	Of         *Operation
}

// Kind is a span kind, with the numbers of OTLP.
type Kind int32

// The kinds that the rules use.
const (
	Server   Kind = 2
	Client   Kind = 3
	Producer Kind = 4
	Consumer Kind = 5
)

// Operation holds what spans of one name share.
type Operation struct {
	Service   *report.ServiceCounts
	System    string
	Name      string // the conformant name
	Component Component
}

// Component is a component of a system.
type Component struct {
	count *componentCount // nil if there is no room
	node  nodeSet         // its node in the expected edges, or empty
}

// Settings are the settings of Traces.
type Settings struct {
	Window, Tolerance   time.Duration
	MaxTraces, MaxSpans int
}

// Traces holds spans until their traces are complete, and judges the traces. It is safe for concurrent
// use, except Report and Forget, which must run alone.
type Traces struct {
	settings Settings
	results  *report.Builder
	edges    *edges
	graph    *graph
	skews    *skews

	began         time.Time
	traces, spans atomic.Int64 // that wait
	judged        atomic.Int64 // traces
	unjudged      atomic.Int64 // traces that waited
	shards        [shards]shard
	sampling      atomic.Pointer[sampling]
	changing      sync.Mutex // held to change the sampling
}

// New returns Traces that count their findings in results.
func New(results *report.Builder, s Settings) *Traces {
	t := &Traces{
		settings: s, results: results, edges: newEdges(results.Packs, nil), graph: newGraph(), skews: newSkews(), began: time.Now(),
	}
	t.sampling.Store(&sampling{})
	for i := range t.shards {
		t.shards[i].waiting, t.shards[i].done = map[pcommon.TraceID]*trace{}, map[pcommon.TraceID]struct{}{}
		t.shards[i].mostDone = max(s.MaxTraces/shards, 1)
	}
	return t
}

// Replan has traces judged by the edges that the results' packs expect now. No trace may be judged meanwhile.
func (t *Traces) Replan() { t.edges = newEdges(t.results.Packs, t.edges.nodes) }

// Component returns a component. A service whose spans name no component is a component without a system.
func (t *Traces) Component(system, name string) Component {
	return Component{t.graph.component(system, name), t.edges.node(system, name)}
}

// Sweep judges the traces that have waited long enough. It holds the lock while it judges the traces of a
// shard.
func (t *Traces) Sweep(now time.Time, lock sync.Locker) {
	j := judge{t: t, now: now}
	for i := range t.shards {
		j.judge(t.ended(&t.shards[i], now.Sub(t.began)), lock)
	}
	t.widen(now)
}

// End judges the waiting traces that are complete as far as can be known: they have a root, and all parents
// came. It is for a shutdown, after which no span comes. The others still wait.
func (t *Traces) End(now time.Time, lock sync.Locker) {
	j := judge{t: t, now: now, ending: true}
	for i := range t.shards {
		j.judge(t.complete(&t.shards[i], &j.index), lock)
	}
}

// Report adds the results to r.
func (t *Traces) Report(r *report.Report) {
	r.OneIn = 1 << t.sampling.Load().halvings
	r.Traces = conformance.Traces{Judged: t.judged.Load(), Waiting: t.traces.Load(), Unjudged: t.unjudged.Load()}
	r.Components, r.Edges = t.graph.report()
	r.Skews = t.skews.take()
}

// Forget removes the components without recent spans, and reports whether there were any.
func (t *Traces) Forget(now time.Time) bool { return t.graph.forget(now.Add(-report.ForgetAfter)) }

// Waiting returns the numbers of waiting traces and spans.
func (t *Traces) Waiting() (traces, spans int64) { return t.traces.Load(), t.spans.Load() }

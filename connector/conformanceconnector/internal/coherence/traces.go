// Package coherence judges traces as a whole: whether parents come and times fit, between which
// components traces go, and by how much the clocks of services differ.
package coherence

import (
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
)

// Span is what a span is judged by when its trace is.
type Span struct {
	ID, Parent pcommon.SpanID
	Start, End int64
	Kind       Kind
	Of         *Operation
}

// Kind is a span's kind, by OTLP's number.
type Kind int32

// The kinds that matter.
const (
	Server   Kind = 2
	Client   Kind = 3
	Producer Kind = 4
	Consumer Kind = 5
)

// Operation is what spans of one name have in common.
type Operation struct {
	Service   *report.ServiceCounts
	System    string
	Name      string // as it should be
	Component Component
}

// Component is a component of a system.
type Component struct {
	count *componentCount // nil where there is no room
	node  nodeSet         // among the expected edges, or empty
}

// Settings are those of Traces.
type Settings struct {
	Window, Tolerance   time.Duration
	MaxTraces, MaxSpans int
}

// Traces holds spans until no more come for their traces, and judges them. It is safe for
// concurrent use, but for Report and Forget, during which nothing else may run.
type Traces struct {
	settings Settings
	results  *report.Builder
	edges    *edges
	graph    *graph
	skews    *skews

	began         time.Time
	traces, spans atomic.Int64 // that wait
	shards        [shards]shard
	sampling      atomic.Pointer[sampling]
	changing      sync.Mutex // held to change the sampling
}

// New returns Traces that count what they find in results.
func New(results *report.Builder, s Settings) *Traces {
	t := &Traces{
		settings: s, results: results, edges: newEdges(results.Packs), graph: newGraph(), skews: newSkews(), began: time.Now(),
	}
	t.sampling.Store(&sampling{})
	for i := range t.shards {
		t.shards[i].traces = map[pcommon.TraceID]*trace{}
		t.shards[i].mostDone = max(s.MaxTraces/shards, 1)
		t.shards[i].due.slot = max(s.Window/SweepsAWindow, 1)
	}
	return t
}

// Component returns a component. A service whose spans name no component is one without a system.
func (t *Traces) Component(system, name string) Component {
	return Component{t.graph.component(system, name), t.edges.node(system, name)}
}

// Sweep judges the traces that have waited enough. It holds the lock while it judges those of one
// shard.
func (t *Traces) Sweep(now time.Time, lock sync.Locker) {
	j := judge{t: t, now: now}
	var ended []trace
	for i := range t.shards {
		ended = t.ended(&t.shards[i], now.Sub(t.began), ended[:0])
		j.judge(ended, lock)
	}
	t.widen(now)
}

// Report puts into r what is known of traces.
func (t *Traces) Report(r *report.Report) {
	r.OneIn = 1 << t.sampling.Load().halvings
	r.Components, r.Edges = t.graph.report()
	r.Skews = t.skews.take()
}

// Forget forgets the components that no span came from for long. It reports whether there were any.
func (t *Traces) Forget(now time.Time) bool { return t.graph.forget(now.Add(-report.ForgetAfter)) }

// Waiting returns how many traces and spans wait.
func (t *Traces) Waiting() (traces, spans int64) { return t.traces.Load(), t.spans.Load() }

// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension"
	"github.com/otelcol-tc/otelcol-tc/tests/owntelemetry"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

// host has the extensions of a test.
type host map[component.ID]component.Component

func (h host) GetExtensions() map[component.ID]component.Component { return h }

// newIndexHost is for the generated tests: it has an index that nobody need shut down.
func newIndexHost() component.Host {
	index, err := newIndex("")
	if err == nil {
		err = index.Start(context.Background(), componenttest.NewNopHost())
	}
	if err != nil {
		panic(err)
	}
	return host{defaultIndex: index}
}

func newIndex(settings string) (extension.Extension, error) {
	factory := correlationindexextension.NewFactory()
	cfg := factory.CreateDefaultConfig()
	if settings == "" {
		settings = "max_memory_mib: 4"
	}
	if err := configure(settings, cfg); err != nil {
		return nil, err
	}
	set := extensiontest.NewNopSettings(factory.Type())
	return factory.Create(context.Background(), set, cfg)
}

// configure reads settings as a collector does.
func configure(settings string, into any) error {
	var raw map[string]any
	if err := yaml.Unmarshal([]byte(settings), &raw); err != nil {
		return err
	}
	if err := confmap.NewFromStringMap(raw).Unmarshal(into); err != nil {
		return err
	}
	return confmap.Validate(into)
}

// sink is the next component. It keeps what it gets, in OTLP as it was then.
type sink struct {
	mu     sync.Mutex
	spans  []ptrace.Span
	refuse error // what it answers, if not nil
}

func (s *sink) Capabilities() consumer.Capabilities { return consumer.Capabilities{MutatesData: true} }

func (s *sink) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				if s.refuse == nil {
					got := ptrace.NewSpan()
					span.CopyTo(got)
					s.spans = append(s.spans, got)
				}
				span.SetName("changed by the next component")
			}
		}
	}
	return s.refuse
}

func (s *sink) answer(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = err
}

func (s *sink) take() []ptrace.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.spans
	s.spans = nil
	return got
}

var errRefused = errors.New("not now")

// rig is a processor between a test and a sink.
type rig struct {
	processor.Traces
	sink      *sink
	index     extension.Extension
	telemetry *componenttest.Telemetry
	stopped   bool
}

type rigSettings struct {
	processor, index string
	conventions      string // the settings of that extension, if there is one
	telemetry        component.TelemetrySettings
}

// newRig starts a rig, which is stopped when the test ends.
func newRig(t *testing.T, settings rigSettings) *rig {
	t.Helper()
	index, err := newIndex(settings.index)
	require.NoError(t, err)
	require.NoError(t, index.Start(t.Context(), componenttest.NewNopHost()))
	extensions := host{defaultIndex: index}
	if settings.conventions != "" {
		conventions, err := pipetest.NewHost(t.Context(), []byte(settings.conventions))
		require.NoError(t, err)
		maps.Copy(extensions, conventions.GetExtensions())
	}
	r := &rig{sink: &sink{}, index: index, telemetry: componenttest.NewTelemetry()}
	settings.telemetry = r.telemetry.NewTelemetrySettings()
	r.Traces = newProcessor(t, settings, r.sink)
	require.NoError(t, r.Start(t.Context(), extensions))
	t.Cleanup(func() { r.stop(t) })
	return r
}

func newProcessor(t *testing.T, settings rigSettings, next consumer.Traces) processor.Traces {
	t.Helper()
	factory := NewFactory()
	cfg := factory.CreateDefaultConfig()
	require.NoError(t, configure(settings.processor, cfg))
	set := processortest.NewNopSettings(factory.Type())
	if settings.telemetry.MeterProvider != nil {
		set.TelemetrySettings = settings.telemetry
	}
	p, err := factory.CreateTraces(t.Context(), set, cfg, next)
	require.NoError(t, err)
	return p
}

func (r *rig) stop(t *testing.T) {
	t.Helper()
	if r.stopped {
		return
	}
	r.stopped = true
	require.NoError(t, r.Shutdown(context.Background()))
	require.NoError(t, r.index.Shutdown(context.Background()))
	require.NoError(t, r.telemetry.Shutdown(context.Background()))
}

// counts returns the counts of a metric by rule.
func (r *rig) counts(name string) map[string]int64 {
	counts := map[string]int64{}
	for _, point := range owntelemetry.Points(r.telemetry, "otelcol_span_link_"+name) {
		rule, _ := point.Attributes.Value("rule")
		counts[rule.AsString()] = point.Value
	}
	return counts
}

// start is when the spans of tests begin.
var start = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

// spec is a span. Its id and, where Trace is 0, that of its trace are Number.
type spec struct {
	Number, Trace, Parent uint64
	Name, Scope           string // scope is the default
	Kind                  ptrace.SpanKind
	At, Takes             time.Duration
	Attributes            map[string]any
	Resource              map[string]any
	Edit                  func(ptrace.Span)
}

func traceOf(n uint64) (id pcommon.TraceID) {
	binary.BigEndian.PutUint64(id[:8], 0xfeed)
	binary.BigEndian.PutUint64(id[8:], n)
	return id
}

func spanOf(n uint64) (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], n)
	return id
}

// batch makes a batch, each span under a resource of its own.
func batch(specs ...spec) ptrace.Traces {
	td := ptrace.NewTraces()
	for _, s := range specs {
		rs := td.ResourceSpans().AppendEmpty()
		ss := rs.ScopeSpans().AppendEmpty()
		rs.SetSchemaUrl("resource's")
		ss.SetSchemaUrl("scope's")
		ss.Scope().SetName(cmp.Or(s.Scope, "scope"))
		s.write(rs.Resource().Attributes(), ss.Spans().AppendEmpty())
	}
	return td
}

func (s spec) write(resource pcommon.Map, span ptrace.Span) {
	trace := s.Trace
	if trace == 0 {
		trace = s.Number
	}
	span.SetTraceID(traceOf(trace))
	span.SetSpanID(spanOf(s.Number))
	if s.Parent != 0 {
		span.SetParentSpanID(spanOf(s.Parent))
	}
	span.SetName(s.Name)
	span.SetKind(s.Kind)
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(start.Add(s.At)))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(start.Add(s.At + s.Takes)))
	if err := errors.Join(span.Attributes().FromRaw(s.Attributes), resource.FromRaw(s.Resource)); err != nil {
		panic(err)
	}
	if s.Edit != nil {
		s.Edit(span)
	}
}

func (r *rig) send(t *testing.T, specs ...spec) {
	t.Helper()
	require.NoError(t, r.ConsumeTraces(t.Context(), batch(specs...)))
}

// pair is two linked spans, by their numbers.
type pair struct{ Earlier, Later uint64 }

func (p pair) String() string { return fmt.Sprintf("%d→%d", p.Earlier, p.Later) }

// edge is a derived link from one span to another.
type edge struct{ from, to uint64 }

// derived returns the links with a rule on spans, as the pairs they join and as edges.
// It fails if a span has one twice.
func derived(t *testing.T, spans []ptrace.Span) (map[pair]bool, map[edge]bool) {
	t.Helper()
	pairs, edges := map[pair]bool{}, map[edge]bool{}
	for _, span := range spans {
		self := binary.BigEndian.Uint64(idBytes(span.SpanID()))
		seen := map[uint64]bool{}
		for _, link := range span.Links().All() {
			if _, ok := link.Attributes().Get(ruleKey); !ok {
				continue
			}
			target := binary.BigEndian.Uint64(idBytes(link.SpanID()))
			if seen[target] {
				t.Errorf("span %d has two links to %d", self, target)
			}
			seen[target] = true
			edges[edge{self, target}] = true
			if _, forward := link.Attributes().Get(directionKey); forward {
				pairs[pair{self, target}] = true
			} else {
				pairs[pair{target, self}] = true
			}
		}
	}
	return pairs, edges
}

func idBytes(id pcommon.SpanID) []byte { return id[:] }

// requireNoCycle fails if links lead from a span back to it.
func requireNoCycle(t *testing.T, edges map[edge]bool) {
	t.Helper()
	next := map[uint64][]uint64{}
	for e := range edges {
		next[e.from] = append(next[e.from], e.to)
	}
	const onPath, done = 1, 2
	state := map[uint64]int{}
	var visit func(n uint64) bool
	visit = func(n uint64) bool {
		state[n] = onPath
		for _, to := range next[n] {
			if state[to] == onPath || state[to] == 0 && !visit(to) {
				return false
			}
		}
		state[n] = done
		return true
	}
	for n := range next {
		if state[n] == 0 && !visit(n) {
			t.Fatalf("links lead in a circle: %v", edges)
		}
	}
}

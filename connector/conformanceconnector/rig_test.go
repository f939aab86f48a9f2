// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// testState is a state with its settings.
type testState struct {
	*state
	config *Config
}

func newTestState(t testing.TB, change func(*Config)) *testState {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	if change != nil {
		change(cfg)
	}
	require.NoError(t, cfg.Validate())
	p, err := policy.New(*policy.NewDefaultConfig())
	require.NoError(t, err)
	return &testState{newState(cfg, p, surroundings{}), cfg}
}

// judgeAll judges all waiting traces.
func (s *testState) judgeAll() { s.sweep(time.Now().Add(s.config.Window)) }

func (s *testState) now() *report.Report { return s.report(time.Now(), true) }

// assertNoneWait checks that no trace and no span waits.
func (s *testState) assertNoneWait(t testing.TB) {
	t.Helper()
	traces, spans := s.traces.Waiting()
	assert.Zero(t, traces)
	assert.Zero(t, spans)
}

// serviceOf returns a service of a report.
func serviceOf(t testing.TB, r *report.Report, name string) conformance.Service {
	t.Helper()
	for _, s := range r.Services {
		if s.Name == name {
			return s
		}
	}
	require.Fail(t, "no service", name)
	return conformance.Service{}
}

func scoreOf(s *conformance.Service, signal string) (checked, conformant int64) {
	for _, score := range s.Scores {
		if score.Signal == signal {
			return score.Checked, score.Conformant
		}
	}
	return 0, 0
}

// totalOf returns the number of findings of a rule over all services.
func totalOf(r *report.Report, rule string) (total int64) {
	for _, c := range r.Counts {
		if c.Rule == rule {
			total += c.Total
		}
	}
	return total
}

// tree builds traces.
type tree struct {
	td    ptrace.Traces
	trace pcommon.TraceID
	rng   *rand.Rand
}

func newTree(rng *rand.Rand) *tree {
	t := &tree{td: ptrace.NewTraces(), rng: rng}
	t.trace = newTraceID(rng)
	return t
}

func newTraceID(rng *rand.Rand) (id pcommon.TraceID) {
	for i := range id {
		id[i] = byte(rng.Uint32())
	}
	id[0] |= 1
	return id
}

func newSpanID(rng *rand.Rand) (id pcommon.SpanID) {
	for i := range id {
		id[i] = byte(rng.Uint32())
	}
	id[0] |= 1
	return id
}

// treeBegin is when the spans of trees begin, in nanoseconds.
const treeBegin = 1_800_000_000 * int64(time.Second)

// span adds a span of a service. from and to are in milliseconds.
func (t *tree) span(service, name string, kind ptrace.SpanKind, parent pcommon.SpanID, from, to int64) ptrace.Span {
	rs := t.td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", service)
	span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetName(name)
	span.SetKind(kind)
	span.SetTraceID(t.trace)
	span.SetSpanID(newSpanID(t.rng))
	span.SetParentSpanID(parent)
	span.SetStartTimestamp(pcommon.Timestamp(treeBegin + from*int64(time.Millisecond)))
	span.SetEndTimestamp(pcommon.Timestamp(treeBegin + to*int64(time.Millisecond)))
	return span
}

// gauge adds a gauge of a service with one point for each value of an attribute.
func gauge(md pmetric.Metrics, service, name, key string, values ...string) {
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", service)
	m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName(name)
	points := m.SetEmptyGauge().DataPoints()
	for _, value := range values {
		points.AppendEmpty().Attributes().PutStr(key, value)
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

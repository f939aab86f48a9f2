// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
)

const scenarios = 12

// telemetry holds the data of the four systems.
type telemetry struct {
	traces  []ptrace.Traces
	metrics []pmetric.Metrics
	logs    []plog.Logs
}

func generate(t *testing.T) (all telemetry) {
	t.Helper()
	start := time.Now().Add(-time.Hour)
	for _, system := range scenario.Names() {
		g, err := scenario.New(system, 1, start)
		require.NoError(t, err)
		for i := range scenarios {
			batch := g.Next(start.Add(time.Duration(i) * time.Minute))
			all.traces = append(all.traces, batch.Traces)
			all.metrics = append(all.metrics, batch.Metrics)
			all.logs = append(all.logs, batch.Logs)
		}
	}
	return all
}

// conformantly applies the naming processor to the data.
func (all *telemetry) conformantly(t *testing.T) {
	t.Helper()
	factory, set := namingprocessor.NewFactory(), processortest.NewNopSettings(namingprocessor.NewFactory().Type())
	traces, err := factory.CreateTraces(t.Context(), set, factory.CreateDefaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, traces.Start(t.Context(), componenttest.NewNopHost()))
	metrics, err := factory.CreateMetrics(t.Context(), set, factory.CreateDefaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, metrics.Start(t.Context(), componenttest.NewNopHost()))
	logs, err := factory.CreateLogs(t.Context(), set, factory.CreateDefaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, logs.Start(t.Context(), componenttest.NewNopHost()))
	for i := range all.traces {
		require.NoError(t, traces.ConsumeTraces(t.Context(), all.traces[i]))
		require.NoError(t, metrics.ConsumeMetrics(t.Context(), all.metrics[i]))
		require.NoError(t, logs.ConsumeLogs(t.Context(), all.logs[i]))
	}
	require.NoError(t, traces.Shutdown(t.Context()))
	require.NoError(t, metrics.Shutdown(t.Context()))
	require.NoError(t, logs.Shutdown(t.Context()))
}

func (all *telemetry) eachSpan(visit func(service string, span ptrace.Span)) {
	for _, td := range all.traces {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					visit(attributes.Text(rs.Resource().Attributes(), serviceNameKey), span)
				}
			}
		}
	}
}

func (all *telemetry) eachMetric(visit func(service string, m pmetric.Metric)) {
	for _, md := range all.metrics {
		for _, rm := range md.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, m := range sm.Metrics().All() {
					visit(attributes.Text(rm.Resource().Attributes(), serviceNameKey), m)
				}
			}
		}
	}
}

func (all *telemetry) eachRecord(visit func(service string, record plog.LogRecord)) {
	for _, ld := range all.logs {
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, record := range sl.LogRecords().All() {
					visit(attributes.Text(rl.Resource().Attributes(), serviceNameKey), record)
				}
			}
		}
	}
}

func (all *telemetry) into(s *testState) {
	for i := range all.traces {
		s.judgeTraces(all.traces[i])
		s.judgeMetrics(all.metrics[i])
		s.judgeLogs(all.logs[i])
	}
	s.judgeAll()
}

// truth holds the expected results of one service, which the test computes independently of the connector.
type truth struct{ spans, wrongSpans, metrics, wrongMetrics, records, uncorrelated, roots, orphans int64 }

// These expressions match conformant names, as design/naming.md defines them.
var (
	rightSpan   = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*/[A-Z][A-Za-z0-9]*$|^(GET|POST) /[a-z0-9_/]*$`)
	rightMetric = regexp.MustCompile(`^tc_[a-z0-9]+(_[a-z0-9]+)*$|^http\.|^up$`)
)

func (all *telemetry) truth() map[string]truth {
	known := map[string]truth{}
	ids := map[pcommon.TraceID]map[pcommon.SpanID]bool{}
	all.eachSpan(func(_ string, span ptrace.Span) {
		if ids[span.TraceID()] == nil {
			ids[span.TraceID()] = map[pcommon.SpanID]bool{}
		}
		ids[span.TraceID()][span.SpanID()] = true
	})
	all.eachSpan(func(service string, span ptrace.Span) {
		k := known[service]
		k.spans++
		if !rightSpan.MatchString(span.Name()) {
			k.wrongSpans++
		}
		switch {
		case span.ParentSpanID().IsEmpty():
			k.roots++
		case !ids[span.TraceID()][span.ParentSpanID()]:
			k.orphans++
		}
		known[service] = k
	})
	all.eachMetric(func(service string, m pmetric.Metric) {
		k := known[service]
		k.metrics++
		if !rightMetric.MatchString(m.Name()) {
			k.wrongMetrics++
		}
		known[service] = k
	})
	all.eachRecord(func(service string, record plog.LogRecord) {
		k := known[service]
		k.records++
		if record.TraceID().IsEmpty() {
			k.uncorrelated++
		}
		known[service] = k
	})
	return known
}

func assertTruth(t *testing.T, want map[string]truth, r *report.Report) {
	t.Helper()
	got := map[string]truth{}
	for _, s := range r.Services {
		spans, rightSpans := scoreOf(&s, "traces")
		metrics, rightMetrics := scoreOf(&s, "metrics")
		records, correlated := scoreOf(&s, "logs")
		k := truth{
			spans: spans, wrongSpans: spans - rightSpans, metrics: metrics, wrongMetrics: metrics - rightMetrics,
			records: records, uncorrelated: records - correlated, roots: s.Roots,
		}
		for _, c := range r.Counts {
			if c.Service == s.Name && c.Rule == report.RuleMissingParent.ID {
				k.orphans += c.Total
			}
		}
		got[s.Name] = k
	}
	assert.Equal(t, want, got)
}

// TestExactness spoils a share of conformant telemetry of the four systems. The connector must find
// exactly these items for each service.
func TestExactness(t *testing.T) {
	for _, percent := range []int{0, 5, 30, 100} {
		all := generate(t)
		all.conformantly(t)
		rng := newRand(uint64(percent))
		all.spoil(rng, percent)
		s := newTestState(t, nil)
		all.into(s)
		r := s.now()
		assertTruth(t, all.truth(), r)
		for _, l := range r.Limits {
			if percent < 100 || l.Name != report.LimitTexts[report.LimitFindings] {
				assert.Zero(t, l.Total, l.Name)
			}
		}
	}
}

// spoil makes a percentage of names, parents and correlations wrong.
func (all *telemetry) spoil(rng *rand.Rand, percent int) {
	chosen := func() bool { return rng.IntN(100) < percent }
	all.eachSpan(func(_ string, span ptrace.Span) {
		if chosen() {
			span.SetName(strings.ReplaceAll(strings.ToLower(span.Name()), "/", "."))
		}
		if chosen() {
			span.SetParentSpanID(newSpanID(rng))
		}
	})
	all.eachMetric(func(_ string, m pmetric.Metric) {
		if chosen() {
			m.SetName("raw." + m.Name())
		}
	})
	all.eachRecord(func(_ string, record plog.LogRecord) {
		if chosen() {
			record.SetTraceID(pcommon.NewTraceIDEmpty())
			record.SetSpanID(pcommon.NewSpanIDEmpty())
		}
	})
}

// TestRawAndRenamed checks the systems' raw telemetry, and the telemetry that naming made conformant.
func TestRawAndRenamed(t *testing.T) {
	all := generate(t)
	want := all.truth()
	raw := newTestState(t, nil)
	all.into(raw)
	before := raw.now()

	all.conformantly(t)
	renamed := newTestState(t, nil)
	all.into(renamed)
	after := renamed.now()
	var wrong, made int64
	for name, k := range want {
		svc := serviceOf(t, before, name)
		checked, conformant := scoreOf(&svc, "logs")
		assert.Equal(t, k.records-k.uncorrelated, conformant, name)
		assert.Equal(t, k.records, checked, name)

		svc = serviceOf(t, after, name)
		for _, signal := range []string{"metrics", "traces", "attributes"} {
			checked, conformant := scoreOf(&svc, signal)
			assert.Equal(t, checked, conformant, "%s of %s", signal, name)
		}
		for _, score := range svc.Scores {
			made += score.Renamed
		}
	}
	for _, s := range before.Services {
		for _, signal := range []string{"metrics", "traces"} {
			checked, conformant := scoreOf(&s, signal)
			wrong += checked - conformant
		}
	}
	assert.Positive(t, wrong)
	assert.Equal(t, wrong, made, "each wrong name is one that naming changes")
	assert.Equal(t, made, totalOf(after, report.RuleRenamed.ID))
}

// TestSystemsMeetExpectations checks that the systems send what the packs expect, both raw and renamed.
// Scraped metrics come from another generator.
func TestSystemsMeetExpectations(t *testing.T) {
	scraped := map[string]bool{"fastdeploy": true}
	all := generate(t)
	for _, kind := range []string{"raw", "renamed"} {
		s := newTestState(t, nil)
		all.into(s)
		r := s.now()
		for _, e := range r.Expectations {
			if !slices.Contains(scenario.Names(), e.System) {
				continue
			}
			assert.NotZero(t, e.SeenSince, "%s %s", kind, e.System)
			for _, m := range e.Metrics {
				assert.Equal(t, !scraped[e.System], !m.Last.IsZero(), "%s %s: %s", kind, e.System, m.Name)
			}
			for _, c := range e.Components {
				assert.NotZero(t, c.Last, "%s %s: %s", kind, e.System, c.Name)
			}
			for _, edge := range e.Edges {
				assert.NotZero(t, edge.Last, "%s %s: %s", kind, e.System, edge.Name)
			}
		}
		all.conformantly(t)
	}
}

// TestDataIsNotChanged checks that the connector does not change the data.
func TestDataIsNotChanged(t *testing.T) {
	all := generate(t)
	before := all.texts()
	all.into(newTestState(t, nil))
	assert.Equal(t, before, all.texts())
	assert.False(t, (&instance{}).Capabilities().MutatesData)
}

func (all *telemetry) texts() (texts []string) {
	for i := range all.traces {
		traces, _ := (&ptrace.JSONMarshaler{}).MarshalTraces(all.traces[i])
		metrics, _ := (&pmetric.JSONMarshaler{}).MarshalMetrics(all.metrics[i])
		logs, _ := (&plog.JSONMarshaler{}).MarshalLogs(all.logs[i])
		texts = append(texts, string(traces), string(metrics), string(logs))
	}
	return texts
}

// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
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
	metrics, err := factory.CreateMetrics(t.Context(), set, factory.CreateDefaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	logs, err := factory.CreateLogs(t.Context(), set, factory.CreateDefaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	for _, p := range []component.Component{traces, metrics, logs} {
		require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
		defer func() { require.NoError(t, p.Shutdown(t.Context())) }()
	}
	for i := range all.traces {
		require.NoError(t, traces.ConsumeTraces(t.Context(), all.traces[i]))
		require.NoError(t, metrics.ConsumeMetrics(t.Context(), all.metrics[i]))
		require.NoError(t, logs.ConsumeLogs(t.Context(), all.logs[i]))
	}
}

// judged returns the report about the data.
func (all *telemetry) judged(t *testing.T) *report.Report {
	t.Helper()
	s := newTestState(t, nil)
	for i := range all.traces {
		s.judgeTraces(context.Background(), all.traces[i])
		s.judgeMetrics(context.Background(), all.metrics[i])
		s.judgeLogs(context.Background(), all.logs[i])
	}
	s.judgeAll()
	return s.now()
}

// TestRawAndRenamed checks that each wrong name of the systems' raw telemetry is one that naming changes, and that
// all telemetry behind naming conforms.
func TestRawAndRenamed(t *testing.T) {
	all := generate(t)
	var wrong, made int64
	for _, s := range all.judged(t).Services {
		for _, signal := range []string{"metrics", "traces"} {
			checked, conformant := scoreOf(&s, signal)
			wrong += checked - conformant
		}
	}
	all.conformantly(t)
	after := all.judged(t)
	for _, s := range after.Services {
		for _, score := range s.Scores {
			made += score.Renamed
			if score.Signal != "logs" {
				assert.Equal(t, score.Checked, score.Conformant, "%s of %s", score.Signal, s.Name)
			}
		}
	}
	assert.Positive(t, wrong)
	assert.Equal(t, wrong, made)
	assert.Equal(t, made, totalOf(after, report.RuleRenamed.ID))
}

// TestSystemsMeetExpectations checks that the systems send what the packs expect, both raw and renamed.
// Scraped metrics come from another generator.
func TestSystemsMeetExpectations(t *testing.T) {
	scraped := map[string]bool{"fastdeploy": true}
	all := generate(t)
	for _, kind := range []string{"raw", "renamed"} {
		for _, e := range all.judged(t).Expectations {
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

// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

// counters returns the values of the processor's counters by rule and system.
func counters(t *testing.T, telemetry *componenttest.Telemetry) map[string]map[string]int64 {
	t.Helper()
	shown := map[string]map[string]int64{}
	for _, name := range []string{"items", "conformant_items", "changes", "violations", "copies"} {
		m, err := telemetry.GetMetric("otelcol_naming_" + name)
		if err != nil {
			continue // no count yet
		}
		shown[name] = map[string]int64{}
		for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
			if p.Value == 0 {
				continue
			}
			labels := ""
			for _, key := range []string{"rule", "kind", "system"} {
				if v, ok := p.Attributes.Value(attribute.Key(key)); ok {
					labels += v.AsString() + " "
				}
			}
			shown[name][labels] = p.Value
		}
	}
	return shown
}

// countsOf returns what a processor counts while a function uses it.
func countsOf(t *testing.T, host component.Host, create func(processor.Settings) (component.Component, error), use func(component.Component) error) counts {
	t.Helper()
	telemetry := componenttest.NewTelemetry()
	set := processortest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = telemetry.NewTelemetrySettings()
	p, err := create(set)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), host))
	require.NoError(t, use(p))
	shown := counters(t, telemetry)
	require.NoError(t, p.Shutdown(t.Context()))
	require.NoError(t, telemetry.Shutdown(t.Context()))
	return shown
}

func consumeTraces(t *testing.T, cfg *Config, td ptrace.Traces) (ptrace.Traces, counts) {
	t.Helper()
	return consumeTracesAt(t, repairing(t), cfg, td)
}

func consumeTracesAt(t *testing.T, host component.Host, cfg *Config, td ptrace.Traces) (ptrace.Traces, counts) {
	t.Helper()
	sink := new(consumertest.TracesSink)
	shown := countsOf(t, host, func(set processor.Settings) (component.Component, error) {
		return NewFactory().CreateTraces(t.Context(), set, cfg, sink)
	}, func(p component.Component) error { return p.(processor.Traces).ConsumeTraces(t.Context(), td) })
	require.Len(t, sink.AllTraces(), 1)
	return sink.AllTraces()[0], shown
}

func consumeMetrics(t *testing.T, cfg *Config, md pmetric.Metrics) ([]pmetric.Metrics, counts) {
	t.Helper()
	return consumeMetricsAt(t, repairing(t), cfg, md)
}

func consumeMetricsAt(t *testing.T, host component.Host, cfg *Config, md pmetric.Metrics) ([]pmetric.Metrics, counts) {
	t.Helper()
	sink := new(consumertest.MetricsSink)
	shown := countsOf(t, host, func(set processor.Settings) (component.Component, error) {
		return NewFactory().CreateMetrics(t.Context(), set, cfg, sink)
	}, func(p component.Component) error { return p.(processor.Metrics).ConsumeMetrics(t.Context(), md) })
	return sink.AllMetrics(), shown
}

func consumeLogsAt(t *testing.T, host component.Host, cfg *Config, ld plog.Logs) (plog.Logs, counts) {
	t.Helper()
	sink := new(consumertest.LogsSink)
	shown := countsOf(t, host, func(set processor.Settings) (component.Component, error) {
		return NewFactory().CreateLogs(t.Context(), set, cfg, sink)
	}, func(p component.Component) error { return p.(processor.Logs).ConsumeLogs(t.Context(), ld) })
	require.Len(t, sink.AllLogs(), 1)
	return sink.AllLogs()[0], shown
}

// started returns a processor of its own settings that is started.
func started(t testing.TB, set processor.Settings, cfg *Config, signal string) *namingProcessor {
	t.Helper()
	p := newProcessor(set, cfg, signal)
	require.NoError(t, p.start(t.Context(), repairing(t)))
	return p
}

// startMetrics starts a processor that stops when the test ends.
func startMetrics(t testing.TB, cfg *Config) (processor.Metrics, *consumertest.MetricsSink) {
	t.Helper()
	return startMetricsAt(t, repairing(t), cfg)
}

func startMetricsAt(t testing.TB, host component.Host, cfg *Config) (processor.Metrics, *consumertest.MetricsSink) {
	t.Helper()
	sink := new(consumertest.MetricsSink)
	p, err := NewFactory().CreateMetrics(t.Context(), processortest.NewNopSettings(metadata.Type), cfg, sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), host))
	t.Cleanup(func() { require.NoError(t, p.Shutdown(context.Background())) })
	return p, sink
}

func defaultConfig() *Config { return createDefaultConfig().(*Config) }

func TestCounters(t *testing.T) {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "tuft")
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	for _, name := range []string{"redis.SET", "redis.GET", "Redis/Get", "POST /api/v1/forward"} {
		spans.AppendEmpty().SetName(name)
	}
	spans.At(2).Attributes().PutStr("base_model", "qwen")
	spans.At(3).Attributes().PutStr("tc.…", "x")

	_, shown := consumeTraces(t, defaultConfig(), td)
	assert.Equal(t, map[string]map[string]int64{
		"items":            {"": 4},
		"conformant_items": {},
		"changes":          {"span_pack tuft ": 2, "attribute_rename tuft ": 1},
		"violations":       {"unnameable tuft ": 1},
	}, shown)
}

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, createDefaultConfig) }

// repairing returns a host whose policy is that the general rules apply to everybody.
func repairing(t testing.TB) component.Host { return hostWith(t, "unowned: repair") }

// hosts are by the settings of their conventions extension. Their policies do not change, and to load all packs takes
// longer than most tests.
var hosts sync.Map

// hostWith returns a host whose conventions extension has these settings.
func hostWith(t testing.TB, settings string) component.Host {
	t.Helper()
	if host, ok := hosts.Load(settings); ok {
		return host.(component.Host)
	}
	host, err := pipetest.NewHost(t.Context(), []byte(settings))
	require.NoError(t, err)
	hosts.Store(settings, host)
	return host
}

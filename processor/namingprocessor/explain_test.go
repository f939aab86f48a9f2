// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

// TestAuditExplains checks that audit mode logs each change once with its reason, and at the end the
// counts.
func TestAuditExplains(t *testing.T) {
	core, logs := observer.New(zapcore.InfoLevel)
	set := processortest.NewNopSettings(metadata.Type)
	set.Logger = zap.New(core)
	cfg := defaultConfig()
	cfg.Mode = policy.Audit
	p, err := NewFactory().CreateTraces(t.Context(), set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), repairing(t)))

	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "tuft")
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	for _, name := range []string{"redis.SET", "redis.SET", "Redis/Get", "POST /api/v1/forward", "Charge 1234", "Charge 1235"} {
		spans.AppendEmpty().SetName(name)
	}
	require.NoError(t, p.ConsumeTraces(t.Context(), td))
	require.NoError(t, p.ConsumeTraces(t.Context(), td))

	rows := map[string]map[string]any{}
	for _, entry := range logs.FilterMessage("Name explained").All() {
		rows[entry.ContextMap()["original"].(string)] = entry.ContextMap()
	}
	assert.Equal(t, map[string]map[string]any{
		"redis.SET": {
			"original": "redis.SET", "name": "Redis/Set", "rule": "span_pack", "system": "tuft", "service": "tuft",
			"reason": naming.SpanPack.Reason(),
		},
		"Charge 1234": {
			"original": "Charge 1234", "name": "Tuft/Charge", "rule": "span_code", "system": "tuft", "service": "tuft",
			"reason": naming.SpanCode.Reason(),
		},
	}, rows)

	require.NoError(t, p.Shutdown(t.Context()))
	for _, entry := range logs.FilterMessage("Name explained, in all").All() {
		assert.Equal(t, int64(4), entry.ContextMap()["count"], "%v", entry.ContextMap())
	}
	assert.Equal(t, 2, logs.FilterMessage("Name explained, in all").Len())
}

// TestSummaryAfterChange checks that the counts at the end are logged for the services that are audited then.
func TestSummaryAfterChange(t *testing.T) {
	core, logs := observer.New(zapcore.InfoLevel)
	set := processortest.NewNopSettings(metadata.Type)
	set.Logger = zap.New(core)
	host, err := pipetest.NewHost(t.Context(), nil)
	require.NoError(t, err)
	p, err := NewFactory().CreateTraces(t.Context(), set, defaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), host))

	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "tuft")
	rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty().SetName("redis.SET")
	require.NoError(t, p.ConsumeTraces(t.Context(), td))
	assert.Zero(t, logs.Len())

	_, extension, err := policy.Find(host)
	require.NoError(t, err)
	audit := policy.NewDefaultConfig()
	audit.Mode = policy.Audit
	changed, err := policy.New(*audit)
	require.NoError(t, err)
	require.NoError(t, extension.Live().Change(changed))
	require.NoError(t, p.Shutdown(t.Context()))
	assert.Equal(t, 1, logs.FilterMessage("Name explained, in all").Len())
}

func TestEveryRuleHasAReason(t *testing.T) {
	for rule := range naming.Rule(naming.RuleCount) {
		assert.NotEmpty(t, rule.String(), "rule %d", rule)
		assert.NotEmpty(t, rule.Reason(), "rule %s", rule)
	}
}

// TestExplainsCollisions checks that a metric whose name collides has a row for it besides the rows of changes.
func TestExplainsCollisions(t *testing.T) {
	core, logs := observer.New(zapcore.InfoLevel)
	set := processortest.NewNopSettings(metadata.Type)
	set.Logger = zap.New(core)
	cfg := defaultConfig()
	cfg.Mode = policy.Audit
	p, err := NewFactory().CreateMetrics(t.Context(), set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), repairing(t)))
	md := pmetric.NewMetrics()
	metrics := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
	gauge := func(name string) {
		m := metrics.AppendEmpty()
		m.SetName(name)
		m.SetEmptyGauge().DataPoints().AppendEmpty()
	}
	gauge("tc_foo")
	lost := metrics.AppendEmpty()
	lost.SetName("tc.foo")
	lost.SetEmptySum().DataPoints().AppendEmpty()
	gauge("tc.wait_seconds")
	for range 3 {
		require.NoError(t, p.ConsumeMetrics(t.Context(), md))
	}
	require.NoError(t, p.Shutdown(t.Context()))

	type row struct {
		original, name, rule any
		count                any
	}
	var rows []row
	for _, entry := range logs.FilterMessage("Name explained, in all").All() {
		f := entry.ContextMap()
		rows = append(rows, row{f["original"], f["name"], f["rule"], f["count"]})
	}
	assert.ElementsMatch(t, []row{
		{"tc.foo", "tc.foo", "metric_collision", int64(3)},
		{"tc.wait_seconds", "tc_wait_seconds", "metric_general", int64(3)},
	}, rows)
}

package namingprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-tc/otelcol-tc/internal/wirefold"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/metadata"
)

// tuftGauge is a request of one gauge of TuFT.
func tuftGauge(name string) pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", "tuft")
	m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName(name)
	m.SetEmptyGauge().DataPoints().AppendEmpty().Attributes().PutStr("base_model", "qwen")
	return md
}

// A rehearsal makes of a metric what the processor does, and nobody hears of it.
func TestRehearse(t *testing.T) {
	telemetry := componenttest.NewTelemetry()
	defer func() { require.NoError(t, telemetry.Shutdown(t.Context())) }()
	set := processortest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = telemetry.NewTelemetrySettings()
	core, logs := observer.New(zapcore.DebugLevel)
	set.Logger = zap.New(core)
	p, err := newProcessor(set, defaultConfig(), "metrics")
	require.NoError(t, err)
	defer p.telemetry.shutdown()

	rehearsed, real := tuftGauge("tuft.sessions.active"), tuftGauge("tuft.sessions.active")
	owner := rehearsing{p}.Rehearse(rehearsed)
	assert.Equal(t, "tuft", owner.Name())
	assert.Empty(t, counters(t, telemetry))
	assert.Empty(t, logs.All())
	_, err = p.processMetrics(t.Context(), real)
	require.NoError(t, err)
	assert.Equal(t, real, rehearsed)
	assert.NotEmpty(t, counters(t, telemetry))
	assert.NotEmpty(t, logs.All())
	assert.Equal(t, "tc.base_model", rehearsing{p}.Attribute(owner, "base_model").Key)
	assert.Equal(t, 4096, rehearsing{p}.MaxValueBytes())
}

// A better claim to a name is a change, another metric is none.
func TestRehearsalChanges(t *testing.T) {
	p, err := newProcessor(processortest.NewNopSettings(metadata.Type), defaultConfig(), "metrics")
	require.NoError(t, err)
	defer p.telemetry.shutdown()
	r := rehearsing{p}
	r.Rehearse(tuftGauge("queue.depth"))
	r.Rehearse(tuftGauge("queue.depth"))
	r.Rehearse(tuftGauge("queue.length"))
	assert.Zero(t, r.Changes())
	sum := tuftGauge("tc_queue_depth")
	sum.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).SetEmptySum().SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
	r.Rehearse(sum)
	assert.Positive(t, r.Changes())
}

// lonely is an extension that no other processor names.
type lonely struct {
	component.StartFunc
	component.ShutdownFunc
}

func (lonely) UseFolder(component.ID, wirefold.Folder) error { return nil }
func (lonely) Folder() wirefold.Folder                       { return nil }

func (l lonely) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{component.MustNewID("wire_limits"): l}
}

func TestWireErrors(t *testing.T) {
	f := func(host component.Host, want string) {
		t.Helper()
		wire := component.MustNewID("wire_limits")
		cfg := defaultConfig()
		cfg.Wire = &wire
		p, err := NewFactory().CreateMetrics(t.Context(), processortest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
		require.NoError(t, err)
		require.EqualError(t, p.Start(t.Context(), host), want)
		require.NoError(t, p.Shutdown(t.Context()))
	}
	f(componenttest.NewNopHost(), `wire: must be an extension of the service (got "wire_limits")`)
	f(lonely{}, `wire: must be set in the cardinality processor behind this one as well (got "wire_limits")`)
}

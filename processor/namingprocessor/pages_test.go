// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/metadata"
)

// A metric that a system owns by name has one name, whatever came first on the page that it is on.
func TestPagesOfSeveralSystems(t *testing.T) {
	page := func(names ...string) pmetric.Metrics {
		md := pmetric.NewMetrics()
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr(serviceNameKey, "app")
		rm.Resource().Attributes().PutStr(serviceInstanceKey, "h:1")
		sm := rm.ScopeMetrics().AppendEmpty()
		sm.Scope().SetName("github.com/open-telemetry/opentelemetry-collector-contrib/receiver/prometheusreceiver")
		for _, name := range names {
			m := sm.Metrics().AppendEmpty()
			m.SetName(name)
			m.SetEmptyGauge().DataPoints().AppendEmpty().SetIntValue(1)
		}
		return md
	}
	const http, one, other = "http_requests", "fastdeploy:num_requests_running", "tensorcast_x_y"
	for _, first := range [][]string{{http, one}, {http, other}, {http, one, other}, {http}} {
		sink := new(consumertest.MetricsSink)
		p, err := NewFactory().CreateMetrics(t.Context(), processortest.NewNopSettings(metadata.Type), NewFactory().CreateDefaultConfig(), sink)
		require.NoError(t, err)
		require.NoError(t, p.Start(t.Context(), repairing(t)))
		require.NoError(t, p.ConsumeMetrics(t.Context(), page(first...)))
		require.NoError(t, p.ConsumeMetrics(t.Context(), page(http, one, other)))
		metrics := sink.AllMetrics()[1].ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics()
		assert.Equal(t, "tc_fastdeploy_num_requests_running", metrics.At(1).Name(), first)
		assert.Equal(t, "tc_x_y", metrics.At(2).Name(), first)
		require.NoError(t, p.Shutdown(t.Context()))
	}
}

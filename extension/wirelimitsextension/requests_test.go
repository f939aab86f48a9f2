// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// request is what a test sends, over each transport.
type request struct {
	path string
	otlp interface {
		MarshalProto() ([]byte, error)
		MarshalJSON() ([]byte, error)
	}
}

// requests returns a request of each signal with the given number of items. In one item, values
// are nested to the given depth.
func requests(items, depth int) []request {
	traces := ptrace.NewTraces()
	spans := traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	metrics := pmetric.NewMetrics()
	points := metrics.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptyGauge().DataPoints()
	logs := plog.NewLogs()
	records := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for range items {
		spans.AppendEmpty()
		points.AppendEmpty()
		records.AppendEmpty()
	}
	nest(spans.At(0).Attributes(), depth)
	nest(points.At(0).Attributes(), depth)
	nest(records.At(0).Attributes(), depth)
	return []request{
		{"/v1/traces", ptraceotlp.NewExportRequestFromTraces(traces)},
		{"/v1/metrics", pmetricotlp.NewExportRequestFromMetrics(metrics)},
		{"/v1/logs", plogotlp.NewExportRequestFromLogs(logs)},
	}
}

func nest(m pcommon.Map, depth int) {
	value := m.PutEmpty("nested")
	for range depth {
		value = value.SetEmptySlice().AppendEmpty()
	}
	value.SetStr("innermost")
}

// body returns the request as it is sent over HTTP.
func (r request) body(t *testing.T, json bool) []byte {
	t.Helper()
	marshal := r.otlp.MarshalProto
	if json {
		marshal = r.otlp.MarshalJSON
	}
	body, err := marshal()
	require.NoError(t, err)
	return body
}

// arrived returns the only request that the pipeline received, as an exporter would send it.
func (r *rig) arrived(t *testing.T, path string) []byte {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.bodies[path]
	delete(r.bodies, path)
	if len(all) == 0 {
		return nil
	}
	require.Len(t, all, 1)
	return all[0]
}

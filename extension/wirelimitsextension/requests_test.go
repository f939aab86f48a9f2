// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"bytes"
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
	path    string
	traces  ptraceotlp.ExportRequest
	metrics pmetricotlp.ExportRequest
	logs    plogotlp.ExportRequest
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
		{path: "/v1/traces", traces: ptraceotlp.NewExportRequestFromTraces(traces)},
		{path: "/v1/metrics", metrics: pmetricotlp.NewExportRequestFromMetrics(metrics)},
		{path: "/v1/logs", logs: plogotlp.NewExportRequestFromLogs(logs)},
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
	marshal := map[string][2]func() ([]byte, error){
		"/v1/traces":  {r.traces.MarshalProto, r.traces.MarshalJSON},
		"/v1/metrics": {r.metrics.MarshalProto, r.metrics.MarshalJSON},
		"/v1/logs":    {r.logs.MarshalProto, r.logs.MarshalJSON},
	}[r.path]
	which := 0
	if json {
		which = 1
	}
	body, err := marshal[which]()
	require.NoError(t, err)
	return body
}

// arrived returns the only request that the pipeline received, as an exporter would send it.
func (r *rig) arrived(t *testing.T, path string) []byte {
	t.Helper()
	var all [][]byte
	add := func(body []byte, err error) {
		require.NoError(t, err)
		all = append(all, body)
	}
	switch path {
	case "/v1/traces":
		for _, data := range r.traces.AllTraces() {
			add(ptraceotlp.NewExportRequestFromTraces(data).MarshalProto())
		}
		r.traces.Reset()
	case "/v1/metrics":
		for _, data := range r.metrics.AllMetrics() {
			add(pmetricotlp.NewExportRequestFromMetrics(data).MarshalProto())
		}
		r.metrics.Reset()
	case "/v1/logs":
		for _, data := range r.logs.AllLogs() {
			add(plogotlp.NewExportRequestFromLogs(data).MarshalProto())
		}
		r.logs.Reset()
	}
	if len(all) == 0 {
		return nil
	}
	require.Len(t, all, 1)
	return bytes.Clone(all[0])
}

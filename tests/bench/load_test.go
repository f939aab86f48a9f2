// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

func TestRequestHoldsItsItems(t *testing.T) {
	for _, attributes := range []int{5, 10} {
		f := func(signal string, read func(*testing.T, []byte) []pcommon.Map) {
			l, err := newLoad(signal, attributes)
			require.NoError(t, err)
			named, err := l.named(t.Context(), false)
			require.NoError(t, err)
			require.NotEqual(t, l.request, named.request)
			again, err := named.named(t.Context(), false)
			require.NoError(t, err)
			require.Equal(t, named.request, again.request)
			for _, l := range []otlpLoad{l, named} {
				items := read(t, l.request)
				require.Len(t, items, itemsPerRequest, l)
				for _, item := range items {
					require.Equal(t, attributes, item.Len(), "%s: %v", l, item.AsRaw())
				}
			}
		}
		f("metrics", readMetrics)
		f("traces", readTraces)
		f("logs", readLogs)
	}
}

func readMetrics(t *testing.T, request []byte) (items []pcommon.Map) {
	r := pmetricotlp.NewExportRequest()
	require.NoError(t, r.UnmarshalProto(request))
	for _, rm := range r.Metrics().ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			for _, p := range pointsOf(m).All() {
				items = append(items, p.Attributes())
			}
		}
	}
	return items
}

func readTraces(t *testing.T, request []byte) (items []pcommon.Map) {
	r := ptraceotlp.NewExportRequest()
	require.NoError(t, r.UnmarshalProto(request))
	for _, rs := range r.Traces().ResourceSpans().All() {
		for _, s := range rs.ScopeSpans().At(0).Spans().All() {
			items = append(items, s.Attributes())
		}
	}
	return items
}

func readLogs(t *testing.T, request []byte) (items []pcommon.Map) {
	r := plogotlp.NewExportRequest()
	require.NoError(t, r.UnmarshalProto(request))
	for _, rl := range r.Logs().ResourceLogs().All() {
		for _, record := range rl.ScopeLogs().At(0).LogRecords().All() {
			items = append(items, record.Attributes())
		}
	}
	return items
}

func TestRejectedItemsAreRead(t *testing.T) {
	f := func(signal string, response []byte, err error) {
		t.Helper()
		require.NoError(t, err)
		l, err := newLoad(signal, 5)
		require.NoError(t, err)
		rejected, err := l.rejected(response)
		require.NoError(t, err)
		require.Equal(t, int64(7), rejected)
	}
	metrics := pmetricotlp.NewExportResponse()
	metrics.PartialSuccess().SetRejectedDataPoints(7)
	response, err := metrics.MarshalProto()
	f("metrics", response, err)

	traces := ptraceotlp.NewExportResponse()
	traces.PartialSuccess().SetRejectedSpans(7)
	response, err = traces.MarshalProto()
	f("traces", response, err)

	logs := plogotlp.NewExportResponse()
	logs.PartialSuccess().SetRejectedLogRecords(7)
	response, err = logs.MarshalProto()
	f("logs", response, err)
}

func TestUnknownNamesAreRefused(t *testing.T) {
	_, err := signalsNamed("logs,profiles")
	require.EqualError(t, err, `--signals: must be of metrics, traces, logs (got "profiles")`)
	_, err = suitesNamed("equal,file")
	require.ErrorContains(t, err, `--suite: must be`)
	require.ErrorContains(t, err, `(got "file")`)
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector"
)

func TestJudgedTracesAreWhole(t *testing.T) {
	for _, attributes := range []int{5, 10} {
		l, err := newWholeLoad(attributes)
		require.NoError(t, err)
		r := newRequest(l.request, 0)
		seen := map[pcommon.TraceID]bool{}
		for range 2 {
			decoded := ptraceotlp.NewExportRequest()
			require.NoError(t, decoded.UnmarshalProto(r.next()))
			require.Equal(t, itemsPerRequest, decoded.Traces().SpanCount())
			for id, spans := range byTrace(decoded.Traces()) {
				require.False(t, seen[id], "trace %s is there again", id)
				seen[id] = true
				requireWhole(t, spans)
			}
		}
		require.Greater(t, len(seen), 2*itemsPerRequest/spansPerTrace-1)
	}
}

func byTrace(td ptrace.Traces) map[pcommon.TraceID][]ptrace.Span {
	traces := map[pcommon.TraceID][]ptrace.Span{}
	for _, rs := range td.ResourceSpans().All() {
		for _, span := range rs.ScopeSpans().At(0).Spans().All() {
			traces[span.TraceID()] = append(traces[span.TraceID()], span)
		}
	}
	return traces
}

func requireWhole(t *testing.T, spans []ptrace.Span) {
	t.Helper()
	parents := map[pcommon.SpanID]pcommon.SpanID{}
	for _, span := range spans {
		parents[span.SpanID()] = span.ParentSpanID()
	}
	require.Len(t, parents, len(spans))
	roots := 0
	for id := range parents {
		if parents[id].IsEmpty() {
			roots++
			continue
		}
		for steps := 0; !id.IsEmpty(); steps++ {
			require.Contains(t, parents, id)
			require.Less(t, steps, len(spans))
			id = parents[id]
		}
	}
	require.Equal(t, 1, roots)
}

// A slice lasts until its traces are judged, and there is room for all.
func TestJudgedLaterOutlastsTheWindow(t *testing.T) {
	factory := conformanceconnector.NewFactory()
	parsed := readPart(t, factory, "connectors::conformance", config("profiles/gateway")).(*conformanceconnector.Config)
	require.NoError(t, component.Config(parsed).(interface{ Validate() error }).Validate())
	require.GreaterOrEqual(t, judgedLater, parsed.Window+parsed.Window/8+parsed.Window/4)
	most := thorough.lengths.measured / (1250 * time.Nanosecond) // with two CPUs, of which the sender takes a part
	require.GreaterOrEqual(t, parsed.MaxSpans, int(most))
	require.GreaterOrEqual(t, parsed.MaxTraces, int(most)/spansPerTrace)
}

// SPDX-License-Identifier: Apache-2.0

package links

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/items"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// toJaeger adds an exporter to the traces.
const toJaeger = `yaml:{
  exporters: {otlp_grpc: {endpoint: %q, tls: {insecure: true}}},
  service: {pipelines: {traces: {exporters: [file/traces, otlp_grpc, forward/spans, signal_to_metrics/genai]}}}}`

// A real backend has the links that the collector made: all of the true ones, and who
// follows them there comes from the end of a transfer to where it began.
func TestJaegerShowsLinks(t *testing.T) {
	t.Parallel()
	jaeger := servers.StartJaeger(t)
	c := linking{naming: true, more: []string{fmt.Sprintf(toJaeger, jaeger.Otlp)}}.start(t)
	sent := ptrace.NewTraces()
	var pairs []scenario.Pair
	start := time.Now().Add(-5 * time.Minute)
	for _, name := range scenario.Names() {
		s := tcgen.Imitate(t, name, start, start, 10*time.Second)
		s.Send(t, c)
		for _, batch := range s.Batches {
			batch.Traces.ResourceSpans().MoveAndAppendTo(sent.ResourceSpans())
			pairs = append(pairs, batch.Pairs...)
		}
	}
	// Whatever is held goes on, and is in Jaeger when the collector has ended.
	require.Zero(t, c.Stop(t).Code)

	stored := ptrace.NewTraces()
	for id := range traceIDs(sent) {
		jaeger.Trace(t, id).ResourceSpans().MoveAndAppendTo(stored.ResourceSpans())
	}
	require.Equal(t, sent.SpanCount(), stored.SpanCount())
	items.RequireSame(t, linkLines(c.Traces(t)), linkLines(stored))
	checkLinks(t, stored, pairs, minLinked)

	transfers := pairsOf(pairs, scenario.RuleTransport)
	require.NotEmpty(t, transfers)
	for stages := range slices.Chunk(transfers, transferPairs) {
		assert.Equal(t, stages[0].From, followTransfer(t, jaeger, stages[2].To))
	}
	for _, p := range slices.Concat(transfers, pairsOf(pairs, scenario.RuleRequest)) {
		checkReference(t, jaeger, p)
	}
}

func traceIDs(traces ptrace.Traces) map[pcommon.TraceID]bool {
	ids := map[pcommon.TraceID]bool{}
	for span := range collectortest.SpansOf(traces) {
		ids[span.TraceID()] = true
	}
	return ids
}

func pairsOf(pairs []scenario.Pair, rule string) []scenario.Pair {
	var all []scenario.Pair
	for _, p := range pairs {
		if p.Rule == rule {
			all = append(all, p)
		}
	}
	return all
}

// linkLines writes every link on a line of its own, with all of it that Jaeger keeps.
func linkLines(traces ptrace.Traces) []string {
	var all []string
	for span := range collectortest.SpansOf(traces) {
		for _, link := range span.Links().All() {
			all = append(all, fmt.Sprint(collectortest.SpanRef(span), link.TraceID(), link.SpanID(), link.TraceState().AsRaw(), link.Attributes().AsRaw()))
		}
	}
	slices.Sort(all)
	return all
}

// transferStages are the stages of a transfer, the last first.
var transferStages = []string{"CompleteReplicaTransport", "EndReplicaFetch", "BeginReplicaFetch", "RequestReplicaTransport"}

// transferPairs are the pairs of a transfer: those of its stages, then those of the roots of its
// threads and calls.
const transferPairs = 6

// followTransfer goes from the last stage of a transfer to the first, by nothing but what
// Jaeger answers, and returns where it comes to.
func followTransfer(t *testing.T, j *servers.Jaeger, at scenario.SpanRef) scenario.SpanRef {
	t.Helper()
	for i, stage := range transferStages {
		span := findSpan(t, j.Trace(t, at.TraceID), at)
		require.True(t, strings.HasSuffix(span.Name(), stage), "%s, want %s", span.Name(), stage)
		if i < len(transferStages)-1 {
			require.Equal(t, 1, span.Links().Len(), stage)
			at = judge.DerivedLinks(span)[0].Earlier
		}
	}
	return at
}

func findSpan(t *testing.T, traces ptrace.Traces, ref scenario.SpanRef) ptrace.Span {
	t.Helper()
	for span := range collectortest.SpansOf(traces) {
		if collectortest.SpanRef(span) == ref {
			return span
		}
	}
	require.Fail(t, "no span", "%v", ref)
	return ptrace.NewSpan()
}

// checkReference checks that Jaeger's pages show the later of two spans as one that
// follows from the earlier.
func checkReference(t *testing.T, j *servers.Jaeger, p scenario.Pair) {
	t.Helper()
	for _, span := range j.Spans(t, p.To.TraceID) {
		if padded(span.SpanID, 16) != p.To.SpanID.String() {
			continue
		}
		for _, reference := range span.References {
			if padded(reference.TraceID, 32) == p.From.TraceID.String() && padded(reference.SpanID, 16) == p.From.SpanID.String() {
				assert.Equal(t, "FOLLOWS_FROM", reference.RefType)
				return
			}
		}
	}
	assert.Fail(t, "no reference", "%+v", p)
}

// padded gives an id the zeros back that Jaeger leaves out.
func padded(id string, digits int) string { return strings.Repeat("0", max(0, digits-len(id))) + id }

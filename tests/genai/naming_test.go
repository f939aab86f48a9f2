// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

// naming is a naming processor with the built-in packs.
type naming struct {
	processor.Traces
	sink *consumertest.TracesSink
}

// startNaming starts a naming processor with settings of the conventions extension.
func startNaming(t *testing.T, settings string) *naming {
	t.Helper()
	host, err := pipetest.NewHost(t.Context(), []byte(settings))
	require.NoError(t, err)
	factory, sink := namingprocessor.NewFactory(), new(consumertest.TracesSink)
	traces, err := factory.CreateTraces(t.Context(), processortest.NewNopSettings(factory.Type()), factory.CreateDefaultConfig(), sink)
	require.NoError(t, err)
	require.NoError(t, traces.Start(t.Context(), host))
	t.Cleanup(func() { require.NoError(t, traces.Shutdown(t.Context())) })
	return &naming{traces, sink}
}

// span returns the attributes with which a span of nobody's service comes out.
func (n *naming) span(t *testing.T, scope string, attributes map[string]any) map[string]any {
	t.Helper()
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "assistant")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(scope)
	span := ss.Spans().AppendEmpty()
	span.SetName("call")
	require.NoError(t, span.Attributes().FromRaw(attributes))
	n.sink.Reset()
	require.NoError(t, n.ConsumeTraces(t.Context(), td))
	out := n.sink.AllTraces()
	require.Len(t, out, 1)
	return out[0].ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().AsRaw()
}

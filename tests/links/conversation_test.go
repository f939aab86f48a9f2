// SPDX-License-Identifier: Apache-2.0

package links

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// Conversations are linked by the one line that the README has, and not without it. The sessions of
// OpenInference are conversations: their id is copied before spans are linked, also if the original is
// removed. It is not copied from spans of others.
func TestConversationsAreLinkedIfAskedFor(t *testing.T) {
	t.Parallel()
	const asked, remove = "yaml:processors::span_link::rules: ${builtin:fragments/conversation-links}", "yaml:extensions::conventions::copied_attributes: remove"
	conversation := map[string]any{"gen_ai.conversation.id": "conv_5j66UpCpwteGg4YSxUnt7lPY"}
	for _, test := range []struct {
		attributes map[string]any
		configs    []string
		linked     bool
	}{
		{conversation, nil, false},
		{conversation, []string{asked}, true},
		{map[string]any{"session.id": "s-17", "openinference.span.kind": "LLM"}, []string{asked, remove}, true},
		{map[string]any{"session.id": "s-17"}, []string{asked, remove}, false},
	} {
		c := collectortest.Start(t, collectortest.Options{Configs: append([]string{"builtin:dev"}, test.configs...)})
		spans := sendTurns(t, c, test.attributes)
		var got []judge.Link
		for _, link := range allDerivedLinks(collectortest.AwaitSpans(t, c, len(spans))) {
			if link.Rule == "gen_ai.conversation" {
				got = append(got, link)
			}
		}
		var want []judge.Link
		if test.linked {
			want = []judge.Link{backward("gen_ai.conversation", spans[0], spans[1]), backward("gen_ai.conversation", spans[1], spans[2])}
		}
		assert.ElementsMatch(t, want, got)
		require.Zero(t, c.Stop(t).Code)
	}
}

// sendTurns sends three turns of a conversation, each a trace of one span with the attributes.
func sendTurns(t *testing.T, c *collectortest.Collector, attributes map[string]any) []scenario.SpanRef {
	t.Helper()
	var spans []scenario.SpanRef
	for turn := range 3 {
		traces := ptrace.NewTraces()
		rs := traces.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", "shop-assistant")
		span, ref := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty(), payload.NewSpanRef()
		span.SetTraceID(ref.TraceID)
		span.SetSpanID(ref.SpanID)
		span.SetName("chat gpt-5")
		span.SetKind(ptrace.SpanKindClient)
		at := time.Now().Add(time.Duration(turn-3) * time.Second)
		span.SetStartTimestamp(pcommon.NewTimestampFromTime(at))
		span.SetEndTimestamp(pcommon.NewTimestampFromTime(at.Add(time.Millisecond)))
		require.NoError(t, span.Attributes().FromRaw(attributes))
		spans = append(spans, ref)
		collectortest.PostTraces(t, c, traces)
	}
	return spans
}

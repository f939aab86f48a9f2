// SPDX-License-Identifier: Apache-2.0

package bystander

import (
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// The telemetry of testdata/sent is OTLP in JSON. Its times are durations from the instant of a test.
//
//   - senders have the names of spans, metrics and logs of common instrumentation, read in its sources and
//     documentation: opentelemetry-java-instrumentation 2.21, opentelemetry-js-contrib (express, pg, net, fs),
//     opentelemetry-go-contrib 0.69 (otelhttp, otelgrpc), the postgresql receiver 0.158, the instrumentation of
//     OpenAI's client for Python, OpenInference, and the tracing of vLLM.
//   - assistants send content of conversations beside what they measure.
//   - strangers resemble systems that packs own: words in names of spans and services, ordinary attributes, and equal
//     ids in two traces.

// services are those of the senders and the assistants.
var services = []string{"checkout", "web-frontend", "inventory", "postgres", "vllm.entrypoints.openai.api_server", "assistant"}

// secret is in all content that the profiles protect, and nowhere else.
const secret = "the launch code is 0451"

// protected are the keys of the content of assistants.
var protected = []string{
	"gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.tool.call.arguments",
	"input.value", "llm.input_messages.0.message.content", "gen_ai.prompt.0.content",
}

// sent reads a group of testdata/sent.
func sent(t *testing.T, group string) payload.Sent {
	t.Helper()
	return payload.Read(t, "testdata/sent/"+group, time.Now().Add(-time.Second).Truncate(time.Millisecond))
}

// lengths begins the keys of the lengths of what was protected.
const lengths = "tc.content.length."

// withoutContent returns spans without protected attributes and their lengths.
func withoutContent(traces ptrace.Traces) ptrace.Traces {
	for span := range collectortest.SpansOf(traces) {
		span.Attributes().RemoveIf(func(key string, _ pcommon.Value) bool {
			return slices.Contains(protected, key) || strings.HasPrefix(key, lengths)
		})
	}
	return traces
}

// withoutAdded removes the gen_ai attributes that packs have added to spans. Sent are the spans as they were.
func withoutAdded(sent, got ptrace.Traces) ptrace.Traces {
	before := map[pcommon.SpanID]pcommon.Map{}
	for span := range collectortest.SpansOf(sent) {
		before[span.SpanID()] = span.Attributes()
	}
	for span := range collectortest.SpansOf(got) {
		span.Attributes().RemoveIf(func(key string, _ pcommon.Value) bool {
			_, sent := before[span.SpanID()].Get(key)
			return !sent && strings.HasPrefix(key, "gen_ai.")
		})
	}
	return got
}

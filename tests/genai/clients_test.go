// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/clients"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// python has the instrumentations.
var python = clients.Python{File: ".venv-genai/bin/python", Target: "genai-venv"}

// litellm has LiteLLM, which needs an older SDK of OpenAI.
var litellm = clients.Python{File: ".venv-litellm/bin/python", Target: "genai-venv"}

// secret is in each text of a conversation, and in the API key.
const secret = "zq9s3cr3t"

// readAttributes reads attributes by what has them.
func readAttributes(t *testing.T, file string) map[string]object {
	t.Helper()
	all := testfiles.Read[map[string]object](t, file)
	for _, attributes := range all {
		for key, value := range attributes {
			if n, ok := value.(int); ok {
				attributes[key] = int64(n)
			}
		}
	}
	return all
}

// instrumentations are the keys of testdata/instrumentations.yaml.
var instrumentations = []string{"otel", "otel-events", "openinference", "openllmetry"}

// run runs the calls with one instrumentation.
func run(t *testing.T, c *collectortest.Collector, instrumentation string) clients.Sent {
	t.Helper()
	arguments := []string{"--instrumentation", instrumentation, "--api", startAPI(t, secret), "--secret", secret}
	return python.Run(t, "openai_calls.py", append(clients.OverGRPC(c), arguments...)...)
}

// spansOf returns the attributes of the span of each call of a service, by the span of the application around it.
func spansOf(t *testing.T, traces ptrace.Traces, instrumentation string) map[string]object {
	t.Helper()
	names, spans := map[string]string{}, map[string]ptrace.Span{}
	for _, rs := range traces.ResourceSpans().All() {
		if service, _ := rs.Resource().Attributes().Get("service.name"); service.Str() != "assistant-"+instrumentation {
			continue
		}
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				if ss.Scope().Name() == "assistant" {
					names[span.SpanID().String()] = span.Name()
				} else {
					spans[span.ParentSpanID().String()] = span
				}
			}
		}
	}
	byCall := map[string]object{}
	for parent, span := range spans {
		byCall[names[parent]] = span.Attributes().AsRaw()
	}
	return byCall
}

// checkCalls compares the attributes of calls with what they were.
func checkCalls(t *testing.T, instrumentation string, spans map[string]object) {
	t.Helper()
	calls := readAttributes(t, "testdata/calls.yaml")
	otherwise := testfiles.Read[map[string]map[string]object](t, "testdata/instrumentations.yaml")[instrumentation]
	require.ElementsMatch(t, slices.Collect(maps.Keys(calls)), slices.Collect(maps.Keys(spans)))
	for call, want := range calls {
		for key, value := range want {
			if other, ok := otherwise[call][key]; ok {
				value = other
			}
			assert.Equal(t, value, spans[call][key], "%s: %s: %s", instrumentation, call, key)
		}
	}
}

// counts returns how many values the histograms of each name have counted.
func counts(metrics pmetric.Metrics) map[string]uint64 {
	all := map[string]uint64{}
	for metric := range collectortest.AllMetrics(metrics) {
		if metric.Type() == pmetric.MetricTypeHistogram {
			for _, point := range metric.Histogram().DataPoints().All() {
				all[metric.Name()] += point.Count()
			}
		}
	}
	return all
}

// failuresBySpans returns the operations that failed, of each service and model, by the metrics that are made from
// spans.
func failuresBySpans(metrics pmetric.Metrics) map[string]map[string]uint64 {
	all := map[string]map[string]uint64{}
	for resource, metric := range collectortest.MetricsByResource(metrics) {
		if metric.Name() != "gen_ai.client.operation.duration" {
			continue
		}
		for _, point := range metric.Histogram().DataPoints().All() {
			attributes := point.Attributes().AsRaw()
			if attributes["error.type"] == nil {
				continue
			}
			service, _ := resource.Attributes().Get("service.name")
			if all[service.Str()] == nil {
				all[service.Str()] = map[string]uint64{}
			}
			// The metric is cumulative.
			name, _ := attributes["gen_ai.request.model"].(string)
			all[service.Str()][name] = max(all[service.Str()][name], point.Count())
		}
	}
	return all
}

// All that the instrumentations send arrives once, with the attributes of the conventions, the same for the same
// call, and without a text of a conversation.
func TestInstrumentations(t *testing.T) {
	t.Parallel()
	c := everything(t)
	sent := map[string]clients.Sent{}
	for _, instrumentation := range instrumentations {
		sent[instrumentation] = run(t, c, instrumentation)
	}
	checkTexts(t, c)
	traces, metrics, logs := c.Traces(t), c.Metrics(t), c.LogRecords(t)

	var wantSpans, gotSpans, wantLogs, gotLogs []string
	wantCounts := map[string]uint64{}
	for _, s := range sent {
		for _, span := range s.Spans {
			wantSpans = append(wantSpans, span.Name+" "+span.SpanID+" "+span.ParentSpanID+" "+span.Status)
		}
		for _, log := range s.Logs {
			wantLogs = append(wantLogs, log.TraceID+" "+log.SpanID)
		}
		for _, body := range s.Metrics {
			request := pmetricotlp.NewExportRequest()
			require.NoError(t, request.UnmarshalProto(body))
			for name, count := range counts(request.Metrics()) {
				wantCounts[name] += count
			}
		}
	}
	for span := range collectortest.SpansOf(traces) {
		gotSpans = append(gotSpans, span.Name()+" "+span.SpanID().String()+" "+span.ParentSpanID().String()+" "+span.Status().Code().String())
	}
	for record := range collectortest.Records(logs) {
		gotLogs = append(gotLogs, record.TraceID().String()+" "+record.SpanID().String())
	}
	assert.ElementsMatch(t, wantSpans, gotSpans)
	assert.ElementsMatch(t, wantLogs, gotLogs)
	gotCounts := counts(metrics)
	for name, count := range wantCounts {
		assert.GreaterOrEqual(t, gotCounts[name], count, name)
	}
	assert.NotEmpty(t, wantCounts)
	failures := failuresBySpans(c.MetricsIn(t, "span_metrics.json"))
	for _, instrumentation := range instrumentations {
		assert.Equal(t, map[string]uint64{refused: 1}, failures["assistant-"+instrumentation], "failures of %s by model", instrumentation)
	}
	for _, instrumentation := range instrumentations {
		checkCalls(t, instrumentation, spansOf(t, traces, instrumentation))
	}
	// The originals stay.
	spans := spansOf(t, traces, "openinference")
	for _, key := range []string{"openinference.span.kind", "llm.token_count.prompt", "llm.model_name", "session.id", "llm.system"} {
		assert.Contains(t, spans["chat"], key)
	}
	assert.Equal(t, "s-17", spans["chat"]["gen_ai.conversation.id"])
}

// The originals of copies are gone if they should be, and the copies stay. llm.model_name stays: it is not the
// value of gen_ai.request.model, which it is copied to where no better source is.
func TestCopiedAttributesAreRemoved(t *testing.T) {
	t.Parallel()
	c := everything(t, "yaml:extensions::conventions::copied_attributes: remove")
	for _, instrumentation := range []string{"openinference", "openllmetry"} {
		run(t, c, instrumentation)
	}
	checkTexts(t, c)
	for instrumentation, gone := range map[string][]string{
		"openinference": {"llm.token_count.prompt", "llm.token_count.completion", "llm.finish_reason", "llm.system", "session.id"},
		"openllmetry":   {"gen_ai.is_streaming", "gen_ai.usage.reasoning_tokens"},
	} {
		spans := spansOf(t, c.Traces(t), instrumentation)
		checkCalls(t, instrumentation, spans)
		for _, key := range gone {
			assert.NotContains(t, spans["chat"], key)
		}
	}
}

// With content: keep the lists of messages are there, whoever instrumented.
func TestMessagesIfContentIsKept(t *testing.T) {
	t.Parallel()
	c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", "yaml:extensions::conventions::content: keep"}})
	for _, instrumentation := range []string{"otel", "openinference", "openllmetry"} {
		run(t, c, instrumentation)
	}
	require.Zero(t, c.Stop(t).Code)
	traces := c.Traces(t)
	for _, instrumentation := range []string{"otel", "openinference", "openllmetry"} {
		spans := spansOf(t, traces, instrumentation)
		checkCalls(t, instrumentation, spans)
		for call, texts := range map[string][2][]string{
			"chat":   {{"-system", "-question"}, {"-answer"}},
			"stream": {{"-question"}, {"-delta"}},
			"tools":  {{"-question", "-argument", "-result"}, {"-call", "get_weather"}},
		} {
			for i, key := range []string{"gen_ai.input.messages", "gen_ai.output.messages"} {
				list, _ := spans[call][key].(string)
				for _, text := range texts[i] {
					assert.Contains(t, list, text, "%s: %s: %s", instrumentation, call, key)
				}
			}
		}
	}
}

// LiteLLM's spans have the attributes of the conventions, without a text of a conversation.
func TestLiteLLM(t *testing.T) {
	t.Parallel()
	c := everything(t)
	sent := litellm.Run(t, "litellm_calls.py", append(clients.OverGRPC(c), "--api", startAPI(t, secret), "--secret", secret)...)
	checkTexts(t, c)

	var want, got []string
	for _, span := range sent.Spans {
		want = append(want, span.Name+" "+span.SpanID)
	}
	calls := map[string]object{}
	for span := range collectortest.SpansOf(c.Traces(t)) {
		got = append(got, span.Name()+" "+span.SpanID().String())
		if span.Name() == "litellm_request" && span.Status().Code() != ptrace.StatusCodeError {
			attributes := span.Attributes().AsRaw()
			kind, _ := attributes["llm.request.type"].(string)
			calls[kind] = attributes
		}
	}
	assert.ElementsMatch(t, want, got)
	for kind, attributes := range map[string]object{
		"completion": {
			"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.stream": false,
			"gen_ai.request.model": "gpt-4o", "gen_ai.response.model": answering, "gen_ai.request.temperature": 0.2,
			"gen_ai.usage.input_tokens": int64(11), "gen_ai.usage.output_tokens": int64(5),
		},
		"embedding": {
			// LiteLLM itself writes its word under the key of the conventions, and no provider.
			"gen_ai.operation.name": "embedding", "gen_ai.provider.name": nil,
			"gen_ai.request.model": "text-embedding-3-small", "gen_ai.usage.input_tokens": int64(3),
		},
	} {
		for key, value := range attributes {
			assert.Equal(t, value, calls[kind][key], "%s: %s", kind, key)
		}
	}
}

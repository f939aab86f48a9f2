// SPDX-License-Identifier: Apache-2.0

package bystander

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
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

// instant is the time of all telemetry of a test.
func instant() time.Time { return time.Now().Add(-time.Second).Truncate(time.Millisecond) }

// tracesOf returns the spans of a group of testdata/sent.
func tracesOf(t *testing.T, group string, now time.Time) ptrace.Traces {
	t.Helper()
	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(readSent(t, group+"_traces.json", now))
	require.NoError(t, err)
	return traces
}

func metricsOf(t *testing.T, group string, now time.Time) pmetric.Metrics {
	t.Helper()
	metrics, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(readSent(t, group+"_metrics.json", now))
	require.NoError(t, err)
	return metrics
}

func logsOf(t *testing.T, group string, now time.Time) plog.Logs {
	t.Helper()
	logs, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(readSent(t, group+"_logs.json", now))
	require.NoError(t, err)
	return logs
}

var offset = regexp.MustCompile(`"@-?[0-9]+m?s"`)

// readSent reads a file with its times made absolute.
func readSent(t *testing.T, file string, now time.Time) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/sent/" + file)
	require.NoError(t, err)
	return offset.ReplaceAllFunc(text, func(quoted []byte) []byte {
		after, err := time.ParseDuration(string(quoted[2 : len(quoted)-1]))
		require.NoError(t, err)
		return strconv.AppendQuote(nil, strconv.FormatInt(now.Add(after).UnixNano(), 10))
	})
}

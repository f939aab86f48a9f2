// SPDX-License-Identifier: Apache-2.0

package inference

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// prompt is a text of a conversation.
const prompt = "my grandmother keeps her passport behind the clock"

// contentKeys are where instrumentations of GenAI put the texts of conversations.
var contentKeys = []string{
	"gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.prompt", "gen_ai.completion",
	"gen_ai.prompt.0.content", "gen_ai.completion.0.content", "llm.input_messages.0.message.content", "llm.output_messages.0.message.content",
	"input.value", "output.value", "traceloop.entity.input", "traceloop.entity.output", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result",
}

// scopeKeys are keys with texts of conversations in the spans of one scope. Others use their names for other things.
var scopeKeys = map[string][]string{
	"pydantic-ai":      {"events", "model_request_parameters", "inputs", "final_result", "all_messages_events", "tool_arguments"},
	"crewai.telemetry": {"crew_inputs", "crew_agents", "crew_tasks", "crew_output", "crew_tasks_output", "formatted_description", "formatted_expected_output", "task_output", "inputs"},
}

// TestPrompts sends the spans of all systems with texts of conversations. None of them leaves.
func TestPrompts(t *testing.T) {
	t.Parallel()
	c := collectortest.Start(t, collectortest.Options{})
	spans := 0
	for _, name := range scenario.KeptNames() {
		system, err := scenario.New(name, tcgen.Seed, time.Now())
		require.NoError(t, err)
		traces := system.Next(time.Now()).Traces
		if traces.SpanCount() == 0 {
			continue
		}
		for span := range collectortest.SpansOf(traces) {
			event := span.Events().AppendEmpty()
			event.SetName("gen_ai.client.inference.operation.details")
			for _, key := range contentKeys {
				span.Attributes().PutStr(key, prompt)
				event.Attributes().PutStr(key, prompt)
			}
		}
		spans += traces.SpanCount()
		collectortest.PostTraces(t, c, traces)
	}
	require.NotZero(t, spans)
	scopes := ptrace.NewTraces()
	resource := scopes.ResourceSpans().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", "assistant")
	for scope, keys := range scopeKeys {
		scoped := resource.ScopeSpans().AppendEmpty()
		scoped.Scope().SetName(scope)
		span := scoped.Spans().AppendEmpty()
		span.SetName("chat")
		span.SetTraceID([16]byte{1, byte(spans)})
		span.SetSpanID([8]byte{1, byte(spans)})
		for _, key := range keys {
			span.Attributes().PutStr(key, `[{"role": "user", "content": "`+prompt+`"}]`)
		}
		spans++
	}
	collectortest.PostTraces(t, c, scopes)
	collectortest.AwaitSpans(t, c, spans)
	require.Zero(t, c.Stop(t).Code)
	checkNothingLeft(t, c)
}

// checkNothingLeft checks that no file of a collector has a text of a conversation, or an id of its tokens.
func checkNothingLeft(t *testing.T, c *collectortest.Collector) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(c.DataDir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, secret := range []string{"grandmother", strconv.Itoa(scenario.ContentToken)} {
			if at := bytes.Index(text, []byte(secret)); at >= 0 {
				assert.Fail(t, "a prompt left", "%s in %s: …%s…", secret, path, text[max(0, at-300):min(len(text), at+100)])
			}
		}
		return err
	}))
}

// writesContent are the systems that write prompts and answers into their logs.
var writesContent = []string{"fastdeploy", "litellm", "ray", "sglang", "tgi", "trtllm", "vllm"}

// TestPromptsInLogs reads the logs of all systems, and gets the same lines as a program without formats sends them,
// of a service whose name says nothing. The engines log requests. No prompt and no answer leaves, and the ids of
// requests stay.
func TestPromptsInLogs(t *testing.T) {
	t.Parallel()
	dir, start := t.TempDir(), time.Now()
	c := collectortest.StartReading(t, dir)
	sent := plog.NewLogs()
	resource := sent.ResourceLogs().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", "chat")
	unparsed := resource.ScopeLogs().AppendEmpty().LogRecords()
	var found []string
	for _, name := range slices.Concat(scenario.Names(), scenario.KeptNames()) {
		content := false
		for _, batch := range tcgen.Imitate(t, name, start, start, 10*time.Second).Batches {
			for i, line := range batch.Lines {
				content = content || strings.Contains(line.Text, "grandmother")
				batch.Lines[i].File = name + "_" + line.File + ".log"
				unparsed.AppendEmpty().Body().SetStr(line.Text)
			}
			collectortest.WriteTexts(t, dir, batch.Lines)
		}
		if content {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	require.Equal(t, writesContent, found)
	collectortest.PostLogs(t, c, sent)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return len(collectortest.FileRecords(c.LogRecords(t))) > len(writesContent), "no records of files"
	})
	time.Sleep(3 * time.Second) // longer than a record waits for its continuation
	require.Zero(t, c.Stop(t).Code)
	checkNothingLeft(t, c)

	var bodies strings.Builder
	for record := range collectortest.Records(c.LogRecords(t)) {
		bodies.WriteString(record.Body().AsString() + "\n")
	}
	for _, line := range []string{
		`Request chatcmpl-\w+ details: prompt: \[redacted\]\n`, `Generated response chatcmpl-\w+: output: \[redacted\], finish_reason: stop\n`,
		`Receive: obj=GenerateReqInput\(rid='\w+', session_id=None, text=\[redacted\]\n`, `Finish: obj=GenerateReqInput\(rid='\w+', stream=False\), out=.*'e2e_latency': 1.53}}\n`,
		`Completion Received request: \[redacted\]\n`, `\nInput: \[redacted\]\n`, `litellm.acompletion\(model=gpt-5-mini\) 200 OK\n`,
	} {
		assert.Regexp(t, line, bodies.String())
	}
}

package inference

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
)

// prompt is a text of a conversation.
const prompt = "my grandmother keeps her passport behind the clock"

// contentKeys are where instrumentations of GenAI put the texts of conversations.
var contentKeys = []string{
	"gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.prompt", "gen_ai.completion",
	"gen_ai.prompt.0.content", "gen_ai.completion.0.content", "llm.input_messages.0.message.content", "llm.output_messages.0.message.content",
	"input.value", "output.value", "traceloop.entity.input", "traceloop.entity.output", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result",
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
	collectortest.AwaitSpans(t, c, spans)
	require.Zero(t, c.Stop(t).Code)
	require.NoError(t, filepath.WalkDir(c.DataDir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		assert.NotContains(t, string(text), "grandmother", path)
		return err
	}))
}

// TestPromptsInLogs reads requests and answers as engines log them. Their texts do not leave, and their ids stay.
func TestPromptsInLogs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := collectortest.StartReading(t, dir)
	lines := []string{
		"INFO 11-22 10:00:00 [logger.py:43] Received request chatcmpl-1: prompt: '" + prompt + "', params: SamplingParams(n=1), prompt_token_ids: None, lora_request: None.",
		"(APIServer pid=7) DEBUG 11-22 10:00:01 [logger.py:60] Request chatcmpl-1 details: prompt: '" + prompt + "', prompt_token_ids: [1], prompt_embeds shape: None.",
		"(APIServer pid=7) INFO 11-22 10:00:02 [logger.py:90] Generated response chatcmpl-1 (streaming complete): output: '" + prompt + "', output_token_ids: [1], finish_reason: stop",
		"[2026-11-22 10:00:03] Receive: obj=GenerateReqInput(rid='chatcmpl-1', text='" + prompt + "', input_ids=None)",
		"[2026-11-22 10:00:04 TP0] Finish: obj=GenerateReqInput(rid='chatcmpl-1', text='x'), out={'text': '" + prompt + "', 'meta_info': {}}",
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "engine.log"), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	bodies := func() (all string) {
		for _, resource := range c.LogRecords(t).ResourceLogs().All() {
			for _, scope := range resource.ScopeLogs().All() {
				for _, record := range scope.LogRecords().All() {
					all += record.Body().AsString() + "\n"
				}
			}
		}
		return all
	}
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return strings.Count(bodies(), "chatcmpl-1") >= len(lines), "the lines have not come: " + bodies()
	})
	require.Zero(t, c.Stop(t).Code)
	assert.NotContains(t, bodies(), "grandmother")
}

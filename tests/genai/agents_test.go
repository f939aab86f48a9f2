// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/clients"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// TestFrameworks runs the agent of agent_calls.py in each framework. No text of anybody leaves, and what says
// which model, tool and how many tokens it was does.
func TestFrameworks(t *testing.T) {
	t.Parallel()
	c, api := everything(t), startAPI(t, secret)
	var want, got []string
	for framework := range frameworks {
		interpreter := python
		if framework == "llama-index" {
			interpreter = litellm // which needs the same older SDK
		}
		for _, span := range interpreter.Run(t, "agent_calls.py", append(clients.OverGRPC(c), "--framework", framework, "--api", api, "--secret", secret)...).Spans {
			want = append(want, span.SpanID)
		}
	}
	checkTexts(t, c)
	seen := map[string]map[string]map[any]bool{}
	for resource, span := range collectortest.SpansByResource(c.Traces(t)) {
		service := collectortest.ServiceName(resource)
		if seen[service] == nil {
			seen[service] = map[string]map[any]bool{}
		}
		got = append(got, span.SpanID().String())
		for key, value := range span.Attributes().AsRaw() {
			if _, ok := value.([]any); ok {
				continue
			}
			if seen[service][key] == nil {
				seen[service][key] = map[any]bool{}
			}
			seen[service][key][value] = true
		}
	}
	assert.ElementsMatch(t, want, got)
	for framework, attributes := range frameworks {
		for key, value := range attributes {
			assert.Contains(t, seen["weather-"+framework][key], value, "%s: %s", framework, key)
		}
	}
}

// frameworks are attributes of spans that each framework sends, as they come out.
var frameworks = map[string]object{
	"pydantic-ai": {
		"gen_ai.request.model": agentModel, "gen_ai.response.model": answering, "gen_ai.usage.input_tokens": int64(11),
		"gen_ai.agent.name": "forecaster", "gen_ai.tool.name": "get_weather", "gen_ai.tool.call.id": "call_2", "gen_ai.response.id": "chatcmpl-1",
	},
	"langchain": {
		"gen_ai.request.model": agentModel, "gen_ai.response.model": answering, "llm.token_count.prompt": int64(11),
		"tool.name": "get_weather", "llm.finish_reason": "tool_calls", "llm.output_messages.0.message.role": "assistant",
		"llm.output_messages.0.message.tool_calls.0.tool_call.id":            "call_2",
		"llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "get_weather",
	},
	"langchain-openllmetry": {
		"gen_ai.request.model": agentModel, "gen_ai.response.model": answering, "gen_ai.usage.output_tokens": int64(5),
		"gen_ai.agent.name": "forecaster", "gen_ai.tool.name": "get_weather", "gen_ai.response.id": "chatcmpl-1",
		"traceloop.entity.name": "get_weather", "gen_ai.task.status": "success",
	},
	"openai-agents": {
		"gen_ai.request.model": agentModel, "gen_ai.usage.input_tokens": int64(11), "agent.name": "forecaster", "tool.name": "get_weather",
		"llm.input_messages.3.message.tool_call_id": "call_2", "llm.input_messages.3.message.role": "tool",
	},
	"haystack": {
		"haystack.component.name": "retriever", "haystack.component.type": "InMemoryBM25Retriever", "haystack.tool.name": "get_weather",
		"haystack.agent.steps_taken": int64(2), "haystack.pipeline.execution_mode": "sync",
	},
	"haystack-openinference": {
		"openinference.span.kind": "RETRIEVER", "gen_ai.operation.name": "retrieval", "output.mime_type": "application/json",
	},
	"llama-index": {
		"gen_ai.request.model": agentModel, "llm.token_count.total": int64(16), "tool.name": "get_weather", "llm.finish_reason": "tool_calls",
		"embedding.model_name": "text-embedding-ada-002", "llm.output_messages.0.message.tool_calls.0.tool_call.id": "call_2",
	},
}

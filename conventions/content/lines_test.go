// SPDX-License-Identifier: Apache-2.0

package content

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// record is a record with these attributes.
type record struct {
	attributes map[string]string
	debug      bool
}

func (r record) Attribute(key string) string { return r.attributes[key] }

func (r record) Debug() bool { return r.debug }

// lineSamples are lines as the programs of lineSources write them, with §SECRET§ where content is, and what stays of
// them: "…" stands for a replacement.
var lineSamples = []struct {
	line, want string
	record     record
}{
	// vLLM since 0.10.2.
	{line: `Request chatcmpl-1f details: prompt: '<|user|>§SECRET§ it\'s "so"\n', prompt_token_ids: [§1, 2§], prompt_embeds shape: None.`,
		want: `Request chatcmpl-1f details: prompt: …`},
	{line: "Received request chatcmpl-1f: params: SamplingParams(n=1, temperature=0.7, seed=None, stop=[], stop_token_ids=[], bad_words=[], max_tokens=64, structured_outputs=None, extra_args=None), lora_request: None.",
		want: "Received request chatcmpl-1f: params: SamplingParams(n=1, temperature=0.7, seed=None, stop=[], stop_token_ids=[], bad_words=[], max_tokens=64, structured_outputs=None, extra_args=None), lora_request: None."},
	{line: "Received request chatcmpl-1f: params: SamplingParams(n=1, stop=['§SECRET§'], stop_token_ids=[], max_tokens=64, structured_outputs=None), lora_request: None.",
		want: "Received request chatcmpl-1f: params: SamplingParams(n=1, stop=…"},
	{line: "Received request cmpl-1f-0: params: SamplingParams(n=1, stop=[], max_tokens=64, structured_outputs=StructuredOutputsParams(json='{\"title\": \"§SECRET§\"}'), extra_args=None), lora_request: None.",
		want: "Received request cmpl-1f-0: params: SamplingParams(n=1, stop=[], max_tokens=64, structured_outputs=…"},
	{line: `Generated response chatcmpl-1f: output: 'An answer, §SECRET§, finish_reason: stop, and more', finish_reason: stop`,
		want: `Generated response chatcmpl-1f: output: …, finish_reason: stop`},
	{line: `Generated response chatcmpl-1f (streaming delta): output: '§SECRET§', finish_reason: None`,
		want: `Generated response chatcmpl-1f (streaming delta): output: …, finish_reason: None`},
	{line: `Generated response chatcmpl-1f (streaming complete) details: output_token_ids: [§1, 2§]`,
		want: `Generated response chatcmpl-1f (streaming complete) details: output_token_ids: …`},
	{line: `Request N/A JSON body: {"model":"m","messages":[{"role":"user","content":"§SECRET§"}]}`, want: `Request N/A JSON body: …`},
	{line: `response_body={streaming_complete: content='§SECRET§', chunks=3}`, want: `response_body={streaming_complete: content=…`},
	{line: `response_body={{"id":"chatcmpl-1f","choices":[{"message":{"content":"§SECRET§"}}]}}`, want: `response_body={{"id":"chatcmpl-1f",…`},
	{line: `Received messages request {"model":"m","messages":[{"content":"§SECRET§"}]}`, want: `Received messages request …`},
	{line: `Convert to OpenAI request {"messages":[{"content":"§SECRET§"}]}`, want: `Convert to OpenAI request …`},
	{line: `Regex timeout occurred when matching user input: §SECRET§`, want: `Regex timeout occurred when matching user input: …`},
	{line: "delta_text: §SECRET§", want: "…", record: record{map[string]string{"code.file.path": "tool_parsers/deepseekv3_tool_parser.py"}, true}},
	{line: "DEBUG 11-22 10:00:00 [tool_parsers/deepseekv3_tool_parser.py:142] delta_text: §SECRET§", want: "DEBUG 11-22 10:00:00 [tool_parsers/deepseekv3_tool_parser.py:142] …"},
	// Older versions.
	{line: `INFO 06-01 10:00:00 [logger.py:43] Received request chatcmpl-1f: prompt: "it's §SECRET§, params: none, ", params: SamplingParams(n=1), prompt_token_ids: [§1, 2§], prompt_embeds shape: None, lora_request: None, prompt_adapter_request: None.`,
		want: `INFO 06-01 10:00:00 [logger.py:43] Received request chatcmpl-1f: prompt: …`},
	{line: `Received request cmpl-1f: prompt: '§SECRET§', sampling params: SamplingParams(n=1), prompt token ids: [§1, 2§].`, want: `Received request cmpl-1f: prompt: …`},
	{line: `Generated response cmpl-1f: output: '§SECRET§', output_token_ids: [§1, 2§], finish_reason: length`, want: `Generated response cmpl-1f: output: …, finish_reason: length`},
	// In a line of JSON that nobody parsed, and behind Ray's prefix.
	{line: `{"message": "Request chatcmpl-1f details: prompt: 'it\\'s §SECRET§', prompt_token_ids: [§1§]", "levelname": "DEBUG"}`,
		want: `{"message": "Request chatcmpl-1f details: prompt: …`},
	{line: `(ServeReplica:llm:LLMServer pid=17, ip=10.0.0.1) INFO 11-22 10:00:00 [logger.py:43] Generated response 4f-1: output: '§SECRET§', output_token_ids: None, finish_reason: stop`,
		want: `(ServeReplica:llm:LLMServer pid=17, ip=10.0.0.1) INFO 11-22 10:00:00 [logger.py:43] Generated response 4f-1: output: …, finish_reason: stop`},
	// SGLang.
	{line: `[2026-11-22 10:00:00] Receive: obj=GenerateReqInput(rid='4f', session_id=None, text='§SECRET§ \'x\'' ... '§SECRET§', input_ids=None, sampling_params={'stop': None}), headers={'x-smg-routing-key': 'k'}`,
		want: `[2026-11-22 10:00:00] Receive: obj=GenerateReqInput(rid='4f', session_id=None, text=…`},
	{line: `Receive: obj=GenerateReqInput(rid='4f', text=None, input_ids=[§1, 2§], stream=False)`, want: `Receive: obj=GenerateReqInput(rid='4f', text=None, input_ids=…`},
	{line: `Receive: obj=EmbeddingReqInput(rid='4f', text=['§SECRET§'], image_data=None)`, want: `Receive: obj=EmbeddingReqInput(rid='4f', text=…`},
	{line: `Finish: obj=GenerateReqInput(rid='4f', text='§SECRET§'), out={'text': '§SECRET§', 'output_ids': [§1§], 'meta_info': {'id': '4f'}}`,
		want: `Finish: obj=GenerateReqInput(rid='4f', text=…`},
	{line: `Finish: obj=GenerateReqInput(rid='4f', stream=False), out={'meta_info': {'id': '4f', 'finish_reason': {'type': 'stop', 'matched': 106}, 'e2e_latency': 0.4}}`,
		want: `Finish: obj=GenerateReqInput(rid='4f', stream=False), out={'meta_info': {'id': '4f', 'finish_reason': {'type': 'stop', 'matched': 106}, 'e2e_latency': 0.4}}`},
	{line: `Finish: obj=GenerateReqInput(rid='4f', sampling_params={'stop': None, 'max_new_tokens': 8, 'json_schema': '{"title": "§SECRET§"}'}), out={'meta_info': {}}`,
		want: `Finish: obj=GenerateReqInput(rid='4f', sampling_params={'stop': None, 'max_new_tokens': 8, 'json_schema': …`},
	{line: `Receive: obj={'request_id': '6e', 'sampling_params': {'seed': 42}, 'prompt': '§SECRET§', 'negative_prompt': '§SECRET§'}`,
		want: `Receive: obj={'request_id': '6e', 'sampling_params': {'seed': 42}, 'prompt': …`},
	{line: `Receive OpenAI: obj={'messages': [{'role': 'user', 'content': '§SECRET§'}], 'model': 'm'}`, want: `Receive OpenAI: obj=…`},
	{line: `in=GenerateReqInput(text='§SECRET§', rid='4f'), out={'text': '§SECRET§'}`, want: `in=GenerateReqInput(…`},
	{line: `[2026-11-22 10:00:00] {"timestamp": "2026-11-22T10:00:00", "event": "request.finished", "rid": "4f", "obj": {"rid": "4f", "text": "§SECRET§"}, "out": {"text": "§SECRET§"}}`,
		want: `[2026-11-22 10:00:00] {"timestamp": "2026-11-22T10:00:00", "event": "request.finished", "rid": "4f", "obj": {"rid": "4f", "text": …`},
	{line: `{"timestamp": "2026-11-22T10:00:00", "event": "request.received.openai", "obj": {"messages": [{"content": "§SECRET§"}]}}`,
		want: `{"timestamp": "2026-11-22T10:00:00", "event": "request.received.openai", …`},
	{line: "Unparsed required tool call output: '§SECRET§'", want: "Unparsed required tool call output: …"},
	{line: "[GigaChat3] detect_and_parse: §SECRET§\n§SECRET§", want: "[GigaChat3] detect_and_parse: …"},
	// FastDeploy.
	{line: `Chat Received request: {"messages":[{"content":"§SECRET§"}]}`, want: `Chat Received request: …`},
	{line: `Completion Received request: {"prompt":"§SECRET§"}`, want: `Completion Received request: …`},
	{line: `Chat response: {"id":"chatcmpl-1f","choices":[{"message":{"content":"§SECRET§"}}]}`, want: `Chat response: {"id":"chatcmpl-1f",…`},
	{line: `Initialize request cmpl-1f: prompt='§SECRET§' max_tokens=64`, want: `Initialize request cmpl-1f: …`},
	{line: `Receive request from api server: {'request_id': 'cmpl-1f_0', 'prompt': '§SECRET§'}`, want: `Receive request from api server: {'request_id': 'cmpl-1f_0', …`},
	{line: `Receive request: Request(request_id=cmpl-1f_0, prompt='§SECRET§')`, want: `Receive request: Request(request_id=cmpl-1f_0, …`},
	{line: `Start processing request dict: {'prompt': '§SECRET§'}`, want: `Start processing request dict: …`},
	{line: `Processed request dict: {'prompt_token_ids': [§1, 2§]}`, want: `Processed request dict: …`},
	{line: `Anthropic request: {"messages":[{"content":"§SECRET§"}]}`, want: `Anthropic request: …`},
	{line: `Adapted to OpenAI: {"messages":[{"content":"§SECRET§"}]}`, want: `Adapted to OpenAI: …`},
	// TGI.
	{line: "Input: §SECRET§\n§SECRET§", want: "Input: …", record: record{attributes: map[string]string{"logger.name": "text_generation_router::server"}}},
	{line: `Current text "§SECRET§"`, want: "Current text …", record: record{attributes: map[string]string{"logger.name": "text_generation_router::chat"}}},
	{line: "2026-01-02T10:00:00Z DEBUG generate: text_generation_router::server: router/src/server.rs:431: Output: §SECRET§",
		want: "2026-01-02T10:00:00Z DEBUG generate: text_generation_router::server: router/src/server.rs:431: Output: …"},
	// TensorRT-LLM.
	{line: "Generating image: image_1f with params: VisualGenParams(negative_prompt='§SECRET§') and prompt: §SECRET§", want: "Generating image: image_1f with params: …"},
	{line: "messages_dict: [{'role': 'user', 'content': '§SECRET§'}]", want: "messages_dict: …"},
	{line: "tools_dict: [{'function': '§SECRET§'}]", want: "tools_dict: …"},
	{line: "[01/16/2026-06:20:17] [TRT-LLM] [E] request: messages=[{'content': '§SECRET§'}]", want: "[01/16/2026-06:20:17] [TRT-LLM] [E] request: …"},
	{line: "request: messages=[{'content': '§SECRET§'}]", want: "request: …", record: record{attributes: map[string]string{"logger.name": "TRT-LLM"}}},
	// LiteLLM.
	{line: "\n\nPOST Request Sent from LiteLLM:\ncurl -X POST \\\nhttps://api.openai.com/v1/ \\\n-d '{'messages': [{'content': '§SECRET§'}]}'\n", want: "\n\nPOST Request Sent from LiteLLM:\n…"},
	{line: "RAW RESPONSE:\n{\"choices\": [{\"message\": {\"content\": \"§SECRET§\"}}]}\n\n", want: "RAW RESPONSE:\n…"},
	{line: "receiving data: {'messages': [{'content': '§SECRET§'}]}", want: "…", record: record{map[string]string{"logger.name": "LiteLLM Proxy"}, true}},
	{line: "receiving data: {'messages': '§SECRET§'}", want: "…", record: record{map[string]string{"litellm.component": "Proxy"}, true}},
	{line: "Selected deployment: §SECRET§", want: "…", record: record{map[string]string{"litellm.component": "Router"}, true}},
	{line: "returned chunk: §SECRET§", want: "…", record: record{map[string]string{"component": "LiteLLM Proxy"}, true}},
	{line: "10:00:00 - LiteLLM Proxy:DEBUG: common_request_processing.py:1930 - receiving data: {'messages': '§SECRET§'}",
		want: "10:00:00 - LiteLLM Proxy:DEBUG: common_request_processing.py:1930 - …"},
	{line: "\x1b[92m10:00:00 - LiteLLM:DEBUG\x1b[0m: utils.py:1 - §SECRET§", want: "\x1b[92m10:00:00 - LiteLLM:DEBUG\x1b[0m: utils.py:1 - …"},
	{line: `{"message": "receiving data: {'messages': '§SECRET§'}", "level": "DEBUG", "messages": "§SECRET§", "component": "LiteLLM Proxy"}`, want: `{"message": …`},
	// SDKs.
	{line: "Request options: {'method': 'post', 'url': '/chat/completions', 'json_data': {'messages': [{'content': '§SECRET§'}]}}", want: "Request options: …"},
}

// marks are around the content in samples.
var marks = regexp.MustCompile(`§[^§]*§`)

func TestLines(t *testing.T) {
	policies := map[Action]*Policy{Redact: New(Config{}, nil), Hash: New(Config{Default: Hash}, nil), Keep: New(Config{Default: Keep}, nil)}
	used := map[string]bool{}
	for _, sample := range lineSamples {
		line := marks.ReplaceAllString(sample.line, "SECRET 4711")
		for action, p := range policies {
			length := 0
			count := func(rule *Rule, bytes int) { used[rule.Label], length = true, length+bytes }
			now := p.ScrubLine(action, sample.record, line, count)
			if action == Keep {
				assert.Equal(t, line, now)
				continue
			}
			assert.NotContains(t, now, "SECRET", sample.line)
			assert.NotContains(t, now, "4711", sample.line)
			assert.Equal(t, len(line)-len(strings.ReplaceAll(sample.want, "…", "")), max(length, len(line)-len(now)), sample.line)
			if action == Redact {
				assert.Equal(t, strings.ReplaceAll(sample.want, "…", Redacted), now)
			}
			assert.Equal(t, now, p.ScrubLine(action, sample.record, now, func(*Rule, int) { t.Error("a second collector", sample.line) }))
		}
	}
	for _, source := range lineSources {
		assert.True(t, used[source.label], source.name)
	}
}

// Every pattern is needed by a sample.
func TestPatternsOfLines(t *testing.T) {
	p := New(Config{}, nil)
	for i, l := range p.lines {
		found := false
		for _, sample := range lineSamples {
			line := marks.ReplaceAllString(sample.line, "SECRET")
			found = found || strings.Contains(line, l.has) && l.applies(sample.record) && l.pattern.MatchString(line)
		}
		assert.True(t, found, l.line.pattern)
		assert.Equal(t, 1, p.lines[i].pattern.NumSubexp(), l.line.pattern)
	}
}

// Lines of others, and lines of the same programs without content, stay.
func TestOtherLines(t *testing.T) {
	p := New(Config{}, nil)
	for _, line := range []string{
		"Received request 4711: GET /users", "Received request: {\"user\": 1}", "Generated response for 4711: output: x", "Receive: object", "Input: 3 files", "Output: done",
		"response_body={'a': 1}", "Request 7 JSON body: {\"user\":\"x\"}", "Added request chatcmpl-1f.", "Receive request: GET /", "request: x", "chat response: fast",
		"Initialize request pool: 5", "Finish: all objects", "in=3, out=4", "DEBUG tool_parser ready",
	} {
		assert.Equal(t, line, p.ScrubLine(Redact, record{}, line, func(*Rule, int) {}))
	}
	debug := record{map[string]string{"logger.name": "LiteLLM"}, false}
	assert.Equal(t, "Cache hit", p.ScrubLine(Redact, debug, "Cache hit", func(*Rule, int) {}))
}

func TestExceptedLines(t *testing.T) {
	p := New(Config{Except: []string{"log.vllm"}}, nil)
	line := "Generated response chatcmpl-1f: output: 'x', finish_reason: stop"
	assert.Equal(t, line, p.ScrubLine(Redact, record{}, line, nil))
}

func TestScopes(t *testing.T) {
	p := New(Config{Except: []string{"crew_agents"}}, nil)
	for _, source := range scopeSources {
		scope := p.Scope(source.scope)
		for _, key := range source.keys {
			if base := strings.TrimSuffix(key, below); base != "crew_agents" {
				assert.NotNil(t, p.InScope(scope, base, p.Key(base)).Rule, key)
				assert.Nil(t, p.InScope(nil, base, p.Key(base)).Rule, key)
				assert.Nil(t, p.InScope(p.Scope("shop.events"), base, p.Key(base)).Rule, key)
			}
		}
	}
	crew := p.Scope("crewai.telemetry")
	for _, key := range []string{"crew_agents", "crew_id", "agent_role", "crew_inputs_present", "events"} {
		assert.Nil(t, p.InScope(crew, key, p.Key(key)).Rule, key)
	}
	assert.Nil(t, p.Scope("crewai"))
}

func TestFieldsOfKeptContent(t *testing.T) {
	p := New(Config{Default: Keep}, nil)
	for text, want := range map[string]string{
		`{"model": "m", "api_key": "sk-1", "extra_headers": {"Authorization" : "Bearer \"x\" y"}, "n": 1}`: `{"model": "m", "api_key": "REDACTED", "extra_headers": {"Authorization" : "REDACTED"}, "n": 1}`,
		`{'api_key': 'sk-1', 'stop': None}`:                                                         `{'api_key': 'REDACTED', 'stop': None}`,
		`{"arguments": "{\"password\": \"x\\\"y\", \"city\": \"Paris\"}"}`:                          `{"arguments": "{\"password\": \"REDACTED\", \"city\": \"Paris\"}"}`,
		`don't: {"api_key":"sk-1`:                                                                   `don't: {"api_key":"REDACTED`,
		`{"api_key": 12, "token": " the", "password": null, "max_tokens": "12", "a": "api_key: x"}`: "",
		`"api_key"`: "", `"api_key":`: "", `"api_key": `: "", `:`: "", `"":""`: "", `"api_key": \`: "",
	} {
		if want == "" {
			want = text
		}
		assert.Equal(t, want, p.ScrubFields(text))
		assert.Equal(t, want, p.ScrubFields(want), "a second collector")
	}
	open, text := New(Config{Default: Keep, Secrets: Keep}, nil), `{"api_key": "sk-1"}`
	assert.Equal(t, text, open.ScrubFields(text))
}

// FuzzFields checks that no text ends the process, and that a second collector changes nothing.
func FuzzFields(f *testing.F) {
	f.Add(`{"api_key": "sk-1", 'password': '\"x'}`)
	p := New(Config{Default: Keep}, nil)
	f.Fuzz(func(t *testing.T, text string) {
		once := p.ScrubFields(text)
		assert.Equal(t, once, p.ScrubFields(once))
	})
}

func BenchmarkLine(b *testing.B) {
	p := New(Config{}, nil)
	line := "Engine 000: Avg prompt throughput: 12.0 tokens/s, Avg generation throughput: 8.0 tokens/s, Running: 3 reqs, Waiting: 0 reqs, GPU KV cache usage: 12.4%, Prefix cache hit rate: 41.0%"
	r := record{attributes: map[string]string{"code.file.path": "loggers.py"}}
	b.ReportAllocs()
	for b.Loop() {
		p.ScrubLine(Redact, r, line, func(*Rule, int) {})
	}
}

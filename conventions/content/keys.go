// SPDX-License-Identifier: Apache-2.0

package content

// source is a convention and the keys by which it carries content. Every key is a glob in lower case that
// matches the whole key. A glob that ends in .* matches the key before it too: gen_ai.prompt.* matches
// gen_ai.prompt.
type source struct {
	name string // with its version, or the date of what was read
	keys []string
}

// sources are the keys with content. README.md says what is not content, and why.
var sources = []source{
	{"OpenTelemetry GenAI, semantic-conventions 1.44 and semantic-conventions-genai of July 2026, model/gen-ai", []string{
		"gen_ai.input.messages.*", "gen_ai.output.messages.*", "gen_ai.system_instructions.*",
		"gen_ai.tool.call.arguments.*", "gen_ai.tool.call.result.*", "gen_ai.tool.definitions.*",
		"gen_ai.retrieval.query.text", "gen_ai.retrieval.documents.*",
		"gen_ai.memory.query.text", "gen_ai.memory.records.*",
		"gen_ai.evaluation.explanation",
		"gen_ai.prompt.*", "gen_ai.completion.*", // deprecated there, used by OpenLLMetry, LiteLLM and Semantic Kernel
		"gen_ai.event.content", // Azure AI Inference and Semantic Kernel
		"http.request.body.content", "http.response.body.content",
	}},
	// What OPENINFERENCE_HIDE_* can hide, and the parts of those lists, which nested maps have by themselves.
	{"OpenInference, spec/semantic_conventions.md and spec/configuration.md of August 2026", []string{
		"input.value.*", "output.value.*",
		"llm.input_messages.*", "llm.output_messages.*", "llm.prompts.*", "llm.choices.*",
		"llm.function_call.*", "llm.tools.*", "llm.invocation_parameters.*", "embedding.invocation_parameters.*",
		"llm.prompt_template.template", "llm.prompt_template.variables.*",
		"message.content", "message.contents.*", "message.tool_calls.*", "message.function_call_arguments_json",
		"message.reasoning_summary", "message_content.text", "message_content.image.*", "message_content.data",
		"message_content.encrypted_content", "prompt.text", "completion.text",
		"tool_call.function.arguments", "tool.parameters.*", "tool.json_schema",
		"retrieval.documents.*", "document.content", "document.metadata.*",
		"reranker.query", "reranker.input_documents.*", "reranker.output_documents.*",
		"embedding.embeddings.*", "embedding.text", "embedding.vector",
		"image.url", "audio.url", "audio.transcript", "video.url", "document.url", // links, or the media in base64
		"input.images.*", "output.images.*", "input.documents.*", "output.documents.*", // openinference-semantic-conventions 0.1.42
		"annotation.explanation", "evaluation.explanation", "annotations.*.explanation", "evaluations.*.explanation",
		"*.annotations.*.explanation", "*.evaluations.*.explanation",
	}},
	{"OpenLLMetry, opentelemetry-semantic-conventions-ai 0.5.2 and its instrumentations", []string{
		"traceloop.entity.input.*", "traceloop.entity.output.*",
		"traceloop.prompt.template", "traceloop.prompt.template_variables.*",
		"gen_ai.content.*", "llm.content.*", "llm.completions.*", "llm.request.functions.*",
		"gen_ai.request.structured_output_schema.*",
		"gen_ai.task.input", "gen_ai.task.output",
		"gen_ai.guardrail.input", "gen_ai.guardrail.output", "gen_ai.guardrail.match",
		"tool.arguments.*", "mcp.request.argument.*", "mcp.response.value.*", "mcp.session.init_options",
		"db.query.embeddings.vector", "db.search.embeddings.vector", "db.query.result.vector",
		"db.query.result.document", "db.query.result.metadata", "db.search.result.entity",
		"db.chroma.*.where_document", "db.marqo.search.query", "pinecone.query.queries",
		"haystack.openai.chat", "haystack.openai.completion",
		"crewai.task.description", "crewai.task.expected_output", "crewai.task.context.*", "crewai.task.output.*",
		"crewai.crew.result", "crewai.crew.tasks_output.*", "crewai.crew.inputs.*",
		"crewai.agent.goal", "crewai.agent.backstory",
	}},
	// llm.<provider>.<parameter> is a parameter of the raw request, or a field of the raw response.
	{"LiteLLM, litellm/integrations/opentelemetry.py and otel/ of August 2026", []string{
		"llm.*.messages", "llm.*.message", "llm.*.system", "llm.*.system_instruction", "llm.*.systeminstruction",
		"llm.*.instructions", "llm.*.input", "llm.*.inputs", "llm.*.inputtext", "llm.*.prompt", "llm.*.query",
		"llm.*.documents", "llm.*.tools", "llm.*.functions", "llm.*.content", "llm.*.contents", "llm.*.choices",
		"llm.*.candidates", "llm.*.output", "llm.*.outputs", "llm.*.text", "llm.*.generation", "llm.*.generations",
		"llm.*.results", "llm.*.data", "llm.*.extra_body", "llm.*.stringified_raw_response",
		// Fields of StandardLoggingMetadata: arguments and results of tools, queries and what was found.
		"metadata.mcp_tool_call_metadata.*", "metadata.vector_store_request_metadata.*", "metadata.prompt_management_metadata.*",
		"litellm.guardrail.response", "guardrail_response", "proxy_server_request.*",
		"langfuse.observation.input.*", "langfuse.observation.output.*",
		"langfuse.trace.input.*", "langfuse.trace.output.*",
	}},
	// Its spans have counts and times only. lines.go has the requests in its logs.
	{"vLLM, vllm/tracing of August 2026, and engines with an OpenAI interface", []string{
		"prompt_token_ids", "output_token_ids", "token_ids", "*.prompt_token_ids", "*.output_token_ids", "*.token_ids",
		"gen_ai.response.per_token_candidate_token_ids", "prompt_embeds", "*.prompt_embeds",
	}},
	{"other SDKs: Sentry, Vercel AI SDK, Pydantic AI, Google ADK, MLflow, Spring AI", []string{
		"gen_ai.request.messages.*", "gen_ai.request.available_tools.*", "gen_ai.response.text.*",
		"gen_ai.response.tool_calls.*", "gen_ai.response.object", "gen_ai.tool.input", "gen_ai.tool.output", "gen_ai.tool.message",
		"ai.prompt.*", "ai.response.text", "ai.response.object", "ai.response.toolcalls", "ai.response.reasoning",
		"ai.result.text", "ai.result.object", "ai.result.toolcalls", "ai.toolcall.args", "ai.toolcall.result",
		"ai.value", "ai.values", "ai.embedding", "ai.embeddings", "ai.documents", "ai.schema.*",
		"pydantic_ai.all_messages", "all_messages_events", "tool_arguments", "tool_response", "final_result",
		"gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response", "gcp.vertex.agent.tool_call_args",
		"gcp.vertex.agent.tool_response", "gcp.vertex.agent.data",
		"mlflow.spaninputs", "mlflow.spanoutputs",
		"spring.ai.tool.call.arguments", "spring.ai.tool.call.result", "spring.ai.chat.client.system.*", "spring.ai.chat.client.user.*",
	}},
	{"general names, of programs without a convention", []string{
		"oai.messages", "oai.input", "prompt", "prompts", "*.prompt", "*.prompts", "payload", "raw_payload", "rawpayload", "*.payload", "*.raw_payload", "*.rawpayload",
	}},
}

// plain are keys of the same families with names and counts. No rule of sources applies to them.
var plain = []string{
	"llm.token_count.*", "llm.usage.*", "llm.cost.*", "gen_ai.usage.*", "gen_ai.cost.*", "gen_ai.token.*",
	"gen_ai.prompt.name", // a registered attribute: the name of a prompt in a library
	"tc.content.*",       // what this package writes
}

// events are the names of span events and log records whose fields are content too. In them, every key
// without a dot is content, except for those of fields.
var events = []string{
	"gen_ai.*.message", "gen_ai.choice", // semantic-conventions 1.28 to 1.36
	"gen_ai.content.*", "llm.content.*", // 1.27, Semantic Kernel and OpenLLMetry
	"gen_ai.client.inference.operation.details", // since 1.37
	"content",
}

// fields are the keys without a dot that are no content in events, and partFields are the fields whose
// parts can be keys of their own.
var (
	fields     = map[string]bool{"id": true, "index": true, "tool_call_id": true}
	partFields = map[string]bool{"arguments": true, "body": true, "content": true, "message": true, "messages": true, "parts": true, "tool_calls": true}
)

// wordKeys are the last parts of keys whose values are words of the conventions, and words are those.
// Another value of these keys is content.
var (
	wordKeys = map[string]bool{"role": true, "finish_reason": true, "type": true, "mime_type": true}
	words    = map[string]bool{
		"assistant": true, "developer": true, "function": true, "human": true, "model": true, "system": true, "tool": true, "user": true,
		"content_filter": true, "end_turn": true, "error": true, "function_call": true, "length": true, "max_tokens": true, "stop": true,
		"stop_sequence": true, "tool_call": true, "tool_calls": true, "tool_use": true,
		"audio": true, "image": true, "image_url": true, "json": true, "json_object": true, "json_schema": true, "reasoning": true,
		"text": true, "tool_call_response": true, "application/json": true, "text/plain": true,
	}
)

// secretGlobs are whole keys with credentials: the headers of a request as one value.
var secretGlobs = []string{"gen_ai.headers.*", "llm.headers.*", "langsmith.request.headers.*", "llm.*.extra_headers.*", "metadata.requester_custom_headers.*"}

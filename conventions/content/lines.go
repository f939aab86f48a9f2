// SPDX-License-Identifier: Apache-2.0

package content

import (
	"math/bits"
	"regexp"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
)

// lineSource is a program that writes prompts and answers into its log, and the lines in which it does.
type lineSource struct {
	name  string // with its version, or the date of what was read
	label string
	lines []line
}

// line is a kind of line with content. All conditions must be true.
type line struct {
	has     string // a text in the line
	where   [2]string
	debug   bool   // only at the level DEBUG and below
	pattern string // its group is the content
	fields  bool   // the attributes without a dot of such a record have content too
	search  bool   // the fields of the line are searched, and the pattern has no group
}

// lineSources are the lines with content. Nothing but the beginning of the content is searched for: whatever
// quotes, escapes and texts a prompt has, it is replaced up to the end of the line, or up to a word that ends
// the line. The ids of requests stay, because spans are found by them.
var lineSources = []lineSource{
	{"vLLM 0.33, vllm/entrypoints/serve/utils/request_logger.py, serve/middleware/log_response.py, anthropic/serving.py and tool_parsers; 0.2 to 0.10, vllm/entrypoints/logger.py", "log.vllm", []line{
		{has: ": prompt: ", pattern: `(?:Received request|Request) \S+(?: details)?: prompt: (\\*['"].*|.*token.ids: .*)`},
		{has: "Received request ", pattern: `Received request \S+: params: .*?\b(?:stop|bad_words|structured_outputs|guided_decoding|extra_args)=((?:\[['"]|\{|StructuredOutputsParams\(|GuidedDecodingParams\().*)`},
		{has: "Generated response ", pattern: `Generated response \S+(?: \(streaming \w+\))?: output: (.*?)(?:, finish_reason: \w+)?$`},
		{has: "Generated response ", pattern: `Generated response \S+(?: \(streaming \w+\))? details: output_token_ids: (.*)`},
		{has: "JSON body: {", pattern: `Request \S+ JSON body: (\{.*"(?:messages|prompt|input|query|queries|documents|text_1|data_1|token_ids|tokens|file)".*)`},
		{has: "response_body={", pattern: `response_body=\{streaming_complete: content=(.*)`},
		{has: "response_body={{", pattern: `response_body=\{(?:\{"id":"[\w-]*",|\{)(.*)`},
		{has: "Received messages request ", pattern: `Received messages request (\{.*)`},
		{has: "Convert to OpenAI request ", pattern: `Convert to OpenAI request (\{.*)`},
		{has: "Regex timeout occurred", pattern: `Regex timeout occurred when matching user input: (.*)`},
		{has: "NewRequestData(", search: true}, // of the dump of a crash
		{has: "request but ignored: {", pattern: `request but ignored: (\{(?:'[\w.-]*', )*'[\w.-]*[^\w.'-].*)`},
		// Parsers of tool calls write what the model said.
		{where: [2]string{"code.file.path", "*tool_parser*.py"}, debug: true, pattern: `^(.*)$`},
		{has: "DEBUG ", pattern: `DEBUG \d\d-\d\d \d\d:\d\d:\d\d \[\S*tool_parser\S*:\d+\] (.*)`},
	}},
	// From the first field with content on that is not None or null: at --log-requests-level 0 there is none.
	{"SGLang 0.5.23, sglang/srt/utils/request_logger.py, with --log-requests-format text and json; since 0.2", "log.sglang", []line{
		{has: ": obj=", pattern: `\b(?:Receive|Finish): obj=(?:\{|\w+\().*?(?:\b` + sglangFields + `=|'` + sglangFields + `': )([^N].*)`},
		{has: "Receive OpenAI: obj=", pattern: `Receive OpenAI: obj=(.*)`},
		{has: "ReqInput(", pattern: `\bin=(?:Generate|Embedding)ReqInput\((.*)`},
		{has: `"event": "request.`, pattern: `"event": "request\.(?:received|finished)", .*?"` + sglangFields + `": ([^n].*)`},
		{has: `"event": "request.received.openai"`, pattern: `"event": "request\.received\.openai", (.*)`},
		{has: "Unparsed required", pattern: `Unparsed required tool call output: (.*\D.*)`},
		{has: "aborted: Req(", search: true},
		{has: "[GigaChat3]", pattern: `\[GigaChat3\] detect_and_parse: (.*)`},
	}},
	{"FastDeploy, fastdeploy/entrypoints/openai, engine/common_engine.py and logger/request_logger.py of 2025 and 2026", "log.fastdeploy", []line{
		{has: "Received request: ", pattern: `\b(?:Chat|Completion|Embedding|Reward) Received request: (\{.*|\w+\(.*)`},
		{has: ": {", pattern: `\b(?:Chat|Completion) response: \{(?:"id":"[\w-]*",)?(.*)`},
		{has: "Receive request", pattern: `Receive request(?: from api server: \{|: Request\(|: \{)(?:\{?'?request_id'?[:=] ?'?[\w-]*'?, )?(.*)`},
		{has: "dict: ", pattern: `\b(?:Start processing|Processed) request dict: (?:\{'request_id': '[\w-]*', )?([{'].*)`},
		{has: "Anthropic request: {", pattern: `\bAnthropic request: (\{.*)`},
		{has: "Adapted to OpenAI: ", pattern: `Adapted to OpenAI: (\{.*)`},
		// The client chooses the id. It can be a text.
		{has: "Initialize request ", pattern: `Initialize request (\S* \S+ .*?)(?:-[0-9a-f-]{36})?: (?:\{|prompt=)`},
		{has: "Request(request_id=", pattern: `Request\(request_id=([^,) ]* [^,) ]+ [^,)]*)[,)]`},
		{has: "treaming response", search: true, pattern: `treaming response(?: last send| send_idx \d+)?: \{`},
		{has: "Request(request_id=", search: true}, // received, dropped, scheduled
		{has: "Initialize request ", search: true, pattern: `Initialize request .*: (?:\{|prompt=)`},
	}},
	// The router at the level DEBUG, parsed and not. Spans of requests are in lines of INFO.
	{"Text Generation Inference 3.3.7, router/src/server.rs and chat.rs; Text Embeddings Inference 1.8", "log.tgi", []line{
		{has: "{parameters=Gen", search: true},
		{has: "embed{inputs=", search: true},
		{where: [2]string{"logger.name", "text_generation_router*"}, pattern: `^(?:Input: |Output: |Current text )(.*)`},
		{has: ": router/src/", pattern: `: router/src/\w+\.rs:\d+: (?:Input: |Output: |Current text )(.*)`},
	}},
	{"TensorRT-LLM, tensorrt_llm/serve/openai_server.py of 2026", "log.trtllm", []line{
		{has: "Generating ", pattern: `Generating (?:image|video): \S+ with params: (\w+\(.*)`},
		{has: "_dict: ", pattern: `\b(?:messages|tools)_dict: ([\[{].*)`},
		{has: "] request: ", pattern: `\[TRT-LLM\] \[(?:E|ERROR)\] request: (.*)`},
		{where: [2]string{"logger.name", "TRT-LLM"}, pattern: `^request: (.*)`},
	}},
	// At the level DEBUG it writes requests, chunks and answers in too many ways to list.
	{"LiteLLM 1.109.1, litellm/_logging.py and litellm_core_utils/litellm_logging.py", "log.litellm", []line{
		{has: "Request Sent from LiteLLM:", pattern: `Request Sent from LiteLLM:\s*(.*)`},
		{has: "RAW RESPONSE:", pattern: `RAW RESPONSE:(?: *(?:\r?\n|\\n)\s*| +)([^\s\d].*)`},
		{where: [2]string{"logger.name", "LiteLLM*"}, debug: true, pattern: `^(.*)$`},
		{where: [2]string{"litellm.component", "Proxy"}, debug: true, pattern: `^(.*)$`},
		{where: [2]string{"litellm.component", "Router"}, debug: true, pattern: `^(.*)$`},
		{where: [2]string{"component", "LiteLLM*"}, debug: true, pattern: `^(.*)$`, fields: true},
		{has: `"component": "LiteLLM`, pattern: `^\{"message": (.*"level": "DEBUG".*)`},
		{has: ":DEBUG", pattern: `\bLiteLLM(?: Proxy| Router)?:DEBUG(?:\x1b\[0m)?: \S+ - (.*)`},
	}},
	// The proxy beside a decoding engine has the whole request in the field body.
	{"llm-d's router 0.10, pkg/sidecar/proxy at the level TRACE", "log.llmd", []line{
		{where: [2]string{"logger", "proxy server on port *"}, pattern: `^(\{.*)`, fields: true},
	}},
	{"vllm-tgis-adapter 0.8, src/vllm_tgis_adapter/tgis_utils/logs.py, and IBM's fork of Text Generation Inference", "log.tgis", []line{
		{has: "{input=[", pattern: `\bgenerate(?:_stream)?\{input=(\[.*?\]) prefix_id=`},
		{has: " chars: b", pattern: `\boutput \d+ chars: (b['"].*)`},
	}},
	{"lmdeploy 0.10, lmdeploy/logger.py", "log.lmdeploy", []line{
		{has: ", input_tokens=", search: true},
		{has: "prompt_token_id=", search: true},
		{has: "history_tokens=", search: true},
	}},
	{"llama.cpp, tools/server/server-http.cpp with --verbose; Ollama 0.12, server/routes.go and llm/server.go with OLLAMA_DEBUG", "log.llamacpp", []line{
		{has: "log_server_r", search: true},
		{has: ` request" images=`, search: true},
	}},
	{"LangChain 1, langchain_core/tracers/stdout.py, with set_debug", "log.langchain", []line{
		{has: "/start]", search: true, pattern: `\[(?:llm|chat|chain|tool|retriever)/start\]`},
		{has: "/end]", search: true, pattern: `\[(?:llm|chat|chain|tool|retriever)/end\]`},
	}},
	{"SDKs of OpenAI and Anthropic for Python, _base_client.py, with OPENAI_LOG=debug", "log.sdk", []line{
		{has: "Request options: ", pattern: `Request options: (\{.*'json_data': .*)`},
	}},
}

// sglangFields are the fields of requests and answers with content, in SGLang's order.
const sglangFields = `(?:text|prompt|negative_prompt|messages|input|input_ids|input_embeds|image_data|video_data|audio_data|query|documents|output_ids|embedding|stop|regex|json_schema|ebnf|structural_tag)`

// lineKeys are attributes of log records whose values are lines.
var lineKeys = map[string]bool{
	"message": true, "msg": true, "log": true, "log.record.original": true, "log.original": true, "event.original": true,
	"event": true, "error": true, "err": true, "exception": true, "exc_info": true, "stacktrace": true, "stack_trace": true, "traceback": true,
}

// recordFields are the keys without a dot that are no content in a record with fields.
var recordFields = map[string]bool{"component": true, "logger": true, "level": true, "timestamp": true, "trace_id": true, "session_id": true}

// lineRule is a line of lineSources, compiled.
type lineRule struct {
	line
	value   glob.Glob // of the attribute where[0]
	pattern *regexp.Regexp
	rule    *Rule
}

// addLines adds the rules for lines of logs.
func (p *Policy) addLines() {
	for _, source := range lineSources {
		rule := p.rule(newContentRule(source.label))
		rule.program = true
		if matchAny(p.allow, source.label) {
			continue
		}
		for _, l := range source.lines {
			p.markers.add(len(p.lines), l.has)
			if l.where[0] != "" || l.debug {
				p.ofPrograms |= 1 << len(p.lines)
			}
			p.lines = append(p.lines, lineRule{l, glob.New(l.where[1]), regexp.MustCompile("(?s)" + l.pattern), rule})
		}
	}
}

// Record is the log record of a line.
type Record interface {
	// Attribute returns an attribute's text, or an empty text.
	Attribute(key string) string
	// Debug reports whether the level is DEBUG or below.
	Debug() bool
}

func (l *lineRule) applies(record Record) bool {
	if l.debug && !record.Debug() {
		return false
	}
	return l.where[0] == "" || l.value.Match(record.Attribute(l.where[0]))
}

// Programs returns the rules for all lines of a program that apply to a record, as bits.
func (p *Policy) Programs(record Record) (programs uint64) {
	for rest := p.ofPrograms; rest != 0; rest &= rest - 1 {
		if l := &p.lines[bits.TrailingZeros64(rest)]; l.applies(record) {
			programs |= rest & -rest
		}
	}
	return programs
}

// ScrubLine replaces the prompts and answers in a line of a log, and calls replaced with the rule and the length
// of each. With fields, the fields of the line are searched, whatever program wrote it. It returns a line without any
// unchanged.
func (p *Policy) ScrubLine(action Action, programs uint64, text string, fields bool, replaced func(rule *Rule, bytes int)) string {
	program := replaced
	for found := p.markers.in(text) &^ (p.ofPrograms &^ programs); found != 0 && action != Keep; found &= found - 1 {
		l := &p.lines[bits.TrailingZeros64(found)]
		if !strings.Contains(text, l.has) {
			continue
		}
		if l.search {
			if !l.pattern.MatchString(text) {
				continue
			}
			fields, program = true, l.counting(p.inText, replaced)
			continue
		}
		at := l.pattern.FindStringSubmatchIndex(text)
		if at == nil {
			continue
		}
		content := text[at[2]:at[3]]
		if now := p.replacer.replace(action, content); now != content {
			text = text[:at[2]] + now + text[at[3]:]
			replaced(l.rule, len(content))
		}
	}
	if fields {
		return p.Search(action, text, program)
	}
	return text
}

// counting returns a function that counts the fields of texts by the rule of the program.
func (l *lineRule) counting(fields *Rule, replaced func(rule *Rule, bytes int)) func(rule *Rule, bytes int) {
	return func(rule *Rule, bytes int) {
		if rule == fields {
			rule = l.rule
		}
		replaced(rule, bytes)
	}
}

// Fields returns the rule for a log record whose fields are content because of the program that wrote it, or nil.
func (p *Policy) Fields(programs uint64) *Rule {
	for ; programs != 0; programs &= programs - 1 {
		if l := &p.lines[bits.TrailingZeros64(programs)]; l.fields {
			return l.rule
		}
	}
	return nil
}

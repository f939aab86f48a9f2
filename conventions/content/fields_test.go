// SPDX-License-Identifier: Apache-2.0

package content

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func scrubbed(p *Policy, action Action, text string) string {
	return p.Search(action, text, func(*Rule, int) {})
}

func TestFieldsOfKeptContent(t *testing.T) {
	p := New(Config{Default: Keep}, nil)
	for text, want := range map[string]string{
		`{"model": "m", "api_key": "sk-1", "extra_headers": {"Authorization" : "Bearer \"x\" y"}, "n": 1}`: `{"model": "m", "api_key": "REDACTED", "extra_headers": {"Authorization" : "REDACTED"}, "n": 1}`,
		`{'api_key': 'sk-1', 'stop': None}`:                                          `{'api_key': 'REDACTED', 'stop': None}`,
		`{"arguments": "{\"password\": \"x\\\"y\", \"city\": \"Paris\"}"}`:           `{"arguments": "{\"password\": \"REDACTED\", \"city\": \"Paris\"}"}`,
		`don't: {"api_key":"sk-1`:                                                    `don't: {"api_key":"REDACTED`,
		`{"token": " the", "password": null, "max_tokens": "12", "a": "apikeys: x"}`: "",
		`"api_key"`: "", `"api_key":`: "", `"api_key": `: "", `:`: "", `"":""`: "",
	} {
		if want == "" {
			want = text
		}
		assert.Equal(t, want, scrubbed(p, Keep, text))
		assert.Equal(t, want, scrubbed(p, Keep, want), "a second collector")
	}
	open, text := New(Config{Default: Keep, Secrets: Keep}, nil), `{"api_key": "sk-1"}`
	assert.Equal(t, text, scrubbed(open, Keep, text))
}

// FuzzFields checks that no text ends the process, and that collectors behind each other come to an end. A second one
// may find more: an odd value hides the field behind it until it is replaced.
func FuzzFields(f *testing.F) {
	f.Add(`{"api_key": "sk-1", 'password': '\"x'}`)
	p := New(Config{Default: Keep}, nil)
	f.Fuzz(func(t *testing.T, text string) {
		for range 8 {
			once := scrubbed(p, Keep, text)
			if once == text {
				return
			}
			text = once
		}
		t.Errorf("%q is still replaced", text)
	})
}

// Content and credentials leave fields of texts, and what is around them stays.
func TestFieldsOfTexts(t *testing.T) {
	p := New(Config{}, nil)
	for text, want := range map[string]string{
		// JSON, also in a text of JSON, with escaped names.
		`{"id":"cmpl-1","choices":[{"delta":{"content":"a \"b\", c"},"finish_reason":"stop"}]}`: `{"id":"cmpl-1","choices":[{"delta":{"content":"[redacted]"},"finish_reason":"stop"}]}`,
		`{"messages":[{"role":"user","content":"hi"}],"model":"m"}`:                             `{"messages":"[redacted]","model":"m"}`,
		`x {"body":"{\"model\":\"m\",\"prompt\":\"a \\\"b\\\"\"}","n":1} y`:                     `x {"body":"[redacted]","n":1} y`,
		`{"envelope":"{\"model\":\"m\",\"prompt\":\"a \\\"b\\\"\"}","n":1} y`:                   `{"envelope":"{\"model\":\"m\",\"prompt\":\"[redacted]\"}","n":1} y`,
		`{"pr\u006fmpt":"a b"}`: `{"pr\u006fmpt":"[redacted]"}`,
		`{"pass\u0077ord":"a b","access_token":["a"],"api_key":{"value":"a"}}`: `{"pass\u0077ord":"REDACTED","access_token":"REDACTED","api_key":"REDACTED"}`,
		`{"usage":{"prompt":12,"output":null,"input":true}}`:                   "",
		`{"data":{"id":"a","text":"b c"}}`:                                     `{"data":{"id":"a","text":"[redacted]"}}`,
		// Python.
		`[{'model': 'gpt-4o', 'api_key': 'sk-1', 'messages': [{'role': 'user', 'content': "it's"}]}]`: `[{'model': 'gpt-4o', 'api_key': 'REDACTED', 'messages': '[redacted]'}]`,
		`UserAPIKeyAuth(token='abc', api_key='sk-1', key_name=None)`:                                  `UserAPIKeyAuth(token='REDACTED', api_key='REDACTED', key_name=None)`,
		`Request(request_id=cmpl-8_0, prompt='a b', max_tokens=5)`:                                    `Request(request_id=cmpl-8_0, prompt='[redacted]', max_tokens=5)`,
		`Request(id=1, prompt=b'a b', messages=[Message(content='x')], n=2)`:                          `Request(id=1, prompt=b'[redacted]', messages=[redacted], n=2)`,
		`Choice(finish_reason='stop', index=0, message=Message(content='a', role='assistant'))`:       `Choice(finish_reason='stop', index=0, message=Message(content='[redacted]', role='assistant'))`,
		// Go.
		`{Model:m Prompt:a b Max:5}`:                             `{Model:m Prompt:[redacted]`,
		`&Request{Model:"m", Prompt:"a b", Max:5}`:               `&Request{Model:"m", Prompt:"[redacted]", Max:5}`,
		`map[model:m messages:[map[content:a b role:user]] n:1]`: `map[model:m messages:[redacted]`,
		// Forms and quoted fields.
		`POST /x?prompt=tell+me&n=5 HTTP/1.1`:      `POST /x?prompt=[redacted]&n=5 HTTP/1.1`,
		`messages%5B0%5D%5Bcontent%5D=tell+me&n=5`: `messages%5B0%5D%5Bcontent%5D=[redacted]&n=5`,
		`level=info prompt="a b" n=5`:              `level=info prompt="[redacted]" n=5`,
		`SELECT * FROM t WHERE prompt = 'a b'`:     `SELECT * FROM t WHERE prompt = '[redacted]'`,
		// Where the end is not clear, the rest goes.
		`prompt='it's "a b", n=5' and more`: `prompt='[redacted]`,
		`prompt=a b c`:                      `prompt=[redacted]`,
		`{"prompt":"a b`:                    `{"prompt":"[redacted]`,
		`messages=[{"a": "b}]`:              `messages=[redacted]`,
		// Words behind what looks like a number or nothing.
		`prompt=5 my words`: `prompt=[redacted]`, `answer=True, my words`: `answer=[redacted]`, `data=3 my words, n=1`: `data=[redacted], n=1`,
		`content=None my words`: `content=[redacted]`, `{"tokens":5, "text": null, "n": 1}`: "", `input=3 output=4`: "",
		// All texts in the structure of a weak field.
		`Calling foo with args={'note': 'my words', 'id': 'a-1'}`:  `Calling foo with args={'note': '[redacted]', 'id': 'a-1'}`,
		`failed: {"result":{"diagnosis":"my words"},"note":"b c"}`: `failed: {"result":{"diagnosis":"[redacted]"},"note":"b c"}`,
		`{"values":[["my words"],["b c", "d"]]}`:                   `{"values":[["[redacted]"],["[redacted]", "d"]]}`,
		`{"data":[{"a":1},"my words"],"note":"b c"}`:               `{"data":[{"a":1},"[redacted]"],"note":"b c"}`,
		`{"data":{"my question":"my words","api_key":"x"},"n":1}`:  `{"data":{"[redacted]":"[redacted]","api_key":"REDACTED"},"n":1}`,
		`map[result:map[id:1 role:user note:my words] n:1]`:        `map[result:map[id:1 role:user note:[redacted]] n:1]`,
		// Names with numbers, and with how the content is written.
		`{"prompt1":"a","prompt_2":"b","prompt_str":"c","messages_json":"d","text_1":"e"}`: `{"prompt1":"[redacted]","prompt_2":"[redacted]","prompt_str":"[redacted]","messages_json":"[redacted]","text_1":"[redacted]"}`,
		// Credentials of headers, settings and known forms.
		"Authorization: Bearer a1\r\nX-Api-Key: b2\r\nHost: x": "Authorization: REDACTED\r\nX-Api-Key: REDACTED\r\nHost: x",
		`aws_secret_access_key = a1`:                           `aws_secret_access_key = REDACTED`, `password=a,b1 x`: `password=REDACTED x`, `Cookie: a=b; c=d`: `Cookie: REDACTED`,
		`Incorrect API key provided: sk-proj-0123456789ab.`: `Incorrect API key provided: REDACTED`, `got Bearer 0123456789 in it`: `got Bearer REDACTED in it`,
		"-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----": "-----BEGIN PRIVATE KEY-----REDACTED-----END PRIVATE KEY-----", "bearer token expired": "",
		`[{"name":"OPENAI_API_KEY","value":"x"},{"name":"A","value":"y"}]`: `[{"name":"OPENAI_API_KEY","value":"REDACTED"},{"name":"A","value":"y"}]`,
		// Colours and templates of prompts.
		"\x1b[36mprompt=\x1b[0m\"my words\" n=1": `prompt="[redacted]" n=1`, "a <|im_start|>user my words": "a [redacted]", "\x1b[36mn=\x1b[0m1": "",
		// Values without quotes of one word, as code and lines have them.
		"create(model=\"m\", messages=messages, tools=tools)\nRateLimitError: x": "create(model=\"m\", messages=[redacted], tools=[redacted])\nRateLimitError: x",
		`tokens=12/34 duration=1.2s status=ok`:                                   `tokens=[redacted] duration=1.2s status=ok`, `limit_mm_per_prompt={'image': 2}`: "", `output={}, n=1`: "",
		`{"k":"ab", "prompt":"[redacted]", "k"`: "",
		// No fields.
		`INFO: 10.0.0.1:5 - "POST /v1/chat/completions HTTP/1.1" 200`: "", `input: 5 files, output: done`: "", `a == b, text=None, max_tokens=5`: "",
		`Avg prompt throughput: 12.0 tokens/s`: "", `{"message": "it is ready", "level": "info"}`: "", `https://h/x`: "", `time=12:00:01 model=m`: "",
	} {
		if want == "" {
			want = text
		}
		assert.Equal(t, want, scrubbed(p, Redact, text), text)
		assert.Equal(t, want, scrubbed(p, Redact, want), "a second collector")
	}
	cut := New(Config{Default: Truncate, TruncateBytes: 9}, nil)
	//nolint:testifylint // equal as texts, not as JSON
	assert.Equal(t, `{"messages":"[{role:...[truncated]","n":1}`, scrubbed(cut, Truncate, `{"messages":[{"role":"user","content":"hi"}],"n":1}`))
	//nolint:testifylint // equal as texts, not as JSON
	assert.Equal(t, `{"prompt":"see https...[truncated]"}`, scrubbed(New(Config{TruncateBytes: 9}, nil), Truncate, `{"prompt":"see https://h/x"}`))
}

// The time of a search is linear in the length of the text, whatever the text is: of what was read ahead, little is read
// again.
func TestLinearSearch(t *testing.T) {
	for _, part := range read[string](t, "testdata/hostile.yaml") {
		for _, action := range []Action{Redact, Truncate, Keep} {
			text := strings.Repeat(part, 1<<16/len(part))
			s := search{policy: New(Config{Default: action, TruncateBytes: 1 << 20}, nil), action: action, text: text, replaced: func(*Rule, int) {}}
			s.run()
			assert.LessOrEqual(t, s.ahead, 64*len(text), part)
			assert.LessOrEqual(t, s.seen, len(text), part)
		}
	}
}

// Texts of testdata/texts.yaml, once and again.
func TestTexts(t *testing.T) {
	policies := map[Action]*Policy{Redact: New(Config{}, nil), Hash: New(Config{Default: Hash}, nil), Truncate: New(Config{Default: Truncate, TruncateBytes: 1}, nil)}
	for _, sample := range read[struct{ Text, Want string }](t, "testdata/texts.yaml") {
		for action, p := range policies {
			now := scrubbed(p, action, sample.Text)
			if action == Redact {
				assert.Equal(t, cmp.Or(strings.ReplaceAll(sample.Want, "…", Redacted), sample.Text), now)
			}
			if sample.Want != "" {
				assert.NotRegexp(t, "y words|abc |and more", now)
			}
			assert.Equal(t, now, scrubbed(p, action, now), "a second collector")
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package content

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
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
	f.Add("model: m\nprompt:\nuser=a b c d e\nn: 5")
	p := New(Config{TruncateBytes: 8}, nil)
	f.Fuzz(func(t *testing.T, text string) {
		for _, action := range []Action{Keep, Redact, Hash, Truncate} {
			once, before := scrubbed(p, action, text), text
			for range 8 {
				once, before = scrubbed(p, action, once), once
			}
			if once != before {
				t.Errorf("%q is still replaced by %s", once, action)
			}
		}
	})
}

// A text that is cut has no part of a structure or of an address.
func TestFieldsAreCut(t *testing.T) {
	cut := New(Config{Default: Truncate, TruncateBytes: 9}, nil)
	//nolint:testifylint // equal as texts, not as JSON
	assert.Equal(t, `{"messages":"[{role:...[truncated]","n":1}`, scrubbed(cut, Truncate, `{"messages":[{"role":"user","content":"hi"}],"n":1}`))
	//nolint:testifylint // equal as texts, not as JSON
	assert.Equal(t, `{"prompt":"see https...[truncated]"}`, scrubbed(New(Config{TruncateBytes: 9}, nil), Truncate, `{"prompt":"see https://h/x"}`))
}

// The time of a search is linear in the length of the text, whatever the text is: of what was read ahead, little is read
// again.
func TestLinearSearch(t *testing.T) {
	for _, part := range testfiles.Cases[string](t, "testdata/hostile.yaml") {
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
	for _, sample := range testfiles.Cases[struct{ Text, Want string }](t, "testdata/texts.yaml") {
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

// SPDX-License-Identifier: Apache-2.0

package content

import (
	"slices"

	"github.com/otelcol-tc/otelcol-tc/internal/redact"
)

// plain are keys of the same families with names and counts. No rule of sources applies to them.
var plain = []string{
	"llm.token_count.*", "llm.usage.*", "usage.*", "*.usage.*", "llm.cost.*", "gen_ai.usage.*", "gen_ai.cost.*", "gen_ai.token.*",
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

// partFields are the fields of events whose parts can be keys of their own.
var partFields = map[string]bool{"arguments": true, "body": true, "content": true, "message": true, "messages": true, "parts": true, "tool_calls": true}

// fields are the keys without a dot that are no content in events.
var fields = map[string]bool{"id": true, "index": true, "tool_call_id": true}

// EventName is LiteLLM's key for the name of an event. It is content below other keys, as in the arguments of a tool.
const EventName = "event_name"

// secretGlobs are whole keys with credentials: the headers of a request as one value.
var secretGlobs = []string{"gen_ai.headers.*", "llm.headers.*", "langsmith.request.headers.*", "llm.*.extra_headers.*", "metadata.requester_custom_headers.*"}

// secrets finds the rules of keys with credentials.
type secrets struct {
	*redact.Vocabulary
	rules map[string]*Rule // by the name of the credential
}

// find returns the rule for a key with a credential, or nil.
func (s *secrets) find(key string) *Rule { return s.rules[s.Find(key)] }

// addSecrets adds a rule for each name of the vocabulary, and for keys with the headers of a request.
func (p *Policy) addSecrets(cfg Config) {
	p.secret = secrets{redact.NewVocabulary(cfg.SecretKeys, cfg.SecretParameters), map[string]*Rule{}}
	for _, name := range p.secret.Names() {
		isName := slices.Contains(redact.CredentialWords, name) && !slices.Contains(cfg.SecretKeys, name)
		p.secret.rules[name] = p.rule(&Rule{Label: name, Secret: true, Name: isName})
	}
	for _, text := range secretGlobs {
		p.headers.add(text, p.rule(&Rule{Label: text, Secret: true}))
	}
}

// SPDX-License-Identifier: Apache-2.0

package content

import (
	"slices"

	"github.com/otelcol-tc/otelcol-tc/internal/redact"
)

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

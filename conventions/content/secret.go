// SPDX-License-Identifier: Apache-2.0

package content

import "github.com/otelcol-tc/otelcol-tc/internal/redact"

// secrets finds the rules of keys with credentials.
type secrets struct {
	vocabulary *redact.Vocabulary
	rules      map[string]*Rule // by the name of the credential
}

// find returns the rule for a key with a credential, or nil.
func (s *secrets) find(key string) *Rule { return s.rules[s.vocabulary.Find(key)] }

// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"slices"
	"strings"
)

// secretEnds are the ends of names whose values are secrets, without separators. The types of most such settings say
// so, and the collector redacts them before; those of the Kafka client, of attributes and of parameters do not.
var secretEnds = []string{
	"password", "passwd", "passphrase", "token", "secret", "apikey", "accesskey", "secretkey", "privatekey", "accountkey",
	"sharedkey", "credential", "credentials", "keypem", "authorization", "assertion", "connectionstring", "signature", "cookie",
}

// secretNames are names whose values are secrets, unless they are the end of a longer name: tokens is a secret,
// max_tokens is not.
var secretNames = []string{
	"tokens", "inline", // of bearertokenauth and basicauth
	"headerslist", "pwd", "sig",
}

// modelTokens are the words before the tokens of a language model, as in time_per_output_token.
var modelTokens = []string{"per", "first", "next", "last", "input", "output", "prompt", "generation"}

// separators are the bytes between the words of a name.
const separators = "_-. :"

// isSecret reports whether the value of a name, such as api_key, X-API-Key or clientSecret, is a secret.
func isSecret(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(separators, r) })
	joined := strings.Join(words, "")
	if slices.Contains(secretNames, joined) {
		return true
	}
	if last := len(words) - 1; last > 0 && words[last] == "token" && slices.Contains(modelTokens, words[last-1]) {
		return false
	}
	return slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(joined, end) })
}

// isSecretParameter reports whether the value of a query parameter is a secret. A parameter named key has one, too.
func isSecretParameter(name string) bool { return isSecret(name) || strings.EqualFold(name, "key") }

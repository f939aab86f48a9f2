// SPDX-License-Identifier: Apache-2.0

package content

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

const (
	// Redacted replaces a value that is redacted.
	Redacted = "[redacted]"
	// truncated ends a value that was cut.
	truncated = "...[truncated]"
)

// placeholders are what senders and other collectors replace values by. They stay as they are.
var placeholders = []string{"", Redacted, "[REDACTED]", "REDACTED", "__REDACTED__", "[Filtered]", "redacted-by-litellm"}

// Hashes are in brackets, so that they are recognised.
const (
	plainHash = "[sha256:"
	keyedHash = "[hmac:"
	hashEnd   = "]"
	hashBytes = 8
)

// isReplacement reports whether a text is what a value was replaced by.
func isReplacement(text string) bool {
	return text != "" && slices.Contains(placeholders, text) || isHash(text, plainHash) || isHash(text, keyedHash)
}

// replacer replaces texts. It is immutable.
type replacer struct {
	key           []byte
	truncateBytes int
}

// replace returns what an action makes of a text. A text that was replaced before, perhaps by another
// collector with the same settings, is returned as it is.
func (r replacer) replace(action Action, text string) string {
	if action == Keep || slices.Contains(placeholders, text) {
		return text
	}
	switch action {
	case Hash:
		return r.hash(text)
	case Truncate:
		return r.truncate(text)
	default:
		return Redacted
	}
}

func (r replacer) hash(text string) string {
	prefix := plainHash
	if len(r.key) > 0 {
		prefix = keyedHash
	}
	if isHash(text, prefix) {
		return text
	}
	return prefix + hex.EncodeToString(r.sum(text)[:hashBytes]) + hashEnd
}

// sum returns the hash of a text, with the key if there is one.
func (r replacer) sum(text string) []byte {
	if len(r.key) == 0 {
		plain := sha256.Sum256([]byte(text))
		return plain[:]
	}
	mac := hmac.New(sha256.New, r.key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

func isHash(text, prefix string) bool {
	digits, ok := strings.CutPrefix(text, prefix)
	if !ok || len(digits) != 2*hashBytes+len(hashEnd) || !strings.HasSuffix(digits, hashEnd) {
		return false
	}
	return strings.Trim(digits[:2*hashBytes], "0123456789abcdef") == ""
}

func (r replacer) truncate(text string) string {
	if len(text) <= r.truncateBytes || len(text) <= r.truncateBytes+len(truncated) && strings.HasSuffix(text, truncated) {
		return text
	}
	return naming.Beginning(text, r.truncateBytes) + truncated
}

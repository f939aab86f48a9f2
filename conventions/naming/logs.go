// SPDX-License-Identifier: Apache-2.0

package naming

// RedactBody replaces sensitive parts of a text in a log's body, and reports whether there were
// any.
func (n *Namer) RedactBody(owner *System, text, replacement string) (string, bool) {
	found := false
	for _, system := range n.deciders(owner) {
		for _, pattern := range system.pack.Logs.Redact {
			if pattern.MatchString(text) {
				text, found = pattern.ReplaceAllLiteralString(text, replacement), true
			}
		}
	}
	return text, found
}

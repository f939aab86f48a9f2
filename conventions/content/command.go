// SPDX-License-Identifier: Apache-2.0

package content

import "strings"

// commandKeys are the last parts of keys with command lines: of semantic-conventions 1.44 process.* and
// container.*, which the SDKs of Java and Node send with every resource.
var commandKeys = map[string]bool{"command_args": true, "command_line": true}

// ScrubArgument removes the credentials of an argument of a command, and those of its URLs. Whether the
// argument is the value of the one before is what the call for that one returned: --api-key hides the next
// one.
func (p *Policy) ScrubArgument(text string, isValue bool) (clean string, hidesNext bool) {
	switch {
	case p.secrets == Keep:
		return text, false
	case isValue && !strings.HasPrefix(text, "-"):
		return hidden, false
	}
	if name, value, ok := strings.Cut(text, "="); ok && value != "" && strings.IndexByte(name, ' ') < 0 && p.urls.keys.find(name) != nil {
		return p.ScrubURLs(Command, name) + "=" + hidden, false
	}
	return p.ScrubURLs(Command, text), p.urls.hidesNext(text)
}

// hidesNext reports whether the argument after one is a credential.
func (u *urls) hidesNext(argument string) bool {
	return strings.HasPrefix(argument, "-") && strings.IndexByte(argument, '=') < 0 && u.keys.find(argument) != nil
}

// command replaces the credentials of a command line.
func (u *urls) command(text string) string {
	var b strings.Builder
	done, isValue := 0, false
	for next := 0; next < len(text); {
		if isSpace(text[next]) {
			next++
			continue
		}
		end := next + argumentLength(text[next:])
		argument := text[next:end]
		name, value, ok := strings.Cut(argument, "=")
		from := end // of what is replaced
		switch {
		case isValue && argument[0] != '-':
			from = next
		case ok && value != "" && u.keys.find(name) != nil:
			from = next + len(name) + 1
		}
		if from < end && text[from:end] != hidden {
			b.WriteString(text[done:from])
			b.WriteString(hidden)
			done = end
		}
		isValue = u.hidesNext(argument)
		next = end
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// argumentLength returns the length of the argument that a text begins with: up to a space outside of
// quotes.
func argumentLength(text string) int {
	quote := byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case isSpace(c):
			return i
		}
	}
	return len(text)
}

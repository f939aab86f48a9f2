// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// replacement replaces what is secret in a URL, as the semantic conventions say.
const replacement = "REDACTED"

const (
	scheme = "://"
	// ends are the bytes that no URL contains unescaped. An apostrophe can be part of a password.
	ends = "\"<>`\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\v\f\r\x0e\x0f" +
		"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f \x7f"
)

// slashLength returns the length of the slash that a text begins with, or 0. In JSON it can be escaped, and in JSON inside
// of JSON also its backslash: \/ and \\/.
func slashLength(text string) int {
	i := 0
	for i < len(text) && text[i] == '\\' {
		i++
	}
	if i < len(text) && text[i] == '/' {
		return i + 1
	}
	return 0
}

// afterScheme returns where the next scheme of a text ends, or -1, and whether its slashes are escaped.
func afterScheme(text string, from int) (end int, escaped bool) {
	for {
		i := strings.IndexByte(text[from:], ':')
		if i < 0 {
			return -1, false
		}
		from += i + 1
		if first := slashLength(text[from:]); first > 0 {
			if second := slashLength(text[from+first:]); second > 0 {
				return from + first + second, first > 1
			}
		}
	}
}

// firstScheme returns where the first scheme of a text ends, or -1. Most texts have no escapes.
func firstScheme(text string, escapes bool) int {
	if escapes {
		end, _ := afterScheme(text, 0)
		return end
	}
	if i := strings.Index(text, scheme); i >= 0 {
		return i + len(scheme)
	}
	return -1
}

// withoutUserInfo replaces the user info of all URLs in a text: http://user:secret@host becomes http://REDACTED@host. The
// text can begin with the host of a URL, after two slashes.
func withoutUserInfo(text string) string {
	if strings.IndexByte(text, '@') < 0 {
		return text // most URLs have no user info
	}
	if strings.HasPrefix(text, "//") {
		return withoutUserInfo(":" + text)[1:]
	}
	var b strings.Builder
	done := 0 // the length of the text that b contains
	end := 0  // of the text without a byte of ends, which is searched once for all its schemes
	for next := 0; ; {
		begin, escaped := afterScheme(text, next)
		if begin < 0 {
			break
		}
		next = begin
		if next > end {
			end = urlEnd(text, next)
		}
		if length := userInfo(text[next:end], escaped); length >= 0 {
			b.WriteString(text[done:next])
			b.WriteString(replacement)
			done = next + length
			next = done + 1 // the @
		}
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// urlEnd returns the latest possible end of a URL. Start is in the URL.
func urlEnd(text string, start int) int {
	if end := strings.IndexAny(text[start:], ends); end >= 0 {
		return start + end
	}
	return len(text)
}

// userInfo returns the length of the user info up to its @, or -1 if there is none. The text
// begins after a scheme, and has no byte of ends.
func userInfo(text string, escaped bool) int {
	afterAuthority := "/?#"
	if escaped {
		afterAuthority = `/?#\`
	}
	authority := text
	if end := strings.IndexAny(authority, afterAuthority); end >= 0 {
		authority = authority[:end]
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		if isDigest(authority[at+1:]) || authority[:at] == redactedPair {
			return -1
		}
		return at
	}
	if isHost(authority) {
		return -1
	}
	// The password may contain an unescaped character such as a slash. The URL is then invalid,
	// but parse errors quote it in full.
	if end, _ := afterScheme(text, 0); end >= 0 {
		text = text[:strings.LastIndexByte(text[:end], ':')]
	}
	return strings.LastIndexByte(text, '@')
}

// redactedPair is how OpenTelemetry SDKs redact a name and a password.
const redactedPair = replacement + ":" + replacement

// isDigest reports whether a text is the digest of an image: docker-pullable://nginx@sha256:… has no user
// info.
func isDigest(text string) bool {
	digits, ok := strings.CutPrefix(text, "sha256:")
	return ok && len(digits) == 64 && strings.Trim(digits, "0123456789abcdef") == ""
}

// isHost reports whether an authority without user info is a host, or a list of hosts, each optionally
// with a port.
func isHost(authority string) bool {
	for host := range strings.SplitSeq(authority, ",") {
		if !isOneHost(host) {
			return false
		}
	}
	return true
}

func isOneHost(authority string) bool {
	if bracket := strings.LastIndexByte(authority, ']'); bracket >= 0 {
		authority = authority[bracket:]
	}
	_, port, _ := strings.Cut(authority, ":")
	return strings.Trim(port, "0123456789") == ""
}

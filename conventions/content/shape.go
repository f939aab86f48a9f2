// SPDX-License-Identifier: Apache-2.0

package content

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxIdentifier is the length of the longest identifier.
	maxIdentifier = 64
	// minEncoded is the length of the shortest text that can be an encoded one.
	minEncoded = 8
	// minCredential is the length of the shortest credential without its beginning.
	minCredential = 12
)

// credentialForms begin credentials of model providers, code hosts and clouds, whatever their key is.
var credentialForms = []string{
	"sk-", "sk_", "pk-lf-", "rk_live_", "ghp_", "gho_", "ghs_", "ghu_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "xapp-", "hf_", "gsk_", "AKIA", "ASIA",
	"AIza", "ya29.", "eyJ", "lsv2_", "pplx-", "r8_", "nvapi-", "dapi", "SG.", "npm_", "pypi-", "dop_v1_", "xai-",
	"pcsk_", "tvly-", "hvs.", "glsa_", "ghr_", "xoxe-", "tgp_v1_", "csk-", "jina_", "e2b_", "rpa_", "LLM|", "AQ.", "GOCSPX-", "whsec_", "shpat_", "ntn_",
	"lin_api_", "ATATT3", "dckr_pat_", "sbp_", "figd_", "phx_", "sntrys_", "EAAB", "glrt-", "cfut_", "vcp_", "apify_api_", "nfp_", "PMAK-",
}

// isCredential reports whether a text has the known form of a credential.
func isCredential(text string) bool {
	if len(text) < minCredential {
		return false
	}
	for _, form := range formsByFirst[text[0]] {
		if strings.HasPrefix(text, form) && len(text) >= len(form)+minCredential {
			return true
		}
	}
	return false
}

// formsByFirst are credentialForms by their first byte.
var formsByFirst = func() (forms [256][]string) {
	for _, form := range credentialForms {
		forms[form[0]] = append(forms[form[0]], form)
	}
	return forms
}()

// isWordByte are the bytes of the words of a text that can be credentials.
var isWordByte = func() (set [256]bool) {
	for i := range set {
		set[i] = isNameByte(byte(i)) && strings.IndexByte("%[]$", byte(i)) < 0 || i == '|' || i == '~' || i == '+'
	}
	return set
}()

// privateKey is what the first line of a private key in PEM ends in.
const privateKey = "PRIVATE KEY-----"

// withoutCredentials replaces credentials of a known form in a text, whatever is around them.
func (p *Policy) withoutCredentials(text string, replaced func(rule *Rule, bytes int)) string {
	if p.secrets == Keep || len(text) < minCredential {
		return text
	}
	var b strings.Builder
	done := 0
	hide := func(from, to int) {
		b.WriteString(text[done:from])
		b.WriteString(hidden)
		done = to
		replaced(p.urlRule, to-from)
	}
	bearer := false
	for i := 0; i < len(text); {
		if !isWordByte[text[i]] {
			i++
			continue
		}
		end := i
		for end < len(text) && isWordByte[text[end]] {
			end++
		}
		word := text[i:end]
		switch {
		case isCredential(word), bearer && len(word) >= minEncoded && strings.ContainsAny(word, "0123456789"):
			hide(i, end)
		case strings.HasSuffix(word, "-----") && strings.HasSuffix(text[:end], privateKey):
			from := end
			if end = from + before(text[from:], "-"); text[from:end] != hidden && end > from {
				hide(from, end)
			}
		}
		bearer = strings.EqualFold(word, "bearer")
		i = end
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// The classes of the bytes of a text.
const (
	noIdentifier = 1 << iota // white space, quotes, brackets, braces, and bytes that are no ASCII
	notHex                   // no digit of hexadecimal
	notBase64                // no digit of base64
	escape                   // perhaps the beginning of an escape: % or =
	entity                   // perhaps the beginning of an entity of HTML
	plus
	separator // of a field, or of the scheme of a URL: a colon or an equals sign
	noWord    // white space, and bytes that are no ASCII
	gap       // noWord, and what else separates the words of a name
)

var classes = func() (classes [256]uint16) {
	for i := range classes {
		c := byte(i)
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		digit := c >= '0' && c <= '9'
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"'`()[]{}<>\\", c) >= 0 {
			classes[i] |= noIdentifier
		}
		if !digit && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			classes[i] |= notHex
		}
		if !letter && !digit && strings.IndexByte("+/-_=", c) < 0 {
			classes[i] |= notBase64
		}
		if c <= ' ' || c >= utf8.RuneSelf {
			classes[i] |= noWord | gap
		}
	}
	classes['%'] |= escape
	classes['='] |= escape
	classes['&'] |= entity
	classes['+'] |= plus | gap
	classes[','] |= gap
	classes[';'] |= gap
	classes[':'] |= separator
	classes['='] |= separator
	return classes
}()

func classesOf(text string) (found uint16) {
	for i := range len(text) {
		found |= classes[text[i]]
	}
	return found
}

// Identifier reports whether a text has the form of an identifier: at most 64 bytes of ASCII without white space,
// quotes, brackets and braces, and neither a credential nor an encoded text. A language without spaces between its
// words has no identifiers.
func Identifier(text string) bool {
	return len(text) <= maxIdentifier && isIdentifier(text, classesOf(text))
}

// isIdentifier is Identifier for a text with these classes.
func isIdentifier(text string, found uint16) bool {
	switch {
	case len(text) > maxIdentifier, found&noIdentifier != 0, found&escape != 0 && hasEscape(text), found&entity != 0 && strings.IndexByte(text, ';') >= 0, strings.Contains(text, ";base64,"):
		return false
	case found&plus != 0 && (strings.Count(text, "+") > 1 || !strings.ContainsAny(text, "./:")):
		return false // the pluses of a form are spaces; versions, media types and times have one
	case found&notHex == 0 && isEncoded(text, 4, hexDigits), found&notBase64 == 0 && isEncoded(text, 6, base64Digits):
		return false
	}
	return !isCredential(text)
}

// isTime reports whether a text is a date and a time with a space between them.
func isTime(text string) bool {
	const shortest, longest = len("2026-11-20 10:00"), len("2026-11-20 10:00:01.123456789 +0100 UTC")
	return len(text) >= shortest && len(text) <= longest && text[4] == '-' && text[7] == '-' && text[13] == ':' &&
		strings.Trim(strings.TrimSuffix(text, " UTC"), "0123456789-:.,+ Z") == ""
}

// isQuoted reports whether a text is an identifier in the quotes of JSON, as MLflow writes all values.
func isQuoted(text string) bool {
	last := len(text) - 1
	return last > 1 && text[0] == '"' && text[last] == '"' && Identifier(text[1:last])
}

func isTextKey(key string) bool {
	return strings.IndexFunc(key, unicode.IsSpace) >= 0 || hasEscape(key) || unspaced(key) > maxNameWords || len(key) > maxIdentifier && !isCode(key)
}

// hasEscape reports whether a text has a percent sign before two digits of hexadecimal, or an equals sign before those of
// a space.
func hasEscape(text string) bool {
	for i := range len(text) - 2 {
		if text[i:i+3] == "=20" || text[i] == '%' && (classes[text[i+1]]|classes[text[i+2]])&notHex == 0 {
			return true
		}
	}
	return false
}

// isEncoded reports whether a text is one with words in an encoding, whose digits have some bits each. Most others are
// known not to by their first bytes.
func isEncoded(text string, bits int, digits *[256]byte) bool {
	if len(text) < minEncoded {
		return false
	}
	var read, count, continued int // the bits that are read, and the bytes of a character that follow
	words := false
	for i := range len(text) {
		if text[i] == '=' {
			break
		}
		read, count = read<<bits|int(digits[text[i]]), count+bits
		if count < 8 {
			continue
		}
		count -= 8
		switch c := byte(read >> count); {
		case continued > 0:
			if c&0xc0 != 0x80 {
				return false
			}
			continued--
		case c >= 0xc2 && c <= 0xf4:
			continued, words = max(1, int(c>>4)-0xc), true // letters of other languages
		case c < ' ' && c != '\n' && c != '\t' || c >= 0x7f:
			return false
		default:
			words = words || c == ' ' || c == '{' || c == '['
		}
	}
	return words && continued == 0
}

// The values of the digits of encodings. Base64 has two alphabets.
var (
	hexDigits    = digitsOf("0123456789abcdef", "0123456789ABCDEF")
	base64Digits = digitsOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
)

func digitsOf(alphabets ...string) *[256]byte {
	var digits [256]byte
	for _, alphabet := range alphabets {
		for i := range len(alphabet) {
			digits[alphabet[i]] = byte(i)
		}
	}
	return &digits
}

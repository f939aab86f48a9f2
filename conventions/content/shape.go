// SPDX-License-Identifier: Apache-2.0

package content

import "strings"

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
}

// isCredential reports whether a text has the known form of a credential.
func isCredential(text string) bool {
	if len(text) < minCredential {
		return false
	}
	for _, form := range credentialForms {
		if text[0] == form[0] && strings.HasPrefix(text, form) && len(text) >= len(form)+minCredential {
			return true
		}
	}
	return false
}

// The classes of the bytes of a text.
const (
	noIdentifier = 1 << iota // white space, quotes, brackets, braces, and bytes that are no ASCII
	notHex                   // no digit of hexadecimal
	notBase64                // no digit of base64
	escape                   // perhaps the beginning of an escape
	plus
)

var classes = func() (classes [256]byte) {
	for i := range classes {
		c := byte(i)
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		digit := c >= '0' && c <= '9'
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"'`()[]{}<>\\", c) >= 0 {
			classes[i] |= noIdentifier
		}
		if !digit && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F') {
			classes[i] |= notHex
		}
		if !letter && !digit && strings.IndexByte("+/-_=", c) < 0 {
			classes[i] |= notBase64
		}
	}
	classes['%'] |= escape
	classes['+'] |= plus
	return classes
}()

// Identifier reports whether a text has the form of an identifier: at most 64 bytes of ASCII without white space,
// quotes, brackets and braces, and neither a credential nor an encoded text. A language without spaces between its
// words has no identifiers.
func Identifier(text string) bool {
	if len(text) > maxIdentifier {
		return false
	}
	found := byte(0)
	for i := range len(text) {
		found |= classes[text[i]]
	}
	switch {
	case found&noIdentifier != 0, found&escape != 0 && hasEscape(text):
		return false
	case found&plus != 0 && (strings.Count(text, "+") > 1 || !strings.ContainsAny(text, "./")):
		return false // the pluses of a form are spaces; versions and media types have one
	case found&notHex == 0 && isEncoded(text, 4, hexDigits), found&notBase64 == 0 && isEncoded(text, 6, base64Digits):
		return false
	}
	return !isCredential(text)
}

// hasEscape reports whether a text has a percent sign before two digits of hexadecimal.
func hasEscape(text string) bool {
	for i := range len(text) - 2 {
		if text[i] == '%' && (classes[text[i+1]]|classes[text[i+2]])&notHex == 0 {
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

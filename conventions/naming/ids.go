// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// embeddedID matches an id anywhere in a name: a UUID, a memory address, a long run of
// hexadecimal digits, a long number, a time.
var embeddedID = regexp.MustCompile(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b0x[0-9a-f]{4,}|[0-9a-f]{16,}|[0-9]{9,}|` +
	`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?`)

// maxIDs bounds the ids of one name.
const maxIDs = 16

const (
	betweenWords    = " \t/,;=?&()[]{}|@%\"'…"
	betweenSegments = "_-.:#~"
)

// splitIDs removes the ids from a name:
//   - UUIDs, memory addresses, times, and long runs of digits, also hexadecimal ones, anywhere
//   - words that look like ids
//   - segments of a word, between dashes, underscores and dots, that look like ids
//   - words, and ends of words, that are random letters and digits
func splitIDs(name string) (rest string, ids []string) {
	if !strings.ContainsAny(name, "0123456789") && len(name) < minRandom {
		return name, nil
	}
	rest = embeddedID.ReplaceAllStringFunc(name, func(id string) string {
		if !strings.ContainsAny(id, "0123456789") {
			return id
		}
		ids = append(ids, id)
		return " "
	})
	rest = paddedID.ReplaceAllStringFunc(rest, func(id string) string {
		for begin := 0; ; {
			if random(strings.TrimRight(id[begin:], "="), minPadded, minPaddedScore) {
				ids = append(ids, id[begin:])
				return id[:begin] + " "
			}
			next := strings.IndexAny(id[begin:], "-_/")
			if next < 0 {
				break
			}
			begin += next + 1
		}
		return id
	})
	var kept strings.Builder
	for len(rest) > 0 {
		end := strings.IndexAny(rest, betweenWords)
		if end < 0 {
			end = len(rest)
		}
		switch word := strings.Trim(rest[:end], betweenSegments+"<>"); {
		case isIDWord(word):
			ids = append(ids, word)
			kept.WriteByte(' ')
		default:
			ids = append(ids, splitSegments(&kept, rest[:end])...)
		}
		rest = rest[end:]
		separator := strings.IndexFunc(rest, func(r rune) bool { return !strings.ContainsRune(betweenWords, r) })
		if separator < 0 {
			separator = len(rest)
		}
		kept.WriteString(rest[:separator])
		rest = rest[separator:]
	}
	return kept.String(), ids[:min(len(ids), maxIDs)]
}

// splitSegments writes a word without the segments that are ids.
func splitSegments(kept *strings.Builder, word string) (ids []string) {
	for len(word) > 0 {
		begin := strings.IndexFunc(word, func(r rune) bool { return !strings.ContainsRune(betweenSegments, r) })
		if begin < 0 {
			begin = len(word)
		}
		separator := word[:begin]
		word = word[begin:]
		if rest := strings.TrimRight(word, betweenSegments+"<>"); random(rest, minRandom, minScore) {
			return append(ids, rest)
		}
		end := endOfSegment(word)
		if segment := word[:end]; isIDSegment(segment) {
			ids = append(ids, segment)
		} else {
			kept.WriteString(separator)
			kept.WriteString(segment)
		}
		word = word[end:]
	}
	return ids
}

// endOfSegment returns the length of a word's first segment. Letters outside of ASCII are no part of
// an id.
func endOfSegment(word string) int {
	for i := range len(word) {
		if strings.IndexByte(betweenSegments, word[i]) >= 0 || i > 0 && (word[i] < utf8.RuneSelf) != (word[i-1] < utf8.RuneSelf) {
			return i
		}
	}
	return len(word)
}

// apiVersion is a date that is a version, as in HTTP routes.
var apiVersion = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)

// isIDWord reports whether a whole word looks like an id: numbers (7, 10.0.0.1:8080), or
// hexadecimal digits with both digits and letters (8f3a, 8f3a-11d2). Technical words such as
// V2, P2P, bf16 or a100 do not.
func isIDWord(word string) bool {
	digits, hexLetters, dashes := 0, 0, 0
	for i := range len(word) {
		switch c := word[i]; {
		case isDigit(c):
			digits++
		case 'a' <= lower(c) && lower(c) <= 'f':
			hexLetters++
		case c == '-':
			dashes++
		case c == '.' || c == ':':
			if hexLetters > 0 {
				return false
			}
		default:
			return false
		}
	}
	switch {
	case digits == 0 || apiVersion.MatchString(word):
		return false
	case hexLetters == 0:
		return true
	}
	return digits+hexLetters+dashes == len(word) && len(word) >= 4 && !lettersThenDigits(word)
}

// isIDSegment reports whether a segment of a word looks like an id: order-1234567, job_99887,
// cmpl-7h2kx0q1m9z3. Short numbers do not (command_inout_4), nor do names with versions
// (flash_attn_hdim128_sm90).
func isIDSegment(segment string) bool {
	digits, hexLetters, turns, capitals := 0, 0, 0, 0
	for i := range len(segment) {
		c := segment[i]
		if isUpper(c) {
			capitals++
		}
		switch {
		case isDigit(c):
			digits++
		case 'a' <= lower(c) && lower(c) <= 'f':
			hexLetters++
		case !isWord(c):
			return false
		}
		if i > 0 && isDigit(c) != isDigit(segment[i-1]) {
			turns++
		}
	}
	switch n := len(segment); {
	case digits == n:
		return n >= 5
	case digits+hexLetters == n:
		return n >= 8 && digits > 0 && !lettersThenDigits(segment)
	default:
		// RSA2048SHA256PKCS1v15Verify is a name: random text of both cases is random's to find.
		return n >= 12 && digits >= 3 && turns >= 5 && (capitals == 0 || capitals+digits == n)
	}
}

// lettersThenDigits reports whether a word is letters followed by digits, as names of types and
// machines are.
func lettersThenDigits(word string) bool {
	letters := strings.TrimRight(word, "0123456789")
	return letters != "" && !strings.ContainsAny(letters, "0123456789")
}

// paddedID matches an id in base64 with its padding.
var paddedID = regexp.MustCompile(`[A-Za-z0-9+/_-]{11,}={1,2}(?:$|\b|\s)`)

const (
	// minRandom is the length of the shortest text that can be random: UUIDs, nanoids and 128 bits
	// in base64 have 21 characters and more.
	minRandom = 20
	// minScore is the least score of random text, in hundredths of its length.
	minScore = 45
	// The same for text with padding, which already shows that it is base64.
	minPadded, minPaddedScore = 10, 20
	// moreWithoutDigits is added to the score for letters only, as most names are.
	moreWithoutDigits = 3
	// plainWord is the length of a word that no random text has.
	plainWord = 5
)

// commonPairs are the usual pairs of letters in names of functions, by their first letter: the
// 250 most frequent in 88 000 names of Go's libraries, which are 99 of 100 pairs.
var commonPairs = pairsOf("abcdfgiklmnprstu baeijlosuy cacehiklorstuy dadeilmoprsuy eabcdefglmnpqrstvwxy faefilortu gaeinorsu haeimou " +
	"iabcdefglmnoprstvz je keiu ladeilopstuy maeimopu nacdefgikmnostuv oabcdfgiklmnoprstuvw padehiloprstuy qu racdegikmnorstuvy " +
	"sacehiklopstuy tacehiorstuwy uabcegilmnprst vaeio waeinor xaept ymps ze")

func pairsOf(text string) (pairs ['z' + 1]['z' + 1]bool) {
	for group := range strings.FieldsSeq(text) {
		for _, second := range []byte(group[1:]) {
			pairs[group[0]][second] = true
		}
	}
	return pairs
}

// random reports whether a text looks like random letters and digits: a nanoid, or base64. It has
// capitals and small letters, changes between letters and digits more often than names do, has
// unusual pairs of letters, and no plain word.
func random(text string, least, score int) bool {
	if len(text) < least {
		return false
	}
	capitals, small, odd, plain := false, false, 0, 1
	if !strings.ContainsAny(text, "0123456789") {
		score += moreWithoutDigits
	}
	for i := range len(text) {
		c := text[i]
		capitals, small = capitals || isUpper(c), small || isLower(c)
		switch {
		case !isWord(c) && strings.IndexByte("-_+/", c) < 0:
			return false
		case i == 0:
			continue
		}
		before := text[i-1]
		if class(c) != class(before) && (class(c) != 'a' || class(before) != 'A') {
			odd++
		}
		if !isLower(c) || class(before) != 'a' && class(before) != 'A' {
			plain = 1
			continue
		}
		if !commonPairs[lower(before)][c] {
			odd++
			plain = 1
			continue
		}
		if plain++; isUpper(before) {
			plain = 2
		}
		if plain >= plainWord {
			return false
		}
	}
	return capitals && small && 100*odd >= score*len(text)
}

// class returns a letter for the class of a character.
func class(c byte) byte {
	switch {
	case isLower(c):
		return 'a'
	case isUpper(c):
		return 'A'
	case isDigit(c):
		return '0'
	}
	return '-'
}

const (
	// minIDValue is the length of the shortest value that LooksLikeID accepts. Shorter ones are numbers
	// of devices, ranks and ports.
	minIDValue = 6
	// maxIDValue is the number of bytes that it looks at.
	maxIDValue = 256
)

// LooksLikeID reports whether an attribute's value has an id and nothing that changes less often than ids,
// but for a word before it: a UUID, a request's number, cmpl-7h2kx0q1m9z3.
func LooksLikeID(value string) bool {
	if len(value) < minIDValue {
		return false
	}
	rest, ids := splitIDs(Beginning(value, maxIDValue))
	return ids != nil && len(strings.Fields(rest)) <= 1
}

package naming

import (
	"regexp"
	"strings"
)

// embeddedID matches an id anywhere in a name: a UUID, a memory address, a long run of
// hexadecimal digits.
var embeddedID = regexp.MustCompile(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b0x[0-9a-f]{4,}|[0-9a-f]{16,}`)

// maxIDs bounds the ids of one name.
const maxIDs = 16

const (
	betweenWords    = " \t/,;=?&()[]{}|@%\"'…"
	betweenSegments = "_-.:#~"
)

// splitIDs removes the ids from a name:
//   - UUIDs, memory addresses and long runs of hexadecimal digits anywhere
//   - words that look like ids
//   - segments of a word, between dashes, underscores and dots, that look like ids
func splitIDs(name string) (rest string, ids []string) {
	if !strings.ContainsAny(name, "0123456789") {
		return name, nil
	}
	rest = embeddedID.ReplaceAllStringFunc(name, func(id string) string {
		if !strings.ContainsAny(id, "0123456789") {
			return id
		}
		ids = append(ids, id)
		return " "
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
		end := strings.IndexAny(word, betweenSegments)
		if end < 0 {
			end = len(word)
		}
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
	digits, hexLetters, turns := 0, 0, 0
	for i := range len(segment) {
		c := segment[i]
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
		return n >= 12 && digits >= 3 && turns >= 5
	}
}

// lettersThenDigits reports whether a word is letters followed by digits, as names of types and
// machines are.
func lettersThenDigits(word string) bool {
	letters := strings.TrimRight(word, "0123456789")
	return letters != "" && !strings.ContainsAny(letters, "0123456789")
}

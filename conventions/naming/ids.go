package naming

import (
	"regexp"
	"strings"
)

// embeddedID is an id wherever it stands in a name: a UUID, a long hexadecimal run.
var embeddedID = regexp.MustCompile(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{16,}`)

// splitIDs takes the ids out of a name: UUIDs and long hexadecimal runs
// anywhere, and the words between blanks and slashes that only an id looks like.
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
		end := strings.IndexAny(rest, " /\t,;=?&")
		word, separator := rest, ""
		if end >= 0 {
			word, separator, rest = rest[:end], rest[end:end+1], rest[end+1:]
		} else {
			rest = ""
		}
		if id := strings.Trim(word, `()[]{}<>"'#:….`); isID(id) {
			ids = append(ids, id)
			word = " "
		} else if i := strings.LastIndexAny(id, "-_#:"); i >= 0 && isJoinedID(id[i+1:]) {
			ids = append(ids, id[i+1:])
			word = id[:i]
		}
		kept.WriteString(word)
		kept.WriteString(separator)
	}
	return kept.String(), ids[:min(len(ids), maxIDs)]
}

// maxIDs bounds what a name made of ids leaves behind.
const maxIDs = 16

// isID tells whether a whole word looks like an id: a number, hexadecimal with
// both digits and letters (8f3a, 8f3a-11d2), or a long run of letters and
// digits (cmpl-7h2kx0q1m9z3). Words such as V2, P2P or command_inout_4 are none.
func isID(word string) bool {
	digits, hexLetters, other := 0, 0, 0
	for i := range len(word) {
		switch c := word[i]; {
		case isDigit(c):
			digits++
		case 'a' <= lower(c) && lower(c) <= 'f':
			hexLetters++
		case c == '-':
		default:
			other++
		}
	}
	switch {
	case digits == 0:
		return false
	case hexLetters == 0 && other == 0:
		return true
	case other == 0:
		// bf16 and a100 are words of this field.
		return len(word) >= 8 || len(word) >= 4 && !lettersThenDigits(word)
	}
	return len(word) >= 16 && digits >= 4
}

func lettersThenDigits(word string) bool {
	return strings.TrimRight(strings.TrimLeft(strings.ToLower(word), "abcdef"), "0123456789") == "" && !isDigit(word[0])
}

// isJoinedID tells whether what follows a word and a dash or an underscore looks
// like an id: order-1234567, job_99887. Short numbers do not: command_inout_4.
func isJoinedID(word string) bool { return len(word) >= 5 && isID(word) }

package content

import (
	"strings"
	"unicode"
)

// secrets finds keys with credentials by their last words.
type secrets struct {
	suffixes map[string]*Rule // by words that are joined by underscores
	words    map[string]*Rule // only as a whole last part
	longest  int              // the number of words of the longest suffix
}

func newSecrets() *secrets { return &secrets{map[string]*Rule{}, map[string]*Rule{}, 0} }

func (s *secrets) add(name string, rule *Rule) {
	words := wordsOf(name)
	s.suffixes[strings.Join(words, "_")] = rule
	s.longest = max(s.longest, len(words))
}

// maxSecretKey is the length of the end of a key that is considered.
const maxSecretKey = 255

// find returns the rule for a key with a credential, or nil.
func (s *secrets) find(key string) *Rule {
	last := key[strings.LastIndexAny(key, ".:/")+1:]
	if len(last) > maxSecretKey {
		last = last[len(last)-maxSecretKey:]
	}
	words := wordsOf(last)
	for n := min(len(words), s.longest); n > 0; n-- {
		if rule := s.suffixes[strings.Join(words[len(words)-n:], "_")]; rule != nil {
			return rule
		}
	}
	if len(words) == 1 {
		return s.words[words[0]]
	}
	return nil
}

// wordsOf returns the words of a name in lower case: of X-API-Key, x_api_key and xApiKey they are x, api
// and key.
func wordsOf(name string) []string {
	var words []string
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		start, lower := 0, false
		for i, r := range part {
			upper := unicode.IsUpper(r)
			if upper && lower {
				words = append(words, strings.ToLower(part[start:i]))
				start = i
			}
			lower = !upper
		}
		words = append(words, strings.ToLower(part[start:]))
	}
	return words
}

// SPDX-License-Identifier: Apache-2.0

package content

import (
	"slices"
	"strings"
	"unicode"
)

// secrets finds keys with credentials by their last words.
type secrets struct {
	suffixes map[string]*Rule // by words that are joined: accesstoken is access_token
	words    map[string]*Rule // only as a whole last part
	longest  int              // the number of words of the longest suffix
}

func newSecrets() *secrets { return &secrets{map[string]*Rule{}, map[string]*Rule{}, 0} }

func (s *secrets) add(name string, rule *Rule) {
	words := wordsOf(strings.TrimRight(name, numbers))
	s.suffixes[strings.Join(words, "")] = rule
	s.longest = max(s.longest, len(words))
}

// maxSecretKey is the length of the end of a key that is considered.
const maxSecretKey = 255

// numbers are what ends keys of elements: password_1, authorization.0 and authorization[0].
const numbers = "0123456789._-[]"

// find returns the rule for a key with a credential, or nil.
func (s *secrets) find(key string) *Rule {
	if len(key) > maxSecretKey {
		key = key[len(key)-maxSecretKey:]
	}
	key = strings.TrimRight(key, numbers)
	words := wordsOf(key[strings.LastIndexAny(key, ".:/")+1:])
	if slices.ContainsFunc(words, isHashed) {
		return nil
	}
	for n := min(len(words), s.longest); n > 0; n-- {
		if rule := s.suffixes[strings.Join(words[len(words)-n:], "")]; rule != nil {
			return rule
		}
	}
	if len(words) == 1 && s.words[words[0]] != nil {
		return s.words[words[0]]
	}
	joined := strings.Join(words, "")
	for _, ending := range secretEndings {
		if strings.HasSuffix(joined, ending) {
			return s.suffixes[ending]
		}
	}
	return nil
}

// isHashed reports whether a word of a key says that its value is the hash of a credential, which identifies the
// credential and does not contain it: hashed_api_key, by which dashboards of LiteLLM group.
func isHashed(word string) bool { return word == "hashed" }

// wordsOf returns the words of a name in lower case: of X-API-Key, x_api_key and xApiKey they are x, api
// and key, and of DBPassword they are db and password.
func wordsOf(name string) []string {
	var words []string
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		start, last, lower := 0, 0, false // the beginnings of the word and of the last character
		for i, r := range part {
			upper := unicode.IsUpper(r)
			begin := i
			if !upper {
				begin = last
			}
			if upper == lower && begin > start {
				words = append(words, strings.ToLower(part[start:begin]))
				start = begin
			}
			last, lower = i, !upper
		}
		words = append(words, strings.ToLower(part[start:]))
	}
	return words
}

// SPDX-License-Identifier: Apache-2.0

package redact

import (
	_ "embed" // vocabulary.yaml
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

//go:embed vocabulary.yaml
var vocabulary []byte

// lists are the names of vocabulary.yaml.
var lists = readLists()

// nameLists are lists of names, each explained in vocabulary.yaml.
type nameLists struct {
	Names, Words, Parts, Wholes, Parameters []string
	Qualifiers, Properties                  []string
	OtherThings                             map[string][]string `yaml:"other_things"`
	NoCredentials                           []string            `yaml:"no_credentials"`
	Facts                                   []string
	SettingEnds                             []string `yaml:"setting_ends"`
	SettingNames                            []string `yaml:"setting_names"`
}

func readLists() (lists nameLists) {
	if err := yaml.Unmarshal(vocabulary, &lists); err != nil {
		panic(err) // a fault of the binary
	}
	return lists
}

// The names of credentials, as vocabulary.yaml explains them.
var (
	CredentialNames      = lists.Names
	CredentialWords      = lists.Words
	CredentialParts      = lists.Parts
	CredentialWholes     = lists.Wholes
	CredentialParameters = lists.Parameters
)

// StatesFact reports whether a value says something about a credential and is none: session.cookie is strict.
func StatesFact(value string) bool {
	const longest = 16
	if len(value) > longest {
		return false
	}
	return slices.Contains(lists.Facts, strings.ToLower(strings.Trim(value, `[]" `))) // also as the only one of a list
}

// Vocabulary finds names of credentials, and removes them from URLs. It is immutable.
type Vocabulary struct {
	ends       []end             // the longest first
	parts      map[string]string // of CredentialParts, by their words joined
	wholes     map[string]string // of CredentialWholes
	parameters map[string]string // of CredentialParameters
	endings    map[[3]byte]bool  // of all names, by which most parameters are known to be none
}

// end is how names end, with its words joined.
type end struct{ joined, name string }

// standard has no further names.
var standard = NewVocabulary(nil, nil)

// NewVocabulary returns the vocabulary with further last words of names, and further parameters of URLs.
func NewVocabulary(names, parameters []string) *Vocabulary {
	v := &Vocabulary{endings: map[[3]byte]bool{}}
	for _, name := range slices.Concat(CredentialNames, names) {
		v.ends = append(v.ends, end{joined(strings.TrimRight(name, numbers)), name})
	}
	for _, word := range CredentialWords {
		v.ends = append(v.ends, end{word, PartOf(word)})
	}
	slices.SortStableFunc(v.ends, func(a, b end) int { return len(b.joined) - len(a.joined) })
	v.parts, v.wholes, v.parameters = byJoined(CredentialParts), byJoined(CredentialWholes), byJoined(slices.Concat(CredentialParameters, parameters))
	for _, names := range []map[string]string{v.parts, v.wholes, v.parameters} {
		for joined, name := range names {
			v.addEnding(joined)
			v.addEnding(name)
		}
	}
	for _, e := range v.ends {
		v.addEnding(e.joined)
		v.addEnding(strings.TrimRight(e.name, numbers))
	}
	for _, word := range lists.Qualifiers {
		v.addEnding(word)
	}
	return v
}

// Names returns all names that Find can return.
func (v *Vocabulary) Names() []string {
	names := slices.Concat(CredentialParts, CredentialWholes, CredentialWords)
	for _, end := range v.ends {
		names = append(names, end.name)
	}
	return names
}

// byJoined returns names by their words, joined.
func byJoined(names []string) map[string]string {
	byJoined := map[string]string{}
	for _, name := range names {
		byJoined[joined(name)] = name
	}
	return byJoined
}

// PartOf returns the name of the credentials that end in a word of CredentialWords, and have other words before it.
func PartOf(word string) string { return "*_" + word }

// joined returns a name in lower case without what separates its words.
func joined(name string) string { return strings.Join(Words(name), "") }

// MaxKey is the length of the end of a key that is considered.
const MaxKey = 255

// numbers are what ends keys of elements: password_1, authorization.0 and authorization[0].
const numbers = "0123456789._-[]"

// Find returns the name of the credential that a key of telemetry has, or nothing.
func (v *Vocabulary) Find(key string) string { return v.find(key, false) }

// find is Find. A key that is known to be a header, an environment variable or a parameter isPart.
func (v *Vocabulary) find(key string, isPart bool) string {
	if len(key) > MaxKey {
		key = key[len(key)-MaxKey:]
	}
	const separators = ".:/"
	for key = strings.TrimRight(key, numbers+":/"); key != ""; key = strings.TrimRight(key, numbers+":/") {
		begin := strings.LastIndexAny(key, separators) + 1
		name := name{text: key[begin:], before: key[:begin], words: Words(key[begin:])}
		for len(name.words) > 0 && slices.Contains(lists.Qualifiers, strings.TrimRight(name.words[len(name.words)-1], numbers)) {
			name.words = name.words[:len(name.words)-1]
		}
		if len(name.words) > 0 {
			return v.decide(name, isPart)
		}
		key = name.before // all of the part is a qualifier, as in password.value
	}
	return ""
}

// name is the last part of a key.
type name struct {
	text   string
	before string // the parts before it, with the separator
	words  []string
}

// decide returns the name of the credential that a name is, or nothing.
func (v *Vocabulary) decide(n name, isPart bool) string {
	// The hash of a credential identifies it and does not contain it: hashed_api_key, by which dashboards of LiteLLM group.
	if slices.Contains(n.words, "hashed") || len(n.words) == 1 && slices.Contains(lists.NoCredentials, n.words[0]) {
		return ""
	}
	isVariable := n.isVariable()
	if found := v.ofEnd(n, isVariable || isPart || n.isHeader()); found != "" {
		if found == "pwd" && !isPart && (isVariable && len(n.words) == 1 || n.text == "PWD") {
			return "" // the working directory; a connection string has a password there
		}
		return found
	}
	if n.isCookie() {
		return "cookie"
	}
	for isVariable && len(n.words) > 1 && !slices.Contains(lists.Properties, n.words[len(n.words)-1]) {
		n.words = n.words[:len(n.words)-1]
		if found := v.ofEnd(n, false); len(found) > shortName {
			return found
		}
	}
	return ""
}

// shortName is the length of names that end others only behind a border of words.
const shortName = 4

// ofEnd returns the name that the words end in, if they are no other thing.
func (v *Vocabulary) ofEnd(n name, isPart bool) string {
	joined := strings.Join(n.words, "")
	for _, end := range v.ends {
		if !strings.HasSuffix(joined, end.joined) || len(end.joined) <= shortName && !n.hasLastWords(end.joined) {
			continue
		}
		if slices.Contains(lists.OtherThings[end.joined], n.wordBefore(end.joined)) {
			return ""
		}
		if end.name == PartOf(end.joined) && len(n.words) == 1 && joined == end.joined {
			return end.joined
		}
		return end.name
	}
	if !isPart {
		return ""
	}
	if name := v.wholes[joined]; name != "" {
		return name
	}
	for i := range n.words {
		if name := v.parts[strings.Join(n.words[i:], "")]; name != "" {
			return name
		}
	}
	return ""
}

// hasLastWords reports whether the last words of a name, joined, are a text.
func (n name) hasLastWords(text string) bool {
	for i := range n.words {
		if strings.Join(n.words[i:], "") == text {
			return true
		}
	}
	return false
}

// wordBefore returns the word before the last one, also of the part before, if the last one is the end.
func (n name) wordBefore(end string) string {
	words := n.words
	if len(words) == 1 {
		words = append(Words(n.before[strings.LastIndexAny(strings.TrimRight(n.before, ".:/"), ".:/")+1:]), words[0])
	}
	if len(words) < 2 || words[len(words)-1] != end {
		return ""
	}
	return words[len(words)-2]
}

// isVariable reports whether a name is one of an environment variable.
func (n name) isVariable() bool {
	if strings.IndexByte(n.text, '_') > 0 && strings.ToUpper(n.text) == n.text {
		return true
	}
	return slices.Contains([]string{"environment_variable", "environment", "env"}, n.partBefore(1))
}

// isHeader reports whether a name is one of a header, or of metadata of a call.
func (n name) isHeader() bool {
	switch n.partBefore(1) {
	case "header", "headers":
		return true
	case "metadata":
		return slices.Contains([]string{"request", "response"}, n.partBefore(2))
	}
	return len(n.words) > 1 && n.words[0] == "x"
}

func (n name) isCookie() bool {
	switch n.partBefore(1) {
	case "cookie", "cookies", "set-cookie", "set_cookie":
		return slices.Contains([]string{"request", "response", "header", "headers"}, n.partBefore(2))
	}
	return false
}

// partBefore returns a part before the name in lower case, counted from the name.
func (n name) partBefore(count int) string {
	part, before := "", n.before
	for range count {
		before = strings.TrimRight(before, ".:/")
		begin := strings.LastIndexAny(before, ".:/") + 1
		part, before = before[begin:], before[:begin]
	}
	return strings.ToLower(part)
}

// isParameter reports whether the value of a URL's parameter is a credential. Most names are known to be none by their
// last letters.
func (v *Vocabulary) isParameter(name string) bool {
	if ending, ok := endingOf(name); ok && !v.endings[ending] {
		return false
	}
	if decoded, err := url.QueryUnescape(name); err == nil {
		name = decoded
	}
	return v.parameters[joined(name[max(0, len(name)-MaxKey):])] != "" || v.find(name, true) != ""
}

// IsHeader reports whether the value of a header is a credential.
func (v *Vocabulary) IsHeader(name string) bool { return v.find(name, true) != "" }

func (v *Vocabulary) addEnding(name string) {
	if ending, ok := endingOf(name); ok {
		v.endings[ending] = true
	}
}

// endingOf returns the last three letters of a name, in lower case. Bytes before another character are 0. It is not ok
// without a letter of ASCII at the end, or if the name is encoded.
func endingOf(name string) (ending [3]byte, ok bool) {
	if strings.IndexByte(name, '%') >= 0 || strings.IndexByte(name, '+') >= 0 {
		return ending, false
	}
	end := len(name)
	for end > 0 && name[end-1] < utf8.RuneSelf && !isLetter(name[end-1]) {
		end--
	}
	for i := len(ending) - 1; i >= 0 && end > 0 && isLetter(name[end-1]); i-- {
		ending[i] = name[end-1] | 'a' - 'A'
		end--
	}
	return ending, ending[len(ending)-1] != 0
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// isSetting reports whether the value of a setting or an attribute, such as api_key or clientSecret, is a secret.
func isSetting(name string) bool {
	joined := joined(name)
	isEnd := func(end string) bool { return strings.HasSuffix(joined, end) }
	return standard.Find(name) != "" || slices.Contains(lists.SettingNames, joined) || slices.ContainsFunc(lists.SettingEnds, isEnd)
}

// Words returns the words of a name in lower case: of X-API-Key, x_api_key and xApiKey they are x, api
// and key, and of DBPassword they are db and password.
func Words(name string) []string {
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

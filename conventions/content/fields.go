// SPDX-License-Identifier: Apache-2.0

package content

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/namecache"
	"github.com/otelcol-tc/otelcol-tc/internal/redact"
)

// fieldKind is what the name of a field in a text says about its value.
type fieldKind uint8

const (
	allowed fieldKind = iota // the user allows it
	noField
	weak       // content, unless it is an identifier
	strong     // content
	token      // a credential, or a part of a model's answer
	credential // a credential
)

// nameEnds are last words of names that give the form of the content, such as prompt_str. They and numbers are ignored.
var nameEnds = []string{"str", "string", "json", "raw", ""}

// fieldOf returns whether a field has content. The last words of a name decide: user_prompt is a prompt.
func fieldOf(name string) fieldKind {
	words := redact.Words(name[strings.LastIndexAny(name, ".:/")+1:])
	m := models()
	for last := len(words) - 1; last >= 0; last-- {
		if words[last] = strings.TrimRight(words[last], "0123456789"); last == 0 || !slices.Contains(nameEnds, words[last]) {
			break
		}
		words = words[:last]
	}
	if slices.Contains(words, "per") {
		return noField // a limit for each
	}
	for n := min(len(words), 2); n > 0; n-- {
		switch last := strings.Join(words[len(words)-n:], "_"); {
		case m.fields[last]:
			return strong
		case m.weak[last]:
			return weak
		}
	}
	return noField
}

// fieldKind returns what the name of a field says. Names are few, and are remembered.
func (p *Policy) fieldKind(name string) fieldKind {
	return namecache.ByText(p.fieldKinds, name, func(name string) fieldKind {
		if matchAny(p.allow, strings.ToLower(name)) {
			return allowed
		}
		if rule := p.secret.find(name); rule != nil {
			if rule.Name {
				return token
			}
			return credential
		}
		if strings.Contains(name, ".") {
			if k := p.Key(name); k.Rule != nil && !k.Leaf {
				return strong
			}
		}
		return fieldOf(name)
	})
}

// maxFieldName is the length of the longest name of a field.
const maxFieldName = 128

// Search replaces the values of fields in a text whose names say that they are content or credentials, and calls
// replaced with the rule and the length of each. The text can be or contain JSON, Python's or Go's representation of a
// value, a form, or fields with quotes: prompt='…'. Fields are found wherever they are, also in texts inside of the
// text. If content is kept, only credentials are replaced. A text without any is returned unchanged.
func (p *Policy) Search(action Action, text string, replaced func(rule *Rule, bytes int)) string {
	if strings.IndexByte(text, '\x1b') >= 0 {
		if plain := colours.ReplaceAllString(text, ""); plain != text {
			if now := p.Search(action, plain, replaced); now != plain {
				return now
			}
			return text
		}
	}
	if action != Keep {
		text = p.withoutPhrase(action, text, replaced)
	}
	text = p.fields(action, text, replaced)
	if plain := withoutEscapes(text); plain != text {
		if now := p.fields(action, plain, replaced); now != plain {
			text = now
		}
	}
	return p.withoutCredentials(p.withoutOptions(text, replaced), replaced)
}

// fields replaces the values of the fields of a text.
func (p *Policy) fields(action Action, text string, replaced func(rule *Rule, bytes int)) string {
	if strings.ContainsAny(text, ":=>,(-") {
		s := search{policy: p, action: action, text: text, replaced: replaced}
		text = s.run()
	}
	return text
}

// colours are the sequences that colour texts on a terminal. They can be around the parts of a field.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// search is one search through a text. Its time is linear in the length of the text: what is read ahead to the end of
// a value is replaced, has at most the length of an identifier, or is read once (weakEnd).
type search struct {
	policy   *Policy
	action   Action
	text     string
	replaced func(rule *Rule, bytes int)
	out      strings.Builder
	done     int // the length of what out has, or leaves out

	// weakEnd is the end of the structure of a weak field that the search is in. All fields and elements in it are weak.
	weakEnd int

	// pairEnd is where the value of a pair must be whose name is that of a credential.
	pairEnd int

	// Of the first bytes of the text, by inStructure.
	seen               int
	lastOpen, lastShut int  // where the last braces are
	inMap              bool // a map as Go writes them began

	misses int // how often an end was looked for that is not there
	ahead  int // the bytes that were read ahead, for tests
}

// run searches the text, and returns it without the values that are replaced.
func (s *search) run() string {
	s.withoutBeginning()
	for i := s.done; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == ':' || c == '=':
			i = s.separator(i)
		case c == '>':
			i = s.tag(i)
		case c == ',' && i > 0 && (s.text[i-1] == '"' || s.text[i-1] == '\''):
			i = s.turn(i)
		case c == '(':
			i = s.call(i)
		case c == '-' && i+2 < len(s.text) && s.text[i+1] == '-' && (i == 0 || isSpace(s.text[i-1])):
			i = s.option(i)
		case i < s.weakEnd && (c == '"' || c == '\''):
			i = s.element(i)
		}
	}
	if s.done == 0 {
		return s.text
	}
	s.out.WriteString(s.text[s.done:])
	return s.out.String()
}

// separator replaces the value of the field whose name is before a separator, and returns where the search goes on.
func (s *search) separator(i int) (next int) {
	name, ok := nameBefore(s.text[s.done:i])
	if !ok {
		return i
	}
	kind := s.policy.fieldKind(name.text)
	switch {
	case name.text == "value" && i < s.pairEnd:
		kind = credential
	case kind == noField && i < s.weakEnd:
		kind = weak
	}
	if name.text == "name" || name.text == "key" {
		s.pairEnd = 0
		if s.policy.fieldKind(quotedName(s.text[i+1:])) >= token {
			s.pairEnd = i + 2*maxFieldName
		}
		if next := s.part(i); next > i {
			return next
		}
	}
	if !s.hides(kind) {
		return i
	}
	name.struc = name.struc || name.afterSpace && s.inStructure(i)
	v, ok := s.valueAfter(i, name, kind)
	if !ok {
		return i
	}
	s.ahead += v.to - i
	if !s.replaces(kind, v) || name.count && v.form == plainValue {
		return i
	}
	s.replace(kind, name, v)
	return max(i, v.to-1)
}

// element replaces a text in quotes in the structure of a weak field, which is a name, a value or an element of a list,
// and returns where the search goes on.
func (s *search) element(i int) (next int) {
	before := strings.TrimRight(s.text[max(s.done, i-maxFieldName):i], "\\ \t\r\n")
	if before == "" || strings.IndexByte("{[(,:=", before[len(before)-1]) < 0 {
		return i
	}
	to, after := closing(s.text, i+1, backslashesBefore(s.text, i))
	if to < 0 {
		to, after = len(s.text), len(s.text)
	}
	s.ahead += to - i
	if v := (fieldValue{i + 1, to, quoted}); s.replaces(weak, v) {
		s.replace(weak, fieldName{}, v)
		return max(i, to-1)
	}
	return max(i, after-1)
}

func (s *search) replaces(kind fieldKind, v fieldValue) bool {
	text := s.text[v.from:v.to]
	switch {
	case v.form == structure && strings.Trim(text, "{}[]() ") == "":
		return false
	case text == "" || v.form == plainValue && (kind < credential || !isNumber(text)):
		return false
	case kind == weak:
		return v.form == structure || !Identifier(text)
	case kind == token && s.action == Keep:
		return v.form == quoted && len(text) >= minToken // a list of probabilities has the parts of an answer
	}
	return true
}

// hasFreeText reports whether a text begins with a list that has a text in quotes that is no identifier.
func hasFreeText(list string) bool {
	if list[0] != '[' && list[0] != '(' {
		return false
	}
	for i := 1; i < len(list); i++ {
		switch list[i] {
		case '{', '[', '(', '}', ']', ')':
			return false // what is in there is searched
		case '"', '\'':
			to, after := closing(list, i+1, backslashesBefore(list, i))
			if to < 0 || to > i+1 && !Identifier(list[i+1:to]) {
				return true
			}
			i = after - 1
		}
	}
	return false
}

// backslashesBefore returns the number of backslashes before a position.
func backslashesBefore(text string, i int) (count int) {
	for count < i && text[i-count-1] == '\\' {
		count++
	}
	return count
}

// minToken is the length of the shortest credential under a name that parts of answers have too.
const minToken = 12

// replace replaces a value.
func (s *search) replace(kind fieldKind, name fieldName, v fieldValue) {
	text := s.text[v.from:v.to]
	now, rule := hidden, s.policy.urlRule
	if kind < token {
		now, rule = s.content(text), s.policy.inText
	}
	if now == text || slices.Contains(placeholders, text) || kind >= token && (redact.StatesFact(text) || sqlParameter.MatchString(text)) {
		return
	}
	if v.form != quoted && name.quote != "" || v.form == structure && s.action == Truncate {
		quote := name.quote
		if quote == "" {
			quote = `"`
		}
		now = quote + strings.Trim(now, `"'`) + quote
	}
	s.out.WriteString(s.text[s.done:v.from])
	s.out.WriteString(now)
	s.done = v.to
	s.replaced(rule, len(text))
}

// sqlParameter matches what a statement of SQL has in place of a credential.
var sqlParameter = regexp.MustCompile(`^(?:\?|%s|\$\d{1,2}|:\w*(?:pass|pwd|secret|token|key)\w*)$`)

// content returns what replaces the content of a field. A text that is cut loses its credentials before, and neither
// ends in the middle of an escape nor has quotes.
func (s *search) content(text string) string {
	if s.action != Truncate {
		return s.policy.replacer.replace(s.action, text)
	}
	text = s.policy.ScrubURLs(AnyText, s.policy.Search(Keep, text, s.replaced))
	now := s.policy.replacer.replace(Truncate, text)
	if now == text {
		return text
	}
	clean, cut := strings.CutSuffix(now, truncated)
	if cut {
		return strings.TrimRight(strings.NewReplacer(`"`, "", "'", "").Replace(clean), `\`) + truncated
	}
	return now
}

type fieldName struct {
	text       string
	quote      string // with the backslashes before it; empty without quotes
	spaces     bool   // between the name and the separator
	struc      bool   // without quotes, in braces or a map, as Go writes structures
	afterSpace bool
	form       bool // after a question mark or an ampersand
	count      bool // after a number sign, as in the lines of SGLang: #new-token: 7
}

// quotedName returns the name in quotes that a text begins with: the x_api_key of {"name": "x_api_key", "value": …}.
func quotedName(text string) string {
	text = strings.TrimLeft(text[:min(len(text), maxFieldName)], ` \`)
	if text == "" || text[0] != '"' && text[0] != '\'' {
		return ""
	}
	name, _, _ := strings.Cut(text[1:], text[:1])
	return strings.TrimRight(name, `\`)
}

// nameBefore returns the name at the end of a text.
func nameBefore(text string) (name fieldName, ok bool) {
	trimmed := strings.TrimRight(text, " \t\r\n")
	name.spaces = len(trimmed) < len(text)
	if trimmed == "" {
		return name, false
	}
	if quote := trimmed[len(trimmed)-1]; quote == '"' || quote == '\'' || quote == '`' {
		end := len(strings.TrimRight(trimmed[:len(trimmed)-1], `\`))
		name.quote = trimmed[end:]
		begin := strings.LastIndexByte(trimmed[max(0, end-maxFieldName):end], quote)
		if begin < 0 {
			return name, false
		}
		name.text = unescaped(trimmed[max(0, end-maxFieldName)+begin+1 : end])
		return name, name.text != ""
	}
	begin := len(trimmed)
	for begin > 0 && len(trimmed)-begin < maxFieldName && isNameByte(trimmed[begin-1]) {
		begin--
	}
	text = trimmed[begin:]
	if begin > 0 {
		switch trimmed[begin-1] {
		case '?', '&':
			name.form = true
		case '#':
			name.count = true
		case '{', '[':
			name.struc = true
		case ' ':
			name.afterSpace = true
		}
	}
	name.text = formName(text)
	name.struc = name.struc || text == "["+name.text+"]" || strings.IndexByte(text, '[') >= 0 && strings.HasSuffix(text, "["+name.text)
	return name, name.text != ""
}

// inStructure reports whether a position is in braces, or in a map as Go writes them. Every byte is read once.
func (s *search) inStructure(i int) bool {
	text := s.text[s.seen:i]
	if open := strings.LastIndexByte(text, '{'); open >= 0 {
		s.lastOpen = s.seen + open + 1
	}
	if shut := strings.LastIndexByte(text, '}'); shut >= 0 {
		s.lastShut = s.seen + shut + 1
	}
	const goMap = "map["
	s.inMap = s.inMap || strings.Contains(s.text[max(0, s.seen-len(goMap)):i], goMap)
	s.seen = i
	return s.lastOpen > s.lastShut || s.inMap
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_.-%[]$", c) >= 0
}

// formName returns the name of a field of a form: messages[0][content] has the name content.
func formName(text string) string {
	if strings.IndexByte(text, '%') >= 0 {
		if decoded, err := url.QueryUnescape(text); err == nil {
			text = decoded
		}
	}
	for strings.HasSuffix(text, "]") {
		open := strings.LastIndexByte(text, '[')
		if open < 0 {
			break
		}
		inner := text[open+1 : len(text)-1]
		if strings.Trim(inner, "0123456789") != "" {
			return inner
		}
		text = text[:open]
	}
	return text[strings.LastIndexAny(text, "[]%")+1:]
}

// unescaped returns a name without the escapes of JSON and Python: pass\u0077ord is password.
func unescaped(name string) string {
	if strings.IndexByte(name, '\\') < 0 {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] != '\\' || i+1 == len(name) {
			b.WriteByte(name[i])
			continue
		}
		digits := map[byte]int{'u': 4, 'x': 2, 'U': 8}[name[i+1]]
		if end := i + 2 + digits; digits > 0 && end <= len(name) {
			if code, err := strconv.ParseUint(name[i+2:end], 16, 32); err == nil {
				b.WriteRune(rune(code))
				i = end - 1
			}
		}
	}
	return b.String()
}

type valueForm uint8

const (
	bare       valueForm = iota // without quotes
	quoted                      // in quotes, which are no part of it
	structure                   // a list, a map, or an object with its name
	plainValue                  // a number, true, false or nothing
)

// fieldValue is where the value of a field is.
type fieldValue struct {
	from, to int
	form     valueForm
}

// valueAfter returns the value after a separator. If its end is not clear, it reaches to the end of the text.
func (s *search) valueAfter(i int, name fieldName, kind fieldKind) (v fieldValue, ok bool) {
	text, equals := s.text, s.text[i] == '='
	at, arrow := i+1, false
	if arrow = equals && strings.HasPrefix(text[at:], ">"); arrow {
		at++ // Ruby and PHP
	} else if equals && strings.HasPrefix(text[at:], "=") || strings.HasPrefix(text[i:], "://") {
		return v, false
	}
	begin := at
	for at < len(text) && isSpace(text[at]) {
		at++
	}
	if at == len(text) {
		return v, false
	}
	spaces := at > begin
	if arrow && name.struc && name.quote == "" && kind == strong { // print_r of PHP
		end := len(text)
		if next := recordEnd.FindStringIndex(text[at:]); next != nil {
			end = at + next[0]
		}
		return fieldValue{at, end, bare}, true
	}
	if from, isQuoted := quoteAt(text, at); isQuoted {
		if kind == weak && !equals && name.quote == "" && !name.struc {
			if to, _ := closing(text, from, backslashesBefore(text[at:], from-1-at)); to >= 0 && Identifier(text[from:to]) {
				return v, false // prose: Invalid value: 'x' is not supported
			}
		}
		return s.quotedValue(at, from, name), true
	}
	if kind == token && s.action == Keep {
		return v, false
	}
	if begin, isStructure := structureAt(text, at); isStructure {
		if kind == weak && !hasFreeText(text[at:]) {
			if at >= s.weakEnd {
				s.weakEnd = structureEnd(text, begin)
				s.ahead += s.weakEnd - i
			}
			return v, false
		}
		to := structureEnd(text, begin)
		if name.struc {
			to = len(text) // Go writes texts without quotes, and brackets in them too
		}
		return fieldValue{at, to, structure}, true
	}
	if prose := (equals && (spaces || name.spaces) || !equals && !name.struc) && name.quote == ""; prose && kind == strong {
		if end, isEntry := s.entryEnd(i, name); isEntry {
			if end < at {
				return v, false // the next entry
			}
			v = fieldValue{at, end, bare}
			if isPlain(strings.TrimSpace(text[at:end])) {
				v.form = plainValue
			}
			return v, true
		}
	}
	switch {
	case kind == credential && isHeader(name.text):
	case equals && (spaces || name.spaces) && !name.struc:
		return v, false // a comparison, or prose
	case !equals && name.quote == "" && !name.struc:
		return v, false // prose
	}
	return s.bareValue(at, name, kind, equals), true
}

// isHeader reports whether the name of a credential is so clear that any text after it is one, as in a header or a file of
// settings.
func isHeader(name string) bool {
	words := redact.Words(name)
	return len(words) > 1 || slices.Contains([]string{"authorization", "cookie", "cookies", "password", "passwd"}, words[0])
}

// quoteAt reports whether a text in quotes begins at a position, perhaps with a prefix of Python's, and where its
// content begins.
func quoteAt(text string, at int) (from int, ok bool) {
	for n := 0; n < 2 && at < len(text) && strings.IndexByte("bBuUrRfF", text[at]) >= 0; n++ {
		if at+1 < len(text) && strings.IndexByte(`"'\bBrR`, text[at+1]) < 0 {
			return 0, false
		}
		at++
	}
	for at < len(text) && text[at] == '\\' {
		at++
	}
	if at == len(text) || strings.IndexByte("\"'`", text[at]) < 0 {
		return 0, false
	}
	return at + 1, true
}

// quotedValue returns the value in quotes that begins at from.
func (s *search) quotedValue(at, from int, name fieldName) fieldValue {
	to, after := closing(s.text, from, backslashesBefore(s.text[at:], from-1-at))
	if to >= 0 && (isReplacement(s.text[from:to]) || s.action == Truncate && strings.HasSuffix(s.text[from:to], truncated)) {
		return fieldValue{from, to, quoted}
	}
	// Go separates fields by commas if it writes texts in quotes, and by spaces if it does not.
	if to < 0 || !s.continues(after) || name.struc && after < len(s.text) && s.text[after] == ' ' {
		to = len(s.text)
	}
	return fieldValue{from, to, quoted}
}

// closing returns where a text in quotes ends, and where the text after them begins, or -1. The closing quote has as
// many backslashes as the opening one. Any with more is escaped, and any with fewer closes a text around this one.
func closing(text string, from, backslashes int) (to, after int) {
	quote := text[from-1]
	for i := from; i < len(text); i++ {
		end := strings.IndexByte(text[i:], quote)
		if end < 0 {
			return -1, -1
		}
		i += end
		n := 0
		for i-n > from && text[i-n-1] == '\\' {
			n++
		}
		switch {
		case n == backslashes:
			return i - n, i + 1
		case n < backslashes:
			return i - n, i - n
		}
	}
	return -1, -1
}

// continues reports whether a text goes on after a value as one of fields does. A quote that the value itself has,
// because the program did not escape it, is followed by something else.
func (s *search) continues(at int) bool {
	rest := s.text[at:]
	trimmed := trimSpace(rest)
	if trimmed == "" || strings.IndexByte(")]}>;&|", trimmed[0]) >= 0 {
		return true
	}
	switch trimmed[0] {
	case '\\', '"', '\'': // of a text around this one
		around := trimSpace(strings.TrimLeft(trimmed, "\\\"'"))
		return around == "" || strings.IndexByte(",)]}", around[0]) >= 0
	case ',':
		trimmed = trimSpace(trimmed[1:])
		return trimmed == "" || strings.IndexByte(")]}", trimmed[0]) >= 0 || isField(trimmed)
	}
	return len(trimmed) < len(rest) && isField(trimmed)
}

// trimSpace returns a text without the white space that it begins with, also if that is escaped.
func trimSpace(text string) string {
	for {
		trimmed := strings.TrimLeft(text, " \t\r\n")
		after := strings.TrimLeft(trimmed, `\`)
		if len(after) == len(trimmed) || after == "" || strings.IndexByte("nrt", after[0]) < 0 {
			return trimmed
		}
		text = after[1:]
	}
}

// isField reports whether a text begins with the name of a field and a separator.
func isField(text string) bool {
	if at := len(text) - len(strings.TrimLeft(text, `\`)); at < len(text) && strings.IndexByte("\"'`", text[at]) >= 0 {
		end := strings.IndexByte(text[at+1:min(len(text), at+maxFieldName)], text[at])
		if end < 0 {
			return false
		}
		rest := strings.TrimLeft(text[at+1+end+1:], " \t")
		return rest != "" && (rest[0] == ':' || rest[0] == '=')
	}
	for i := range min(len(text), maxFieldName) {
		switch c := text[i]; {
		case c == '=' || c == ':':
			return i > 0
		case !isNameByte(c):
			return false
		}
	}
	return false
}

// structureAt reports whether a list, a map or an object begins at a position, and where its bracket is.
func structureAt(text string, at int) (begin int, ok bool) {
	begin = at
	for begin < len(text) && (isNameByte(text[begin]) && text[begin] != '[' && text[begin] != ']' || text[begin] == '&' || text[begin] == '*') {
		begin++
	}
	if begin == len(text) || strings.IndexByte("{[(", text[begin]) < 0 {
		return 0, false
	}
	if begin > at && strings.HasPrefix(text[at:], "map[") { // map[string]string{…}
		types := text[begin:min(len(text), begin+maxFieldName)]
		if shut := strings.IndexByte(types, ']'); shut >= 0 {
			if brace := strings.IndexAny(types[shut:], "{ "); brace > 0 && types[shut+brace] == '{' {
				begin += shut + brace
			}
		}
	}
	return begin, true
}

// structureEnd returns where the structure ends whose bracket is at begin: with the text if it is not clear.
func structureEnd(text string, begin int) int {
	depth := 0
	for i := begin; i < len(text); i++ {
		switch c := text[i]; c {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'', '`':
			_, after := closing(text, i+1, backslashesBefore(text[begin:], i-begin))
			if after < 0 {
				return len(text)
			}
			i = after - 1
		}
	}
	return len(text)
}

// bareValue returns a value without quotes: up to a delimiter in a form or a credential. Content without quotes can
// have any delimiter in it.
func (s *search) bareValue(at int, name fieldName, kind fieldKind, equals bool) fieldValue {
	rest := s.text[at:]
	end := before(rest, " \t\r\n&;,)]}\"'")
	switch {
	case isPlain(rest[:end]) && (kind >= token || s.continues(at+end)):
		return fieldValue{at, at + end, plainValue}
	case name.form || end < len(rest) && rest[end] == '&':
		end = before(rest, " \t\r\n&#\"'")
	case kind == credential:
		end = credentialEnd(name.text, rest, end)
	case kind == strong && equals && Identifier(rest[:end]) && s.continues(at+end): // a field of a line, or an argument in code
	case kind == strong:
		end = len(rest)
	case kind == weak:
		end = words(rest)
	}
	return fieldValue{at, at + end, bare}
}

// credentialEnd returns where a credential without quotes ends, whose first delimiter is at end. A password can have
// delimiters in it, and a cookie and the header Authorization several words.
func credentialEnd(name, text string, end int) int {
	switch name := strings.ToLower(name); {
	case strings.HasSuffix(name, "cookie"):
		return before(text, "\r\n\"'\\")
	case end < len(text) && text[end] == ' ' && redact.StatesFact(text[:end]):
		return end + 1 + before(text[end+1:], " \t\r\n\"'\\")
	}
	for end < len(text) && strings.IndexByte("&;,)]}", text[end]) >= 0 {
		after := text[end+1:]
		if after == "" || !isWordByte[after[0]] || isField(after) {
			break
		}
		end += 1 + before(after, " \t\r\n&;,)]}\"'")
	}
	return end
}

// before returns where the first of some bytes is in a text, or the length of the text.
func before(text, bytes string) int {
	if i := strings.IndexAny(text, bytes); i >= 0 {
		return i
	}
	return len(text)
}

// words returns the length of the words without quotes that a text begins with: up to the next field, or to what closes
// a structure or a text around them.
func words(text string) int {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ']' && strings.HasSuffix(text[:i+1], truncated):
			return i + 1
		case strings.IndexByte(")]}\"'&;", c) >= 0:
			return i
		case isSpace(c) || c == ',':
			rest := strings.TrimLeft(text[i:], " \t\r\n,")
			if rest == "" || strings.IndexByte(")]}", rest[0]) >= 0 || isField(rest) {
				return i
			}
			i = len(text) - len(rest) - 1
		}
	}
	return len(text)
}

// isPlain reports whether a text is a number, true, false, or a word for nothing.
func isPlain(text string) bool {
	switch text {
	case "", "None", "null", "nil", "<nil>", "true", "false", "True", "False", "undefined", "NaN":
		return true
	}
	return isNumber(text)
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// OperationName returns the name of a span or an event of telemetry about models. A name that is long or has more words
// than those of the conventions keeps its first word, unless it is a name of code, or the name of the operation and of
// something that the item has an attribute of.
func (p *Policy) OperationName(name string, attribute func(key string) string) string {
	if isShort(name) {
		return name
	}
	words := wordsOf(name)
	if len(words) == 1 && isCode(name) {
		return name
	}
	if len(words) == 0 {
		return ""
	}
	if _, rest, ok := strings.Cut(name, " "); ok && slices.ContainsFunc(models().named, func(key string) bool { return attribute(key) == rest }) {
		return name
	}
	if len(words[0]) > maxIdentifier || !isCode(words[0]) {
		return naming.Beginning(Redacted, maxIdentifier)
	}
	return strings.Clone(words[0])
}

func isShort(name string) bool {
	return len(name) <= maxIdentifier && (classesOf(name)&gap == 0 || len(wordsOf(name))+unspaced(name) <= maxNameWords)
}

func wordsOf(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == ';' || r == '+' })
}

// PartOfName returns the part of a name that a pack takes as an id or a role: itself, unless it is longer than
// a short name.
func (p *Policy) PartOfName(action Action, part string) string {
	if isShort(part) {
		return part
	}
	if action == Hash {
		return p.replacer.hash(part)
	}
	return Redacted
}

// unspaced returns the number of characters of languages without spaces between their words. Each can be a word.
func unspaced(name string) (count int) {
	for _, r := range name {
		if r >= utf8.RuneSelf && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			count++
		}
	}
	return count
}

// maxNameWords is the number of words of the longest names of the conventions.
const maxNameWords = 4

// isCode reports whether a text can be a name of code, or a route.
func isCode(text string) bool {
	for i := range len(text) {
		if c := text[i]; !isNameByte(c) && strings.IndexByte("/:#<>(){}*@,~", c) < 0 {
			return false
		}
	}
	return true
}

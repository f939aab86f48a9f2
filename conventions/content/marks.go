// SPDX-License-Identifier: Apache-2.0

package content

import (
	"html"
	"regexp"
	"slices"
	"strings"
)

// Further ways to write a field than a name and a value: tags of XML, entries of a file of settings, parts of a form, turns
// of a conversation, calls, and options of a command.

// tag replaces the text of an element of XML or HTML whose tag ends at i, and returns where the search goes on.
func (s *search) tag(i int) (next int) {
	begin := max(s.done, i-maxFieldName)
	open := strings.LastIndexByte(s.text[begin:i], '<')
	if open < 0 || begin+open > 0 && isNameByte(s.text[begin+open-1]) {
		return i // a type: List<Message>
	}
	name, attributes, _ := strings.Cut(s.text[begin+open+1:i], " ")
	kind := s.policy.fieldKind(name[strings.LastIndexByte(name, ':')+1:])
	if name == "" || !isNameByte(name[0]) || !s.hides(kind) || kind == weak && !strings.HasPrefix(attributes, "name=") {
		return i // title and body are of pages
	}
	from, to := i+1, len(s.text)
	if end := strings.Index(s.text[from:], "</"+name); end >= 0 {
		to = from + end
	} else if attributes != "" && s.misses < maxMisses {
		s.misses++
		return i // <Prompt object at 0x7f>, <input type="hidden">
	}
	if v := (fieldValue{from, to, quoted}); !isPlain(strings.TrimSpace(s.text[from:to])) && s.replaces(kind, v) {
		s.replace(kind, fieldName{}, v)
	}
	return max(i, to-1)
}

// hides reports whether values of a kind are replaced.
func (s *search) hides(kind fieldKind) bool {
	return kind > noField && (kind >= token || s.action != Keep) && (kind < token || s.policy.secrets != Keep)
}

// turn replaces the text behind the comma at i that follows the name of a speaker, as in ("human", "…"), or that of a
// credential, as in the headers of Python: [(b"authorization", b"…")].
func (s *search) turn(i int) (next int) {
	name, ok := nameBefore(s.text[s.done:i])
	if !ok || name.quote == "" {
		return i
	}
	kind := s.policy.fieldKind(name.text)
	isPair := kind >= token
	if !isPair {
		if kind = weak; !models().speakers[strings.ToLower(name.text)] {
			return i
		}
	}
	before := strings.TrimRight(s.text[s.done:max(s.done, i-len(name.text)-2*len(name.quote))], `\bu`)
	if before == "" || strings.IndexByte("([", before[len(before)-1]) < 0 || !s.hides(kind) || isPair && !s.isPair(before, i) {
		return i // the value of a field: "role": "user", "content": …
	}
	return s.quotedBehind(i, kind, name)
}

// isPair reports whether a pair in a list begins with the bracket at the end of before, and has a comma at i. The columns
// of a statement and the arguments of a call have names of credentials, too: INSERT INTO "users" ("password", "email").
func (s *search) isPair(before string, i int) bool {
	outer, isOpen := strings.CutSuffix(before, "(")
	outer = strings.TrimRight(outer, " ")
	if !isOpen || outer != "" && strings.IndexByte("[(,", outer[len(outer)-1]) < 0 {
		return false
	}
	at := i + 1 + spacesAt(s.text[i+1:])
	from, isQuoted := quoteAt(s.text, at)
	if !isQuoted {
		return false
	}
	near := s.text[:min(len(s.text), from+2*maxFieldName)] // so that the time stays linear
	to, after := closing(near, from, backslashesBefore(near, from-1))
	return to < 0 || strings.HasPrefix(strings.TrimLeft(s.text[after:], " "), ")")
}

// call replaces the text behind the bracket at i of a call or an object: Prompt("…").
func (s *search) call(i int) (next int) {
	begin := i
	for begin > s.done && i-begin < maxFieldName && isNameByte(s.text[begin-1]) {
		begin--
	}
	if begin == i || s.action == Keep || s.policy.fieldKind(s.text[begin:i]) != strong {
		return i
	}
	return s.quotedBehind(i, strong, fieldName{})
}

// option replaces the value of the option of a command that begins at i: --prompt "…". Names of files stay.
func (s *search) option(i int) (next int) {
	end := i
	for end < len(s.text) && end-i < maxFieldName && isNameByte(s.text[end]) {
		end++
	}
	if end == len(s.text) || s.text[end] != ' ' || s.action == Keep || s.policy.fieldKind(s.text[i:end]) != strong {
		return i
	}
	v := fieldValue{end + 1, lineEnd(s.text, end), quoted}
	if from, isQuoted := quoteAt(s.text, end+1); isQuoted {
		v.from, v.to = from, len(s.text)
		if to, _ := closing(s.text, from, backslashesBefore(s.text, from-1)); to >= 0 {
			v.to = to
		}
	} else if options := strings.Index(s.text[v.from:v.to], " -"); options >= 0 {
		v.to = v.from + options
	}
	s.ahead += v.to - i
	if s.replaces(weak, v) {
		s.replace(weak, fieldName{}, v)
	}
	return max(i, v.to-1)
}

// quotedBehind replaces the text in quotes behind a character.
func (s *search) quotedBehind(i int, kind fieldKind, name fieldName) (next int) {
	at := i + 1
	for at < len(s.text) && isSpace(s.text[at]) {
		at++
	}
	from, ok := quoteAt(s.text, at)
	if !ok {
		return i
	}
	v := s.quotedValue(at, from, fieldName{})
	s.ahead += v.to - i
	if !s.replaces(kind, v) {
		return i
	}
	s.replace(kind, name, v)
	return max(i, v.to-1)
}

// part replaces the text of a part of a form whose name is behind the separator at i, and returns where the search goes on.
func (s *search) part(i int) (next int) {
	name := quotedName(s.text[i+1:])
	kind := s.policy.fieldKind(name)
	if name == "" || kind == weak || !s.hides(kind) {
		return i
	}
	const maxHeaders = 256
	begin := i + len(name) + 2
	end := min(len(s.text), begin+maxHeaders)
	closes := strings.IndexByte(s.text[begin:end], '"') // the name
	if closes < 0 {
		return i
	}
	begin += closes + 1
	headers := s.text[begin:end]
	if headers == "" || strings.IndexByte("\r\n\\;", headers[0]) < 0 {
		return i
	}
	at := blankLine.FindStringIndex(headers)
	if at == nil {
		return i
	}
	from := begin + at[1]
	to := len(s.text)
	if end := partEnd.FindStringIndex(s.text[from:]); end != nil {
		to = from + end[0]
	}
	s.replace(kind, fieldName{}, fieldValue{from, to, quoted})
	return max(i, to-1)
}

// What separates the headers of a part of a form from its text, and one part from another.
var (
	blankLine = regexp.MustCompile(`(?:\r?\n|(?:\\r)?\\n){2}`)
	partEnd   = regexp.MustCompile(`(?:\r?\n|(?:\\r)?\\n)--`)
)

// entryEnd returns where the value of an entry in a file of settings ends, whose name without quotes is before the
// separator at i: prompt: my words. An entry has a line of its own beside those of others. Elsewhere it is prose.
func (s *search) entryEnd(i int, name fieldName) (end int, ok bool) {
	begin := max(s.done, i-2*maxFieldName)
	newline := strings.LastIndexByte(s.text[begin:i], '\n')
	if newline < 0 && begin > 0 {
		return 0, false
	}
	start := begin + newline + 1
	if strings.Trim(s.text[start:i], " \t-") != name.text {
		return 0, false
	}
	if s.misses++; s.misses > maxMisses {
		return 0, false
	}
	indent := spacesAt(s.text[start:])
	end = lineEnd(s.text, i)
	besides := newline >= 0 && isEntry(lastLine(s.text[begin:start-1]))
	for end < len(s.text) && (spacesAt(s.text[end+1:]) > indent || end+1 < len(s.text) && s.text[end+1] == '\n') {
		end = lineEnd(s.text, end+1)
	}
	if besides = besides || end < len(s.text) && isEntry(strings.TrimLeft(s.text[end+1:], " \t")); besides {
		s.misses--
	}
	return end, besides
}

// maxMisses limits how often a text is read ahead up to an unknown end without a value that is replaced.
const maxMisses = 64

// recordEnd is what follows a value in what PHP's print_r writes.
var recordEnd = regexp.MustCompile(`\n\s*[\[)]`)

// isEntry reports whether a line begins with the name of an entry.
func isEntry(line string) bool {
	for i := range min(len(line), maxFieldName) {
		if !isNameByte(line[i]) {
			rest := strings.TrimLeft(line[i:], " \t")
			return i > 0 && rest != "" && (rest[0] == ':' || rest[0] == '=')
		}
	}
	return false
}

// lineEnd returns where the line at a position ends.
func lineEnd(text string, at int) int { return at + before(text[at:], "\n") }

// lastLine returns the last line of a text without the spaces before it.
func lastLine(text string) string {
	return strings.TrimLeft(text[strings.LastIndexByte(text, '\n')+1:], " \t-")
}

// spacesAt returns the number of spaces that a text begins with.
func spacesAt(text string) (count int) {
	for count < len(text) && (text[count] == ' ' || text[count] == '\t') {
		count++
	}
	return count
}

// withoutBeginning replaces the text before a quote that closes a value whose beginning is missing: some programs keep the
// ends of long lines.
func (s *search) withoutBeginning() {
	for _, quote := range []string{`"`, "'"} {
		i := strings.Index(s.text, quote)
		if i <= 0 || s.action == Keep || strings.IndexByte(" \t\r\n{[(,:=`\"'", s.text[i-1]) >= 0 {
			continue
		}
		to := i - backslashesBefore(s.text, i)
		rest := strings.TrimLeft(s.text[i+1:min(len(s.text), i+1+maxFieldName)], " ")
		closes := rest != "" && (rest[0] == '}' || rest[0] == ']')
		if !closes && rest != "" && rest[0] == ',' {
			rest = strings.TrimLeft(rest[1:], ` \`)
			closes = strings.HasPrefix(rest, quote)
		}
		if v := (fieldValue{0, to, quoted}); closes && to > 0 && s.replaces(weak, v) {
			s.replace(weak, fieldName{}, v)
			return
		}
	}
}

// withoutPhrase replaces a text from the first phrase on behind which a text of people or models stands.
func (p *Policy) withoutPhrase(action Action, text string, replaced func(rule *Rule, bytes int)) string {
	begin := len(text)
	for _, phrase := range models().phrases {
		if i := strings.Index(text[:begin], phrase); i >= 0 {
			begin = i + len(phrase)
			if phrase[0] == '<' || phrase[0] == '[' {
				begin = i
			}
		}
	}
	if begin == len(text) || strings.HasPrefix(text[begin:], Redacted) {
		return text
	}
	now := p.replacer.replace(action, text[begin:])
	if now != text[begin:] {
		replaced(p.inText, len(text)-begin)
	}
	return text[:begin] + now
}

// escapes are those of the characters around fields, in URLs, HTML and JSON, and in what Erlang and PHP's var_dump write.
// Spaces of no width can be in names.
var escapes = regexp.MustCompile(`<<"|">>|\]=>\s*string\(\d+\) |\x{200b}|\x{feff}|[“”„：]|%(?:25)*(?:2[026]|27|3[aAcCdDeE]|7[bBdD]|5[bBdD]|2[cC])|&(?:quot|apos|lt|gt|#34|#39|#x22|#x27);|\\+(?:u00|x)(?:2[27]|3[aAcCdDeE]|7[bBdD])`)

// escapeSigns are what texts with escapes of fields have. The escape of a space alone is none of them.
var escapeSigns = []string{"%3", "%25", "&quot;", "&#", "&lt;", "“", "：", `<<"`, "]=>", `\u00`, `\x`, "\u200b", "\ufeff"}

// withoutEscapes returns a text with the characters around fields in place of their escapes.
func withoutEscapes(text string) string {
	if !slices.ContainsFunc(escapeSigns, func(sign string) bool { return strings.Contains(text, sign) }) {
		return text
	}
	return escapes.ReplaceAllStringFunc(text, func(escape string) string {
		switch escape[0] {
		case '&':
			return html.UnescapeString(escape)
		case '%', '\\':
			c := unescaped(`\x` + escape[len(escape)-2:])
			if c == `"` || c == "'" {
				c = strings.Repeat(`\`, strings.Count(escape, `\`)) + c
			}
			return c
		}
		switch escape {
		case "“", "”", "„", `<<"`, `">>`:
			return `"`
		case "：":
			return ":"
		}
		if escape[0] == ']' {
			return ": "
		}
		return ""
	})
}

// withoutOptions replaces the credentials in the options of commands in a text: curl -u bob:x, run --api-key x.
func (p *Policy) withoutOptions(text string, replaced func(rule *Rule, bytes int)) string {
	if p.secrets == Keep {
		return text
	}
	if strings.Contains(text, " --") || strings.Contains(text, "curl ") {
		parts := strings.Split(p.command(text, 0), `"`) // it can be in JSON
		for i, part := range parts {
			if strings.Contains(part, " -") {
				parts[i] = p.command(part, 0)
			}
		}
		if now := strings.Join(parts, `"`); now != text {
			replaced(p.urlRule, 0)
			text = now
		}
	}
	if strings.Contains(text, " password ") {
		text = netrc.ReplaceAllStringFunc(text, func(login string) string {
			at := strings.LastIndexByte(login, ' ') + 1
			if slices.Contains(placeholders, login[at:]) {
				return login
			}
			replaced(p.urlRule, len(login)-at)
			return login[:at] + hidden
		})
	}
	return text
}

// netrc is a password in a file of the form of netrc.
var netrc = regexp.MustCompile(`\blogin \S+ password \S+`)

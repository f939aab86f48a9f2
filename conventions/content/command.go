// SPDX-License-Identifier: Apache-2.0

package content

import (
	"slices"
	"strings"
)

// hidden replaces a credential inside of a text.
const hidden = "REDACTED"

// Option is what the value of a command's option is.
type Option uint8

const (
	noOption Option = iota
	secretOption
	headerOption
	userOption
	cookieOption
	dataOption
)

// options are the options of clients such as curl and docker.
var options = map[Option][]string{
	headerOption: {"-H", "--header", "--proxy-header"},
	userOption:   {"-u", "--user", "-U", "--proxy-user"},
	cookieOption: {"-b", "--cookie"},
	dataOption:   {"-d", "--data", "--data-raw", "--data-ascii", "--data-binary", "--data-urlencode", "--json", "-F", "--form"},
}

// optionOf returns what the value of an argument is, if the argument is an option.
func (p *Policy) optionOf(argument string) Option {
	if !strings.HasPrefix(argument, "-") {
		return noOption
	}
	for option, names := range options {
		if slices.Contains(names, argument) {
			return option
		}
	}
	if strings.IndexByte(argument, '=') < 0 && p.fieldKind(argument) >= token {
		return secretOption
	}
	return noOption
}

// ScrubArgument removes the credentials of an argument of a command, and those of its URLs. Before is what the call for
// the argument before returned: --api-key hides the next one.
func (p *Policy) ScrubArgument(text string, before Option) (clean string, next Option) {
	if p.secrets == Keep {
		return text, noOption
	}
	return p.argument(text, before, 0)
}

// maxCommands is how deep a command is searched inside of an argument in quotes.
const maxCommands = 3

func (p *Policy) argument(text string, before Option, depth int) (clean string, next Option) {
	if strings.HasPrefix(text, "-") {
		before = noOption
	}
	if before == secretOption {
		return hidden, noOption
	}
	inner, quote := unquoted(text)
	if before != noOption {
		return quote + p.optionValue(before, inner) + quote, noOption
	}
	return quote + p.named(inner, depth) + quote, p.optionOf(text)
}

// unquoted returns an argument without the quotes around it, and the quote.
func unquoted(text string) (inner, quote string) {
	if last := len(text) - 1; last > 0 && (text[0] == '"' || text[0] == '\'') && text[last] == text[0] {
		return text[1:last], text[:1]
	}
	return text, ""
}

// optionValue removes the credentials of the value of an option.
func (p *Policy) optionValue(option Option, text string) string {
	switch option {
	case secretOption:
		return hidden
	case headerOption:
		if name, value, ok := strings.Cut(text, ":"); ok && value != "" && p.secret.IsHeader(name) {
			return name + ": " + hidden
		}
	case userOption:
		if user, password, ok := strings.Cut(text, ":"); ok && !strings.HasPrefix(password, "//") && strings.Trim(text, "0123456789:") != "" && password != "" {
			return user + ":" + hidden
		}
	case cookieOption:
		if strings.IndexByte(text, '=') >= 0 {
			return hidden
		}
	case dataOption:
		return p.secret.Scrub(Query, p.fields(Keep, text, func(*Rule, int) {}))
	}
	return p.secret.Scrub(AnyText, text)
}

// named removes the credentials of an argument that is a variable, an option with its value, a header, or a command.
func (p *Policy) named(text string, depth int) string {
	for begin := 0; ; {
		equals := strings.IndexByte(text[begin:], '=')
		if equals < 0 || strings.IndexByte(text[begin:begin+equals], ' ') >= 0 {
			break
		}
		name := text[begin : begin+equals]
		begin += equals + 1
		option := p.optionOf(name)
		if option == noOption && p.fieldKind(name) >= token {
			option = secretOption
		}
		if option != noOption && begin < len(text) {
			value, quote := unquoted(text[begin:])
			if option == secretOption {
				quote = ""
			}
			return p.secret.Scrub(AnyText, text[:begin]) + quote + p.optionValue(option, value) + quote
		}
	}
	if strings.HasPrefix(text, "-") && len(text) > 2 && text[1] != '-' {
		// A value can follow the letter of an option at once.
		if option := p.optionOf(text[:2]); option == headerOption || option == userOption {
			return text[:2] + p.optionValue(option, text[2:])
		}
	}
	if name, value, ok := strings.Cut(text, ": "); ok && value != "" && strings.IndexByte(name, ' ') < 0 && p.fieldKind(name) >= token {
		return name + ": " + hidden
	}
	if strings.ContainsAny(text, " \t\r\n") && depth < maxCommands {
		return p.command(text, depth+1)
	}
	return p.secret.Scrub(AnyText, text)
}

// command replaces the credentials of a command line.
func (p *Policy) command(text string, depth int) string {
	var b strings.Builder
	done, option := 0, noOption
	for next := 0; next < len(text); {
		if isSpace(text[next]) {
			next++
			continue
		}
		end := next + argumentLength(text[next:])
		argument := text[next:end]
		var clean string
		if clean, option = p.argument(argument, option, depth); clean != argument {
			b.WriteString(text[done:next])
			b.WriteString(clean)
			done = end
		}
		next = end
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// argumentLength returns the length of the argument that a text begins with: up to a space outside of
// quotes.
func argumentLength(text string) int {
	quote := byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case isSpace(c):
			return i
		}
	}
	return len(text)
}

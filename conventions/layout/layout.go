// SPDX-License-Identifier: Apache-2.0

// Package layout parses the layouts of text log lines: literal text and placeholders for the variable
// parts.
package layout

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Layout is the layout of a log line.
type Layout []Part

// Part is a part of a layout.
type Part struct {
	Kind Kind
	// Text is a literal's text, a placeholder's key, a time's format or how a severity is written. A space
	// in a literal matches a run of spaces.
	Text string
	// Word means that a text has neither spaces nor tabs.
	Word bool
	// Prefix and Suffix are how a word begins and ends. Any word does if they are empty.
	Prefix, Suffix string
	// Optional is the number of following parts that may be absent together.
	Optional int
}

// EndsInBody reports whether the body extends to the end of the line.
func (l Layout) EndsInBody() bool {
	return len(l) > 0 && l[len(l)-1].Kind == Body || slices.ContainsFunc(l, func(p Part) bool { return p.Kind == Rest })
}

// Kind is the kind of a part.
type Kind uint8

// The kinds of parts.
const (
	Literal  Kind = iota
	Optional      // {?…}
	Time          // {time:format}
	Severity      // {severity}
	Body          // {body}
	Rest          // {body:rest}
	Text          // {key}, {key:word} or {key:prefix*suffix}
	Int           // {key:int}
	Skip          // {}
)

// ISO is the format of a time in ISO 8601: with T or a space, and with or without a fraction and a zone.
const ISO = "iso"

// How a severity is written, other than as a word in any case.
const (
	Upper  = "upper"  // a word in upper case
	Syslog = "syslog" // syslog's number, which has the facility too
	Level  = "level"  // a known level of two letters or more, in any case, that messages hardly begin with
)

// Method is the key of a request's method. A line that has it is an access line.
const Method = "http.request.method"

// Pairs is the text of a body whose last words are key=value.
const Pairs = "pairs"

// Source is the text of a body that ends in (file:line:logger).
const Source = "source"

// Quoted is the text of a body that is a string in quotes with JSON's escapes.
const Quoted = "quoted"

// Parse parses a layout. The error names the placeholder and the rule.
func Parse(text string) (Layout, error) {
	l, err := parse(text)
	if err != nil {
		return nil, err
	}
	return l, l.check()
}

// ParsePrefix parses the layout of a prefix: what stands before each line of a system, such as
// "({process.name:word} pid={process.pid:int}) ". The error names the placeholder and the rule.
func ParsePrefix(text string) (Layout, error) {
	l, err := parse(text)
	if err != nil {
		return nil, err
	}
	return l, l.checkPrefix()
}

func parse(text string) (Layout, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, errors.New("a layout must be one line")
	}
	p := parser{rest: text}
	err := p.parse(0)
	return p.layout, err
}

// parser appends parts to a layout.
type parser struct {
	rest   string
	layout Layout
}

var (
	spaces          = regexp.MustCompile(` +`)
	wordForm        = regexp.MustCompile(`^([^\s*]+\*[^\s*]*|\*[^\s*]+)$`)
	placeholderForm = regexp.MustCompile(`^\{([A-Za-z][\w.-]*)?(?::([^{}]*))?\}`)
)

// parse reads parts until the end of the text or of an optional part.
func (p *parser) parse(depth int) error {
	for {
		end := strings.IndexAny(p.rest, "{}")
		if end < 0 {
			end = len(p.rest)
		}
		if end > 0 {
			p.layout = append(p.layout, Part{Kind: Literal, Text: spaces.ReplaceAllString(p.rest[:end], " ")})
		}
		p.rest = p.rest[end:]
		switch {
		case p.rest == "" && depth > 0:
			return errors.New("{? must be closed by }")
		case p.rest == "":
			return nil
		case p.rest[0] == '}' && depth == 0:
			return errors.New("} must close a {")
		case p.rest[0] == '}':
			p.rest = p.rest[1:]
			return nil
		case strings.HasPrefix(p.rest, "{?"):
			if err := p.optional(depth + 1); err != nil {
				return err
			}
		default:
			if err := p.placeholder(depth); err != nil {
				return err
			}
		}
	}
}

// optional reads {?…}.
func (p *parser) optional(depth int) error {
	at := len(p.layout)
	p.layout = append(p.layout, Part{Kind: Optional})
	p.rest = p.rest[len("{?"):]
	if err := p.parse(depth); err != nil {
		return err
	}
	p.layout[at].Optional = len(p.layout) - at - 1
	if p.layout[at].Optional == 0 || p.layout[at+1].Kind != Literal {
		return errors.New("{?…} must begin with literal text, which shows whether it is there")
	}
	return nil
}

// placeholder reads {key}, {key:int}, {key:word}, {key:prefix*suffix}, {time:format}, {severity}, {body} or {}.
func (p *parser) placeholder(depth int) error {
	match := placeholderForm.FindStringSubmatch(p.rest)
	if match == nil {
		return fmt.Errorf("a placeholder must be {key}, {key:int}, {key:word}, {time:format} or {} (got %q)", p.rest)
	}
	text, key, suffix := match[0], match[1], match[2]
	p.rest = p.rest[len(text):]
	part := Part{Kind: Text, Text: key}
	switch {
	case key == "time":
		if err := checkTimeFormat(suffix); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		part = Part{Kind: Time, Text: suffix}
	case key == "severity" && (suffix == "" || suffix == Upper || suffix == Syslog || suffix == Level):
		part = Part{Kind: Severity, Text: suffix}
	case text == "{body:rest}":
		part = Part{Kind: Rest}
	case key == "body" && (suffix == "" || suffix == Pairs || suffix == Source || suffix == Quoted):
		part = Part{Kind: Body, Text: suffix}
	case text == "{}":
		part = Part{Kind: Skip}
	case key != "" && key != "severity" && key != "body" && suffix == "int":
		part.Kind = Int
	case key != "" && key != "severity" && key != "body" && suffix == "word":
		part.Word = true
	case key != "" && key != "severity" && key != "body" && wordForm.MatchString(suffix):
		part.Word = true
		part.Prefix, part.Suffix, _ = strings.Cut(suffix, "*")
	case suffix != "" || key == "":
		return fmt.Errorf("%s: after a colon, only {time:format}, {key:int}, {key:word}, {key:prefix*suffix}, {severity:upper}, {severity:level}, {severity:syslog}, {body:rest}, {body:pairs}, {body:source} and {body:quoted} are known", text)
	}
	if depth > 0 && (key == "time" || key == "severity" || key == "body") {
		return fmt.Errorf("%s must not be in {?…}: records are recognised by it", text)
	}
	p.layout = append(p.layout, part)
	return nil
}
